"""NW301: the most that better kernels of the heaviest compute-side class can save.

Meaning:
    Tuning GEMMs feels like the obvious thing to do. This finding says what it is worth: if every
    kernel of the class reached 85 % of its own wall, about what the best libraries do on large
    shapes, and if it reached 100 %, which nothing does. Where GEMM is 17 % of busy time and runs
    at 60 %, 85 % saves 17 % x (1 - 60 / 85) = 5 % end to end. Compare that with what the other
    findings can save before tuning anything.

Evidence:
    The class whose kernels on the compute side take most time, except kernels whose names tell
    nothing; then all of its kernels whose bytes and FLOP are known, memory-side ones against their
    bandwidth wall. A kernel's time becomes its floor over 85 % (100 %) for every launch; one that
    is past that already stays as it is. End to end is over busy time, and no more than that can
    go. The saving is the one at 100 %.
    `nsys-walls whatif --class gemm=85%` works the same out for any class and share.

Abstains:
    Where no kernel stands on the compute side and 10 % of kernel time or more has no usable
    counters. Kernels of the class without counters are left as they are, and their share is said.

Try:
    Sizes that fill whole tiles and waves, the library's own heuristics and autotuning, a newer
    library version. If it is worth little, leave it, and look at what surrounds it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.coverage import SMALLEST_RATIO, unknown_ratio
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.listed import sentences
from nsys_walls.roofline.model import Side
from nsys_walls.roofline.savings import reached_ratio, saved_at_ratio, saving_of
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent

# What good libraries reach on large shapes: cuBLAS gets 82 % of an A100's FP16 peak at 16384.
_GOOD_RATIO = 0.85
# Kernels whose names tell nothing have nothing in common that could be tuned.
_NO_CLASS = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A class of kernels and what it could save.

    Attributes:
        op_class: The class.
        members: Its kernels, heaviest first.
        measured: Those of them whose wall is known.
        good_ns: Busy time that goes at 85 % of their walls, ns.
        best_ns: Busy time that goes at 100 %, ns.
    """

    op_class: str
    members: Sequence[KernelPoint]
    measured: Sequence[KernelPoint]
    good_ns: float
    best_ns: float

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
    op_class = _heaviest_class(analysis)
    if op_class is None:
        unknown = unknown_ratio(analysis)
        if unknown is not None:
            reason = text("NW301.no_counters", share=percent(unknown))
            yield Abstention(code=RULE.code, reason=reason)
        return
    members = [
        row for row in analysis.kernels if row.kernel_class.op_class == op_class and row.time_ns
    ]
    measured = [row for row in members if row.is_measured and reached_ratio(row)]
    case = _Case(
        op_class=op_class,
        members=members,
        measured=measured,
        good_ns=_saving_ns(analysis, measured, _GOOD_RATIO),
        best_ns=_saving_ns(analysis, measured, 1.0),
    )
    if case.good_ns and case.good_ns >= SMALLEST_RATIO * analysis.busy_ns:
        yield _finding(analysis, case)


def _heaviest_class(analysis: Analysis) -> str | None:
    """Name the class with most time on the compute side; None where that is next to nothing."""
    times: dict[str, int] = {}
    for kernel in analysis.kernels:
        op_class = kernel.kernel_class.op_class
        if _side(kernel) == "compute" and op_class != _NO_CLASS:
            times[op_class] = times.get(op_class, 0) + kernel.time_ns
    heaviest = max(times, key=times.__getitem__, default=None)
    if heaviest is None or times[heaviest] < SMALLEST_RATIO * analysis.kernel_ns:
        return None
    return heaviest


def _side(kernel: KernelPoint) -> Side | None:
    return kernel.placement.side if kernel.placement else None


def _time_ns(kernels: Sequence[KernelPoint]) -> int:
    return sum(kernel.time_ns for kernel in kernels)


def _saving_ns(analysis: Analysis, kernels: Sequence[KernelPoint], ratio: float) -> float:
    return saving_of(analysis, {kernel.id: saved_at_ratio(kernel, ratio) for kernel in kernels})


def _finding(analysis: Analysis, case: _Case) -> Finding:
    goal, gain = percent(_GOOD_RATIO), percent(case.good_ns / analysis.busy_ns)
    message = text(
        "NW301.message",
        op_class=case.op_class,
        time=duration(case.time_ns),
        share=percent(case.time_ns / analysis.kernel_ns),
        reached=percent(case.reached_ratio),
        goal=goal,
        gain=gain,
        good_time=duration(case.time_ns - case.good_ns),
        best_gain=percent(case.best_ns / analysis.busy_ns),
        best_time=duration(case.time_ns - case.best_ns),
    )
    return Finding(
        code=RULE.code,
        title=text("NW301.title", op_class=case.op_class, goal=goal, gain=gain),
        message=sentences([message, *_reservations(analysis, case)]),
        advice=text("NW301.advice", op_class=case.op_class, goal=f"{100 * _GOOD_RATIO:g}%"),
        kernels=tuple(kernel.id for kernel in case.members),
        time_ratio=case.time_ns / analysis.kernel_ns,
        saving_ns=case.best_ns,
        speedup_bound=speedup_bound(analysis.busy_ns, case.best_ns),
        evidence={
            "class": case.op_class,
            "class_time_ns": case.time_ns,
            "measured_time_ns": _time_ns(case.measured),
            "reached_ratio": case.reached_ratio,
            "saving_at_85_percent_ns": case.good_ns,
            "saving_at_100_percent_ns": case.best_ns,
            "busy_ns": analysis.busy_ns,
        },
        key=case.op_class,
    )


def _reservations(analysis: Analysis, case: _Case) -> Iterator[Text]:
    """Say which kernels do not take part, or not as one may think."""
    memory_ns = _time_ns([kernel for kernel in case.measured if _side(kernel) == "memory"])
    if memory_ns >= SMALLEST_RATIO * analysis.kernel_ns:
        yield text("NW301.memory_side", share=percent(memory_ns / analysis.kernel_ns))
    fast = [row for row in case.measured if (reached_ratio(row) or 0.0) >= _GOOD_RATIO]
    if fast:
        yield text("NW301.fast", kernels=len(fast), goal=percent(_GOOD_RATIO))
    rest_ns = case.time_ns - _time_ns(case.measured)
    if rest_ns:
        yield text("NW301.uncounted", share=percent(rest_ns / analysis.kernel_ns))


RULE = Rule(code="NW301", name="best-case-of-class", check=check)
