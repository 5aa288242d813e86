"""What faster kernels can save at most: never more than the time in which their GPU was busy."""

from collections.abc import Mapping

from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint


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
    busy = {
        row.walls.facts.device: row.kernel_ns if row.time is None else row.time.busy_ns
        for row in analysis.devices
    }
    return sum(min(saved, busy[device]) for device, saved in by_device.items())


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
