"""What goes into the join and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from nsys_walls.join.profiles import Profile, Shape
from nsys_walls.texts import Text

#: How well a kernel's counters fit, best first; at the last two no rates may be computed.
MatchLevel = Literal["launch", "shape", "name", "ambiguous", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """A kernel of the trace: all launches of one name, device and launch shape.

    Attributes:
        id: The caller's number.
        device: The run's device number.
        part: Which chip that is, in the words of `Profile.part`; None if unknown.
        full: Demangled name, complete.
        short: Function name alone, if the trace has it.
        mangled: Mangled name, if the trace has it.
        grid: Blocks; None where the source has no shapes.
        block: Threads; None where the source has no shapes.
        dynamic_shared_bytes: Dynamic shared memory of a block, bytes.
        launches: How many.
        time_ns: Their time, ns.
        min_ns: Shortest launch, ns.
        max_ns: Longest launch, ns.
        is_communication: Whether it is a collective.
        from_summary: Whether it is a row of ``cuda_gpu_kern_sum``: one name, all its shapes
            and all devices together.
    """

    id: int
    device: int
    part: str | None
    full: str
    short: str | None
    mangled: str | None
    grid: Shape | None
    block: Shape | None
    dynamic_shared_bytes: int | None
    launches: int
    time_ns: int
    min_ns: int | None
    max_ns: int | None
    is_communication: bool = False
    from_summary: bool = False

    @property
    def shape(self) -> tuple[Shape, Shape] | None:
        """Grid and block, None unless both are known."""
        return (self.grid, self.block) if self.grid and self.block else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The counters of one traced kernel.

    Attributes:
        level: How well they fit.
        reason: Why, one clause; where they don't fit, what to do.
        profiled_launches: Profiled launches behind them.
        spread_ratio: (max - min) / median of their DRAM bytes; None unless two or more
            profiles measured them.
        values: Median of each counter, base units; None at level ``none``, and at
            ``ambiguous`` where the launches differ. There they may be shown, but rates
            would be of another kernel or shape.
        per_launch: Counters of every launch in order; only at level ``launch``.
        part: Which chip they were counted on; None if unknown.
    """

    level: MatchLevel
    reason: Text
    profiled_launches: int = 0
    spread_ratio: float | None = None
    values: Mapping[str, float] | None = None
    per_launch: tuple[Mapping[str, float], ...] = ()
    part: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinResult:
    """What the join found.

    Attributes:
        joined: For each traced kernel, in the order given.
        unmatched: Profiles that fit no traced kernel.
    """

    joined: tuple[Joined, ...]
    unmatched: tuple[Profile, ...]
