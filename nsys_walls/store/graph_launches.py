"""CUDA graphs that were traced as one row a launch."""

from dataclasses import dataclass

from nsys_walls.store.timeline import Timeline

_LAUNCHES = """
SELECT count(*), sum(duration_ns)::BIGINT, median(duration_ns) FROM graphs HAVING count(*) > 0
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphLaunches:
    """Launches of CUDA graphs whose kernels can't be seen.

    Attributes:
        launches: How many.
        time_ns: Sum of their durations, ns.
        median_ns: Their median, ns.
    """

    launches: int
    time_ns: int
    median_ns: float


def graph_launches(timeline: Timeline) -> GraphLaunches | None:
    """Sum the graphs that a selection leaves; None where there are none."""
    rows = timeline.rows(_LAUNCHES)
    return (
        GraphLaunches(**dict(zip(GraphLaunches.__slots__, rows[0], strict=True))) if rows else None
    )
