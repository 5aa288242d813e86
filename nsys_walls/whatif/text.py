"""The answer for the terminal: the bound first, then what it is made of."""

import re
import textwrap
from collections.abc import Iterator

from nsys_walls.units import counted, duration, percent, three_digits
from nsys_walls.whatif import Effect, Times, WhatIf
from nsys_walls.whatif.chains import ChainEffect

_WIDTH = 80
_NAMED = 3
_ROW = "{:<44} {:>10} {:>10} {:>10}"
_NAME_WIDTH = 44
_NO_BREAK = "\N{NO-BREAK SPACE}"
_NUMBER_AND_UNIT = re.compile(r"(?<=\d) (?=[^\W\d]|%)")


def whatif_lines(answer: WhatIf, run: str) -> Iterator[str]:
    """Write an answer as lines of at most 80 characters, but for names."""
    yield from _wrap(f"{run}, {', '.join(answer.typed)}: {_bound(answer)}")
    yield ""
    yield _ROW.format("", "before", "at least", "saved")
    yield _times_row("kernel time, summed", answer.kernels)
    yield _times_row("busy time", answer.busy)
    if answer.span is not None:
        several = answer.devices > 1
        yield _times_row(
            f"time of {answer.devices} GPUs, idle kept" if several else "wall time, idle kept",
            answer.span,
        )
    if answer.effects:
        yield ""
        yield from (_effect_row(effect) for effect in answer.effects)
    for effect in answer.chains:
        yield ""
        yield from _wrap(_chain(effect))
    notes = list(_notes(answer))
    if notes:
        yield ""
    for note in notes:
        yield from _wrap(f"! {note}", "  ")


def _wrap(text: str, hanging: str = "") -> list[str]:
    # textwrap does not break at this space: a number and its unit stay on one line
    joined = _NUMBER_AND_UNIT.sub(_NO_BREAK, text)
    lines = textwrap.wrap(
        joined, _WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(_NO_BREAK, " ") for line in lines]


def _bound(answer: WhatIf) -> str:
    busy = answer.busy
    if busy.after_ns >= busy.before_ns:
        return "nothing would be saved."
    if answer.speedup_bound is None:
        return "no busy time would be left: the changes are larger than the run."
    text = (
        f"at most {percent(busy.saved_ratio)} of busy time, "
        f"{three_digits(answer.speedup_bound)} times as fast"
    )
    if answer.span is None:
        return f"{text}."
    whole = "of the time of all GPUs" if answer.devices > 1 else "of wall time"
    return f"{text}; at most {percent(answer.span.saved_ratio)} {whole}."


def _times_row(name: str, times: Times) -> str:
    return _ROW.format(
        name, duration(times.before_ns), duration(times.after_ns), percent(times.saved_ratio)
    )


def _effect_row(effect: Effect) -> str:
    name = effect.kernel.name
    half = (_NAME_WIDTH - 1) // 2
    shown = name if len(name) <= _NAME_WIDTH else f"{name[: _NAME_WIDTH - 1 - half]}…{name[-half:]}"
    return _ROW.format(
        shown, duration(effect.kernel.time_ns), duration(effect.after_ns), duration(effect.saved_ns)
    )


def _chain(effect: ChainEffect) -> str:
    if effect.chain.blockers:
        return (
            f"chain {effect.id} is blocked and saves nothing: {'; '.join(effect.chain.blockers)}."
        )
    return f"chain {effect.id} fused saves at most {duration(effect.saved_ns)}."


def _notes(answer: WhatIf) -> Iterator[str]:
    """Say what the bound does not see."""
    by_reason: dict[str, list[str]] = {}
    for row in answer.unchanged:
        by_reason.setdefault(row.reason, []).append(row.kernel.name)
    for reason, names in by_reason.items():
        yield f"Unchanged: {_some(names)}: {reason}."
    partial = [row.kernel.name for row in answer.effects if row.floor_is_partial]
    if partial:
        yield (
            f"Bytes or FLOP are not known of {_some(partial)}: the floor may be higher, "
            "and less be saved."
        )
    waiting = [row for row in answer.effects if row.held_by_latency]
    if waiting:
        saved = duration(sum(row.saved_ns for row in waiting))
        yield (
            f"Held back by latency, {saved} of what is saved: "
            f"{_some([row.kernel.name for row in waiting])}. Faster code alone does not bring "
            "them to a wall; fewer or larger launches do."
        )
    faster = [row.kernel.name for row in answer.effects if row.beats_floor]
    if faster:
        yield f"Faster than work and traffic allow: {_some(faster)}; only by doing less."


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    rest = len(names) - _NAMED
    return f"{shown} and {counted(rest, 'more kernel')}" if rest > 0 else shown
