"""Idle gaps by what could remove them, where they are longer than the kernels beside them.

All of this is about the table ``gaps`` of `nsys_walls.store.gaps`, which has to be there.
"""

from dataclasses import dataclass
from typing import Literal

from nsys_walls.store.timeline import Timeline

#: Longest gap that the launch of a kernel alone can explain, ns: a framework that runs an
#: operator from Python needs some 10 µs a launch under a profiler, and seldom this much.
LONGEST_LAUNCH_NS = 100_000

#: Longest gap in front of a kernel that was launched before it and that starting alone can
#: explain, ns: a GPU starts the next kernel of a queue within 1 to 10 µs.
LONGEST_START_NS = 20_000

#: What a gap waited for:
#:     ``launch``: for no more than the launch of a kernel outside of CUDA graphs;
#:     ``call``: for the launching call, which took longer than launches do;
#:     ``sync``, ``copy``, ``memory``: for the host, which came back from such a call inside it;
#:     ``host``: for the host, which did something else for longer than a launch takes;
#:     ``queued``: for more than the start of a kernel that was launched already;
#:     ``unknown``: for a kernel whose API call the trace does not have.
WaitFor = Literal["launch", "call", "sync", "copy", "memory", "host", "queued", "unknown"]

# Gaps that end in a copy say little when the call came first: the host may be filling a staging
# buffer meanwhile. Gaps inside graphs and between them are no launches that a graph would spare.
_WAITS = """
CREATE OR REPLACE TEMP VIEW waits AS
SELECT *, is_selected AND gap_ns > greatest(before_ns, after_ns) AS is_longer,
  CASE
    WHEN call_kind IS NOT NULL THEN call_kind
    WHEN cause = 'graph' THEN NULL
    WHEN point IS NULL OR is_node
      THEN CASE WHEN cause = 'host' AND gap_ns > {launch_ns} THEN 'host' END
    WHEN 2 * launching_ns >= gap_ns
      THEN CASE WHEN gap_ns > {launch_ns} THEN 'call' ELSE 'launch' END
    WHEN gap_ns <= CASE cause WHEN 'host' THEN {launch_ns} WHEN 'queued' THEN {start_ns} END
      THEN 'launch'
    ELSE cause
  END AS waits_for
FROM gaps
"""

_TOTALS = """
SELECT waits_for, count(*), sum(gap_ns)::BIGINT, median(gap_ns), max(gap_ns),
  coalesce(sum(gap_ns) FILTER (cause = call_kind), 0)::BIGINT
FROM waits WHERE waits_for IS NOT NULL GROUP BY waits_for ORDER BY sum(gap_ns) DESC, waits_for
"""

_CALLS = """
SELECT waits_for, list(name ORDER BY time_ns DESC, name) FROM (
  SELECT waits_for, CASE waits_for WHEN 'call' THEN launch ELSE call END AS name,
    sum(gap_ns) AS time_ns
  FROM waits WHERE waits_for IS NOT NULL GROUP BY ALL
) WHERE name IS NOT NULL GROUP BY waits_for
"""

# Gaps before work that is not selected are idle time too, but no kernel of the selection's.
_POINTS = """
SELECT waits_for, point, sum(after_ns)::BIGINT FROM waits
WHERE waits_for IS NOT NULL AND is_selected AND point IS NOT NULL
  AND (waits_for <> 'launch' OR is_longer)
GROUP BY ALL ORDER BY ALL
"""

# A range that holds most of a sum shows in its largest parts; millions of small ones would not
# change that.
_RANGES = """
SELECT waits_for, source, range, sum(gap_ns)::BIGINT FROM waits
WHERE waits_for IS NOT NULL AND range IS NOT NULL GROUP BY waits_for, source, range
QUALIFY row_number() OVER (PARTITION BY waits_for ORDER BY sum(gap_ns) DESC, source, range) <= 1000
ORDER BY ALL
"""

# A stretch goes on where the kernel that ends one such gap is all that there is before the next.
_STRETCHES = """
WITH longer AS (
  SELECT gap_ns, after_ns, gap_start_ns IS DISTINCT FROM lag(gap_start_ns + gap_ns + after_ns)
    OVER (PARTITION BY source, device ORDER BY gap_start_ns) AS is_first
  FROM waits WHERE waits_for = 'launch' AND is_longer
)
SELECT count(*) FILTER (is_first), count(*), coalesce(sum(gap_ns), 0)::BIGINT,
  coalesce(sum(after_ns), 0)::BIGINT
FROM longer
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """All gaps of all devices that waited for one thing.

    Attributes:
        waits_for: What, see `WaitFor`.
        gaps: How many.
        time_ns: Their sum, ns.
        median_ns: Their median, ns.
        longest_ns: The longest, ns.
        in_call_ns: Part of ``time_ns`` in gaps most of which the blocking call filled itself, ns.
    """

    waits_for: WaitFor
    gaps: int
    time_ns: int
    median_ns: float
    longest_ns: int
    in_call_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretches:
    """Runs of launches with gaps that are longer than the kernels on both sides of them.

    Attributes:
        stretches: How many runs: one kernel, and nothing else, between two gaps of a run.
        gaps: Gaps in all of them.
        time_ns: Sum of the gaps, ns.
        kernel_ns: Sum of the kernels that end the gaps, ns.
    """

    stretches: int = 0
    gaps: int = 0
    time_ns: int = 0
    kernel_ns: int = 0


def find_waits(timeline: Timeline) -> None:
    """Make the view ``waits`` for the queries of this module; after `find_gaps`."""
    timeline.run(_WAITS.format(launch_ns=LONGEST_LAUNCH_NS, start_ns=LONGEST_START_NS))


def wait_times(timeline: Timeline) -> tuple[Wait, ...]:
    """Sum gaps by what they waited for, the longest sum first."""
    names = Wait.__slots__
    return tuple(Wait(**dict(zip(names, row, strict=True))) for row in timeline.rows(_TOTALS))


def waited_calls(timeline: Timeline) -> dict[str, list[str]]:
    """List the API calls to which gaps are put down, by what these waited for, costliest first."""
    return dict(timeline.rows(_CALLS))


def waiting_points(timeline: Timeline) -> list[tuple[str, int, int]]:
    """Sum the kernels that end gaps: of what waits for a launch, only after longer gaps.

    Returns:
        What they waited for, point, and the sum of the durations of those launches, ns.
    """
    return timeline.rows(_POINTS)


def waiting_ranges(timeline: Timeline) -> list[tuple[str, int, int, int]]:
    """Sum gaps by the innermost NVTX range around the call that ended them.

    Returns:
        What they waited for, source, range, and sum, ns: the largest thousand of each.
    """
    return timeline.rows(_RANGES)


def launch_stretches(timeline: Timeline) -> Stretches:
    """Find the runs of gaps that wait for launches and are longer than what they launch."""
    ((*numbers,),) = timeline.rows(_STRETCHES)
    return Stretches(**dict(zip(Stretches.__slots__, numbers, strict=True)))
