"""Neighbours on a stream: which kernels follow each other again and again, and what is between.

Kernels of one process that follow each other on one stream of one device are a *link* where the
second may read from DRAM what the first wrote there. Where the host or the device did something
between the two kernels, that blocks the link.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nsys_walls.store.timeline import Timeline
from nsys_walls.store.waits import LONGEST_LAUNCH_NS

#: What stands between two kernels:
#:     ``copy``: a copy or set on their stream;
#:     ``graph``: one of them is in a CUDA graph, and the other is not, or in another launch of one;
#:     ``sync``: the host waited for the GPU before it launched the second;
#:     ``memory``: the host allocated or freed memory, which may wait for all work of the GPU;
#:     ``wait``: their stream waits for an event, so for work of another stream;
#:     ``gap``: nothing of these, yet the stream was idle for longer than either kernel took, and
#:         than the launch of a kernel can explain: the host did something else first.
Blocker = Literal["copy", "graph", "sync", "wait", "memory", "gap"]

#: Least part of a kernel's traffic that passes over a link: below, a kernel fused for it would
#: move about as much as before.
LEAST_PASSED = 0.1

# `host_events`: what the host did that can stand between two launches, by the thread that did it,
# by the stream it was about, or by neither: then it is about all streams of the process. Rows of
# `syncs` know no thread, and calls no stream; where one of them has all of a kind, it is taken.
# What waits for a whole device is about all threads: without rows of `syncs`, by its call.
_HOST_EVENTS = """
CREATE OR REPLACE TEMP TABLE host_events AS
WITH known AS (
  SELECT source, bool_or(kind = 'stream_waits_event') AS has_waits
  FROM stored_syncs GROUP BY source
), calling AS (
  SELECT DISTINCT source FROM stored_calls WHERE kind = 'sync'
)
SELECT source, process, thread, NULL::INTEGER AS stream, start_ns, 'sync' AS kind
FROM stored_calls WHERE kind = 'sync' OR (kind = 'copy' AND NOT contains(name, 'Async'))
UNION ALL
SELECT source, process, NULL, NULL, start_ns, 'sync'
FROM stored_calls ANTI JOIN known USING (source)
WHERE kind = 'sync' AND regexp_matches(name, '(Device|Ctx|Thread)Synchronize')
UNION ALL
SELECT source, process, thread, NULL, start_ns, 'memory'
FROM stored_calls WHERE kind = 'memory' AND NOT contains(name, 'Async')
  AND regexp_matches(name, '^cu(da)?(Malloc|Free|HostAlloc|MemAlloc|MemFree)')
UNION ALL
SELECT source, process, thread, NULL, start_ns, 'wait'
FROM stored_calls LEFT JOIN known USING (source)
WHERE kind = 'wait' AND NOT coalesce(has_waits, false)
UNION ALL
SELECT source, process, NULL, stream, start_ns,
  CASE kind WHEN 'stream_waits_event' THEN 'wait' ELSE 'sync' END
FROM stored_syncs
WHERE kind IN ('stream', 'context', 'stream_waits_event')
  OR (kind = 'event' AND source NOT IN (SELECT source FROM calling))
"""

_LANES = """
SELECT count(thread), count(stream), count(*) FILTER (thread IS NULL AND stream IS NULL)
FROM host_events
"""

# `neighbours`: one row a link. Copies have no point, and what is not selected has one that no
# member has. Nodes of a graph that overlap are branches of it, and don't follow each other.
_NEIGHBOURS = """
CREATE OR REPLACE TEMP TABLE neighbours AS
WITH work AS (
  SELECT source, device, process, stream, start_ns, end_ns, correlation,
    coalesce(graph_node, 0) > 0 AS in_graph, CASE WHEN selected THEN point ELSE -1 END AS point
  FROM every_launch WHERE in_scope
  UNION ALL
  SELECT source, device, process, stream, start_ns, end_ns, NULL, NULL, NULL
  FROM every_copy WHERE in_scope
  UNION ALL
  SELECT source, device, process, stream, start_ns, end_ns, NULL, NULL, -1
  FROM every_graph WHERE in_scope
), ordered AS (
  SELECT *, row_number() OVER following AS place, lead(point) OVER following AS next_row,
    lead(point IGNORE NULLS) OVER following AS next_point,
    lead(CASE WHEN point IS NOT NULL THEN start_ns END IGNORE NULLS) OVER following AS next_ns,
    lead(CASE WHEN point IS NOT NULL THEN end_ns END IGNORE NULLS) OVER following AS next_end_ns,
    lead(CASE WHEN point IS NOT NULL THEN coalesce(correlation, -1) END IGNORE NULLS)
      OVER following AS next_correlation,
    lead(in_graph IGNORE NULLS) OVER following AS next_in_graph
  FROM work
  WINDOW following AS (
    PARTITION BY source, device, process, stream ORDER BY start_ns, end_ns
  )
), linked AS (
  SELECT ordered.*, first.twin, second.twin AS next_twin,
    least(first.write_bytes, second.read_bytes) AS passed_bytes
  FROM ordered JOIN members AS first USING (point)
  JOIN members AS second ON next_point = second.point
  WHERE next_point <> ordered.point AND second.begins = 0
    AND passed_bytes >= {least} * second.bytes
    AND (first.begins = 1 OR passed_bytes >= {least} * first.bytes)
    AND NOT (in_graph AND next_ns < end_ns)
)
SELECT row_number() OVER () AS id, source, process, stream,
  hash(source, device, process, stream) AS lane,
  place::INTEGER AS place, point::INTEGER AS point, next_point::INTEGER AS next_point,
  twin::INTEGER AS twin, next_twin::INTEGER AS next_twin,
  start_ns, end_ns - start_ns AS time_ns, next_end_ns - next_ns AS next_time_ns,
  correlation, next_correlation, passed_bytes,
  CASE WHEN next_row IS NULL THEN 'copy'
    WHEN in_graph <> next_in_graph OR (in_graph AND correlation <> next_correlation) THEN 'graph'
  END AS blocker,
  next_ns - end_ns > greatest({launch_ns}, end_ns - start_ns, next_end_ns - next_ns) AS is_gap
FROM linked
"""

# `launched`: when, and on which thread, the host launched both kernels of a link. Old schemas
# have two rows a call, one in the other: the outer one began earlier.
_LAUNCHED = """
CREATE OR REPLACE TEMP TABLE launched AS
WITH launching AS (
  SELECT source, process, correlation, min(start_ns) AS call_ns,
    arg_min(thread, start_ns) AS thread
  FROM stored_calls SEMI JOIN (
    SELECT source, process, correlation FROM neighbours
    UNION ALL SELECT source, process, next_correlation FROM neighbours
  ) USING (source, process, correlation)
  WHERE kind IN ('launch', 'graph') GROUP BY ALL
)
SELECT id, link.source, link.process, stream, before.call_ns, after.call_ns AS next_call_ns,
  after.thread
FROM (
  SELECT id, source, process, stream, correlation, next_correlation FROM neighbours
  WHERE blocker IS NULL
) AS link
JOIN launching AS before USING (source, process, correlation)
JOIN launching AS after ON link.source = after.source AND link.process = after.process
  AND next_correlation = after.correlation
"""

_HELD = """
SELECT id, kind FROM launched AS link
ASOF JOIN (
  SELECT source, process, stream, thread, start_ns, kind FROM host_events WHERE {lane}
) AS event
  ON link.source = event.source AND link.process = event.process {same}
  AND link.next_call_ns > event.start_ns
WHERE event.start_ns > link.call_ns
"""

_THREAD_LANE = _HELD.format(lane="thread IS NOT NULL", same="AND link.thread = event.thread")
_STREAM_LANE = _HELD.format(lane="stream IS NOT NULL", same="AND link.stream = event.stream")
_PROCESS_LANE = _HELD.format(lane="thread IS NULL AND stream IS NULL", same="")

_HELD_TABLE = """
CREATE OR REPLACE TEMP TABLE held AS SELECT id, max(kind) AS kind FROM ({lanes}) GROUP BY id
"""
_HELD_BY_NOTHING = "SELECT NULL::BIGINT AS id, NULL::VARCHAR AS kind"

_LINKS = """
CREATE OR REPLACE TEMP VIEW links AS
SELECT neighbours.* EXCLUDE (blocker),
  coalesce(blocker, held.kind, CASE WHEN is_gap THEN 'gap' END) AS blocker
FROM neighbours LEFT JOIN held USING (id)
"""

_PAIRS = """
WITH pairs AS (
  SELECT point, next_point, twin, next_twin, blocker, count(*) AS links,
    sum(time_ns + next_time_ns) AS time_ns
  FROM links GROUP BY ALL
), totals AS (
  SELECT point, next_point, twin, next_twin, sum(links) AS links,
    sum(time_ns) FILTER (blocker IS NOT NULL) AS blocked_ns
  FROM pairs GROUP BY ALL
), everywhere AS (
  SELECT twin, next_twin, sum(links) AS links, sum(blocked_ns) AS blocked_ns
  FROM totals GROUP BY ALL
)
SELECT point, next_point, twin, next_twin, totals.links::BIGINT, totals.blocked_ns::BIGINT,
  blocker, pairs.links
FROM pairs JOIN totals USING (point, next_point, twin, next_twin)
JOIN everywhere USING (twin, next_twin)
WHERE blocker IS NOT NULL AND everywhere.links > 1 AND everywhere.blocked_ns >= ?
ORDER BY totals.blocked_ns DESC, point, next_point, pairs.links DESC, blocker
"""

_HAS_CALLS = "SELECT count(*) FROM (SELECT 1 FROM stored_calls WHERE kind = 'launch' LIMIT 1)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What a kernel must be known by to be a neighbour.

    Attributes:
        point: The kernel.
        twin: The first one of this name and launch shape, on whatever device.
        read_bytes: DRAM reads of a launch, bytes.
        write_bytes: DRAM writes of a launch, bytes.
        bytes: Both, bytes.
        begins: Whether it can only be the first of its neighbours, and passes on what it wrote
            however much else it moved.
    """

    point: int
    twin: int
    read_bytes: int
    write_bytes: int
    bytes: int
    begins: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldPair:
    """Two kernels that follow each other with something between them, at least at times.

    Attributes:
        points: The two kernels.
        twins: The same, as they are called on all devices.
        occurrences: How often they follow each other.
        blocked_ns: Time of both where something is between them, ns.
        blockers: What is between them, and how often, the most frequent first.
    """

    points: tuple[int, int]
    twins: tuple[int, int]
    occurrences: int
    blocked_ns: int
    blockers: dict[Blocker, int]


def find_neighbours(timeline: Timeline, members: Sequence[Member]) -> None:
    """Make the table ``neighbours`` and the view ``links`` for the queries of this module."""
    timeline.register(
        "members",
        {name: [int(getattr(member, name)) for member in members] for name in Member.__slots__},
    )
    timeline.run(_HOST_EVENTS)
    ((by_thread, by_stream, by_process),) = timeline.rows(_LANES)
    timeline.run(_NEIGHBOURS.format(least=LEAST_PASSED, launch_ns=LONGEST_LAUNCH_NS))
    lanes = [
        lane
        for lane, events in (
            (_THREAD_LANE, by_thread),
            (_STREAM_LANE, by_stream),
            (_PROCESS_LANE, by_process),
        )
        if events
    ]
    if lanes:
        timeline.run(_LAUNCHED)
    timeline.run(_HELD_TABLE.format(lanes=" UNION ALL ".join(lanes) or _HELD_BY_NOTHING))
    timeline.run("DROP TABLE IF EXISTS launched")
    timeline.run(_LINKS)


def held_pairs(timeline: Timeline, least_ns: int) -> tuple[HeldPair, ...]:
    """List pairs with something between them, the longest time first; after `find_neighbours`.

    Args:
        timeline: The launches.
        least_ns: Time of a pair, where it is held on any device, from which on it is listed, ns.
    """
    pairs: dict[tuple[int, int], HeldPair] = {}
    for *kernels, links, blocked_ns, blocker, blocked in timeline.rows(_PAIRS, least_ns):
        point, next_point, twin, next_twin = kernels
        pair = pairs.setdefault(
            (point, next_point),
            HeldPair(
                points=(point, next_point),
                twins=(twin, next_twin),
                occurrences=links,
                blocked_ns=blocked_ns,
                blockers={},
            ),
        )
        pair.blockers[blocker] = blocked
    return tuple(pairs.values())


def drop_neighbours(timeline: Timeline) -> None:
    """Free what `find_neighbours` made."""
    for made in ("VIEW links", "TABLE neighbours", "TABLE held", "TABLE host_events"):
        timeline.run(f"DROP {made}")


def has_launch_calls(timeline: Timeline) -> bool:
    """Whether the host's launches were traced: without them, nothing of the host is seen."""
    ((calls,),) = timeline.rows(_HAS_CALLS)
    return bool(calls)
