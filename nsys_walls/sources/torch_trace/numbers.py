"""Numbers of a trace: exact, and None where there is none."""

import re
from decimal import Decimal
from typing import Any

#: Stands for an absent number in columns of 64-bit integers.
MISSING = -(2**63)

# far beyond the 292 years that 64 bits of ns can count; keeps sums of two times in 64 bits
_FURTHEST_NS = 2**62
_NS_PER_US = Decimal(1000)
# powers of ten: larger numbers are none of ours, and would not fit into memory written out
_MOST_DIGITS = 19

_NUMBER = re.compile(r"[+-]?\d{1,30}(?:\.\d{0,30})?", re.ASCII)


def nanoseconds(value: Any) -> int | None:
    """Convert microseconds, printed as a number or as text, to whole nanoseconds.

    >>> nanoseconds(Decimal("88511388202.755")), nanoseconds("12.5"), nanoseconds("soon")
    (88511388202755, 12500, None)
    """
    kind = type(value)
    if kind is Decimal:
        if value.adjusted() >= _MOST_DIGITS:
            return None
        time_ns = round(value * _NS_PER_US)
    elif kind is int:
        time_ns = value * 1000
    else:
        number = _printed(value)
        return None if number is None else nanoseconds(number)
    return time_ns if -_FURTHEST_NS < time_ns < _FURTHEST_NS else None


def whole(value: Any, bits: int = 64) -> int | None:
    """Read a whole number, printed as a number or as text.

    Args:
        value: What stands in the trace.
        bits: It must fit into a signed integer of so many.

    >>> whole(7), whole("7"), whole(Decimal("7.0")), whole(Decimal("7.5")), whole(2**31, 32)
    (7, 7, 7, None, None)
    """
    if type(value) is int:
        number = value
    else:
        exact = value if type(value) is Decimal else _printed(value)
        if exact is None or exact.adjusted() >= _MOST_DIGITS or exact % 1:
            return None
        number = int(exact)
    return number if -(1 << (bits - 1)) < number < 1 << (bits - 1) else None


def number(value: Any) -> int:
    """Read a whole number that fits into 64 bits; `MISSING` where there is none."""
    # almost all numbers are read here, and almost all of them are these
    if type(value) is int and 0 <= value < -MISSING:
        return value
    found = whole(value)
    return MISSING if found is None else found


def _printed(value: Any) -> Decimal | None:
    """Read a number that is printed as text."""
    text = value.strip() if type(value) is str else ""
    return Decimal(text) if _NUMBER.fullmatch(text) else None
