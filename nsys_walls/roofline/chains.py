"""Chains of kernels that a fused kernel could replace, and pairs that something keeps apart.

The same kernels on several devices, or in several processes, are one chain: what matters is how
much of the run it is. Each device has its own walls, so what it spares is summed over them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from nsys_walls.roofline.fused import (
    Fused,
    can_only_begin,
    fuse,
    has_both_sides,
    is_memory_side,
)
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.store.neighbour_runs import RecurringRun, recurring_runs
from nsys_walls.store.neighbours import (
    Blocker,
    HeldPair,
    Member,
    drop_neighbours,
    find_neighbours,
    has_launch_calls,
    held_pairs,
)
from nsys_walls.store.timeline import Timeline

_Twin = TypeVar("_Twin", RecurringRun, HeldPair)

# What saves less of the kernel time is not worth a sentence.
_SMALLEST_RATIO = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChain:
    """A chain on one device.

    Attributes:
        kernels: Ids of its kernels, in order; one may come again.
        occurrences: How often.
        time_ns: Time of all of them, ns.
        fused: What fusing them would spare each time.
    """

    kernels: tuple[int, ...]
    occurrences: int
    time_ns: int
    fused: Fused

    @property
    def floor_ns(self) -> float:
        """Least time of the fused kernels over all occurrences, ns."""
        return self.fused.floor_ns * self.occurrences

    @property
    def saving_ns(self) -> float:
        """What fusing would save over all occurrences at most, ns."""
        saved_ns = self.fused.saving_ns * self.occurrences
        return max(0.0, min(saved_ns, self.time_ns - self.floor_ns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Kernels that follow each other again and again, with nothing between them.

    Attributes:
        devices: The same kernels on each device that has them, what saves most first.
    """

    devices: tuple[DeviceChain, ...]

    @property
    def kernels(self) -> tuple[int, ...]:
        """Ids of the kernels on the first device, in order."""
        return self.devices[0].kernels

    @property
    def ids(self) -> tuple[int, ...]:
        """Ids of the kernels on all devices, each once."""
        return tuple(dict.fromkeys(number for one in self.devices for number in one.kernels))

    @property
    def occurrences(self) -> int:
        """How often they follow each other."""
        return sum(one.occurrences for one in self.devices)

    @property
    def time_ns(self) -> int:
        """Time of all of them, ns."""
        return sum(one.time_ns for one in self.devices)

    @property
    def not_moved_bytes_each(self) -> int:
        """What is neither written nor read any more each time at most, bytes."""
        return max(one.fused.not_moved_bytes for one in self.devices)

    @property
    def not_moved_bytes(self) -> int:
        """What is neither written nor read any more over all, bytes."""
        return sum(one.fused.not_moved_bytes * one.occurrences for one in self.devices)

    @property
    def at_wall_ns(self) -> float:
        """Time that these bytes would take at the bandwidth wall, ns."""
        return sum(one.fused.at_wall_ns * one.occurrences for one in self.devices)

    @property
    def no_wall_ns(self) -> float:
        """Time of kernels that stand before no wall, ns."""
        return sum(one.fused.no_wall_ns * one.occurrences for one in self.devices)

    @property
    def floor_ns(self) -> float:
        """Least time of the fused kernels, ns."""
        return sum(one.floor_ns for one in self.devices)

    @property
    def saving_ns(self) -> float:
        """What fusing them would save at most, ns."""
        return sum(one.saving_ns for one in self.devices)

    @property
    def launches_saved(self) -> int:
        """Launches that there would be less."""
        return (len(self.kernels) - 1) * self.occurrences


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedPair:
    """Two neighbours that could be fused but for what is between them.

    Attributes:
        kernels: Their ids on the first device that has them, in order.
        ids: Their ids on all devices.
        occurrences: How often they follow each other.
        blockers: What is between them, and how often, the most frequent first.
        time_ns: Time of both where something is between them, ns.
        not_moved_bytes: What fusing them there would neither write nor read, bytes.
        saving_ns: What it would save there at most, ns.
    """

    kernels: tuple[int, int]
    ids: tuple[int, ...]
    occurrences: int
    blockers: Mapping[Blocker, int]
    time_ns: int
    not_moved_bytes: int
    saving_ns: float

    @property
    def blocked(self) -> int:
        """How often something is between them."""
        return sum(self.blockers.values())

    @property
    def main_blocker(self) -> Blocker:
        """What is between them most often."""
        return next(iter(self.blockers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """Pairs of neighbours that the same thing keeps apart, often all over a program.

    Attributes:
        blocker: What is between them most often.
        pairs: The pairs, what would save most first.
        time_ns: Time of their kernels where something is between them, ns; each counts once.
    """

    blocker: Blocker
    pairs: tuple[BlockedPair, ...]
    time_ns: int

    @property
    def not_moved_bytes(self) -> int:
        """What fused kernels would neither write nor read over all, bytes."""
        return sum(pair.not_moved_bytes for pair in self.pairs)

    @property
    def saving_ns(self) -> float:
        """What fusing them would save at most, ns."""
        return min(sum(pair.saving_ns for pair in self.pairs), float(self.time_ns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chains:
    """All that neighbours on a stream have to say.

    Attributes:
        free: Chains that could be fused, what saves most first.
        blocked: Pairs that can't be fused as they are, by what is between them; what would save
            most first.
        sees_host: Whether launches of the host were traced, so that its waits can be seen.
    """

    free: tuple[Chain, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    sees_host: bool = True

    @property
    def by_id(self) -> dict[str, Chain]:
        """What could be fused, by the id that reports give it."""
        return {f"C{number}": chain for number, chain in enumerate(self.free, start=1)}

    @property
    def blocked_by_id(self) -> dict[str, Blocked]:
        """What is blocked, by the id that reports give it."""
        return {
            f"C{number}": group
            for number, group in enumerate(self.blocked, start=len(self.free) + 1)
        }


def find_chains(timeline: Timeline, kernels: Mapping[int, KernelPoint]) -> Chains:
    """Find chains of memory-side kernels, each behind a GEMM or without one.

    Args:
        timeline: The launches.
        kernels: Kernels by point.
    """
    members = list(_members(kernels))
    if all(member.begins for member in members):
        return Chains()
    least_ns = max(1, round(_SMALLEST_RATIO * sum(kernel.time_ns for kernel in kernels.values())))
    find_neighbours(timeline, members)
    free = [_chain(runs, kernels) for runs in _twins(recurring_runs(timeline, least_ns))]
    pairs = [_blocked(held, kernels) for held in _twins(held_pairs(timeline, least_ns))]
    drop_neighbours(timeline)
    return Chains(
        free=tuple(
            sorted(
                (chain for chain in free if chain.saving_ns >= least_ns),
                key=lambda chain: (-chain.saving_ns, chain.kernels),
            )
        ),
        blocked=tuple(
            sorted(
                (group for group in _by_blocker(pairs, kernels) if group.saving_ns >= least_ns),
                key=lambda group: (-group.saving_ns, group.blocker),
            )
        ),
        sees_host=has_launch_calls(timeline),
    )


def _members(kernels: Mapping[int, KernelPoint]) -> Iterator[Member]:
    """Describe to the search the kernels that can be part of a chain."""
    twins: dict[object, int] = {}
    for point, kernel in kernels.items():
        work, begins = kernel.work, can_only_begin(kernel)
        if kernel.placement is None or not (begins or is_memory_side(kernel)):
            continue
        if not (has_both_sides(kernel) and work.dram_bytes):
            continue
        yield Member(
            point=point,
            twin=twins.setdefault(kernel.key._replace(device=0), point),
            read_bytes=round(work.dram_read_bytes or 0.0),
            write_bytes=round(work.dram_write_bytes or 0.0),
            bytes=round(work.dram_bytes),
            begins=begins,
        )


def _twins(found: Iterable[_Twin]) -> list[list[_Twin]]:
    """Put together what is the same on several devices."""
    groups: dict[tuple[int, ...], list[_Twin]] = {}
    for one in found:
        groups.setdefault(one.twins, []).append(one)
    return list(groups.values())


def _chain(runs: Sequence[RecurringRun], kernels: Mapping[int, KernelPoint]) -> Chain:
    devices = []
    for run in runs:
        members = [kernels[point] for point in run.points]
        devices.append(
            DeviceChain(
                kernels=tuple(kernel.id for kernel in members),
                occurrences=run.occurrences,
                time_ns=run.time_ns,
                fused=fuse(members),
            )
        )
    return Chain(devices=tuple(sorted(devices, key=lambda one: (-one.saving_ns, one.kernels))))


def _blocked(held: Sequence[HeldPair], kernels: Mapping[int, KernelPoint]) -> BlockedPair:
    """Sum up two neighbours over their devices."""
    blockers: Counter[Blocker] = Counter()
    ids: list[tuple[int, int]] = []
    moved_bytes, saving_ns = 0, 0.0
    for pair in held:
        first, second = (kernels[point] for point in pair.points)
        ids.append((first.id, second.id))
        blockers.update(pair.blockers)
        spared, times = fuse([first, second]), sum(pair.blockers.values())
        moved_bytes += spared.not_moved_bytes * times
        above_ns = pair.blocked_ns - spared.floor_ns * times
        saving_ns += max(0.0, min(spared.saving_ns * times, above_ns))
    return BlockedPair(
        kernels=min(ids),
        ids=tuple(dict.fromkeys(number for pair in sorted(ids) for number in pair)),
        occurrences=sum(pair.occurrences for pair in held),
        blockers=dict(blockers.most_common()),
        time_ns=sum(pair.blocked_ns for pair in held),
        not_moved_bytes=moved_bytes,
        saving_ns=saving_ns,
    )


def _by_blocker(
    pairs: Sequence[BlockedPair], kernels: Mapping[int, KernelPoint]
) -> Iterator[Blocked]:
    """Put pairs together that the same thing keeps apart."""
    times = {kernel.id: kernel.time_ns for kernel in kernels.values()}
    groups: dict[Blocker, list[BlockedPair]] = {}
    for pair in sorted(pairs, key=lambda pair: (-pair.saving_ns, pair.kernels)):
        groups.setdefault(pair.main_blocker, []).append(pair)
    for blocker, group in groups.items():
        members = {number for pair in group for number in pair.ids}
        yield Blocked(
            blocker=blocker,
            pairs=tuple(group),
            # a kernel between two others is in two pairs
            time_ns=min(
                sum(pair.time_ns for pair in group), sum(times[number] for number in members)
            ),
        )
