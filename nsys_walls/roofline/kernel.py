"""One kernel with its time, its counters and its place between the walls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nsys_walls.counters.measure import work_of
from nsys_walls.counters.work import Work
from nsys_walls.join.match import Joined
from nsys_walls.roofline.joined import JoinedPoints
from nsys_walls.roofline.kernel_class import KernelClass, classify
from nsys_walls.roofline.kernel_notes import kernel_notes
from nsys_walls.roofline.model import Placement, Wall, Walls, place
from nsys_walls.roofline.points import PointKey, TracedTimes
from nsys_walls.roofline.sampled import Sampled
from nsys_walls.roofline.short_name import unique_names
from nsys_walls.roofline.walls import DeviceWalls
from nsys_walls.store.timeline import Timeline
from nsys_walls.texts import Text
from nsys_walls.units import NS_PER_S

#: Levels of the join at which rates are computed; below, counters are only shown.
RATED_LEVELS = frozenset({"launch", "shape", "name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPoint:
    """A point of the report.

    Attributes:
        id: Number of the point in its report, by falling time.
        name: Short and unique.
        key: Full name, device and launch shape.
        kernel_class: What its name says it does.
        times: Its launches in the trace.
        match: How it found its counters.
        work: Its counters, per launch; empty where it has none.
        placement: Where it stands; None where rates can't be computed.
        wall: The wall it stands at, or why at none.
        recoverable_ns: Time all its launches took above the floor, ns; None where unknown.
        notes: Conventions and doubts about its numbers, one clause each.
        sampled: GPU metrics that nsys sampled while it ran alone; None where there are too few.
    """

    id: int
    name: str
    key: PointKey
    kernel_class: KernelClass
    times: TracedTimes
    match: Joined
    work: Work
    placement: Placement | None
    wall: Wall
    recoverable_ns: float | None
    notes: tuple[Text, ...] = ()
    sampled: Sampled | None = None

    @property
    def time_ns(self) -> int:
        """Time of all launches, ns; 0 where none was measured (see ``times.time_ns``)."""
        return self.times.time_ns or 0

    @property
    def flop_per_s(self) -> float | None:
        """Achieved operations per second, FLOP/s."""
        return self._rate(self.work.flop)

    @property
    def bytes_per_s(self) -> float | None:
        """Achieved DRAM traffic, byte/s: by counters, else as sampled."""
        counted = self._rate(self.work.dram_bytes)
        if counted is None and self.sampled is not None:
            return self.sampled.bytes_per_s
        return counted

    @property
    def bandwidth_ratio(self) -> float | None:
        """Part of the bandwidth wall that it reached: by counters, else as sampled."""
        counted = self.placement.bandwidth_ratio if self.placement else None
        if counted is None and self.sampled is not None:
            return self.sampled.bandwidth_ratio
        return counted

    def _rate(self, amount: float | None) -> float | None:
        time_ns = self.times.typical_ns
        if self.placement is None or amount is None or time_ns is None:
            return None
        return amount * NS_PER_S / time_ns

    @property
    def is_measured(self) -> bool:
        """Whether bytes and FLOP are known and belong to this kernel."""
        return (
            self.match.level in RATED_LEVELS
            and self.work.dram_bytes is not None
            and self.work.flop is not None
        )

    @property
    def ncu_time_ratio(self) -> float | None:
        """Duration in the counter run over the median in the trace."""
        time_ns = self.times.typical_ns
        if self.work.ncu_ns is None or time_ns is None:
            return None
        return self.work.ncu_ns / time_ns


def build_kernels(
    joined: JoinedPoints, walls: Mapping[int, DeviceWalls], timeline: Timeline
) -> dict[int, KernelPoint]:
    """Place every point that has times.

    Returns:
        Kernels by point number; their ids count from 0 by falling time, then by name.
    """
    order = sorted(
        joined.times,
        key=lambda number: (
            -(joined.times[number].time_ns or 0),
            repr(joined.points.points[number].key),
        ),
    )
    keys = [joined.points.points[number].key for number in order]
    names = unique_names([(key.full_name, key.grid, key.device) for key in keys])
    kernels = {
        number: _place_kernel(position, name, joined, number, walls[key.device])
        for position, (number, name, key) in enumerate(zip(order, names, keys, strict=True))
    }
    recoverable = _recoverable_ns(joined, kernels, walls, timeline)
    return {
        number: replace(kernel, recoverable_ns=recoverable.get(number))
        for number, kernel in kernels.items()
    }


def _work(match: Joined, values: Mapping[str, float], key: PointKey, walls: DeviceWalls) -> Work:
    """Turn counters into work, for the chip that they were counted on."""
    hardware = walls.hardware
    return work_of(
        values,
        compute_capability=match.part
        or walls.facts.compute_capability
        or (hardware.compute_capability if hardware else None),
        says_tensor=classify(key.full_name).tensor_core,
    )


def _place_kernel(
    position: int, name: str, joined: JoinedPoints, number: int, walls: DeviceWalls
) -> KernelPoint:
    """Place a kernel by its typical launch.

    Collectives wait for each other, so their time is not compared with any wall.
    """
    key, times, match = (
        joined.points.points[number].key,
        joined.times[number],
        joined.matches[number],
    )
    kernel_class = classify(key.full_name)
    work = _work(match, match.values, key, walls) if match.values else Work()
    placement, time_ns = None, times.typical_ns
    if match.level in RATED_LEVELS and time_ns is not None and not kernel_class.is_communication:
        placement = place(work, time_ns, walls.walls)
    wall: Wall = "communication" if kernel_class.is_communication else "unmeasured"
    return KernelPoint(
        id=position,
        name=name,
        key=key,
        kernel_class=kernel_class,
        times=times,
        match=match,
        work=work,
        placement=placement,
        wall=placement.wall if placement else wall,
        recoverable_ns=None,
        notes=kernel_notes(work, placement, times, walls),
    )


def _recoverable_ns(
    joined: JoinedPoints,
    kernels: Mapping[int, KernelPoint],
    walls: Mapping[int, DeviceWalls],
    timeline: Timeline,
) -> dict[int, float]:
    """Sum what the launches of every point took above their floor, ns."""
    floors = {
        number: kernel.placement.floor_ns
        for number, kernel in kernels.items()
        if kernel.placement is not None and kernel.placement.floor_ns is not None
    }
    recoverable = {
        number: max(0.0, kernels[number].time_ns - floor_ns * kernels[number].times.launches)
        for number, floor_ns in floors.items()
    }
    recoverable |= timeline.recoverable_ns(floors)
    by_launch = [number for number in floors if joined.matches[number].per_launch]
    for number, launches in timeline.durations_ns(by_launch).items():
        kernel, match = kernels[number], joined.matches[number]
        device = walls[kernel.key.device]
        works = [_work(match, values, kernel.key, device) for values in match.per_launch]
        # all launches pair with all profiled ones; then those that are selected count
        pairs = [
            (duration_ns, work)
            for (duration_ns, selected), work in zip(launches, works, strict=True)
            if selected
        ]
        recoverable[number] = _above_floors_ns(pairs, device.walls)
    return recoverable


def _above_floors_ns(launches: Sequence[tuple[int, Work]], walls: Walls) -> float:
    """Sum what each launch took above its own floor, ns."""
    above = 0.0
    for duration_ns, work in launches:
        floor_ns = place(work, max(duration_ns, 1), walls).floor_ns
        above += max(0.0, duration_ns - floor_ns) if floor_ns is not None else 0.0
    return above
