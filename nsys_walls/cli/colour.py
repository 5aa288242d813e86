"""Colour for the text report, on a terminal only."""

import os
import re
import sys

_BOLD, _DIM = "1", "2"
#: Blue, orange and magenta as on the page; what is near no wall is magenta, the rest is dim.
_WALLS = {
    "bandwidth": "34",
    "compute": "33",
    "on_chip": "36",
    "latency": "35",
    "neither": "35",
    "communication": "32",
    "unmeasured": _DIM,
}
_FINDING = re.compile(r"^(NW\d{3} .*)$", re.MULTILINE)
_WARNING = re.compile(r"^(! .*)$", re.MULTILINE)


def wants_colour() -> bool:
    """Whether stdout is a terminal whose user did not ask for no colour (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def coloured(text: str, language: str) -> str:
    """Colour the titles of findings, the walls of kernels and warnings of a text report."""
    from nsys_walls.reports.wording import wall_label

    lines = text.split("\n")
    lines[0] = _paint(lines[0], _BOLD)
    text = "\n".join(lines)
    text = _FINDING.sub(lambda match: _paint(match[1], _BOLD), text)
    text = _WARNING.sub(lambda match: _paint(match[1], "33"), text)
    for wall, colour in _WALLS.items():
        # the second column of the table of kernels
        label = re.escape(wall_label(wall, language))
        column = re.compile(rf"^(.{{30}} )({label})(?= )", re.MULTILINE)
        text = column.sub(rf"\1{_paint(chr(92) + '2', colour)}", text)
    return text


def _paint(text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if text else text
