"""The same answer for the terminal and for logs: plain text in 80 columns."""

import re
import textwrap
from collections.abc import Iterator

from nsys_walls.reports import Kernel, Report
from nsys_walls.reports.wording import (
    WALL_LABELS,
    coverage_line,
    cut_middle,
    device_line,
    printable,
    ratio_cell,
    time_cell,
)
from nsys_walls.units import percent

_WIDTH = 80
_SHOWN = 20
_ROW = "{:<30} {:<11} {:>8} {:>6} {:>7} {:>6} {:>6}"


# A number and its unit stay on one line: textwrap does not break at this space.
_NO_BREAK = "\N{NO-BREAK SPACE}"
_NUMBER_AND_UNIT = re.compile(r"(?<=\d) (?=[^\W\d]|%)")


def _wrap(text: str, hanging: str = "") -> list[str]:
    joined = _NUMBER_AND_UNIT.sub(_NO_BREAK, text)
    lines = textwrap.wrap(joined, _WIDTH, subsequent_indent=hanging, break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in lines] or [""]


def _kernel_row(kernel: Kernel) -> str:
    return _ROW.format(
        cut_middle(printable(kernel["name"]), 30),
        WALL_LABELS[kernel["wall"]],
        time_cell(kernel["time_ns"]),
        percent(kernel["time_ratio"]).replace(" ", ""),
        kernel["launches"],
        ratio_cell(kernel["bandwidth_ratio"]).replace(" ", ""),
        ratio_cell(kernel["compute_ratio"]).replace(" ", ""),
    ).rstrip()


class TextRenderer:
    """Headline, walls, findings, the heaviest kernels, warnings."""

    name = "text"
    suffix = ".txt"

    def render(self, report: Report) -> str:
        """Write the report as lines of at most 80 characters."""
        return "\n".join(self._lines(report)) + "\n"

    def _lines(self, report: Report) -> Iterator[str]:
        document = report.document
        yield from _wrap(printable(f"{document['run']['name']}: {report.headline}"))
        yield from _wrap(printable(report.advice))
        yield ""
        for device in document["devices"]:
            yield from _wrap(device_line(device), "  ")
        yield from _wrap(coverage_line(document))
        for finding in document["findings"]:
            yield ""
            yield from _wrap(f"{finding['code']} {printable(finding['title'])}")
            yield from _wrap(f"  {printable(finding['message'])}", "  ")
        yield ""
        yield _ROW.format("kernel", "wall", "time", "share", "launch.", "%BW", "%peak")
        kernels = document["kernels"]
        yield from (_kernel_row(kernel) for kernel in kernels[:_SHOWN])
        if len(kernels) > _SHOWN:
            rest = sum(kernel["time_ratio"] for kernel in kernels[_SHOWN:])
            yield f"and {len(kernels) - _SHOWN:,} more kernels with {percent(rest)} of the time"
        for warning in document["warnings"]:
            yield from _wrap(f"! {printable(warning['message'])} [{warning['code']}]", "  ")


RENDERER = TextRenderer()
