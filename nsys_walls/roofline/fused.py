"""What one kernel in place of several would spare, and below what it can't go.

What one kernel writes to DRAM and the next one reads from there is what a fused kernel could
keep on the chip: the smaller of the measured write and the measured read, once not written and
once not read. That is an upper bound: the two may be different tensors, others may need what was
written, and ncu counts reads with empty caches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.model import pipe_of

# Kernels of these classes tile over their inputs: what follows can become their epilogue, but to
# go in front of one, a kernel would be computed again for each tile.
_BEGINNING_CLASSES = frozenset({"gemm", "conv", "attention"})

# Kernels that stand here lose their time to neither traffic nor work, so that less of both says
# nothing of how much time goes with them.
_NO_WALLS = frozenset({"latency", "neither"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A launch of one of the kernels, times in ns.

    Attributes:
        kernel: Its id.
        time_ns: What it takes on average.
        saved_ns: What goes of it at most.
        at_wall_ns: What its traffic that goes would take at the bandwidth wall.
        memory_floor_ns: What all its traffic would take there.
        compute_floor_ns: What its work takes at the compute wall.
        pipe: Pipe of that work; None where there is none.
        has_wall: Whether it stands at a wall, or keeps its main loop whatever follows it.
    """

    kernel: int
    time_ns: float
    saved_ns: float
    at_wall_ns: float
    memory_floor_ns: float
    compute_floor_ns: float
    pipe: str | None
    has_wall: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """What one fused kernel in place of several would spare each time they run.

    Attributes:
        passed_bytes: What each kernel passes to the next one at most, bytes.
        parts: The kernels, in order.
    """

    passed_bytes: tuple[int, ...]
    parts: tuple[Part, ...]

    @property
    def not_moved_bytes(self) -> int:
        """What is neither written nor read any more, bytes."""
        return 2 * sum(self.passed_bytes)

    @property
    def at_wall_ns(self) -> float:
        """Time that these bytes would take at the bandwidth wall, ns."""
        return sum(part.at_wall_ns for part in self.parts)

    @property
    def floor_ns(self) -> float:
        """Least time of the fused kernel, ns: its traffic, or the work of its busiest pipe."""
        pipes: dict[str | None, float] = {}
        for part in self.parts:
            pipes[part.pipe] = pipes.get(part.pipe, 0.0) + part.compute_floor_ns
        memory_ns = sum(part.memory_floor_ns for part in self.parts) - self.at_wall_ns
        return max(memory_ns, *pipes.values())

    @property
    def no_wall_ns(self) -> float:
        """Time of kernels that stand before no wall, all of which counts as saved, ns."""
        return sum(part.time_ns for part in self.parts if not part.has_wall)

    @property
    def saving_ns(self) -> float:
        """Time that goes at most, ns: no more than down to the floor."""
        time_ns = sum(part.time_ns for part in self.parts)
        saved_ns = sum(part.saved_ns for part in self.parts)
        return max(0.0, min(saved_ns, time_ns - self.floor_ns))


def is_memory_side(kernel: KernelPoint) -> bool:
    """Whether traffic is what a kernel is made of, by its counters."""
    placement = kernel.placement
    return placement is not None and (kernel.wall == "bandwidth" or placement.side == "memory")


def can_only_begin(kernel: KernelPoint) -> bool:
    """Whether others can be fused to a kernel, but it can't be fused to one before it."""
    return kernel.kernel_class.op_class in _BEGINNING_CLASSES


def may_follow(kernel: KernelPoint) -> bool:
    """Whether a kernel could be fused to the one before it."""
    return is_memory_side(kernel) and not can_only_begin(kernel)


def has_both_sides(kernel: KernelPoint) -> bool:
    """Whether DRAM reads and DRAM writes were counted apart."""
    return None not in {kernel.work.dram_read_bytes, kernel.work.dram_write_bytes}


def fuse(kernels: Sequence[KernelPoint]) -> Fused:
    """Work out what one kernel in place of several would spare.

    A memory-side kernel at a wall loses time in the proportion in which it loses traffic, and one
    at no wall may lose all of it. What can only begin keeps its main loop: of a compute-side one,
    the traffic is worth no more than at the bandwidth wall. All of them together stay above the
    floor of the fused kernel.

    Args:
        kernels: Two at least, in order, all with DRAM reads and writes known.
    """
    passed = tuple(
        round(min(first.work.dram_write_bytes or 0.0, second.work.dram_read_bytes or 0.0))
        for first, second in pairwise(kernels)
    )
    return Fused(
        passed_bytes=passed,
        parts=tuple(
            _part(kernel, before + after)
            for kernel, before, after in zip(kernels, (0, *passed), (*passed, 0), strict=True)
        ),
    )


def _part(kernel: KernelPoint, spared_bytes: float) -> Part:
    placement, moved = kernel.placement, kernel.work.dram_bytes
    time_ns = kernel.times.mean_ns or kernel.times.typical_ns or 0.0
    memory_ns = (placement.memory_floor_ns if placement else None) or 0.0
    # sums and their parts are counted in different passes, so they may differ a little
    ratio = min(1.0, spared_bytes / moved) if moved else 0.0
    has_wall = can_only_begin(kernel) or kernel.wall not in _NO_WALLS
    at_rate_ns = ratio * (time_ns if is_memory_side(kernel) else memory_ns)
    return Part(
        kernel=kernel.id,
        time_ns=time_ns,
        saved_ns=at_rate_ns if has_wall else time_ns,
        at_wall_ns=ratio * memory_ns,
        memory_floor_ns=memory_ns,
        compute_floor_ns=(placement.compute_floor_ns if placement else None) or 0.0,
        pipe=pipe_of(placement.precision) if placement and placement.precision else None,
        has_wall=has_wall,
    )
