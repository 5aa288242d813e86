"""Kernels that stand below both walls, and what their counters say of the reason.

The three kinds of them are kept apart as `nsys_walls.roofline.model.place` does: ``latency`` and
``on_chip`` are what ncu's Speed of Light says, ``neither`` is where it was not collected.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Generic, Literal, TypeVar

from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.geometry import Launch, warps_per_sm, waves_of
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.model import SPEED_OF_LIGHT_BUSY_RATIO, Wall
from nsys_walls.roofline.savings import Faster, saving_at_walls
from nsys_walls.roofline.walls import DeviceWalls

BusyUnit = Literal["sm", "l1", "l2", "dram", "memory"]

_OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
_WAVES = "launch__waves_per_multiprocessor"
_LIMIT = "launch__occupancy_limit_"

# ncu's Speed of Light by memory level, percent; L1 and DRAM have had two names each
_LEVELS: Mapping[BusyUnit, tuple[str, ...]] = {
    "l1": (
        "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
        "l1tex__throughput.avg.pct_of_peak_sustained_active",
    ),
    "l2": ("lts__throughput.avg.pct_of_peak_sustained_elapsed",),
    "dram": (
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    ),
}

_TOLD_RATIO = 0.05

Reason = TypeVar("Reason", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Generic[Reason]):
    """Kernels that have one reason in common.

    Attributes:
        reason: The reason.
        kernels: The kernels, heaviest first.
        time_ns: Their time, ns.
    """

    reason: Reason
    kernels: tuple[KernelPoint, ...]
    time_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BelowWalls(Generic[Reason]):
    """All kernels of one kind.

    Attributes:
        kernels: The kernels, heaviest first.
        time_ns: Their time, ns.
        time_ratio: Its part of all kernel time, 0 to 1.
        above_floor_ns: What of it is above their floors, ns; None where no kernel has bytes
            and FLOP. A floor of one of them alone would promise far too much.
        saving_ns: Busy time that could go at most, ns: less where kernels overlap. None as
            above.
        without_floor_ns: Time of those of them that lack bytes or FLOP, ns.
        shares: The kernels by reason; the reason with most time first.
    """

    kernels: tuple[KernelPoint, ...]
    time_ns: int
    time_ratio: float
    above_floor_ns: float | None
    saving_ns: float | None
    without_floor_ns: int
    shares: tuple[Share[Reason], ...]

    @property
    def told(self) -> tuple[Share[Reason], ...]:
        """The reasons that are worth a word: the first, and others that hold a good part."""
        return tuple(
            share
            for number, share in enumerate(self.shares)
            if not number or share.time_ns >= _TOLD_RATIO * self.time_ns
        )


def gather(
    analysis: Analysis, wall: Wall, reason_of: Callable[[KernelPoint, DeviceWalls], Reason]
) -> BelowWalls[Reason]:
    """Gather the kernels at one kind of wall, and count their reasons by time.

    Args:
        analysis: The run.
        wall: ``latency``, ``on_chip`` or ``neither``.
        reason_of: Names the reason of a kernel, with the walls of its device.
    """
    walls = {row.walls.facts.device: row.walls for row in analysis.devices}
    kernels = tuple(row for row in analysis.kernels if row.wall == wall and row.time_ns)
    by_reason: dict[Reason, list[KernelPoint]] = {}
    for kernel in kernels:
        by_reason.setdefault(reason_of(kernel, walls[kernel.key.device]), []).append(kernel)
    shares = [
        Share(reason=reason, kernels=tuple(rows), time_ns=sum(row.time_ns for row in rows))
        for reason, rows in by_reason.items()
    ]
    time_ns = sum(kernel.time_ns for kernel in kernels)
    at_floor = {
        row.id: Faster(row, row.time_ns - row.recoverable_ns, row.placement)
        for row in kernels
        if row.is_measured and row.recoverable_ns is not None
    }
    above_ns = sum(row.saved_ns for row in at_floor.values())
    return BelowWalls(
        kernels=kernels,
        time_ns=time_ns,
        time_ratio=time_ns / (analysis.kernel_ns or 1),
        above_floor_ns=above_ns if at_floor else None,
        saving_ns=saving_at_walls(analysis, at_floor.values()) if at_floor else None,
        without_floor_ns=sum(row.time_ns for row in kernels if row.id not in at_floor),
        shares=tuple(sorted(shares, key=lambda share: (-share.time_ns, share.kernels[0].id))),
    )


def launch_of(kernel: KernelPoint, walls: DeviceWalls) -> Launch:
    """Bring together what is known of a kernel's launch: shape, device, and ncu's own numbers."""
    values: Mapping[str, float] = kernel.match.values or {}
    grid, block = kernel.key.grid, kernel.key.block
    blocks = prod(grid) if grid else _whole(values.get("launch__grid_size"))
    limits = {
        name.removeprefix(_LIMIT): value
        for name, value in values.items()
        if name.startswith(_LIMIT)
    }
    hardware = walls.hardware
    chip = walls.facts.compute_capability or (hardware.compute_capability if hardware else None)
    occupancy = values.get(_OCCUPANCY)
    return Launch(
        blocks=blocks,
        threads=prod(block) if block else _whole(values.get("launch__block_size")),
        sm_count=walls.sm_count,
        warps_per_sm=warps_per_sm(chip),
        waves=values.get(_WAVES) or waves_of(blocks, walls.sm_count, limits),
        occupancy_ratio=None if occupancy is None else occupancy / 100,
        limits=limits,
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def level_ratios(kernel: KernelPoint) -> dict[BusyUnit, float]:
    """Speed of Light of each memory level that was collected, 0 to 1."""
    values: Mapping[str, float] = kernel.match.values or {}
    found = {
        unit: next((values[name] / 100 for name in names if name in values), None)
        for unit, names in _LEVELS.items()
    }
    return {unit: ratio for unit, ratio in found.items() if ratio is not None}


def busy_unit(kernel: KernelPoint) -> BusyUnit:
    """Name the unit that keeps a kernel inside the chip busy, by ncu's Speed of Light.

    Returns:
        ``sm`` where the SMs are as busy as the memory system; else the busiest level of memory
        that is busy; ``memory`` where no level that was collected is.
    """
    work = kernel.work
    sm, memory = work.sm_throughput_ratio or 0.0, work.memory_throughput_ratio or 0.0
    if sm >= memory:
        return "sm"
    levels = level_ratios(kernel)
    busiest = max(levels, key=levels.__getitem__, default=None)
    if busiest is None or levels[busiest] < SPEED_OF_LIGHT_BUSY_RATIO:
        return "memory"
    return busiest


def busy_ratio(kernel: KernelPoint) -> float:
    """How busy that unit is, 0 to 1, by ncu's Speed of Light."""
    unit, work = busy_unit(kernel), kernel.work
    if unit == "sm":
        return work.sm_throughput_ratio or 0.0
    return level_ratios(kernel).get(unit, work.memory_throughput_ratio or 0.0)
