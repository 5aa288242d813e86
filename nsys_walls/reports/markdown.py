"""Markdown for a pull request: it stays under GitHub's limit for one comment."""

import re
from collections.abc import Callable, Iterator

from nsys_walls.reports import Document, Kernel, Report
from nsys_walls.reports.surroundings import selection_line, time_lines
from nsys_walls.reports.wording import (
    NOT_MEASURED,
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
from nsys_walls.texts import text
from nsys_walls.units import percent, three_digits

# GitHub refuses comments over 65,536 characters; 100 rows of at most 300 stay well below.
_SHOWN = 100
_NAME_WIDTH = 100
_RANGES_SHOWN = 30
_FINDING_WIDTH = 1200
_SHORT_WIDTH = 200
_FINDINGS_SHOWN = 8
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~&@-])")


def escape(text: str) -> str:
    r"""Make a foreign text plain text in Markdown, mentions and HTML included.

    >>> escape("a<b>|c")
    'a\\<b\\>\\|c'
    """
    return _SPECIAL.sub(r"\\\1", printable(text))


class _Prose:
    """Sentences of ours as Markdown: what stands in backticks is code, all else plain text.

    A backtick in a name of the run, such as compilers put around anonymous namespaces, is no
    mark of ours.
    """

    def __init__(self, document: Document) -> None:
        names = {row["name"] for row in (*document["kernels"], *document["ranges"])}
        names.update(node["name"] for node in document["range_tree"])
        names.update(kernel["full_name"] for kernel in document["kernels"])
        self._names = sorted((name for name in names if "`" in name), key=len, reverse=True)

    def written(self, sentence: str) -> str:
        """Write a sentence."""
        here = [re.escape(name) for name in self._names if name in sentence]
        name = "|".join(here) or r"(?!)"
        marked = re.compile(rf"({name})|(?<![\w`])`((?:{name}|[^`])+)`(?![\w`])")
        parts, end = [], 0
        for found in marked.finditer(sentence):
            code = found[2]
            written = escape(found[0]) if code is None else _code(code)
            parts += [escape(sentence[end : found.start()]), written]
            end = found.end()
        return "".join([*parts, escape(sentence[end:])])


def _code(text: str) -> str:
    """Fence what is typed with more backticks than it has in a row."""
    shown = printable(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    room = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{room}{shown}{room}{fence}"


def _table(header: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"| {' | '.join(['---', *['---:'] * (len(header) - 1)])} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _kernel_row(kernel: Kernel, language: str) -> list[str]:
    intensity = kernel["intensity_flop_per_byte"]
    return [
        escape(cut_middle(kernel["name"], _NAME_WIDTH)),
        wall_label(kernel["wall"], language),
        time_cell(kernel["time_ns"]),
        percent(kernel["time_ratio"]),
        f"{kernel['launches']:,}",
        NOT_MEASURED if intensity is None else three_digits(intensity),
        escape(bandwidth_cell(kernel)),
        ratio_cell(kernel["compute_ratio"]),
        time_cell(kernel["recoverable_ns"]),
    ]


class MarkdownRenderer:
    """Headline, findings, walls, time, kernels, classes, ranges, warnings."""

    name = "md"
    suffix = ".md"

    def render(self, report: Report) -> str:
        """Write the report as GitHub Markdown."""
        return "\n".join(self._lines(report)) + "\n"

    def _lines(self, report: Report) -> Iterator[str]:
        document, language = report.document, report.language
        prose = _Prose(document).written
        yield f"## {escape(document['run']['name'])}: {escape(report.headline)}"
        yield ""
        yield prose(report.advice)
        selection = selection_line(document, language)
        if selection:
            yield f"\n{escape(selection)}"
        yield ""
        yield from _finding_lines(document, prose, language)
        yield ""
        for device in document["devices"]:
            yield f"- {escape(device_line(device, language))}"
        yield f"- {escape(coverage_line(document, language))}"
        for line in time_lines(document, language):
            yield f"{line[: len(line) - len(line.lstrip())]}- {escape(line.lstrip())}"
        yield ""
        yield from self._tables(document, language)
        for warning in document["warnings"]:
            message = prose(cut_middle(warning["message"], _FINDING_WIDTH))
            yield f"- {message} `{warning['code']}`"

    def _tables(self, document: Document, language: str) -> Iterator[str]:
        kernels = document["kernels"]
        yield from _table(
            header("kernel_table", language),
            (_kernel_row(kernel, language) for kernel in kernels[:_SHOWN]),
        )
        yield ""
        if len(kernels) > _SHOWN:
            rest = sum(kernel["time_ratio"] for kernel in kernels[_SHOWN:])
            more = len(kernels) - _SHOWN
            said = text("plain.more_kernels", kernels=more, share=percent(rest))
            yield escape(said.written(language))
            yield ""
        yield from _table(
            header("class_header", language),
            (
                [row["class"], time_cell(row["time_ns"]), percent(row["time_ratio"]),
                 f"{row['launches']:,}"]
                for row in document["classes"]
            ),
        )  # fmt: skip
        yield ""
        if document["range_tree"]:
            yield from _table(
                header("range_header", language),
                (
                    ["&nbsp;&nbsp;" * min(node["depth"], 10)
                     + escape(cut_middle(node["name"], _NAME_WIDTH)),
                     time_cell(node["time_ns"]), percent(node["time_ratio"]),
                     f"{node['launches']:,}"]
                    for node in document["range_tree"][:_RANGES_SHOWN]
                ),
            )  # fmt: skip
            yield ""
            if document["range_nodes"] > _RANGES_SHOWN:
                more = document["range_nodes"] - _RANGES_SHOWN
                yield escape(text("plain.more_ranges", ranges=more).written(language))
                yield ""


def _finding_lines(document: Document, prose: Callable[[str], str], language: str) -> Iterator[str]:
    """List the first findings in full, the titles of the others, and who could not look."""
    findings = document["findings"]
    for finding in findings[:_FINDINGS_SHOWN]:
        title = f"{finding['code']} {prose(finding['title'])}"
        parts = " ".join(finding_parts(finding, language))
        yield f"- **{title}.** {prose(cut_middle(parts, _FINDING_WIDTH))}"
    for finding in findings[_FINDINGS_SHOWN:]:
        yield f"- {prose(cut_middle(short_finding(finding, language), _SHORT_WIDTH))}"
    if len(findings) > 1:
        yield f"\n{escape(text('plain.overlap').written(language))}\n"
    for row in document["abstained"]:
        said = text("plain.abstained", code=row["code"], reason=row["reason"])
        yield f"- {prose(said.written(language))}"


RENDERER = MarkdownRenderer()
