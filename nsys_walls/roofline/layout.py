"""Kernels that only move or re-order data, and copies within a GPU."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.recurrence import COPIES, WITHIN_DEVICE, Recurrence, find_recurrence
from nsys_walls.store.timeline import Timeline

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
