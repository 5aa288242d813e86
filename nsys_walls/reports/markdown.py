"""Markdown for a pull request: it stays under GitHub's limit for one comment."""

import re
from collections.abc import Iterator

from nsys_walls.reports import Document, Kernel, Report
from nsys_walls.reports.wording import (
    NOT_MEASURED,
    WALL_LABELS,
    coverage_line,
    cut_middle,
    device_line,
    printable,
    ratio_cell,
    time_cell,
)
from nsys_walls.units import percent, three_digits

# GitHub refuses comments over 65,536 characters; 100 rows of at most 300 stay well below.
_SHOWN = 100
_NAME_WIDTH = 100
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~&@-])")


def escape(text: str) -> str:
    r"""Make a foreign text plain text in Markdown, mentions and HTML included.

    >>> escape("a<b>|c")
    'a\\<b\\>\\|c'
    """
    return _SPECIAL.sub(r"\\\1", printable(text))


def _table(header: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"| {' | '.join(['---', *['---:'] * (len(header) - 1)])} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _kernel_row(kernel: Kernel) -> list[str]:
    intensity = kernel["intensity_flop_per_byte"]
    return [
        escape(cut_middle(kernel["name"], _NAME_WIDTH)),
        WALL_LABELS[kernel["wall"]],
        time_cell(kernel["time_ns"]),
        percent(kernel["time_ratio"]),
        f"{kernel['launches']:,}",
        NOT_MEASURED if intensity is None else three_digits(intensity),
        ratio_cell(kernel["bandwidth_ratio"]),
        ratio_cell(kernel["compute_ratio"]),
        time_cell(kernel["recoverable_ns"]),
    ]


class MarkdownRenderer:
    """Headline, findings, walls, classes, kernels, warnings."""

    name = "md"
    suffix = ".md"

    def render(self, report: Report) -> str:
        """Write the report as GitHub Markdown."""
        return "\n".join(self._lines(report)) + "\n"

    def _lines(self, report: Report) -> Iterator[str]:
        document = report.document
        yield f"## {escape(document['run']['name'])}: {escape(report.headline)}"
        yield ""
        yield escape(report.advice)
        yield ""
        for finding in document["findings"]:
            title = f"{finding['code']} {escape(finding['title'])}"
            yield f"- **{title}.** {escape(finding['message'])}"
        yield ""
        for device in document["devices"]:
            yield f"- {escape(device_line(device))}"
        yield f"- {escape(coverage_line(document))}"
        yield ""
        yield from self._tables(document)
        for warning in document["warnings"]:
            yield f"- {escape(warning['message'])} `{warning['code']}`"

    def _tables(self, document: Document) -> Iterator[str]:
        kernels = document["kernels"]
        yield from _table(
            ["kernel", "wall", "time", "share", "launches", "FLOP/B", "% bandwidth",
             "% compute", "above the floor"],
            (_kernel_row(kernel) for kernel in kernels[:_SHOWN]),
        )  # fmt: skip
        yield ""
        if len(kernels) > _SHOWN:
            rest = sum(kernel["time_ratio"] for kernel in kernels[_SHOWN:])
            yield f"{len(kernels) - _SHOWN:,} more kernels take {percent(rest)} of kernel time."
            yield ""
        yield from _table(
            ["class", "time", "share", "launches"],
            (
                [row["class"], time_cell(row["time_ns"]), percent(row["time_ratio"]),
                 f"{row['launches']:,}"]
                for row in document["classes"]
            ),
        )  # fmt: skip
        yield ""


RENDERER = MarkdownRenderer()
