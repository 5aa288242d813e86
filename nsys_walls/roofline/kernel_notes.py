"""Doubts about one kernel's numbers, in words that stand beside them."""

from nsys_walls.counters.work import Work
from nsys_walls.roofline.model import Placement
from nsys_walls.roofline.points import TracedTimes
from nsys_walls.roofline.walls import DeviceWalls
from nsys_walls.units import NS_PER_S, percent, si


def kernel_notes(
    work: Work, placement: Placement | None, times: TracedTimes, walls: DeviceWalls
) -> tuple[str, ...]:
    """Write the notes of one kernel, the most important first."""
    notes = [*_above_the_wall(work, placement, walls), *_missing_peaks(work, walls)]
    if work.flop_reason is not None:
        notes.append(work.flop_reason)
    if placement is not None and times.median_ns is None:
        notes.append("rates use the mean duration: the summary has no median")
    return (*notes, *work.notes)


def _above_the_wall(work: Work, placement: Placement | None, walls: DeviceWalls) -> list[str]:
    notes = []
    if placement is not None and (placement.bandwidth_ratio or 0) > 1:
        notes.append(
            "above the bandwidth wall, more than DRAM can deliver: L2 served part of this traffic "
            "in the real run, while ncu flushes the caches before it counts"
            + _ncu_rate(work, walls)
        )
    if placement is not None and (placement.compute_ratio or 0) > 1:
        notes.append(
            "above the nominal peak: the boost clock passed the listed clock, "
            "or --hw names another part"
        )
    return notes


def _ncu_rate(work: Work, walls: DeviceWalls) -> str:
    """Give the counter run's own rate, for comparison."""
    wall = walls.walls.bandwidth_bytes_per_s
    if not work.dram_bytes or not work.ncu_ns or not wall:
        return ""
    rate = work.dram_bytes / work.ncu_ns * NS_PER_S
    return f" (its own rate there: {si(rate, 'B/s')}, {percent(rate / wall)} of the wall)"


def _missing_peaks(work: Work, walls: DeviceWalls) -> list[str]:
    missing = [
        precision
        for precision, amount in work.flop_by_precision.items()
        if amount and walls.walls.peak_of(precision) is None
    ]
    if not missing:
        return []
    return [f"no {' or '.join(missing)} peak is known of this device: give it with --peak"]
