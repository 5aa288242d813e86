"""What a user wants to suppose: which kernels run faster, and how fast."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from nsys_walls.errors import UsageError
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.units import parse_ratio, percent

Subject = Literal["class", "kernel", "wall"]

_EXAMPLES: Mapping[Subject, str] = {"class": "gemm", "kernel": "softmax", "wall": "bandwidth"}
_LISTED = 5
# A typed name is mostly a part of one; from 0.4 of difflib's ratio on they read alike.
_NEAR = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One supposition.

    Attributes:
        subject: What ``pattern`` names: an operator class, kernels, or the wall they stand at.
        pattern: Class, regular expression or wall.
        ratio: Part of their own wall that the kernels are to reach, 0 to 1, or None.
        factor: How many times as fast they are to run, above 1, or None; one of both is given.
    """

    subject: Subject
    pattern: str
    ratio: float | None = None
    factor: float | None = None

    @property
    def typed(self) -> str:
        """The option as it would be typed."""
        goal = f"{self.factor:g}x" if self.factor else f"{100 * (self.ratio or 0):g}%"
        return f"--{self.subject} {self.pattern}={goal}"


def parse_change(subject: Subject, text: str) -> Change:
    """Read what was typed, such as ``gemm=85%`` or ``softmax=2x``.

    Raises:
        UsageError: It is not of this form, or not a regular expression.

    >>> parse_change("class", "gemm=85%").ratio
    0.85
    """
    # an expression may hold "=" itself
    pattern, separator, goal = text.rpartition("=")
    number = _number(goal)
    is_factor = goal.strip().casefold().endswith("x")
    if not (separator and pattern) or number is None or (number <= 1) == is_factor:
        msg = (
            f"--{subject} {text!r} is no change: expected such as {_EXAMPLES[subject]}=85% "
            f"(of their own wall, at most 100%) or {_EXAMPLES[subject]}=2x (more than 1x)."
        )
        raise UsageError("option-value", msg)
    if subject == "kernel":
        _check_expression(pattern)
    if is_factor:
        return Change(subject=subject, pattern=pattern, factor=number)
    return Change(subject=subject, pattern=pattern, ratio=number)


def _number(goal: str) -> float | None:
    """Read a share or a factor; None where it is neither, or not above 0."""
    text = goal.strip().casefold()
    try:
        value = float(text.removesuffix("x")) if text.endswith("x") else parse_ratio(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def _check_expression(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        msg = f"--kernel {pattern!r} is no regular expression: {error}."
        raise UsageError("option-value", msg) from error


def find_kernels(change: Change, kernels: Sequence[KernelPoint]) -> list[KernelPoint]:
    """Find the kernels that a change is about.

    Raises:
        UsageError: There are none; the message lists what there is.
    """
    if change.subject == "class":
        found = [row for row in kernels if row.kernel_class.op_class == change.pattern]
    elif change.subject == "wall":
        found = [row for row in kernels if row.wall == change.pattern]
    else:
        search = re.compile(change.pattern).search
        found = [row for row in kernels if search(row.name) or search(row.key.full_name)]
    if not found:
        raise _nothing_found(change, kernels)
    return found


def _nothing_found(change: Change, kernels: Sequence[KernelPoint]) -> UsageError:
    if change.subject == "kernel":
        names = [row.name for row in kernels]
        near = get_close_matches(change.pattern, names, n=_LISTED, cutoff=_NEAR)
        which, listed = ("nearest", near) if near else ("heaviest", names[:_LISTED])
        msg = f"no kernel's name matches {change.pattern!r}; the {which} are: {_list(listed)}."
        return UsageError("no-such-kernel", msg)
    if change.subject == "class":
        listed = _shares((row.kernel_class.op_class, row.time_ns) for row in kernels)
        msg = f"no kernel of this run is of class {change.pattern!r}; there are: {_list(listed)}."
        return UsageError("no-such-class", msg)
    listed = _shares((row.wall, row.time_ns) for row in kernels)
    msg = f"no kernel of this run stands at wall {change.pattern!r}; there are: {_list(listed)}."
    return UsageError("no-such-wall", msg)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _shares(rows: Iterable[tuple[str, int]]) -> list[str]:
    """Sum times by name, and write each name with its share, heaviest first."""
    times: dict[str, int] = {}
    for name, time_ns in rows:
        times[name] = times.get(name, 0) + time_ns
    total = sum(times.values()) or 1
    order = sorted(times, key=lambda name: -times[name])
    return [f"{name} ({percent(times[name] / total)})" for name in order]
