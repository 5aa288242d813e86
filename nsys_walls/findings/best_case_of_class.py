"""NW301: the most that better kernels of the heaviest compute-side class can save.

Meaning:
    Tuning GEMMs feels like the obvious thing to do. This finding says what it is worth: if every
    kernel of the class reached 85 % of its own wall, about what the best libraries do on large
    shapes, and if it reached 100 %, which nothing does. Where GEMM is 17 % of the span and runs
    at 60 %, 85 % saves 17 % x (1 - 60 / 85) = 5 % end to end. Compare that with what the other
    findings can save before tuning anything.

Evidence:
    The class whose kernels on the compute side take most time, except kernels whose names tell
    nothing; then all of its kernels whose bytes and FLOP are known, memory-side ones against their
    bandwidth wall. A kernel's time becomes its floor over 85 % (100 %) for every launch; one that
    is past that already stays as it is. So does one that waits on latency or is bound inside the
    chip: no better kernel of its kind brings that to a wall (NW401, NW402). Kernels that overlap
    share their wall, so that a GPU stays busy for the sum of what they need there. The saving is
    the one at 85 %. End to end is over the span, idle time kept; where only sums or counters are
    known, shares are of kernel time.
    `nsys-walls whatif --class gemm=85%` works out any class and share; it takes all kernels of the
    class, those that wait on latency as well.

Abstains:
    Where no kernel of a class stands on the compute side, and either 10 % of kernel time or more
    has no usable counters, or kernels on the compute side have names that tell no class. Kernels
    of the class without counters are left as they are, and their share is said.

Try:
    Sizes that fill whole tiles and waves, the library's own heuristics and autotuning, a newer
    library version. If it is worth little, leave it, and look at what surrounds it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nsys_walls.findings import Abstention, Finding, Rule, command, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.coverage import SMALLEST_RATIO, unknown_ratio
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.listed import sentences
from nsys_walls.roofline.model import Side
from nsys_walls.roofline.savings import Faster, reached_ratio, saved_at_ratio, saving_at_walls
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent

# What good libraries reach on large shapes: cuBLAS gets 82 % of an A100's FP16 peak at 16384.
_GOOD_RATIO = 0.85
# Kernels whose names tell nothing have nothing in common that could be tuned.
_NO_CLASS = "other"
# What holds these up is no wall, so that no share of a wall is in reach.
_NOT_AT_WALLS = frozenset({"latency", "on_chip"})


@dataclass(frozen=True, slots=True)
class _Goal:
    """What the kernels of a class reach in one case.

    Attributes:
        saved_ns: Time of theirs that goes, added up, ns.
        gone_ns: Busy time that goes at most, ns: less where they overlap.
    """

    saved_ns: float
    gone_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A class of kernels and what it could save.

    Attributes:
        op_class: The class.
        members: Its kernels, heaviest first.
        held: Those of them that latency or a unit inside the chip holds up.
        measured: Those of the others whose wall is known.
        good: At 85 % of their walls.
        best: At 100 %.
    """

    op_class: str
    members: Sequence[KernelPoint]
    held: Sequence[KernelPoint]
    measured: Sequence[KernelPoint]
    good: _Goal
    best: _Goal

    @property
    def time_ns(self) -> int:
        """Time of all members, ns."""
        return _time_ns(self.members)

    @property
    def reached_ratio(self) -> float:
        """Part of their walls that they reach, averaged over time."""
        at_wall_ns = sum(row.time_ns * (reached_ratio(row) or 0.0) for row in self.measured)
        return at_wall_ns / _time_ns(self.measured)


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Work out the best case of the class that holds most time on the compute side."""
    times = _compute_side_ns(analysis)
    nameless_ns = times.pop(_NO_CLASS, 0)
    smallest_ns = SMALLEST_RATIO * analysis.kernel_ns
    heaviest = max(times, key=times.__getitem__, default=None)
    if heaviest is None or times[heaviest] < smallest_ns:
        yield from _abstention(analysis, nameless_ns)
        return
    case = _case(analysis, heaviest)
    if case.good.gone_ns and case.good.gone_ns >= SMALLEST_RATIO * analysis.busy_ns:
        yield _finding(analysis, case)


def _compute_side_ns(analysis: Analysis) -> dict[str, int]:
    """Add up the time on the compute side by class, without what is held up elsewhere, ns."""
    times: dict[str, int] = {}
    for kernel in analysis.kernels:
        if _side(kernel) == "compute" and kernel.wall not in _NOT_AT_WALLS:
            op_class = kernel.kernel_class.op_class
            times[op_class] = times.get(op_class, 0) + kernel.time_ns
    return times


def _abstention(analysis: Analysis, nameless_ns: int) -> Iterator[Abstention]:
    unknown = unknown_ratio(analysis)
    if unknown is not None:
        reason = text("NW301.no_counters", share=percent(unknown))
    elif nameless_ns and nameless_ns >= SMALLEST_RATIO * analysis.kernel_ns:
        reason = text("NW301.no_class", share=percent(nameless_ns / analysis.kernel_ns))
    else:
        return
    yield Abstention(code=RULE.code, reason=reason)


def _case(analysis: Analysis, op_class: str) -> _Case:
    members = [
        row for row in analysis.kernels if row.kernel_class.op_class == op_class and row.time_ns
    ]
    held = [row for row in members if row.wall in _NOT_AT_WALLS]
    measured = [
        row
        for row in members
        if row.wall not in _NOT_AT_WALLS and row.is_measured and reached_ratio(row)
    ]
    return _Case(
        op_class=op_class,
        members=members,
        held=held,
        measured=measured,
        good=_goal(analysis, measured, _GOOD_RATIO),
        best=_goal(analysis, measured, 1.0),
    )


def _goal(analysis: Analysis, kernels: Sequence[KernelPoint], ratio: float) -> _Goal:
    faster = [
        Faster(kernel, kernel.time_ns - saved_at_ratio(kernel, ratio), kernel.placement)
        for kernel in kernels
    ]
    saved_ns = sum(row.saved_ns for row in faster)
    return _Goal(saved_ns=saved_ns, gone_ns=saving_at_walls(analysis, faster))


def _side(kernel: KernelPoint) -> Side | None:
    return kernel.placement.side if kernel.placement else None


def _time_ns(kernels: Sequence[KernelPoint]) -> int:
    return sum(kernel.time_ns for kernel in kernels)


def _finding(analysis: Analysis, case: _Case) -> Finding:
    typed = f"{case.op_class}={100 * _GOOD_RATIO:g}%"
    goal, gain = percent(_GOOD_RATIO), _gain(analysis, case.good)
    message = text(
        "NW301.message",
        op_class=case.op_class,
        time=duration(case.time_ns),
        share=percent(case.time_ns / analysis.kernel_ns),
        reached=percent(case.reached_ratio),
        goal=goal,
        good_time=duration(case.time_ns - case.good.saved_ns),
        good_saving=duration(case.good.gone_ns),
        gain=gain,
        best_time=duration(case.time_ns - case.best.saved_ns),
        best_saving=duration(case.best.gone_ns),
        best_gain=_gain(analysis, case.best),
    )
    return Finding(
        code=RULE.code,
        title=text("NW301.title", op_class=case.op_class, goal=goal, gain=gain),
        message=sentences([message, *_reservations(analysis, case)]),
        advice=text(
            "NW301.advice",
            op_class=case.op_class,
            command=command(analysis, "whatif", "--class", typed),
        ),
        kernels=tuple(kernel.id for kernel in case.members),
        time_ratio=case.time_ns / analysis.kernel_ns,
        saving_ns=case.good.gone_ns,
        speedup_bound=speedup_bound(analysis.busy_ns, case.good.gone_ns),
        evidence={
            "class": case.op_class,
            "class_time_ns": case.time_ns,
            "measured_time_ns": _time_ns(case.measured),
            "held_time_ns": _time_ns(case.held),
            "reached_ratio": case.reached_ratio,
            "saving_at_85_percent_ns": case.good.gone_ns,
            "saving_at_100_percent_ns": case.best.gone_ns,
            "busy_ns": analysis.busy_ns,
            "span_ns": analysis.span_ns,
        },
        key=case.op_class,
    )


def _gain(analysis: Analysis, goal: _Goal) -> Text:
    """Set what goes against the span; against kernel time where no span is known."""
    if analysis.span_ns is None:
        return text("NW301.of_kernel_time", share=percent(goal.gone_ns / analysis.busy_ns))
    return text("NW301.end_to_end", share=percent(goal.gone_ns / analysis.span_ns))


def _reservations(analysis: Analysis, case: _Case) -> Iterator[Text]:
    """Say which kernels do not take part, or not as one may think."""
    memory_ns = _time_ns([kernel for kernel in case.measured if _side(kernel) == "memory"])
    if memory_ns >= SMALLEST_RATIO * analysis.kernel_ns:
        yield text("NW301.memory_side", share=percent(memory_ns / analysis.kernel_ns))
    fast = [row for row in case.measured if (reached_ratio(row) or 0.0) >= _GOOD_RATIO]
    if fast:
        yield text("NW301.fast", kernels=len(fast), goal=percent(_GOOD_RATIO))
    held_ns = _time_ns(case.held)
    if held_ns:
        yield text("NW301.held", share=percent(held_ns / analysis.kernel_ns))
    rest_ns = case.time_ns - _time_ns(case.measured) - held_ns
    if rest_ns:
        yield text("NW301.uncounted", share=percent(rest_ns / analysis.kernel_ns))


RULE = Rule(code="NW301", name="best-case-of-class", check=check)
