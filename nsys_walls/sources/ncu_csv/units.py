"""Units that ncu prints, over all its versions, as powers of ten of the base unit.

Base units are those of the store: B, ns, Hz and per second, plain counts, percent. Prefixes
are decimal: ncu prints 32,768 bytes as ``32.77 Kbyte``.
"""

from typing import Final

_PREFIXES: Final = {"": 0, "K": 3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_COUNTED: Final = (
    *("", "B", "byte", "inst", "op", "flop", "sector", "request", "wavefront", "register"),
    *("thread", "warp", "block", "cluster", "cycle", "hz", "Hz", "hertz"),
)
_SECONDS: Final = {
    **dict.fromkeys(("s", "sec", "second"), 0),
    **dict.fromkeys(("ms", "msec", "msecond"), -3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "usecond"), -6),
    **dict.fromkeys(("ns", "nsec", "nsecond"), -9),
}
_NS = 9  # times are stored in ns

#: Printed unit (of what stands above the fraction bar) to its power of ten.
_ABOVE: Final = {
    **{prefix + word: power for word in _COUNTED for prefix, power in _PREFIXES.items()},
    **{word: power + _NS for word, power in _SECONDS.items()},
    "%": 0,
}
#: The same for what stands below the fraction bar; rates are stored per second.
_BELOW: Final = {**dict.fromkeys(_COUNTED[1:], 0), **_SECONDS}
#: Base units of what can only be counted whole.
_WHOLE: Final = frozenset(
    {"", "byte", "inst", "sector", "request", "thread", "warp", "block", "cycle"}
    | {"ns", "nsec", "nsecond"}
)


def exponent(unit: str) -> int | None:
    """Find the power of ten that turns a printed unit into the base unit.

    Args:
        unit: As printed, such as ``"Kbyte"``, ``"usecond"`` or ``"cycle/nsecond"``.

    Returns:
        The power of ten, or None for a unit that is not known.

    >>> exponent("Gbyte/s"), exponent("us"), exponent("cycle/nsecond"), exponent("Kibyte")
    (9, 3, 9, None)
    """
    above, bar, below = unit.strip().partition("/")
    power = _ABOVE.get(above)
    if power is None or not bar:
        return power
    divisor = _BELOW.get(below)
    return None if divisor is None else power - divisor


def is_whole(metric: str, unit: str) -> bool:
    """Whether values of a metric in this unit have no fractions.

    Sums and extremes of whole counts are whole; averages, rates and ratios are not.
    """
    return unit in _WHOLE and metric.endswith((".sum", ".min", ".max"))
