"""Totals of copies and sets, and how much of them ran under kernels and graphs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# Busy is a device under a kernel or a graph of one row, also one that is not selected. Their union
# needs no interval join. After each start of one, `busy_ns` is the length of the union of all up
# to there, and `reached_ns` its end. What lies before a time t is then told by the last start
# before t alone: busy_ns, less what reaches behind t. Every source has a clock of its own.
#
# On a clock that stands still while the device is busy (`free_from_ns` to `free_to_ns`), the union
# of copies is their union outside of that work: neither time ever runs backwards, so the order
# of their starts serves both.
COPY_TIMES = """
WITH work AS (
  SELECT source, device, start_ns, end_ns FROM every_launch WHERE in_scope
  UNION ALL
  SELECT source, device, start_ns, end_ns FROM every_graph WHERE in_scope
), starts AS (
  SELECT source, device, start_ns, end_ns, max(end_ns) OVER (
    PARTITION BY source, device ORDER BY start_ns, end_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS before_ns
  FROM work SEMI JOIN copies USING (source, device)
), unions AS (
  SELECT source, device, start_ns,
    greatest(end_ns, coalesce(before_ns, end_ns)) AS reached_ns,
    sum(greatest(0, end_ns - greatest(start_ns, coalesce(before_ns, start_ns)))) OVER (
      PARTITION BY source, device ORDER BY start_ns, end_ns ROWS UNBOUNDED PRECEDING
    ) AS busy_ns
  FROM starts
), busy AS MATERIALIZED (
  SELECT source, device, start_ns, max(reached_ns) AS reached_ns, max(busy_ns) AS busy_ns
  FROM unions GROUP BY source, device, start_ns
), traced AS (
  SELECT source FROM every_launch UNION SELECT source FROM every_graph
), edges AS (
  SELECT c.*,
    coalesce(first.busy_ns - greatest(0, first.reached_ns - c.start_ns), 0) AS busy_at_start_ns,
    coalesce(last.busy_ns - greatest(0, last.reached_ns - c.end_ns), 0) AS busy_at_end_ns
  FROM copies c
  ASOF LEFT JOIN busy first ON c.source = first.source AND c.device = first.device
    AND c.start_ns >= first.start_ns
  ASOF LEFT JOIN busy last ON c.source = last.source AND c.device = last.device
    AND c.end_ns >= last.start_ns
), clocks AS (
  SELECT *, start_ns - busy_at_start_ns AS free_from_ns, end_ns - busy_at_end_ns AS free_to_ns
  FROM edges
), added AS (
  SELECT *,
    greatest(0, end_ns - greatest(start_ns, coalesce(max(end_ns) OVER before, start_ns)))
      AS added_ns,
    greatest(0, free_to_ns - greatest(
      free_from_ns, coalesce(max(free_to_ns) OVER before, free_from_ns)
    )) AS free_added_ns
  FROM clocks
  WINDOW before AS (
    PARTITION BY source, device, operation, source_memory, target_memory
    ORDER BY start_ns, end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
)
SELECT device, operation, source_memory, target_memory,
  count(*),
  CASE WHEN count(bytes) = count(*) THEN sum(bytes)::BIGINT END,
  sum(duration_ns)::BIGINT,
  sum(added_ns)::BIGINT,
  median(bytes::DOUBLE / duration_ns * 1e9) FILTER (duration_ns > 0),
  CASE WHEN bool_and(source IN (SELECT source FROM traced))
    THEN sum(busy_at_end_ns - busy_at_start_ns)::BIGINT
  END,
  CASE WHEN bool_and(source IN (SELECT source FROM traced)) THEN sum(free_added_ns)::BIGINT END
FROM added
GROUP BY device, operation, source_memory, target_memory
ORDER BY device, sum(duration_ns) DESC, operation, source_memory, target_memory
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRow:
    """Copies or sets of one device that have operation and memories in common.

    Attributes:
        device: Number of the device.
        operation: As in the store, such as ``host_to_device`` or ``memset``; None if unknown.
        source_memory: ``pageable``, ``pinned``, ``device``, ``managed``, ``array``, or None.
        target_memory: As ``source_memory``.
        copies: How many.
        bytes: What they copied, in one direction; None where that of any is unknown.
        time_ns: Sum of their durations, ns.
        union_ns: Time in which any of them ran, ns: those that ran at once count once.
        median_bytes_per_s: Median of the rates of single copies, byte/s; None where no copy has
            both bytes and a duration.
        hidden_ns: The part of ``time_ns`` during which a kernel or a graph of one row ran on the
            device, ns, selected or not. None where a source has no kernels at all, as then they
            were not traced.
        exposed_ns: The part of ``union_ns`` during which none ran, ns; None as above. It is no
            difference of the others where copies ran at once.
    """

    device: int
    operation: str | None
    source_memory: str | None
    target_memory: str | None
    copies: int
    bytes: int | None
    time_ns: int
    union_ns: int
    median_bytes_per_s: float | None
    hidden_ns: int | None
    exposed_ns: int | None


def copy_times(query: Callable[[str], Sequence[tuple[Any, ...]]]) -> tuple[CopyRow, ...]:
    """Sum copies by device, operation and memories: by device, then the longest first.

    Args:
        query: Runs SQL of DuckDB and returns all rows. It knows three views: ``every_launch`` and
            ``every_graph`` (source, device, start_ns, end_ns, in_scope), and ``copies`` (source,
            device, start_ns, end_ns, duration_ns, operation, bytes, source_memory,
            target_memory).
    """
    names = CopyRow.__slots__
    return tuple(CopyRow(**dict(zip(names, row, strict=True))) for row in query(COPY_TIMES))
