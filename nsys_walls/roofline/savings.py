"""What faster kernels can save at most: never more than the time in which their GPU was busy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.model import Placement, pipe_of


@dataclass(frozen=True, slots=True)
class Faster:
    """A kernel that comes down to what its wall asks for.

    Attributes:
        kernel: The kernel.
        after_ns: Time of all its launches then, ns; at least what its wall asks for.
        placement: Where it stands then: what it shares with others of its device.
    """

    kernel: KernelPoint
    after_ns: float
    placement: Placement | None

    @property
    def saved_ns(self) -> float:
        """Time that its launches save, added up, ns."""
        return self.kernel.time_ns - self.after_ns

    @property
    def unit(self) -> str | None:
        """Unit of the device that its wall is of: ``memory`` or a pipe; None where not known."""
        place = self.placement
        if place is None or place.side is None:
            return None
        return "memory" if place.side == "memory" else pipe_of(place.precision or "")


def saving_of(analysis: Analysis, saved_ns: Mapping[int, float]) -> float:
    """Bound the busy time that goes where kernels get faster, ns.

    Kernels of several streams overlap, so that their sum may be more than a device was busy.

    Args:
        analysis: The run.
        saved_ns: What the launches of each kernel save, by its id, ns.
    """
    by_device: dict[int, float] = {}
    for kernel in analysis.kernels:
        device = kernel.key.device
        by_device[device] = by_device.get(device, 0.0) + saved_ns.get(kernel.id, 0.0)
    busy_ns = _busy_ns(analysis)
    return sum(min(saved, busy_ns[device]) for device, saved in by_device.items())


def saving_at_walls(analysis: Analysis, faster: Iterable[Faster]) -> float:
    """Bound the busy time that goes where kernels come down to their walls, ns.

    A wall is of the device: however kernels of several streams overlap, those that need the same
    unit share it, and keep the device busy for the sum of what they need. Different units may
    work at the same time.

    Args:
        analysis: The run.
        faster: The kernels, each of them once.
    """
    saved: dict[int, float] = {}
    needed: dict[int, dict[str, float]] = {}
    for row in faster:
        device, unit = row.kernel.key.device, row.unit
        saved[device] = saved.get(device, 0.0) + row.saved_ns
        units = needed.setdefault(device, {})
        if unit is not None:
            units[unit] = units.get(unit, 0.0) + row.after_ns
    busy_ns = _busy_ns(analysis)
    most = {
        device: max(0.0, busy_ns[device] - max(units.values(), default=0.0))
        for device, units in needed.items()
    }
    return sum(min(one_ns, most[device]) for device, one_ns in saved.items())


def _busy_ns(analysis: Analysis) -> dict[int, int]:
    """Time in which each device ran kernels, ns; the sum of theirs where no launches are known."""
    return {
        row.walls.facts.device: row.kernel_ns if row.time is None else row.time.busy_ns
        for row in analysis.devices
    }


def reached_ratio(kernel: KernelPoint) -> float | None:
    """Part of its own wall that a typical launch reaches; may pass 1; None where unknown."""
    if kernel.placement is None:
        return None
    ratios = (kernel.placement.bandwidth_ratio, kernel.placement.compute_ratio)
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def saved_at_ratio(kernel: KernelPoint, ratio: float) -> float:
    """What a kernel saves if its launches reach a part of their own wall, ns.

    Args:
        kernel: A kernel whose bytes and FLOP are known.
        ratio: Part of its wall, above 0 and at most 1.

    Returns:
        Its time less the time at that part; 0 where it is that fast already.
    """
    reached, placement = reached_ratio(kernel), kernel.placement
    if reached is None or reached >= ratio or placement is None or not placement.floor_ns:
        return 0.0
    return max(0.0, kernel.time_ns - placement.floor_ns * kernel.times.launches / ratio)
