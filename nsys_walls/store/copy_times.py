"""Totals of copies and sets, and how much of them ran under kernels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# The kernels' union needs no interval join. After each start of a kernel, `busy_ns` is the length
# of the union of all kernels up to there, and `reached_ns` its end. What lies before a time t is
# then told by the last start before t alone: busy_ns, less what reaches behind t. Every source
# has a clock of its own.
COPY_TIMES = """
WITH starts AS (
  SELECT source, device, start_ns, end_ns, max(end_ns) OVER (
    PARTITION BY source, device ORDER BY start_ns, end_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS before_ns
  FROM launches SEMI JOIN copies USING (source, device)
), unions AS (
  SELECT source, device, start_ns,
    greatest(end_ns, coalesce(before_ns, end_ns)) AS reached_ns,
    sum(greatest(0, end_ns - greatest(start_ns, coalesce(before_ns, start_ns)))) OVER (
      PARTITION BY source, device ORDER BY start_ns, end_ns ROWS UNBOUNDED PRECEDING
    ) AS busy_ns
  FROM starts
), kernels AS MATERIALIZED (
  SELECT source, device, start_ns, max(reached_ns) AS reached_ns, max(busy_ns) AS busy_ns
  FROM unions GROUP BY source, device, start_ns
), traced AS (
  SELECT DISTINCT source FROM launches
), edges AS (
  SELECT c.*,
    coalesce(first.busy_ns - greatest(0, first.reached_ns - c.start_ns), 0) AS busy_at_start_ns,
    coalesce(last.busy_ns - greatest(0, last.reached_ns - c.end_ns), 0) AS busy_at_end_ns
  FROM copies c
  ASOF LEFT JOIN kernels first ON c.source = first.source AND c.device = first.device
    AND c.start_ns >= first.start_ns
  ASOF LEFT JOIN kernels last ON c.source = last.source AND c.device = last.device
    AND c.end_ns >= last.start_ns
)
SELECT device, operation, source_memory, target_memory,
  count(*),
  CASE WHEN count(bytes) = count(*) THEN sum(bytes)::BIGINT END,
  sum(duration_ns)::BIGINT,
  median(bytes::DOUBLE / duration_ns * 1e9) FILTER (duration_ns > 0),
  CASE WHEN bool_and(source IN (SELECT source FROM traced))
    THEN sum(busy_at_end_ns - busy_at_start_ns)::BIGINT
  END
FROM edges
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
        median_bytes_per_s: Median of the rates of single copies, byte/s; None where no copy has
            both bytes and a duration.
        hidden_ns: The part of ``time_ns`` during which a kernel ran on the device, ns: exact for
            kernels that were traced, those inside graphs of one row are not seen. None where a
            source has no kernels at all, as then they were hidden or not traced.
    """

    device: int
    operation: str | None
    source_memory: str | None
    target_memory: str | None
    copies: int
    bytes: int | None
    time_ns: int
    median_bytes_per_s: float | None
    hidden_ns: int | None


def copy_times(query: Callable[[str], Sequence[tuple[Any, ...]]]) -> tuple[CopyRow, ...]:
    """Sum copies by device, operation and memories: by device, then the longest first.

    Args:
        query: Runs SQL of DuckDB and returns all rows. It knows two views: ``launches`` (source,
            device, start_ns, end_ns) and ``copies`` (source, device, start_ns, end_ns,
            duration_ns, operation, bytes, source_memory, target_memory).
    """
    names = CopyRow.__slots__
    return tuple(CopyRow(**dict(zip(names, row, strict=True))) for row in query(COPY_TIMES))
