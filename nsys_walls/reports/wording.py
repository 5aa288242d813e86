"""Words and escapes that the written reports share."""

import unicodedata
from dataclasses import replace
from typing import cast

from nsys_walls.reports import Device, Document, Finding, Kernel, Report
from nsys_walls.texts import Text, in_a_row, text
from nsys_walls.units import duration, percent, si, three_digits

NOT_MEASURED = "–"

#: How each wall of copies is called.
LINK_NAMES = {"pcie": "PCIe", "nvlink": "NVLink", "c2c": "NVLink-C2C", "dram": "DRAM"}

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


def visible(report: Report) -> Report:
    """Make every control and direction character of every text of a report visible."""
    return replace(
        report,
        document=cast("Document", _visible(report.document)),
        headline=printable(report.headline),
        advice=printable(report.advice),
    )


def _visible(value: object) -> object:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_visible(one) for one in value]
    if isinstance(value, dict):
        return {printable(key): _visible(one) for key, one in value.items()}
    return value


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


def wall_label(wall: str, language: str) -> str:
    """Name a wall in a table."""
    return text(f"plain.wall_{wall}").written(language)


def bandwidth_cell(kernel: Kernel) -> str:
    """Format the share of the bandwidth wall; ``~`` marks what was sampled, not counted."""
    sampled = kernel["sampled"] is not None and kernel["dram_bytes"] is None
    return f"{'~' if sampled else ''}{ratio_cell(kernel['bandwidth_ratio'])}"


def header(key: str, language: str) -> list[str]:
    """List the heads of a table's columns."""
    return text(f"plain.{key}").written(language).split("|")


def device_line(device: Device, language: str) -> str:
    """Describe a GPU and its walls in one line, with where each number came from."""
    unknown = text("plain.unknown_gpu").written(language)
    name = printable(device["name"] or device["hardware"] or unknown)
    walls = [text("plain.bandwidth_unknown")]
    if device["bandwidth_bytes_per_s"]:
        bandwidth = si(device["bandwidth_bytes_per_s"], "B/s")
        origin = text(f"plain.from_{device['bandwidth_from']}")
        walls = [text("plain.bandwidth", bandwidth=bandwidth, origin=origin)]
    main = main_precision(device)
    if main:
        peak = si(device["peak_flop_per_s"][main], "FLOP/s")
        origin = text(f"plain.from_{device['peak_from'][main]}")
        walls.append(text("plain.peak", precision=main, peak=peak, origin=origin))
        if main in device["balance_flop_per_byte"]:
            balance = device["balance_flop_per_byte"][main]
            practical = three_digits(balance * device["balance_factor"])
            walls.append(text("plain.balance", balance=three_digits(balance), practical=practical))
    else:
        walls.append(text("plain.peak_unknown"))
    return f"GPU {device['device']}: {name}: {in_a_row('listed.comma', walls).written(language)}"


def main_precision(device: Device) -> str | None:
    """Choose the precision whose wall a summary shows: FP16 tensor cores, else FP32, else any."""
    peaks = device["peak_flop_per_s"]
    preferred = [name for name in ("fp16_tensor", "bf16_tensor", "fp32") if name in peaks]
    return next(iter([*preferred, *peaks]), None)


def coverage_line(document: Document, language: str) -> str:
    """Say how much was traced and how much of it has counters."""
    totals = document["totals"]
    counts = text("plain.counts", launches=totals["launches"], kernels=totals["kernels"])
    ratio = totals["measured_time_ratio"]
    coverage = text("plain.coverage", share=percent(ratio or 0))
    return in_a_row("listed.comma", [counts, coverage]).written(language)


def finding_parts(finding: Finding, language: str) -> list[str]:
    """List the sentences of a finding: what it says, what it is worth, what to try."""
    parts = [finding["message"]]
    if finding["saving_ns"] is not None:
        parts.append(_could_save(finding, finding["saving_ns"]).written(language))
    if finding["blockers"]:
        blockers = in_a_row("listed.item", finding["blockers"])
        parts.append(text("plain.blocked", blockers=blockers).written(language))
    return [*parts, finding["advice"]]


def _could_save(finding: Finding, saving_ns: float) -> Text:
    """Say what acting on a finding saves, against the time that it is known of."""
    saving = duration(saving_ns)
    if finding["end_to_end_bound"] is not None:
        bound = three_digits(finding["end_to_end_bound"])
        return text("plain.could_save_end_to_end", saving=saving, bound=bound)
    if finding["speedup_bound"] is not None:
        bound = three_digits(finding["speedup_bound"])
        return text("plain.could_save_kernel_time", saving=saving, bound=bound)
    return text("plain.could_save", saving=saving)


def short_finding(finding: Finding, language: str) -> str:
    """Name a finding, with what it could save where that is known."""
    code, title, saving_ns = finding["code"], finding["title"], finding["saving_ns"]
    if saving_ns is None:
        return f"{code} {title}"
    saving = duration(saving_ns)
    return text("plain.short_finding", code=code, title=title, saving=saving).written(language)
