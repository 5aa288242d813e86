"""The same answer for the terminal and for logs: plain text in 80 columns."""

from collections.abc import Iterator, Sequence

from nsys_walls.reports import Document, Finding, Kernel, Range, Report
from nsys_walls.reports.around_rows import RangeNodeRow
from nsys_walls.reports.cells import cells, cut_to, padded, wrapped
from nsys_walls.reports.surroundings import selection_line, time_lines
from nsys_walls.reports.wording import (
    bandwidth_cell,
    coverage_line,
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
_NAME, _WALL, _NUMBERS = 30, 11, (8, 6, 7, 6, 6)
_RANGE, _RANGE_NUMBERS = 44, (9, 7, 12)


def _wrap(text: str, hanging: str = "") -> list[str]:
    return wrapped(text, _WIDTH, hanging)


def _row(name: str, width: int, columns: Sequence[str]) -> str:
    """Write a row; where numbers are wider than their columns, the name gives way."""
    rest = " ".join(columns)
    width = min(width, _WIDTH - 1 - cells(rest))
    return f"{padded(cut_to(name, width), width)} {rest}".rstrip()


def _numbers(values: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [padded(value, width, right=True) for value, width in zip(values, widths, strict=True)]


def _kernel_columns(name: str, wall: str, *numbers: str) -> str:
    return _row(name, _NAME, [padded(wall, _WALL), *_numbers(numbers, _NUMBERS)])


def _range_columns(name: str, *numbers: str) -> str:
    return _row(name, _RANGE, _numbers(numbers, _RANGE_NUMBERS))


def _kernel_row(kernel: Kernel, language: str) -> str:
    return _kernel_columns(
        printable(kernel["name"]),
        wall_label(kernel["wall"], language),
        time_cell(kernel["time_ns"]),
        percent(kernel["time_ratio"]).replace(" ", ""),
        str(kernel["launches"]),
        bandwidth_cell(kernel).replace(" ", ""),
        ratio_cell(kernel["compute_ratio"]).replace(" ", ""),
    )


def _range_row(name: str, row: Range | RangeNodeRow) -> str:
    return _range_columns(
        name,
        time_cell(row["time_ns"]),
        percent(row["time_ratio"]).replace(" ", ""),
        f"{row['launches']:,}",
    )


class TextRenderer:
    """Headline, walls, findings, time, the heaviest kernels and ranges, warnings."""

    name = "text"
    suffix = ".txt"

    def render(self, report: Report) -> str:
        """Write the report as lines of at most 80 cells of a terminal."""
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
    yield _kernel_columns(*header("kernel_header", language))
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
    yield _range_columns(*header("range_header", language))
    for node in tree[:_SHOWN]:
        yield _range_row("  " * min(node["depth"], 10) + printable(node["name"]), node)
    outside = next((row for row in document["ranges"] if row["name"] == OUTSIDE), None)
    if outside is not None:
        yield _range_row(text("plain.outside").written(language), outside)
    if document["range_nodes"] > _SHOWN:
        more = document["range_nodes"] - _SHOWN
        yield text("plain.more_ranges", ranges=more).written(language)


RENDERER = TextRenderer()
