"""Chains of kernels that a fused kernel could replace, and what it would not move.

What one kernel writes to DRAM and its neighbour reads from there is what a fused kernel could
keep on the chip: the smaller of the measured write and the measured read, once not written and
once not read. That is an upper bound: the two may be different tensors, others may need what was
written, and ncu counts reads with empty caches.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

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

# Kernels of these classes tile over their inputs: what follows can become their epilogue, but to
# go in front of one, a kernel would be computed again for each tile.
_BEGINNING_CLASSES = frozenset({"gemm", "conv", "attention"})

# What saves less of the kernel time is not worth a sentence.
_SMALLEST_RATIO = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """What one fused kernel in place of several would spare each time they run.

    Attributes:
        passed_bytes: What each kernel passes to the next one at most, bytes.
        saving_ns: Time that goes at most, at the rates that the kernels reach, ns.
        at_wall_ns: Time that the bytes would take at the bandwidth wall, ns.
    """

    passed_bytes: tuple[int, ...]
    saving_ns: float
    at_wall_ns: float

    @property
    def not_moved_bytes(self) -> int:
        """What is neither written nor read any more, bytes."""
        return 2 * sum(self.passed_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Kernels that follow each other again and again, with nothing between them.

    Attributes:
        kernels: Their ids, in order; one may come again.
        occurrences: How often.
        time_ns: Time of all of them, ns.
        fused: What fusing them would spare each time.
        saving_ns: What it would save over all occurrences at most, ns.
    """

    kernels: tuple[int, ...]
    occurrences: int
    time_ns: int
    fused: Fused
    saving_ns: float

    @property
    def launches_saved(self) -> int:
        """Launches that there would be less."""
        return (len(self.kernels) - 1) * self.occurrences


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedPair:
    """Two neighbours that could be fused but for what is between them.

    Attributes:
        kernels: Their ids, in order.
        occurrences: How often they follow each other.
        blockers: What is between them, and how often, the most frequent first.
        time_ns: Time of both where something is between them, ns.
        fused: What fusing them would spare each time.
        saving_ns: What it would save at most where something is between them now, ns.
    """

    kernels: tuple[int, int]
    occurrences: int
    blockers: Mapping[Blocker, int]
    time_ns: int
    fused: Fused
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
        return sum(pair.fused.not_moved_bytes * pair.blocked for pair in self.pairs)

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


def is_memory_side(kernel: KernelPoint) -> bool:
    """Whether traffic is what a kernel is made of, by its counters."""
    placement = kernel.placement
    return placement is not None and (kernel.wall == "bandwidth" or placement.side == "memory")


def may_follow(kernel: KernelPoint) -> bool:
    """Whether a kernel could be fused to the one before it."""
    return is_memory_side(kernel) and kernel.kernel_class.op_class not in _BEGINNING_CLASSES


def has_both_sides(kernel: KernelPoint) -> bool:
    """Whether DRAM reads and DRAM writes were counted apart."""
    return None not in {kernel.work.dram_read_bytes, kernel.work.dram_write_bytes}


def find_chains(timeline: Timeline, kernels: Mapping[int, KernelPoint]) -> Chains:
    """Find chains of memory-side kernels, each behind a GEMM or without one.

    Args:
        timeline: The launches.
        kernels: Kernels by point.
    """
    members = [member for point, kernel in kernels.items() if (member := _member(point, kernel))]
    if all(member.begins for member in members):
        return Chains()
    least_ns = max(1, round(_SMALLEST_RATIO * sum(kernel.time_ns for kernel in kernels.values())))
    find_neighbours(timeline, members)
    free = [_chain(run, kernels) for run in recurring_runs(timeline, least_ns)]
    pairs = [_blocked(pair, kernels) for pair in held_pairs(timeline, least_ns)]
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


def _member(point: int, kernel: KernelPoint) -> Member | None:
    """Describe a kernel to the search; None where it can't be part of a chain."""
    work, begins = kernel.work, kernel.kernel_class.op_class in _BEGINNING_CLASSES
    if kernel.placement is None or not (begins or is_memory_side(kernel)):
        return None
    if not (has_both_sides(kernel) and work.dram_bytes):
        return None
    return Member(
        point=point,
        read_bytes=round(work.dram_read_bytes or 0.0),
        write_bytes=round(work.dram_write_bytes or 0.0),
        bytes=round(work.dram_bytes),
        begins=begins,
    )


def _chain(run: RecurringRun, kernels: Mapping[int, KernelPoint]) -> Chain:
    members = [kernels[point] for point in run.points]
    spared = fuse(members)
    return Chain(
        kernels=tuple(kernel.id for kernel in members),
        occurrences=run.occurrences,
        time_ns=run.time_ns,
        fused=spared,
        saving_ns=min(spared.saving_ns * run.occurrences, float(run.time_ns)),
    )


def _blocked(pair: HeldPair, kernels: Mapping[int, KernelPoint]) -> BlockedPair:
    first, second = (kernels[point] for point in pair.points)
    spared = fuse([first, second])
    blocked = sum(pair.blockers.values())
    return BlockedPair(
        kernels=(first.id, second.id),
        occurrences=pair.occurrences,
        blockers=pair.blockers,
        time_ns=pair.blocked_ns,
        fused=spared,
        saving_ns=min(spared.saving_ns * blocked, float(pair.blocked_ns)),
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
        members = {number for pair in group for number in pair.kernels}
        yield Blocked(
            blocker=blocker,
            pairs=tuple(group),
            # a kernel between two others is in two pairs
            time_ns=min(
                sum(pair.time_ns for pair in group), sum(times[number] for number in members)
            ),
        )


def fuse(kernels: Sequence[KernelPoint]) -> Fused:
    """Work out what one kernel in place of several would spare.

    A memory-side kernel loses time in the proportion in which it loses traffic. Of a compute-side
    one, the traffic is worth no more than at the bandwidth wall. All of them together stay above
    the floor of the fused kernel.

    Args:
        kernels: Two at least, in order, all with DRAM reads and writes known.
    """
    passed = tuple(
        round(min(first.work.dram_write_bytes or 0.0, second.work.dram_read_bytes or 0.0))
        for first, second in pairwise(kernels)
    )
    parts = [
        _part(kernel, before + after)
        for kernel, before, after in zip(kernels, (0, *passed), (*passed, 0), strict=True)
    ]
    at_wall_ns = sum(part.at_wall_ns for part in parts)
    memory_ns = sum(part.memory_floor_ns for part in parts) - at_wall_ns
    compute_ns = sum(part.compute_floor_ns for part in parts)
    above_floor_ns = sum(part.time_ns for part in parts) - max(memory_ns, compute_ns)
    return Fused(
        passed_bytes=passed,
        saving_ns=max(0.0, min(sum(part.saved_ns for part in parts), above_floor_ns)),
        at_wall_ns=at_wall_ns,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A typical launch of one kernel of a chain, times in ns."""

    time_ns: float
    memory_floor_ns: float
    compute_floor_ns: float
    at_wall_ns: float
    saved_ns: float


def _part(kernel: KernelPoint, spared_bytes: float) -> _Part:
    placement, moved = kernel.placement, kernel.work.dram_bytes
    time_ns = kernel.times.typical_ns or 0.0
    memory_ns = (placement.memory_floor_ns if placement else None) or 0.0
    # sums and their parts are counted in different passes, so they may differ a little
    ratio = min(1.0, spared_bytes / moved) if moved else 0.0
    return _Part(
        time_ns=time_ns,
        memory_floor_ns=memory_ns,
        compute_floor_ns=(placement.compute_floor_ns if placement else None) or 0.0,
        at_wall_ns=ratio * memory_ns,
        saved_ns=ratio * (time_ns if is_memory_side(kernel) else memory_ns),
    )
