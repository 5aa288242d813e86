"""CUDA graphs that were traced as one row a launch."""

from dataclasses import dataclass

from nsys_walls.store.timeline import Timeline

# What a graph adds to a union is its part behind all that began before it; every source has a
# clock of its own.
_LAUNCHES = """
WITH reached AS (
  SELECT *, coalesce(max(end_ns) OVER (
    PARTITION BY source, device ORDER BY start_ns, end_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ), start_ns) AS before_ns
  FROM graphs
)
SELECT count(*), sum(duration_ns)::BIGINT,
  sum(greatest(0, end_ns - greatest(start_ns, before_ns)))::BIGINT, median(duration_ns)
FROM reached HAVING count(*) > 0
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphLaunches:
    """Launches of CUDA graphs whose kernels can't be seen.

    Attributes:
        launches: How many.
        time_ns: Sum of their durations, ns.
        busy_ns: Their union on each device, ns: graphs that ran at once count once.
        median_ns: Median of their durations, ns.
    """

    launches: int
    time_ns: int
    busy_ns: int
    median_ns: float


def graph_launches(timeline: Timeline) -> GraphLaunches | None:
    """Sum the graphs that a selection leaves; None where there are none."""
    rows = timeline.rows(_LAUNCHES)
    return (
        GraphLaunches(**dict(zip(GraphLaunches.__slots__, rows[0], strict=True))) if rows else None
    )
