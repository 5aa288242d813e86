"""The plan for a shell: commands to paste, one a line, and what to know as comments."""

import textwrap
from collections.abc import Iterator

from nsys_walls.plan import Command, Plan
from nsys_walls.plan.ncu import (
    COUNTERS_A_PASS,
    OLDEST_NCU,
    PROGRAM,
    SPEED_OF_LIGHT_PASSES,
    shell_line,
)
from nsys_walls.plan.needs import DYNAMIC_SHARED
from nsys_walls.units import counted, duration, percent

_WIDTH = 98
_NAMED = 3


def plan_lines(plan: Plan) -> Iterator[str]:
    """Write a plan as lines of a shell script; names in comments are as the trace has them."""
    yield from _comment(f"nsys-walls plan {plan.run}: {_state(plan)}")
    if plan.commands:
        yield from _comment(_after(plan))
        yield "#"
        yield from _comment(_how_to_run(plan))
        yield from _comment(
            f"nsys-walls ingest --run {plan.run} "
            + " ".join(command.log_file for command in plan.commands),
            indent="   ",
        )
        yield "#"
        for text in _explanations(plan):
            yield from _comment(text)
    for text in _left_out(plan):
        yield from _comment(text)
    for number, command in enumerate(plan.commands, 1):
        yield ""
        yield from _comment(f"{number} of {len(plan.commands)}: {_about(command, plan)}")
        yield shell_line(command.words)


def _comment(text: str, indent: str = " ") -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=f"#{indent}",
        subsequent_indent=f"#{indent}",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _state(plan: Plan) -> str:
    """Say what is measured, and what was asked for."""
    if not plan.kernel_ns:
        return "no kernel time was traced, so there is nothing to measure."
    if not plan.measurable_ns:
        return "no kernel of this run can be measured."
    known = f"bytes and FLOP are known for {percent(plan.share(plan.measured_ns))}"
    if not plan.commands:
        return (
            f"nothing to measure: {known} of the kernel time that can be measured "
            f"(asked for: {percent(plan.cover)})."
        )
    return f"{known} of the kernel time that can be measured; asked for: {percent(plan.cover)}."


def _after(plan: Plan) -> str:
    kernels = sum(len(command.kernels) for command in plan.commands)
    share = percent(plan.share(plan.measured_ns + plan.planned_ns))
    whole = percent((plan.measured_ns + plan.planned_ns) / plan.kernel_ns)
    of_all = f" ({whole} of all kernel time)" if whole != share else ""
    return (
        f"{counted(len(plan.commands), 'run')} of the program under ncu "
        f"measure{'s' if len(plan.commands) == 1 else ''} "
        f"{counted(kernels, 'kernel')} more, for {share}{of_all}: "
        f"{counted(plan.launches, 'launch', 'launches')}, one of each kernel name and launch "
        "shape."
    )


def _how_to_run(plan: Plan) -> str:
    every = "the command" if len(plan.commands) == 1 else "every command"
    return f"Put your program in the place of {PROGRAM}, run {every}, then:"


def _explanations(plan: Plan) -> Iterator[str]:
    yield (
        "--clock-control none leaves the clocks as they were in the traced run; ncu would lock "
        "them, and its times and Speed of Light would be those of another clock. Bytes and FLOP "
        "are the same either way."
    )
    yield _filter_mode(plan)
    if any(DYNAMIC_SHARED in command.metrics for command in plan.commands):
        yield f"{DYNAMIC_SHARED} tells launches apart that differ in nothing else."
    yield from _selection(plan)
    yield _warm_up(plan)
    yield _cost(plan)


def _filter_mode(plan: Plan) -> str:
    text = (
        f"--filter-mode per-launch-config (ncu {OLDEST_NCU} or newer) with --launch-count 1 "
        "profiles the first launch of each grid, block and shared memory"
    )
    if not plan.has_shapes:
        return (
            f"{text}. This run has no launch shapes, so it is not known which names could share "
            "a command: ingest the trace's SQLite export for fewer commands."
        )
    if len(plan.commands) > 1:
        return (
            f"{text}, whatever its name: kernels of equal shape need a command each, and a lower "
            "--cover fewer of them."
        )
    return f"{text}."


def _selection(plan: Plan) -> Iterator[str]:
    """Say how much of a selection ncu can be told."""
    chosen = plan.selection
    if chosen.nvtx:
        yield (
            "--nvtx-include NAME/ is of push-pop ranges without a domain; for others write "
            "DOMAIN@NAME/, for start-end ranges leave out the slash."
        )
    if chosen.devices:
        yield "--devices has the numbers of this run; ncu counts as CUDA does in its process."
    if chosen.window or chosen.streams:
        yield (
            "ncu can't be told a window or streams: the first launches of these kernels in the "
            "whole program are profiled."
        )


def _warm_up(plan: Plan) -> str:
    text = "The first launches of a program may be a warm-up with other data"
    if all(command.fewest_launches > 1 for command in plan.commands):
        return f"{text}: --launch-skip 1 passes over the first one of each shape."
    return f"{text}; some shapes were launched only once, so none is skipped."


def _cost(plan: Plan) -> str:
    passes = sorted({command.passes for command in plan.commands})
    most = f"{passes[0]} to {passes[-1]}" if len(passes) > 1 else f"{passes[0]}"
    text = (
        f"Estimated: {most} replay passes a launch ({SPEED_OF_LIGHT_PASSES} for Speed of Light, "
        f"{COUNTERS_A_PASS} other counters a pass), {duration(plan.replay_ns)} of replays"
    )
    if plan.program_ns is not None and plan.wall_ns is not None:
        runs = counted(len(plan.commands), "run")
        text += f", and {runs} of {duration(plan.wall_ns)} as traced"
        text += f": at least {duration(plan.program_ns + plan.replay_ns)}"
    return (
        f"{text}; starting the program, and saving and restoring memory before each pass, "
        "come on top."
    )


def _left_out(plan: Plan) -> Iterator[str]:
    """Name what can't be measured, reason by reason."""
    by_reason: dict[str, list[tuple[str, int]]] = {}
    for row in plan.left_out:
        by_reason.setdefault(row.reason, []).append((row.kernel.name, row.kernel.time_ns))
    for reason, rows in by_reason.items():
        names = ", ".join(name for name, _ in rows[:_NAMED])
        more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
        share = percent(sum(time_ns for _, time_ns in rows) / plan.kernel_ns)
        yield f"Left out, {share} of kernel time: {names}{more}: {reason}."
    if plan.hidden_ns:
        yield (
            f"{duration(plan.hidden_ns)} of kernels are hidden in CUDA graphs and not in this "
            "plan: trace again with `nsys profile --cuda-graph-trace=node`."
        )


def _about(command: Command, plan: Plan) -> str:
    names = list(dict.fromkeys(kernel.name for kernel in command.kernels))
    shown = ", ".join(names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    chip = command.compute_capability
    counters = f"compute capability {chip}" if chip else "an unknown chip, without tensor counters"
    return (
        f"{percent(plan.share(command.time_ns))}: {shown}{more}; "
        f"{counted(command.launches, 'launch', 'launches')}, {len(command.metrics)} counters "
        f"for {counters}"
    )
