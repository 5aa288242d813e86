"""What the GPUs waited for while they were idle: kernels and NVTX ranges beside the numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.range_forest import NONE, PathTree, RangeForest
from nsys_walls.store.timeline import Timeline
from nsys_walls.store.waits import (
    Stretches,
    Wait,
    find_waits,
    launch_stretches,
    wait_times,
    waited_calls,
    waiting_points,
    waiting_ranges,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitPlace:
    """The NVTX range with most of a wait.

    Attributes:
        name: Name of the innermost range that, in its place among the others, still holds more
            than half of it.
        time_ns: What it holds at least, ns.
    """

    name: str
    time_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitTotal:
    """A wait with its surroundings.

    Attributes:
        wait: Its numbers.
        calls: API calls to which the gaps are put down, the costliest first: those that block, or
            those that took so long to launch; empty where it waited for something else.
        kernels: Kernels that end the gaps, by their ids, with the time of those launches, ns; of
            waits for a launch, only where the gap was longer than the kernels beside it.
        place: Where in the program; None where no NVTX range holds more than half.
    """

    wait: Wait
    calls: tuple[str, ...] = ()
    kernels: Mapping[int, int] = field(default_factory=dict)
    place: WaitPlace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Idle time by what could remove it.

    Attributes:
        totals: The waits, the longest first.
        stretches: Gaps longer than the kernels beside them, that wait for launches.
    """

    totals: tuple[WaitTotal, ...] = ()
    stretches: Stretches = field(default_factory=Stretches)


def read_waits(
    timeline: Timeline, forest: RangeForest, kernels: Mapping[int, KernelPoint]
) -> Waits:
    """Sum idle time by what it waited for.

    Args:
        timeline: The launches, after `nsys_walls.store.gaps.find_gaps`.
        forest: The NVTX ranges of the run.
        kernels: Its kernels by point.
    """
    find_waits(timeline)
    calls, waits = waited_calls(timeline), wait_times(timeline)
    ends: dict[str, dict[int, int]] = {}
    for waits_for, point, time_ns in waiting_points(timeline):
        # work that is not selected ends gaps too, and is no kernel of the report
        if point in kernels:
            ends.setdefault(waits_for, {})[kernels[point].id] = time_ns
    ranges: dict[str, list[tuple[int, int, int]]] = {}
    for waits_for, *row in waiting_ranges(timeline):
        ranges.setdefault(waits_for, []).append((row[0], row[1], row[2]))
    return Waits(
        totals=tuple(
            WaitTotal(
                wait=wait,
                calls=tuple(calls.get(wait.waits_for, ())),
                kernels=dict(sorted(ends.get(wait.waits_for, {}).items())),
                place=main_place(forest, ranges.get(wait.waits_for, ()), wait.time_ns),
            )
            for wait in waits
        ),
        stretches=launch_stretches(timeline),
    )


def main_place(
    forest: RangeForest, rows: Iterable[tuple[int, int, int]], total_ns: int
) -> WaitPlace | None:
    """Find the innermost range, by its path of names, that holds more than half of a sum.

    Args:
        forest: The ranges.
        rows: Source, innermost range and its part, ns.
        total_ns: The sum, ns.
    """
    if not forest:
        return None
    tree = PathTree(forest)
    held: dict[int, int] = {}
    for source, number, time_ns in rows:
        node = tree.node(source, number)
        while node != NONE:
            held[node] = held.get(node, 0) + time_ns
            node = tree.parents[node]
    # two paths can't both hold more than half, so all that do lie in each other; an enclosing
    # node has the lower number
    node = max((node for node, time_ns in held.items() if 2 * time_ns > total_ns), default=NONE)
    return None if node == NONE else WaitPlace(name=tree.names[node], time_ns=held[node])
