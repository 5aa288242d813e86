"""Idle gaps of every device, and what the host did meanwhile.

A gap ends with some work. When its API call began before the gap did, the GPU had it at hand and
waited for something else: the host is not to blame. When it began later, the host was late: it
sat in the last blocking call of the same thread for most of that time, or it did something else.
"""

from dataclasses import dataclass
from typing import Literal

from nsys_walls.store.timeline import Timeline

#: Why a device was idle:
#:     ``sync``: the host sat in a synchronising call for most of the gap;
#:     ``copy``: it sat in a copy or set that blocks;
#:     ``memory``: it allocated or freed memory;
#:     ``host``: it was busy with something else than these; where it came back from such a call
#:         inside the gap, that is why it had not launched ahead;
#:     ``queued``: the work was launched already, and waited for an event, another stream or
#:         its launch;
#:     ``graph``: it is a node of a CUDA graph, as the work before;
#:     ``unknown``: the trace does not have its API call.
Cause = Literal["sync", "copy", "memory", "host", "queued", "graph", "unknown"]

# In steps: one statement would hold the state of all of its windows and joins at once.
#
# `found_gaps`: from what any work had reached to the next start, inside the span of what is
# selected; range and is_node (of a CUDA graph) are those of the work that ends the gap.
_FOUND = """
CREATE OR REPLACE TEMP TABLE found_gaps AS
WITH work AS (
  SELECT source, device, process, start_ns, end_ns, correlation, range, point,
    coalesce(graph_node, 0) > 0 AS is_node, selected
  FROM every_launch WHERE in_scope
  UNION ALL
  SELECT source, device, process, start_ns, end_ns, correlation, range, NULL, false, selected
  FROM every_copy WHERE in_scope
  UNION ALL
  SELECT source, device, process, start_ns, end_ns, correlation, range, NULL, false, selected
  FROM every_graph WHERE in_scope
), selected AS (
  SELECT source, device, start_ns, end_ns FROM launches
  UNION ALL SELECT source, device, start_ns, end_ns FROM copies
  UNION ALL SELECT source, device, start_ns, end_ns FROM graphs
), spans AS (
  SELECT source, device, min(start_ns) AS from_ns, max(end_ns) AS to_ns
  FROM selected GROUP BY ALL
), reached AS (
  SELECT *,
    max(end_ns) OVER (before ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap_start_ns,
    lag(point) OVER before AS point_before,
    lag(end_ns - start_ns) OVER before AS before_ns,
    lag(correlation) OVER before AS correlation_before
  FROM work
  WINDOW before AS (PARTITION BY source, device ORDER BY start_ns, end_ns)
)
SELECT source, device, process, correlation, gap_start_ns, start_ns - gap_start_ns AS gap_ns,
  range, point, point_before, before_ns, end_ns - start_ns AS after_ns, is_node,
  selected AS is_selected,
  coalesce(is_node AND correlation = correlation_before, false) AS in_graph
FROM reached JOIN spans USING (source, device)
WHERE gap_start_ns < start_ns AND gap_start_ns >= from_ns AND start_ns <= to_ns
"""

# Old schemas have two rows a call, one in the other: the outer one began earlier.
_LAUNCHING = """
CREATE OR REPLACE TEMP TABLE launching AS
SELECT source, process, correlation, min(start_ns) AS call_ns,
  arg_min(start_ns + duration_ns, start_ns) AS launched_ns,
  arg_min(thread, start_ns) AS thread, arg_min(name, start_ns) AS launch
FROM stored_calls WHERE kind IN ('launch', 'graph', 'copy', 'set')
GROUP BY ALL
"""

# `launching_ns`: how long the host was in that call inside the gap; negative where it was back
# before.
_CALLED = """
CREATE OR REPLACE TEMP TABLE called_gaps AS
SELECT found_gaps.* EXCLUDE (correlation), call_ns, thread, launch,
  CASE WHEN call_ns IS NOT NULL
    THEN least(launched_ns, gap_start_ns + gap_ns) - greatest(call_ns, gap_start_ns)
  END AS launching_ns
FROM found_gaps LEFT JOIN launching USING (source, process, correlation)
"""

# Only where the host was late does it matter from which call it came.
_GAPS = """
CREATE OR REPLACE TEMP TABLE gaps AS
WITH blocking AS (
  SELECT source, process, thread, start_ns + duration_ns AS returned_ns, kind, name
  FROM stored_calls
  WHERE kind IN ('sync', 'memory') OR (kind IN ('copy', 'set') AND NOT contains(name, 'Async'))
), late AS (
  SELECT * FROM called_gaps WHERE NOT in_graph AND call_ns > gap_start_ns
), explained AS (
  SELECT late.*, returned_ns, kind, name
  FROM late ASOF LEFT JOIN blocking
    ON late.source = blocking.source AND late.process = blocking.process
    AND late.thread = blocking.thread AND late.call_ns >= blocking.returned_ns
)
SELECT source, device, gap_start_ns, gap_ns, range, point, point_before, before_ns, after_ns,
  is_node, is_selected, launching_ns, launch,
  CASE
    WHEN returned_ns - gap_start_ns >= call_ns - returned_ns
      THEN CASE kind WHEN 'set' THEN 'copy' ELSE kind END
    ELSE 'host'
  END AS cause,
  CASE WHEN returned_ns > gap_start_ns THEN name END AS call,
  CASE WHEN returned_ns > gap_start_ns
    THEN CASE kind WHEN 'set' THEN 'copy' ELSE kind END
  END AS call_kind
FROM explained
UNION ALL
SELECT source, device, gap_start_ns, gap_ns, range, point, point_before, before_ns, after_ns,
  is_node, is_selected, launching_ns, launch,
  CASE WHEN in_graph THEN 'graph' WHEN call_ns IS NULL THEN 'unknown' ELSE 'queued' END,
  NULL, NULL
FROM called_gaps WHERE in_graph OR call_ns IS NULL OR call_ns <= gap_start_ns
"""

_CAUSES = """
SELECT device, cause, call, count(*), sum(gap_ns)::BIGINT, median(gap_ns), max(gap_ns)
FROM gaps GROUP BY ALL ORDER BY sum(gap_ns) DESC, device, cause, call
"""

_LONGEST = """
SELECT device, gap_start_ns, gap_ns, cause, call, point_before, point
FROM gaps ORDER BY gap_ns DESC, source, device, gap_start_ns LIMIT ?
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleCause:
    """Gaps of a device that have one cause.

    Attributes:
        device: Number of the device.
        cause: Why it was idle, see `Cause`.
        call: Blocking API call from which the host returned inside the gaps, or None.
        gaps: How many.
        time_ns: Their sum, ns.
        median_ns: Their median, ns.
        longest_ns: The longest, ns.
    """

    device: int
    cause: Cause
    call: str | None
    gaps: int
    time_ns: int
    median_ns: float
    longest_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One gap.

    Attributes:
        device: Number of the device.
        start_ns: When it begins, on the clock of its source, ns.
        duration_ns: How long, ns.
        cause: Why, see `Cause`.
        call: Blocking API call from which the host returned inside the gap, or None.
        point_before: Point of the kernel before it; None for a copy or graph.
        point_after: Point of the kernel that ends it; None for a copy or graph.
    """

    device: int
    start_ns: int
    duration_ns: int
    cause: Cause
    call: str | None
    point_before: int | None
    point_after: int | None


def find_gaps(timeline: Timeline) -> None:
    """Make the table ``gaps`` for the queries of this module, and of findings."""
    for step in (_FOUND, _LAUNCHING, _CALLED):
        timeline.run(step)
    for done in ("found_gaps", "launching"):
        timeline.run(f"DROP TABLE {done}")
    timeline.run(_GAPS)
    timeline.run("DROP TABLE called_gaps")


def idle_causes(timeline: Timeline) -> tuple[IdleCause, ...]:
    """Sum the gaps by device and cause, the longest sum first; after `find_gaps`."""
    names = IdleCause.__slots__
    return tuple(IdleCause(**dict(zip(names, row, strict=True))) for row in timeline.rows(_CAUSES))


def longest_gaps(timeline: Timeline, most: int) -> tuple[Gap, ...]:
    """List the longest gaps; after `find_gaps`."""
    names = Gap.__slots__
    return tuple(Gap(**dict(zip(names, row, strict=True))) for row in timeline.rows(_LONGEST, most))
