"""Words and escapes that the written reports share."""

import unicodedata

from nsys_walls.reports import Device, Document
from nsys_walls.units import counted, duration, percent, si, three_digits

NOT_MEASURED = "–"

#: How each wall is called in a table.
WALL_LABELS = {
    "bandwidth": "bandwidth",
    "compute": "compute",
    "on_chip": "on chip",
    "latency": "latency",
    "neither": "neither",
    "communication": "comm.",
    "unmeasured": "unmeasured",
}

# Order marks and overrides can make a name read as another one.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def printable(text: str) -> str:
    r"""Make every control and direction character of a foreign text visible.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in _HIDDEN_CATEGORIES
        else char
        for char in text
    )


def cut_middle(text: str, width: int) -> str:
    """Shorten a text to a width by leaving out its middle.

    >>> cut_middle("abcdefghij", 7)
    'abc…hij'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def ratio_cell(ratio: float | None) -> str:
    """Format a share of a wall, or the sign for not measured."""
    return NOT_MEASURED if ratio is None else percent(ratio)


def time_cell(time_ns: float | None) -> str:
    """Format a time, or the sign for not measured."""
    return NOT_MEASURED if time_ns is None else duration(time_ns)


def device_line(device: Device) -> str:
    """Describe a GPU and its walls in one line, with where each number came from."""
    name = printable(device["name"] or device["hardware"] or "unknown GPU")
    walls = []
    if device["bandwidth_bytes_per_s"]:
        bandwidth = si(device["bandwidth_bytes_per_s"], "B/s")
        walls.append(f"DRAM {bandwidth} ({device['bandwidth_from']})")
    else:
        walls.append("DRAM bandwidth unknown")
    main = main_precision(device)
    if main:
        peak = si(device["peak_flop_per_s"][main], "FLOP/s")
        walls.append(f"{main} {peak} dense ({device['peak_from'][main]})")
        if main in device["balance_flop_per_byte"]:
            balance = device["balance_flop_per_byte"][main]
            practical = balance * device["balance_factor"]
            walls.append(f"balance {three_digits(balance)} FLOP/B, in practice "
                         f"{three_digits(practical)}")  # fmt: skip
    else:
        walls.append("compute peak unknown: give --hw or --peak")
    return f"GPU {device['device']}: {name}: {', '.join(walls)}"


def main_precision(device: Device) -> str | None:
    """Choose the precision whose wall a summary shows: FP16 tensor cores, else FP32, else any."""
    peaks = device["peak_flop_per_s"]
    preferred = [name for name in ("fp16_tensor", "bf16_tensor", "fp32") if name in peaks]
    return next(iter([*preferred, *peaks]), None)


def coverage_line(document: Document) -> str:
    """Say how much of the time was traced and has counters."""
    totals = document["totals"]
    parts = [
        counted(totals["launches"], "launch", "launches"),
        counted(totals["kernels"], "kernel"),
    ]
    if totals["busy_ns"] is not None and totals["span_ns"]:
        busy = percent(totals["busy_ns"] / totals["span_ns"])
        parts.append(f"GPU busy {busy} of {duration(totals['span_ns'])}")
    ratio = totals["measured_time_ratio"]
    parts.append(f"bytes and FLOP known for {percent(ratio or 0)} of kernel time")
    return ", ".join(parts)
