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
    elif kind is str and _NUMBER.fullmatch(value.strip()):
        return nanoseconds(Decimal(value.strip()))
    else:
        return None
    return time_ns if -_FURTHEST_NS < time_ns < _FURTHEST_NS else None


def whole(value: Any, bits: int = 64) -> int | None:
    """Read a whole number, printed as a number or as text.

    Args:
        value: What stands in the trace.
        bits: It must fit into a signed integer of so many.

    >>> whole(7), whole("7"), whole(Decimal("7.0")), whole(Decimal("7.5")), whole(2**31, 32)
    (7, 7, 7, None, None)
    """
    kind = type(value)
    if kind is str and _NUMBER.fullmatch(value.strip()):
        value = Decimal(value.strip())
        kind = Decimal
    if kind is Decimal:
        if value.adjusted() >= _MOST_DIGITS or value != value.to_integral_value():
            return None
        value = int(value)
    elif kind is not int:
        return None
    return value if -(1 << (bits - 1)) < value < 1 << (bits - 1) else None
