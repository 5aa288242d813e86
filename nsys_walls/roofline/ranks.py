"""Several ranks in one run: what each did, and how long its collectives waited."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.kernel_class import classify
from nsys_walls.roofline.points import Points
from nsys_walls.roofline.short_name import unique_names
from nsys_walls.store.collectives import (
    CollectiveTime,
    RankCommunication,
    collective_times,
    find_collectives,
    rank_communication,
)
from nsys_walls.store.exposed import ExposedCommunication, exposed_communication
from nsys_walls.store.manifest import Manifest
from nsys_walls.store.timeline import Timeline
from nsys_walls.store.times import GpuTime, RankTime


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowCollective:
    """Launches of one collective that took many times its median (`SLOW_FACTOR`).

    Attributes:
        name: Its function; points of one kernel on several devices, or of several shapes, are one
            collective.
        kernels: Ids of these points, by falling time.
        launches: How many are slow.
        time_ns: Their sum, ns.
        of_launches: Launches of all these points.
        of_time_ns: Their sum, ns.
        median_ns: Their median, ns.
        max_ns: The longest, ns.
    """

    name: str
    kernels: tuple[int, ...]
    launches: int
    time_ns: int
    of_launches: int
    of_time_ns: int
    median_ns: float
    max_ns: int

    @property
    def kernel(self) -> int:
        """Id of the point with most time."""
        return self.kernels[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveTotal:
    """Collectives of one class, such as ``comm_allreduce``.

    Attributes:
        op_class: The class.
        kernels: Ids of its kernels, by falling time.
        ranks: Processes on devices that took part, at most.
        launches: How many, on all ranks.
        time_ns: Their sum, ns; it is waiting and exchange, not work.
        waiting_ns: Time above the fastest rank of each collective, ns; None with one rank, or
            where ranks launched different numbers.
        slow: The kernel with most time in slow launches; None where there are none.
    """

    op_class: str
    kernels: tuple[int, ...]
    ranks: int
    launches: int
    time_ns: int
    waiting_ns: int | None
    slow: SlowCollective | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """One process on one device.

    Attributes:
        rank: Its number: in the natural order of file names, then of devices and processes.
        source: Place of its file in the run's sources.
        device: Number of the device.
        time: Its GPU time.
        communication: Its collectives; None where it had none.
    """

    rank: int
    source: int
    device: int
    time: GpuTime
    communication: RankCommunication | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """All ranks of a run.

    Attributes:
        ranks: The ranks.
        collectives: Their collectives by class, by falling time.
        exposed: How much of them other kernels hid, by device; devices without any are left out.
    """

    ranks: tuple[Rank, ...] = ()
    collectives: tuple[CollectiveTotal, ...] = ()
    exposed: tuple[ExposedCommunication, ...] = ()

    def spread_ratio(self, what: str) -> float | None:
        """(max - min) / median of a number of `GpuTime` over ranks; None for fewer than two."""
        numbers = [getattr(rank.time, what) for rank in self.ranks]
        middle = median(numbers) if len(numbers) > 1 else 0
        return (max(numbers) - min(numbers)) / middle if middle else None


def read_ranks(
    timeline: Timeline, manifest: Manifest, points: Points, kernels: Mapping[int, KernelPoint]
) -> Ranks:
    """Account for every rank and for what they exchanged.

    Args:
        timeline: The launches.
        manifest: The run, for the names of its files.
        points: All points of the run: what is not selected is matched too.
        kernels: The selected kernels by point.
    """
    numbers: dict[str, int] = {}
    families = {
        number: numbers.setdefault(point.key.full_name, len(numbers))
        for number, point in enumerate(points.points)
        if classify(point.key.full_name).is_communication
    }
    find_collectives(timeline, families)
    members: defaultdict[int, list[KernelPoint]] = defaultdict(list)
    for point, family in families.items():
        if point in kernels:
            members[family].append(kernels[point])
    order = {source.source: place for place, source in enumerate(manifest.by_name())}
    rows = sorted(timeline.rank_times(), key=lambda row: (order[row.source], row.device))
    places = {source.source: place for place, source in enumerate(manifest.sources)}
    shares = rank_communication(timeline)
    return Ranks(
        ranks=tuple(_rank(number, row, places, shares) for number, row in enumerate(rows)),
        collectives=_collectives(collective_times(timeline), members, _names(kernels)),
        exposed=exposed_communication(timeline) if families else (),
    )


def _names(kernels: Mapping[int, KernelPoint]) -> dict[str, str]:
    """Name every function for all of its points, by its full name."""
    full_names = list(dict.fromkeys(kernel.key.full_name for kernel in kernels.values()))
    return dict(
        zip(full_names, unique_names([(name, None, 0) for name in full_names]), strict=True)
    )


def _rank(
    number: int,
    row: RankTime,
    places: Mapping[int, int],
    shares: Mapping[tuple[int, int, int | None], RankCommunication],
) -> Rank:
    return Rank(
        rank=number,
        source=places[row.source],
        device=row.device,
        time=row.time,
        communication=shares.get((row.source, row.device, row.process)),
    )


def _collectives(
    times: Sequence[CollectiveTime],
    members: Mapping[int, Sequence[KernelPoint]],
    names: Mapping[str, str],
) -> tuple[CollectiveTotal, ...]:
    groups: defaultdict[str, list[CollectiveTime]] = defaultdict(list)
    for row in times:
        groups[members[row.family][0].kernel_class.op_class].append(row)
    totals = []
    for op_class, group in groups.items():
        slow = max(group, key=_slow_ns)
        totals.append(
            CollectiveTotal(
                op_class=op_class,
                kernels=tuple(sorted(kernel.id for row in group for kernel in members[row.family])),
                ranks=max(row.ranks for row in group),
                launches=sum(row.launches for row in group),
                time_ns=sum(row.time_ns for row in group),
                waiting_ns=_sum_known([row.waiting_ns for row in group]),
                slow=_slow(slow, members[slow.family], names) if slow.slow else None,
            )
        )
    return tuple(sorted(totals, key=lambda total: (-total.time_ns, total.op_class)))


def _slow(
    row: CollectiveTime, points: Sequence[KernelPoint], names: Mapping[str, str]
) -> SlowCollective:
    first = points[0]
    return SlowCollective(
        # a single point is called what the table calls it
        name=first.name if len(points) == 1 else names[first.key.full_name],
        # ids count by falling time
        kernels=tuple(sorted(kernel.id for kernel in points)),
        launches=row.slow,
        time_ns=row.slow_ns,
        of_launches=row.launches,
        of_time_ns=row.time_ns,
        median_ns=row.median_ns,
        max_ns=row.max_ns,
    )


def _slow_ns(row: CollectiveTime) -> int:
    return row.slow_ns


def _sum_known(numbers: Sequence[int | None]) -> int | None:
    """Sum numbers; None where one of them is not known, since the sum would be too small."""
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
