"""Kernels that only move or re-order data, and copies within a GPU."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.recurrence import COPIES, WITHIN_DEVICE, Recurrence, find_recurrence
from nsys_walls.store.timeline import Timeline
from nsys_walls.store.times import GpuTime
from nsys_walls.units import NS_PER_S

# A copy that scales on its way does one operation for 4 bytes (FP16 in and out) or 8 (FP32).
_ABOUT_ZERO_FLOP_PER_BYTE = 0.1

# Kernels with less of the kernel time are not asked for how they come again.
_SMALLEST_RATIO = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How layout kernels and copies within a GPU come again.

    Attributes:
        kernels: By the kernel's id; those without a period are missing.
        copies: Of the copies; None where they have no period.
    """

    kernels: Mapping[int, Recurrence] = field(default_factory=dict)
    copies: Recurrence | None = None


def is_layout(kernel: KernelPoint) -> bool:
    """Whether a kernel copies, casts or re-orders by its name, and its FLOP do not contradict."""
    flop, moved = kernel.work.flop, kernel.work.dram_bytes
    if kernel.kernel_class.op_class != "copy":
        return False
    return not flop or (moved is not None and flop <= _ABOUT_ZERO_FLOP_PER_BYTE * moved)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What one launch of a layout kernel moves.

    Attributes:
        bytes: DRAM reads and writes, bytes.
        one_way_bytes: The writes; half of ``bytes`` where they were not counted apart.
        wall_ns: Time of ``bytes`` at the bandwidth wall, ns.
    """

    bytes: float
    one_way_bytes: float
    wall_ns: float

    @property
    def one_way_ns(self) -> float:
        """Time of ``one_way_bytes`` at the bandwidth wall, ns."""
        return self.wall_ns * self.one_way_bytes / self.bytes


def traffic_of(kernel: KernelPoint) -> Traffic | None:
    """Take the traffic of a kernel from its counters; None where it has none that fit."""
    placement, moved = kernel.placement, kernel.work.dram_bytes
    if placement is None or placement.memory_floor_ns is None or not moved:
        return None
    written = kernel.work.dram_write_bytes
    return Traffic(
        bytes=moved,
        # sums and their parts are counted in different passes, so they may differ a little
        one_way_bytes=moved / 2 if written is None else min(written, moved),
        wall_ns=placement.memory_floor_ns,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyTraffic:
    """Copies within GPUs, of all devices together.

    Attributes:
        copies: How many.
        time_ns: Sum of their durations, ns.
        union_ns: Time in which any of them ran, ns: at most the span of their devices.
        exposed_ns: Part of it in which no kernel ran, ns; None where that is not known.
        bytes: What they copied; each is read once and written once. None where unknown.
        wall_ns: Time of that traffic at the bandwidth wall, ns; None where unknown.
    """

    copies: int
    time_ns: int
    union_ns: int
    exposed_ns: int | None
    bytes: int | None
    wall_ns: float | None


def copy_traffic(copies: Iterable[CopyTotal], times: Mapping[int, GpuTime]) -> CopyTraffic | None:
    """Sum the copies within GPUs; None where there are none.

    Args:
        copies: Copies of all kinds.
        times: What the devices did, by their number. Rows of a device that differ in memories
            may have run at once, so no sum of them passes its span, or its time of copies.
    """
    rows = copies_within(copies)
    if not rows:
        return None
    walls = [
        row.traffic_bytes / row.link.bytes_per_s * NS_PER_S
        for row in rows
        if row.traffic_bytes is not None and row.link is not None
    ]
    return CopyTraffic(
        copies=sum(row.copies for row in rows),
        time_ns=sum(row.time_ns for row in rows),
        union_ns=_sum_capped(
            [(row.device, row.union_ns) for row in rows],
            {device: time.span_ns for device, time in times.items()},
        ),
        exposed_ns=_sum_exposed(rows, times),
        bytes=_sum_known([row.bytes for row in rows]),
        wall_ns=sum(walls) if len(walls) == len(rows) else None,
    )


def _sum_exposed(rows: Sequence[CopyTotal], times: Mapping[int, GpuTime]) -> int | None:
    known = [(row.device, row.exposed_ns) for row in rows if row.exposed_ns is not None]
    if len(known) < len(rows):
        return None
    return _sum_capped(known, {device: time.copy_ns for device, time in times.items()})


def _sum_capped(numbers: Iterable[tuple[int, int]], most: Mapping[int, int]) -> int:
    """Sum numbers by device, each sum no more than its device allows, then over devices."""
    sums: defaultdict[int, int] = defaultdict(int)
    for device, number in numbers:
        sums[device] += number
    return sum(min(number, most[device]) for device, number in sums.items())


def _sum_known(numbers: Sequence[int | None]) -> int | None:
    """Sum numbers; None where one of them is not known."""
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def copies_within(copies: Iterable[CopyTotal]) -> tuple[CopyTotal, ...]:
    """Choose the copies within a GPU: they read its DRAM and write it."""
    return tuple(row for row in copies if row.operation == WITHIN_DEVICE)


def read_layout(
    timeline: Timeline,
    run: StoredRun,
    kernels: Mapping[int, KernelPoint],
    copies: Iterable[CopyTotal],
) -> Layout:
    """Find out how layout kernels come again.

    Args:
        timeline: The launches.
        run: The run that they are of.
        kernels: Kernels by point.
        copies: Copies of all kinds.
    """
    least_ns = _SMALLEST_RATIO * sum(kernel.time_ns for kernel in kernels.values())
    points = [
        point
        for point, kernel in kernels.items()
        if is_layout(kernel) and kernel.placement is not None and kernel.time_ns > least_ns
    ]
    if not points and not copies_within(copies):
        return Layout()
    found = find_recurrence(timeline, run, points)
    return Layout(
        kernels={kernels[point].id: row for point, row in found.items() if point != COPIES},
        copies=found.get(COPIES),
    )
