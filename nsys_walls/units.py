"""Units as they are stored, how they are printed, and how users type them.

Everything is stored in base units, and every name carries its unit as a suffix: ``_ns``,
``_bytes``, ``_flop``, ``_per_s``. Prefixes are decimal (1 GB is 1e9 bytes), as in NVIDIA's
data sheets; conversion happens here and only when printing or parsing.
"""

import re

NS_PER_S = 1_000_000_000
_LEAST, _MOST = 1e-3, 1e24
_PREFIXES = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
_BY_PREFIX = {"": 1.0, **{prefix.casefold(): scale for scale, prefix in _PREFIXES}}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_QUANTITY = re.compile(
    r"(?P<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*(?P<prefix>[kmgtpe]i?)?(?P<unit>[a-z%/]*)",
    re.IGNORECASE,
)


def si(value: float, unit: str) -> str:
    """Format a base-unit value with a decimal prefix and three significant digits.

    >>> si(2.039e12, "B/s")
    '2.04 TB/s'
    >>> si(0.0, "B")
    '0 B'
    """
    # 999.95e6 would print as "1e+03 MB": compare what three digits show, not the value
    for scale, prefix in _PREFIXES:
        if abs(value) >= 0.9995 * scale:
            return f"{three_digits(value / scale)} {prefix}{unit}"
    return f"{three_digits(value)} {unit}"


def three_digits(value: float) -> str:
    """Format with three significant digits and no exponent.

    >>> three_digits(1234.5), three_digits(20.04), three_digits(0.01234)
    ('1,234', '20.0', '0.0123')
    """
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 99.95:  # noqa: PLR2004  # below, three digits leave room for a fraction
        return f"{value:,.0f}"
    if size >= 9.995:  # noqa: PLR2004
        return f"{value:.1f}"
    if size >= 0.9995:  # noqa: PLR2004
        return f"{value:.2f}"
    return f"{value:.3g}"


def duration(time_ns: float) -> str:
    """Format a time with three significant digits.

    >>> duration(1_310_720), duration(940)
    ('1.31 ms', '940 ns')
    """
    for scale, unit in _TIMES:
        if abs(time_ns) >= 0.9995 * scale:
            return f"{three_digits(time_ns / scale)} {unit}"
    return f"{three_digits(time_ns)} ns"


def percent(ratio: float) -> str:
    """Format a ratio as a percentage, with a decimal below 10 % and above 99 %.

    What is too small for a digit is "< 0.1 %": it is not 0.

    >>> percent(0.408), percent(0.0412), percent(13.171)
    ('41 %', '4.1 %', '1,317 %')
    """
    value = ratio * 100
    if 0 < value < 0.05:  # noqa: PLR2004  # half of the last digit
        return "< 0.1 %"
    fine = 0 < abs(value) < 9.95 or 99 < value < 99.95  # noqa: PLR2004  # 99.6 % is not 100 %
    return f"{value:.1f} %" if fine else f"{value:,.0f} %"


def parse_quantity(text: str, unit: str) -> float:
    """Read a quantity that a user typed, such as ``2039GB/s`` or ``312 TFLOP/s``.

    Args:
        text: Number, optional prefix (k M G T P E, or Ki Mi Gi Ti), optional unit.
        unit: The unit expected; it may be left out, its case does not matter.

    Returns:
        The value in base units.

    Raises:
        ValueError: The text is no such quantity.

    >>> parse_quantity("2039GB/s", "B/s")
    2039000000000.0
    """
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        msg = f"{text!r} is not a number with a unit"
        raise ValueError(msg)
    prefix, written = (match["prefix"] or "").casefold(), match["unit"].casefold()
    accepted = {"", unit.casefold(), unit.casefold().replace("flop/s", "flops")}
    if written not in accepted:
        msg = f"{text!r} has unit {match['unit']!r}, expected {unit}"
        raise ValueError(msg)
    value = float(match["number"]) * (_BINARY.get(prefix) or _BY_PREFIX[prefix])
    # beyond, ratios and products leave what a number can hold
    if value and not _LEAST <= value <= _MOST:
        msg = f"{text!r} is not a number with a unit of a size that can be"
        raise ValueError(msg)
    return value


def parse_ratio(text: str) -> float:
    """Read a share that a user typed, such as ``60%`` or ``0.6``.

    Raises:
        ValueError: The text is no number, or negative.

    >>> parse_ratio("60%"), parse_ratio("0.5")
    (0.6, 0.5)
    """
    stripped = text.strip()
    value = float(stripped.removesuffix("%"))
    if not 0 <= value < float("inf"):
        msg = f"{text!r} is not a share"
        raise ValueError(msg)
    return value / 100 if stripped.endswith("%") else value


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things.

    >>> counted(1, "launch", "launches"), counted(4010, "kernel")
    ('1 launch', '4,010 kernels')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
