"""The report as one HTML file that opens from disk, draws its charts and asks no network.

Everything foreign enters as data: the document is JSON in a script element that no browser
runs, and the page's own script turns it into text nodes. The policy in the page allows two
scripts, by hash, and no connection.
"""

import base64
import gzip
import hashlib
import html
import json
import re
from functools import cache
from importlib.resources import files
from string import Template

from nsys_walls.reports import Document, Report
from nsys_walls.reports.wording import printable

_SCRIPTS = (
    "format", "words", "dom", "kernels", "swarm", "overview", "breakdown", "method", "detail",
    "columns", "table", "charts", "plane", "roofline", "roofline_layout", "main",
)  # fmt: skip
#: Longer documents are compressed: a page with a few hundred kernels stays readable as text,
#: one with thousands stays small enough to attach.
_LONGEST_PLAIN_JSON = 750_000
_WALL = re.compile(r"\b(bandwidth|compute) wall\b")
_QUANTITY = re.compile(r"[\d.,]*\d (?:%|[nµm]?s\b|[kMGT]?B\b)")


class HtmlRenderer:
    """One self-contained page: answer, findings, charts, tables, method."""

    name = "html"
    suffix = ".html"

    def render(self, report: Report) -> str:
        """Write the page; the same report gives the same text."""
        document = report.document
        script, plotly = _own_script(), _plotly()
        encoding, data = _embed(document)
        return Template(_asset("page.html")).substitute(
            policy=_policy(script, plotly),
            version=html.escape(document["version"]),
            title=html.escape(printable(_title(document))),
            style=_asset("style.css"),
            headline=_WALL.sub(r'<mark class="\1">\g<0></mark>', _prose(report.headline)),
            advice=_prose(report.advice),
            encoding=encoding,
            data=data,
            plotly=_packed_plotly(),
            script=script,
        )


RENDERER = HtmlRenderer()


def _title(document: Document) -> str:
    names = dict.fromkeys(device["name"] or device["hardware"] for device in document["devices"])
    return " · ".join([document["run"]["name"], *filter(None, names), "nsys-walls"])


def _prose(text: str) -> str:
    """Write a sentence as text of the page, each number on one line with its unit."""
    return _QUANTITY.sub(r'<span class="q">\g<0></span>', html.escape(printable(text)))


def _embed(document: Document) -> tuple[str, str]:
    """Write the document as JSON that can't end its script element, compressed where long.

    Returns:
        How it is encoded (``"json"`` or ``"gzip"``, the latter in base64), and the text.
    """
    text = json.dumps(document, allow_nan=False, sort_keys=True, separators=(",", ":"))
    if len(text) > _LONGEST_PLAIN_JSON:
        return "gzip", _compress(text)
    # json.dumps has escaped all that is not ASCII, U+2028 and U+2029 included
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return "json", text


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
def _packed_plotly() -> str:
    return _compress(_plotly())


def _compress(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


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
