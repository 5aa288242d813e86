"""Colour of the text report: on a terminal, and nothing but colour."""

import re
import sys

import pytest
from support.documents import kernel, report, unmeasured

from nsys_walls.cli.colour import coloured, wants_colour
from nsys_walls.reports.text import RENDERER

FINDING = {
    "code": "NW101", "title": "small kernels", "message": "m", "kernels": [0], "time_ratio": 0.5,
    "saving_ns": None, "speedup_bound": None, "end_to_end_bound": None, "blockers": [],
    "advice": "a", "evidence": {}, "key": None,
}  # fmt: skip


@pytest.fixture
def text():
    rows = [kernel(), unmeasured(id=1, name="bandwidth")]
    warnings = [{"code": "odd", "message": "odd"}]
    return RENDERER.render(report(kernels=rows, findings=[FINDING], warnings=warnings))


def test_only_colour_is_added(text):
    assert re.sub("\x1b\\[\\d+m", "", coloured(text, "en")) == text


def test_titles_walls_and_warnings_are_coloured(text):
    painted = coloured(text, "en")
    assert "\x1b[1mNW101 small kernels\x1b[0m" in painted
    assert " \x1b[34mbandwidth\x1b[0m " in painted
    assert " \x1b[2munmeasured\x1b[0m " in painted
    assert "\x1b[33m! odd [odd]\x1b[0m" in painted
    # a kernel of that name is no wall
    assert painted.count("\x1b[34m") == 1


@pytest.mark.parametrize(
    ("terminal", "no_colour", "wanted"), [(True, "", True), (True, "1", False), (False, "", False)]
)
def test_colour_is_for_terminals(monkeypatch, terminal, no_colour, wanted):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.setenv("NO_COLOR", no_colour)
    assert wants_colour() is wanted
