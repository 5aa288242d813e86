"""Doubts about one kernel's numbers, in words that stand beside them."""

from nsys_walls.counters.work import Work
from nsys_walls.roofline.model import Placement
from nsys_walls.roofline.points import TracedTimes
from nsys_walls.roofline.walls import DeviceWalls
from nsys_walls.texts import Text, in_a_row, text
from nsys_walls.units import NS_PER_S, percent, si


def kernel_notes(
    work: Work, placement: Placement | None, times: TracedTimes, walls: DeviceWalls
) -> tuple[Text, ...]:
    """Write the notes of one kernel, the most important first."""
    notes = [*_above_the_wall(work, placement, walls), *_missing_peaks(work, walls)]
    if work.flop_reason is not None:
        notes.append(work.flop_reason)
    if placement is not None and times.median_ns is None:
        notes.append(text("note.mean_duration"))
    return (*notes, *work.notes)


def _above_the_wall(work: Work, placement: Placement | None, walls: DeviceWalls) -> list[Text]:
    notes = []
    if placement is not None and (placement.bandwidth_ratio or 0) > 1:
        notes.append(_above_bandwidth(work, walls))
    if placement is not None and (placement.compute_ratio or 0) > 1:
        notes.append(text("note.above_compute"))
    return notes


def _above_bandwidth(work: Work, walls: DeviceWalls) -> Text:
    """Say why, with the counter run's own rate for comparison."""
    wall = walls.walls.bandwidth_bytes_per_s
    if not work.dram_bytes or not work.ncu_ns or not wall:
        return text("note.above_bandwidth")
    rate = work.dram_bytes / work.ncu_ns * NS_PER_S
    return text("note.above_bandwidth_rate", rate=si(rate, "B/s"), share=percent(rate / wall))


def _missing_peaks(work: Work, walls: DeviceWalls) -> list[Text]:
    missing = [
        precision
        for precision, amount in work.flop_by_precision.items()
        if amount and walls.walls.peak_of(precision) is None
    ]
    if not missing:
        return []
    return [text("note.no_peak", precisions=in_a_row("listed.either", missing))]
