"""Launches whose durations can't be right: they stay in the sums, and in nothing else."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.store.times import ImpossibleLaunches
from nsys_walls.texts import text
from nsys_walls.units import duration


def without_damage(
    kernels: Mapping[int, KernelPoint], impossible: Iterable[ImpossibleLaunches]
) -> dict[int, KernelPoint]:
    """Take damaged launches out of the mean and out of what could be recovered.

    The median needs no help, and a sum without them would not be the trace's any more.

    Args:
        kernels: Kernels by point.
        impossible: What is damaged, by point.
    """
    found = dict(kernels)
    for damage in impossible:
        found[damage.point] = _without(kernels[damage.point], damage)
    return found


def _without(kernel: KernelPoint, damage: ImpossibleLaunches) -> KernelPoint:
    sound = kernel.times.launches - damage.launches
    mean_ns = (kernel.time_ns - damage.time_ns) / sound if sound else None
    recoverable_ns = kernel.recoverable_ns
    if recoverable_ns is not None and kernel.placement is not None:
        floor_ns = kernel.placement.floor_ns or 0.0
        above_ns = damage.time_ns - damage.launches * floor_ns
        recoverable_ns = max(0.0, recoverable_ns - above_ns)
    note = text("note.damaged", launches=damage.launches, time=duration(damage.time_ns))
    return replace(
        kernel,
        times=replace(kernel.times, mean_ns=mean_ns),
        recoverable_ns=recoverable_ns,
        notes=(*kernel.notes, note),
    )
