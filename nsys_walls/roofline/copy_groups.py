"""Copies of all devices together, by direction and kind of memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.units import NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyGroup:
    """Copies that have operation and memories in common.

    Attributes:
        rows: The copies, one row for each device.
    """

    rows: Sequence[CopyTotal]

    @property
    def operation(self) -> str | None:
        """As in the store, such as ``host_to_device``."""
        return self.rows[0].operation

    @property
    def host_memory(self) -> str | None:
        """Kind of memory on the host's side, such as ``pageable``; None if unknown."""
        row = self.rows[0]
        return row.source_memory if row.operation == "host_to_device" else row.target_memory

    @property
    def copies(self) -> int:
        """How many."""
        return sum(row.copies for row in self.rows)

    @property
    def time_ns(self) -> int:
        """Sum of their durations, ns."""
        return sum(row.time_ns for row in self.rows)

    @property
    def union_ns(self) -> int:
        """Time in which any of them ran, ns, summed over devices."""
        return sum(row.union_ns for row in self.rows)

    @property
    def bytes(self) -> int | None:
        """What they copied; None where that of any is unknown."""
        return _sum_known([row.bytes for row in self.rows])

    @property
    def mean_bytes(self) -> float | None:
        """Bytes of a copy on average; None where unknown.

        It is small exactly where latency makes up more of their time than bytes do.
        """
        return None if self.bytes is None else self.bytes / self.copies

    @property
    def bytes_per_s(self) -> float | None:
        """Sum of bytes over the time in which any was copied, byte/s; None where unknown."""
        if self.bytes is None or not self.union_ns:
            return None
        return self.bytes / self.union_ns * NS_PER_S

    @property
    def link_ns(self) -> float | None:
        """Time at the rate of the link, ns; None where the link or the bytes are unknown."""
        times = [
            row.bytes / row.link.bytes_per_s * NS_PER_S
            for row in self.rows
            if row.bytes is not None and row.link is not None
        ]
        return sum(times) if len(times) == len(self.rows) else None

    @property
    def link_ratio(self) -> float | None:
        """Part of the link's rate that they reach; may pass 1; None where unknown."""
        return self.link_ns / self.union_ns if self.link_ns is not None and self.union_ns else None

    @property
    def hidden_ns(self) -> int | None:
        """Part of ``time_ns`` in which kernels ran, ns; None where no kernels are known."""
        return _sum_known([row.hidden_ns for row in self.rows])

    @property
    def exposed_ns(self) -> int | None:
        """Part of ``union_ns`` in which no kernel ran, ns; None where no kernels are known."""
        return _sum_known([row.exposed_ns for row in self.rows])


def group_copies(copies: Iterable[CopyTotal]) -> tuple[CopyGroup, ...]:
    """Put the copies of all devices together, the longest first.

    Args:
        copies: Copies by device, operation and memories.
    """
    groups: dict[tuple[str | None, str | None, str | None], list[CopyTotal]] = {}
    for row in copies:
        key = row.operation, row.source_memory, row.target_memory
        groups.setdefault(key, []).append(row)
    found = [CopyGroup(rows=tuple(rows)) for rows in groups.values()]
    return tuple(sorted(found, key=lambda group: -group.time_ns))


def _sum_known(numbers: Sequence[int | None]) -> int | None:
    """Sum numbers; None where one of them is not known."""
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
