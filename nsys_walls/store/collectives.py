"""Collectives: how long they took on every rank, and how much of that was waiting.

A collective ends when the last rank has come. So of the n-th collective of one kernel on all
ranks, the shortest duration is the least that the exchange itself took, and what the others took
longer is waiting for that rank. Clocks of several machines do not enter. It is assumed that all
ranks take part in each: a trace does not name communicators.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nsys_walls.store.timeline import Timeline

#: A collective this many times longer than the median of its kernel did not exchange, it waited.
SLOW_FACTOR = 10

# Damaged rows may keep one in ten of the collectives from meeting.
_MOST_APART = 0.1

# Matched over all of the run, whatever is selected of it. Where ranks share a clock, a collective
# can't end on one rank before it began on another: then they are of several communicators.
_COLLECTIVES = """
CREATE OR REPLACE TEMP TABLE collectives AS
WITH every AS (
  SELECT family, source, device, coalesce(process, -1) AS process, duration_ns, start_ns, end_ns,
    selected
  FROM every_launch JOIN families USING (point)
), counted AS (
  SELECT *,
    row_number() OVER (PARTITION BY family, source, device, process ORDER BY start_ns) AS n,
    count(*) OVER (PARTITION BY family, source, device, process) AS on_rank
  FROM every
), meetings AS (
  SELECT family, source, n, max(start_ns) <= min(end_ns) AS is_one
  FROM counted GROUP BY family, source, n
), apart AS (
  SELECT family, count(*) FILTER (NOT is_one) > {most_apart} * count(*) AS is_apart
  FROM meetings GROUP BY family
), matched AS (
  SELECT family, count(*) AS ranks, min(on_rank) = max(on_rank) AS is_matched
  FROM (SELECT DISTINCT family, source, device, process, on_rank FROM counted)
  GROUP BY family
), waiting AS (
  SELECT counted.*, ranks,
    CASE WHEN ranks > 1 AND is_matched AND NOT is_apart THEN
      duration_ns - min(duration_ns) OVER (PARTITION BY family, n)
    END AS waiting_ns
  FROM counted JOIN matched USING (family) JOIN apart USING (family)
)
SELECT * FROM waiting WHERE selected
"""

_FAMILIES = """
WITH medians AS (SELECT family, median(duration_ns) AS median_ns FROM collectives GROUP BY family)
SELECT family, any_value(ranks), count(*), sum(duration_ns)::BIGINT, any_value(median_ns),
  max(duration_ns), sum(waiting_ns)::BIGINT,
  count(*) FILTER (duration_ns > ? * median_ns),
  coalesce(sum(duration_ns) FILTER (duration_ns > ? * median_ns), 0)::BIGINT
FROM collectives JOIN medians USING (family) GROUP BY family ORDER BY family
"""

_RANKS = """
SELECT source, device, process, sum(duration_ns)::BIGINT, sum(waiting_ns)::BIGINT
FROM collectives GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveTime:
    """All launches of one kernel of communication.

    Attributes:
        family: Number that the caller gave to the kernel.
        ranks: Processes on devices that launched it.
        launches: How many, on all ranks.
        time_ns: Their sum, ns.
        median_ns: Their median, ns.
        max_ns: The longest, ns.
        waiting_ns: Time above the fastest rank of each collective, ns; None with one rank, where
            ranks launched it at different numbers, or where they did not meet.
        slow: Launches that took more than `SLOW_FACTOR` medians.
        slow_ns: Their sum, ns.
    """

    family: int
    ranks: int
    launches: int
    time_ns: int
    median_ns: float
    max_ns: int
    waiting_ns: int | None
    slow: int
    slow_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCommunication:
    """Communication of one process on one device.

    Attributes:
        time_ns: Sum of its collectives, ns.
        waiting_ns: Part of it above the fastest rank, ns; None where that is not known.
    """

    time_ns: int
    waiting_ns: int | None


def find_collectives(timeline: Timeline, families: Mapping[int, int]) -> None:
    """Make the table ``collectives`` for the queries of this module.

    Args:
        timeline: The launches.
        families: Point to number of its kernel, for the points that communicate.
    """
    timeline.register(
        "families", {"point": list(families), "family": [families[point] for point in families]}
    )
    timeline.run(_COLLECTIVES.format(most_apart=_MOST_APART))


def collective_times(timeline: Timeline) -> tuple[CollectiveTime, ...]:
    """Sum collectives by kernel; after `find_collectives`."""
    names = CollectiveTime.__slots__
    return tuple(
        CollectiveTime(**dict(zip(names, row, strict=True)))
        for row in timeline.rows(_FAMILIES, SLOW_FACTOR, SLOW_FACTOR)
    )


def rank_communication(
    timeline: Timeline,
) -> dict[tuple[int, int, int | None], RankCommunication]:
    """Sum collectives by source, device and process; after `find_collectives`."""
    return {
        (source, device, None if process < 0 else process): RankCommunication(
            time_ns=time_ns, waiting_ns=waiting_ns
        )
        for source, device, process, time_ns, waiting_ns in timeline.rows(_RANKS)
    }
