"""What a report prints on a terminal gives no commands to it; a pipe gets names as they are."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from support.documents import kernel, report

from nsys_walls.cli.report import write_report
from nsys_walls.reports import all_renderers

HOSTILE = 'scale<"a">\x1b[2J\x9b31m\u202e\r\nspoofed,'
SHOWN = 'scale<"a">\\x1b[2J\\x9b31m\\u202e\\r\\nspoofed,'


@pytest.fixture
def printed(monkeypatch, capsys):
    """Give a function that prints a report and returns what came out of stdout."""
    monkeypatch.setenv("NO_COLOR", "1")

    def printed(output_format, *, terminal):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
        made = report(kernels=[kernel(name=HOSTILE)], headline=HOSTILE, advice=HOSTILE)
        write_report(made, all_renderers()[output_format], Path("-"))
        return capsys.readouterr().out

    return printed


@pytest.mark.parametrize("output_format", ["csv", "json", "md", "text", "html"])
def test_no_control_character_of_a_name_reaches_a_terminal(printed, output_format):
    out = printed(output_format, terminal=True)
    assert not {"\x1b", "\x9b", "\u202e"} & set(out)


def test_a_terminal_shows_what_a_name_holds(printed):
    rows = list(csv.DictReader(io.StringIO(printed("csv", terminal=True), newline="")))
    assert [row["name"] for row in rows] == [SHOWN]
    assert json.loads(printed("json", terminal=True))["kernels"][0]["name"] == SHOWN


def test_a_pipe_gets_names_as_they_are(printed):
    rows = list(csv.DictReader(io.StringIO(printed("csv", terminal=False), newline="")))
    assert [row["name"] for row in rows] == [HOSTILE]
    assert json.loads(printed("json", terminal=False))["kernels"][0]["name"] == HOSTILE


def test_a_file_gets_names_as_they_are(monkeypatch, tmp_path):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    path = tmp_path / "kernels.csv"
    write_report(report(kernels=[kernel(name=HOSTILE)]), all_renderers()["csv"], path)
    with path.open(encoding="utf-8", newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == [HOSTILE]
