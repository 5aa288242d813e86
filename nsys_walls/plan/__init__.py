"""Plan the counter run: few ncu commands for the kernels that lack counters.

What is chosen: of the kernel time that can be measured at all, the heaviest kernel names until
the share that was asked for has bytes and FLOP. One launch of each launch shape of a name is
measured: counters hardly differ between equal launches, and time comes from the trace.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nsys_walls.plan.commands import Command, TargetName, build_commands, target_of
from nsys_walls.plan.names import name_patterns, why_no_pattern
from nsys_walls.plan.needs import chip_of, why_unmeasurable
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.store.selection import Selection

__all__ = ["Command", "LeftOut", "Plan", "make_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A kernel that no command can measure.

    Attributes:
        kernel: The kernel.
        reason: Why not, one clause.
    """

    kernel: KernelPoint
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run.

    Attributes:
        run: Name of the run.
        selection: Part of it that is to be measured.
        cover: Share of the measurable kernel time that was asked for, 0 to 1.
        commands: What to run, heaviest first; none where enough is measured.
        left_out: Kernels that can't be measured, heaviest first.
        kernel_ns: Time of all kernels, ns.
        measured_ns: Part of it whose bytes and FLOP are known already, ns.
        hidden_ns: Time of kernels hidden in CUDA graphs, for which nothing can be planned, ns.
        wall_ns: Length of the traced run, ns; None where no launches are known.
        has_shapes: Whether launch shapes are known of all kernels.
    """

    run: str
    selection: Selection
    cover: float
    commands: tuple[Command, ...]
    left_out: tuple[LeftOut, ...]
    kernel_ns: int
    measured_ns: int
    hidden_ns: int
    wall_ns: int | None
    has_shapes: bool

    @property
    def planned_ns(self) -> int:
        """Time of the kernels that the commands measure, ns."""
        return sum(command.time_ns for command in self.commands)

    @property
    def measurable_ns(self) -> int:
        """Time of the kernels that are measured or can be, ns."""
        return self.kernel_ns - sum(row.kernel.time_ns for row in self.left_out)

    @property
    def launches(self) -> int:
        """Launches that all commands profile."""
        return sum(command.launches for command in self.commands)

    @property
    def replay_ns(self) -> float:
        """Traced time of these launches times their estimated replays, ns."""
        return sum(command.replay_ns for command in self.commands)

    @property
    def program_ns(self) -> int | None:
        """Time of the program's own runs, as long as the traced one each, ns."""
        return None if self.wall_ns is None else len(self.commands) * self.wall_ns

    def share(self, time_ns: float) -> float:
        """Give a time as a part of what can be measured; 0 where nothing can."""
        return time_ns / self.measurable_ns if self.measurable_ns else 0.0


def make_plan(analysis: Analysis, *, cover: float = 0.95) -> Plan:
    """Plan how to measure the heaviest kernels that lack bytes or FLOP.

    Args:
        analysis: The run, or a selection of it: ncu is told its NVTX ranges and devices.
        cover: Share of the measurable kernel time that is to be measured, 0 to 1.
    """
    chips = _chips(analysis)
    unmeasured = [
        kernel for kernel in analysis.kernels if kernel.time_ns and not kernel.is_measured
    ]
    reasons = {kernel.id: why_unmeasurable(kernel, chips[kernel.key.device])
               for kernel in unmeasured}  # fmt: skip
    patterns = _patterns(
        [kernel for kernel in unmeasured if reasons[kernel.id] is None], analysis, chips
    )
    lacking: dict[TargetName, list[KernelPoint]] = {}
    left_out: list[LeftOut] = []
    for kernel in unmeasured:
        name, reason = target_of(kernel, chips), reasons[kernel.id]
        if reason is None and patterns[name] is not None:
            lacking.setdefault(name, []).append(kernel)
        else:
            reason = reason or why_no_pattern(kernel.key.full_name)
            left_out.append(LeftOut(kernel=kernel, reason=reason))
    measured_ns = sum(kernel.time_ns for kernel in analysis.kernels if kernel.is_measured)
    measurable_ns = measured_ns + sum(map(_time_ns, lacking.values()))
    chosen = _heaviest(lacking, cover * measurable_ns - measured_ns)
    return Plan(
        run=analysis.manifest.run,
        selection=analysis.selection,
        cover=cover,
        commands=build_commands(
            analysis,
            {name: pattern for name in chosen if (pattern := patterns[name]) is not None},
            [kernel for kernels in lacking.values() for kernel in kernels],
            chips,
        ),
        left_out=tuple(left_out),
        kernel_ns=analysis.kernel_ns,
        measured_ns=measured_ns,
        hidden_ns=sum(row.time.graph_hidden_ns for row in analysis.devices if row.time),
        wall_ns=analysis.wall_ns,
        has_shapes=all(kernel.key.grid and kernel.key.block for kernel in analysis.kernels),
    )


def _chips(analysis: Analysis) -> dict[int, str | None]:
    """Find the compute capability of every device, in the last resort from its counters."""
    counted = {kernel.key.device: kernel.match.part for kernel in reversed(analysis.kernels)
               if kernel.match.part}  # fmt: skip
    walls = {row.walls.facts.device: row.walls for row in analysis.devices}
    return {device: chip_of(walls[device]) or counted.get(device) for device in walls}


def _patterns(
    kernels: Sequence[KernelPoint], analysis: Analysis, chips: Mapping[int, str | None]
) -> dict[TargetName, str | None]:
    """Write the expressions that tell names from all others that a command could meet."""
    wanted = dict.fromkeys(target_of(kernel, chips) for kernel in kernels)
    every = dict.fromkeys(target_of(kernel, chips) for kernel in analysis.kernels)
    return {
        (target, name): pattern
        for target in dict.fromkeys(target for target, _ in wanted)
        for name, pattern in name_patterns(
            [name for of, name in wanted if of == target],
            [name for of, name in every if of == target],
        ).items()
    }


def _time_ns(kernels: Sequence[KernelPoint]) -> int:
    return sum(kernel.time_ns for kernel in kernels)


def _heaviest(
    kernels: Mapping[TargetName, Sequence[KernelPoint]], time_ns: float
) -> list[TargetName]:
    """Take names, heaviest first, until their kernels make up a time.

    All shapes of a name are measured with it, so that the sum of a name is what it is worth.
    """
    chosen: list[TargetName] = []
    for name in sorted(kernels, key=lambda name: -_time_ns(kernels[name])):
        # times are whole nanoseconds: less than half of one is rounding
        if time_ns < 0.5:  # noqa: PLR2004
            break
        chosen.append(name)
        time_ns -= _time_ns(kernels[name])
    return chosen
