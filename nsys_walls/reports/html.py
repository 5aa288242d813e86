"""The report as one HTML file that opens from disk, draws its charts and asks no network.

Everything foreign enters as data: the document is JSON in a script element that no browser
runs, and the page's own script turns it into text nodes. The policy in the page allows two
scripts, by hash, and no connection.
"""

import base64
import hashlib
import html
import re
from functools import cache
from importlib.resources import files
from string import Template

from nsys_walls.reports import Document, Report
from nsys_walls.reports.page_data import embed, packed, script_json
from nsys_walls.reports.wording import printable
from nsys_walls.texts import templates, text

_SCRIPTS = (
    "texts", "format", "words", "dom", "packed", "kernels", "state", "view", "fragment", "colours",
    "overview", "findings", "classes", "gpu_time", "idle", "copies", "ranks", "ranges",
    "decision", "scale", "method", "hardware", "detail", "copy", "columns", "table_grid",
    "table", "table_tools", "paper",
    "swarm", "apart", "charts", "marks", "plane", "plane_layout", "roofline", "roofline_layout",
    "caches", "chart_pair", "chart_tools", "legend", "slider", "picked", "keys", "drag", "main",
)  # fmt: skip
#: GitHub shows no larger attachment in a comment gracefully, and mail refuses it soon after.
_LARGEST_PAGE = 2_950_000
#: How the page's language is called in HTML.
_HTML_LANGUAGES = {"en": "en", "zh": "zh-Hans"}
_MARK = re.compile(r"\[\[(\w+)\]\]")
_WALL = re.compile(r"\b(bandwidth|compute) wall\b|(带宽墙)|(算力墙)")
_TYPED = re.compile(r"`([^`]+)`")
_QUANTITY = re.compile(r"[\d.,]*\d (?:%|[nµm]?s\b|[kMGT]?B\b)")


class HtmlRenderer:
    """One self-contained page: answer, findings, charts, tables, method."""

    name = "html"
    suffix = ".html"

    def render(self, report: Report) -> str:
        """Write the page; the same report gives the same text."""
        document, words = report.document, _words(report.language)
        script, plotly, tabulator = _own_script(), _plotly(), _tabulator()
        values = {
            "language": _HTML_LANGUAGES[report.language],
            "policy": _policy(script, plotly, tabulator),
            "version": html.escape(document["version"]),
            "title": html.escape(printable(_title(document))),
            "table_style": _table_style(),
            "style": _asset("style.css"),
            "selection": _selection(document, report.language),
            "headline": _marked(_prose(report.headline)),
            "advice": _prose(report.advice),
            "texts": script_json(words),
            "tabulator": _packed(tabulator),
            "plotly": _packed(plotly),
            "script": script,
        }
        before, after = (
            Template(_translated(part, words)).substitute(values)
            for part in _asset("page.html").split("<!-- document -->")
        )
        encoding, data = embed(document, _LARGEST_PAGE - len((before + after).encode()))
        element = f'<script type="application/json" id="document" data-encoding="{encoding}">'
        return f"{before}{element}{data}</script>{after}"


RENDERER = HtmlRenderer()


def _words(language: str) -> dict[str, str]:
    """Take the page's texts in one language, and what evidence is called: ``evidence_<key>``."""
    return {
        key.removeprefix("page.").replace("evidence.", "evidence_"): row[language]
        for key, row in templates().items()
        if key.startswith(("page.", "evidence."))
    }


def _translated(template: str, words: dict[str, str]) -> str:
    """Fill in the fixed texts of the page, ``[[key]]``."""
    return _MARK.sub(lambda mark: html.escape(words[mark[1]]).replace("$", "$$"), template)


def _title(document: Document) -> str:
    names = dict.fromkeys(device["name"] or device["hardware"] for device in document["devices"])
    return " · ".join([document["run"]["name"], *filter(None, names), "nsys-walls"])


def _selection(document: Document, language: str) -> str:
    """Say that this is a part of a run, and which; nothing for the whole."""
    selection = document["selection"]
    if selection is None:
        return ""
    lists = {key: ", ".join(map(str, selection[key])) for key in ("nvtx", "devices", "streams")}
    values = lists | {"window": selection["window"], "kernel": selection["kernel"]}
    parts = [
        text(f"page.selection_{key}", value=value).written(language)
        for key, value in values.items()
        if value
    ]
    comma = text("page.comma").written(language)
    sentence = text("page.selection", parts=comma.join(parts)).written(language)
    return f'<p class="notice selection" role="note">{_prose(sentence)}</p>\n'


def _prose(sentence: str) -> str:
    """Write a sentence as text of the page, each number on one line with its unit.

    What stands in backticks looks typed; the ticks are not seen but stay in the text.
    """
    tick = '<span class="tick">`</span>'
    typed = _TYPED.sub(rf"<code>{tick}\1{tick}</code>", html.escape(printable(sentence)))
    return _QUANTITY.sub(r'<span class="q">\g<0></span>', typed)


def _marked(sentence: str) -> str:
    """Underline the walls that a sentence names, each in its colour."""

    def mark(found: re.Match[str]) -> str:
        wall = found[1] or ("bandwidth" if found[2] else "compute")
        return f'<mark class="{wall}">{found[0]}</mark>'

    return _WALL.sub(mark, sentence)


@cache
def _asset(name: str) -> str:
    return (files("nsys_walls.reports") / "assets").joinpath(name).read_text("utf-8")


@cache
def _own_script() -> str:
    """Join the page's scripts in one scope of their own."""
    parts = "\n".join(_asset(f"js/{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


@cache
def _plotly() -> str:
    """Take plotly.js from the installed plotly, which is slow to import."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415

    text: str = get_plotlyjs()
    return text


@cache
def _tabulator() -> str:
    """Take Tabulator, which draws the table, with its licence; see ``assets/tabulator``."""
    licence, script = _asset("tabulator/LICENSE"), _asset("tabulator/tabulator.min.js")
    return f"/*\n{licence}\n*/\n{_without_map(script)}"


def _table_style() -> str:
    """Take Tabulator's styles, in a layer that the page's own styles stand above."""
    return f"@layer table {{\n{_without_map(_asset('tabulator/tabulator_simple.min.css'))}}}\n"


def _without_map(asset: str) -> str:
    """Leave out the address of a source map, which a browser's debugger would ask for."""
    return asset.partition("//# sourceMappingURL")[0].partition("/*# sourceMappingURL")[0]


@cache
def _packed(script: str) -> str:
    return packed(script)


def _policy(*scripts: str) -> str:
    """Write the Content-Security-Policy: these scripts, inline styles, no connection.

    ``blob:`` images are how plotly.js makes a PNG of a chart.
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode('ascii')}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
