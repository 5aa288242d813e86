"""The same answer for the terminal and for logs: plain text in 80 columns."""

import re
import textwrap
from collections.abc import Iterator

from nsys_walls.reports import Document, Finding, Kernel, Report
from nsys_walls.reports.surroundings import selection_line, time_lines
from nsys_walls.reports.wording import (
    bandwidth_cell,
    coverage_line,
    cut_middle,
    device_line,
    finding_parts,
    header,
    printable,
    ratio_cell,
    short_finding,
    time_cell,
    wall_label,
)
from nsys_walls.roofline.ranges import OUTSIDE
from nsys_walls.texts import text
from nsys_walls.units import percent

_WIDTH = 80
_SHOWN = 20
_FINDINGS_SHOWN = 5
_ROW = "{:<30} {:<11} {:>8} {:>6} {:>7} {:>6} {:>6}"
_RANGE = "{:<44} {:>9} {:>7} {:>12}"


# A number and its unit stay on one line: textwrap does not break at this space.
_NO_BREAK = "\N{NO-BREAK SPACE}"
_NUMBER_AND_UNIT = re.compile(r"(?<=\d) (?=[^\W\d]|%)")


def _wrap(text: str, hanging: str = "") -> list[str]:
    joined = _NUMBER_AND_UNIT.sub(_NO_BREAK, text)
    lines = textwrap.wrap(joined, _WIDTH, subsequent_indent=hanging, break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in lines] or [""]


def _kernel_row(kernel: Kernel, language: str) -> str:
    return _ROW.format(
        cut_middle(printable(kernel["name"]), 30),
        wall_label(kernel["wall"], language),
        time_cell(kernel["time_ns"]),
        percent(kernel["time_ratio"]).replace(" ", ""),
        kernel["launches"],
        bandwidth_cell(kernel).replace(" ", ""),
        ratio_cell(kernel["compute_ratio"]).replace(" ", ""),
    ).rstrip()


class TextRenderer:
    """Headline, walls, findings, time, the heaviest kernels and ranges, warnings."""

    name = "text"
    suffix = ".txt"

    def render(self, report: Report) -> str:
        """Write the report as lines of at most 80 characters."""
        return "\n".join(self._lines(report)) + "\n"

    def _lines(self, report: Report) -> Iterator[str]:
        document, language = report.document, report.language
        yield from _wrap(printable(f"{document['run']['name']}: {report.headline}"))
        yield from _wrap(printable(report.advice))
        selection = selection_line(document, language)
        if selection:
            yield from _wrap(selection, "  ")
        yield ""
        for device in document["devices"]:
            yield from _wrap(device_line(device, language), "  ")
        yield from _wrap(coverage_line(document, language))
        for line in time_lines(document, language):
            yield from _wrap(line, "    ")
        yield from _findings(document["findings"], language)
        for row in document["abstained"]:
            said = text("plain.abstained", code=row["code"], reason=printable(row["reason"]))
            yield from _wrap(said.written(language), "  ")
        yield ""
        yield from _kernels(document, language)
        yield from _ranges(document, language)
        for warning in document["warnings"]:
            yield from _wrap(f"! {printable(warning['message'])} [{warning['code']}]", "  ")


def _findings(findings: list[Finding], language: str) -> Iterator[str]:
    """Write the first findings in full, and name the others."""
    for finding in findings[:_FINDINGS_SHOWN]:
        yield ""
        yield from _finding(finding, language)
    if len(findings) > 1:
        yield ""
        yield from _wrap(text("plain.overlap").written(language))
    rest = findings[_FINDINGS_SHOWN:]
    if rest:
        yield text("plain.more_findings", findings=len(rest)).written(language)
        for finding in rest:
            yield from _wrap(f"  {printable(short_finding(finding, language))}", "    ")


def _finding(finding: Finding, language: str) -> Iterator[str]:
    yield from _wrap(f"{finding['code']} {printable(finding['title'])}")
    for part in finding_parts(finding, language):
        yield from _wrap(f"  {printable(part)}", "  ")


def _kernels(document: Document, language: str) -> Iterator[str]:
    kernels = document["kernels"]
    yield _ROW.format(*header("kernel_header", language))
    yield from (_kernel_row(kernel, language) for kernel in kernels[:_SHOWN])
    if len(kernels) > _SHOWN:
        rest = sum(kernel["time_ratio"] for kernel in kernels[_SHOWN:])
        yield text(
            "plain.more_kernels", kernels=len(kernels) - _SHOWN, share=percent(rest)
        ).written(language)


def _ranges(document: Document, language: str) -> Iterator[str]:
    """Show the top of the tree of ranges."""
    tree = document["range_tree"]
    if not tree:
        return
    yield ""
    yield _RANGE.format(*header("range_header", language))
    for node in tree[:_SHOWN]:
        name = "  " * min(node["depth"], 10) + printable(node["name"])
        yield _RANGE.format(
            cut_middle(name, 44),
            time_cell(node["time_ns"]),
            percent(node["time_ratio"]).replace(" ", ""),
            f"{node['launches']:,}",
        ).rstrip()
    outside = next((row for row in document["ranges"] if row["name"] == OUTSIDE), None)
    if outside is not None:
        share = percent(outside["time_ratio"]).replace(" ", "")
        launches = f"{outside['launches']:,}"
        name = text("plain.outside").written(language)
        yield _RANGE.format(name, time_cell(outside["time_ns"]), share, launches)
    if document["range_nodes"] > _SHOWN:
        more = document["range_nodes"] - _SHOWN
        yield text("plain.more_ranges", ranges=more).written(language)


RENDERER = TextRenderer()
