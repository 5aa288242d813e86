"""From kernels that lack counters to the ncu commands that measure them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nsys_walls.counters.table import recommended_metrics
from nsys_walls.plan.groups import LaunchShape, share_commands
from nsys_walls.plan.ncu import estimate_passes, ncu_words
from nsys_walls.plan.needs import DYNAMIC_SHARED, lacking_metrics
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One run of the program under ncu.

    Attributes:
        words: The command without the program.
        log_file: The CSV that it writes.
        kernels: Kernels that it measures and that lack counters, heaviest first.
        launches: Launches that it profiles: one of every shape of its kernel names.
        fewest_launches: How often the rarest of these shapes was launched in the trace.
        metrics: Counters that it collects.
        compute_capability: Chip that they are chosen for; None if unknown.
        passes: How often each launch is replayed, estimated.
        replay_ns: ``passes`` times the traced time of the profiled launches, ns.
    """

    words: tuple[str, ...]
    log_file: str
    kernels: tuple[KernelPoint, ...]
    launches: int
    fewest_launches: int
    metrics: tuple[str, ...]
    compute_capability: str | None
    passes: int
    replay_ns: float

    @property
    def time_ns(self) -> int:
        """Traced time of its kernels, ns."""
        return sum(kernel.time_ns for kernel in self.kernels)


class Target(NamedTuple):
    """What kernels of one command have in common.

    Attributes:
        chip: Compute capability of their devices; None if unknown.
        name_base: Which names they have: ``demangled`` or ``mangled``.
    """

    chip: str | None
    name_base: str


#: What a command can be told: a name, and where it is looked for.
TargetName = tuple[Target, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A command in the making.

    Attributes:
        target: What its kernels have in common.
        patterns: Expressions of its kernel names.
        matched: All kernels of these names.
        gained: Those of them that lack counters, heaviest first.
    """

    target: Target
    patterns: Sequence[str]
    matched: Sequence[KernelPoint]
    gained: tuple[KernelPoint, ...]


def target_of(kernel: KernelPoint, chips: Mapping[int, str | None]) -> TargetName:
    """Say how a command would be told of a kernel.

    Args:
        kernel: The kernel.
        chips: Compute capability of each device.
    """
    name = kernel.key.full_name
    base = "mangled" if name.startswith("_Z") else "demangled"
    return Target(chips[kernel.key.device], base), name


def build_commands(
    analysis: Analysis,
    chosen: Mapping[TargetName, str],
    lacking: Sequence[KernelPoint],
    chips: Mapping[int, str | None],
) -> tuple[Command, ...]:
    """Write the commands for some names, heaviest first.

    Args:
        analysis: The run.
        chosen: Names to measure and their expressions, heaviest first.
        lacking: All kernels that could be measured: every shape of a chosen name is.
        chips: Compute capability of each device.
    """
    drafts = sorted(
        _drafts(analysis, chosen, {kernel.id for kernel in lacking}, chips),
        key=lambda draft: -sum(kernel.time_ns for kernel in draft.gained),
    )
    one_chip = len(set(chips.values())) == 1
    commands = []
    for draft, file in zip(drafts, _free_files(analysis, len(drafts)), strict=True):
        devices = analysis.selection.devices
        if not one_chip:
            of_chip = [device for device, chip in chips.items() if chip == draft.target.chip]
            devices = tuple(device for device in of_chip if not devices or device in devices)
        command = _command(draft, log_file=file)
        words = ncu_words(
            patterns=draft.patterns,
            metrics=command.metrics,
            name_base=draft.target.name_base,
            log_file=file,
            full_names=analysis.has_trace,
            devices=devices,
            nvtx=analysis.selection.nvtx,
        )
        commands.append(replace(command, words=words))
    return tuple(commands)


def _drafts(
    analysis: Analysis,
    chosen: Mapping[TargetName, str],
    lacking: set[int],
    chips: Mapping[int, str | None],
) -> Iterator[_Draft]:
    kernels: dict[TargetName, list[KernelPoint]] = {}
    for kernel in analysis.kernels:
        kernels.setdefault(target_of(kernel, chips), []).append(kernel)
    for target in dict.fromkeys(target for target, _ in chosen):
        patterns = {name: pattern for (of, name), pattern in chosen.items() if of == target}
        shapes = {name: _shapes(kernels[target, name]) for name in patterns}
        for names in share_commands(shapes, patterns):
            matched = sorted(
                (kernel for name in names for kernel in kernels[target, name]),
                key=lambda row: row.id,
            )
            yield _Draft(
                target=target,
                patterns=[patterns[name] for name in names],
                matched=matched,
                gained=tuple(kernel for kernel in matched if kernel.id in lacking),
            )


def _shapes(kernels: Iterable[KernelPoint]) -> frozenset[LaunchShape] | None:
    found: set[LaunchShape] = set()
    for kernel in kernels:
        if kernel.key.grid is None or kernel.key.block is None:
            return None
        found.add((kernel.key.grid, kernel.key.block))
    return frozenset(found)


def _command(draft: _Draft, *, log_file: str) -> Command:
    """Say what a command measures; its words are written later."""
    chip = draft.target.chip
    metrics = _metrics(draft, chip)
    # on several devices of one chip, the launches of one of them are enough
    distinct = {kernel.key._replace(device=0): kernel for kernel in draft.matched}
    passes = estimate_passes(metrics)
    typical = [kernel.times.typical_ns or 0.0 for kernel in distinct.values()]
    return Command(
        words=(),
        log_file=log_file,
        kernels=draft.gained,
        launches=len(distinct),
        fewest_launches=min(kernel.times.launches for kernel in distinct.values()),
        metrics=metrics,
        compute_capability=chip,
        passes=passes,
        replay_ns=passes * sum(typical),
    )


def _metrics(draft: _Draft, chip: str | None) -> tuple[str, ...]:
    """Collect what any kernel of a command lacks, in the order of the table."""
    lacked = {name for kernel in draft.gained for name in lacking_metrics(kernel, chip)}
    metrics = [name for name in recommended_metrics(chip or "") if name in lacked]
    shapes = {kernel.key for kernel in draft.matched}
    if len({key._replace(dynamic_shared_bytes=None) for key in shapes}) < len(shapes):
        metrics.append(DYNAMIC_SHARED)
    return tuple(metrics)


def _free_files(analysis: Analysis, count: int) -> list[str]:
    """Name files that the run does not hold: an equal name would replace what is there."""
    taken = {source.file for source in analysis.manifest.sources}
    run = analysis.manifest.run
    names = (f"{run}.counters-{number}.csv" for number in range(1, count + len(taken) + 1))
    return [name for name in names if name not in taken][:count]
