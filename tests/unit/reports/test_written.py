"""JSON, CSV, Markdown and text: what every written report promises."""

import csv
import io
import json
import re
from importlib.resources import files

import jsonschema
import pytest
from support.documents import device, kernel, report, unmeasured

from nsys_walls.reports import all_renderers
from nsys_walls.reports.markdown import escape
from nsys_walls.reports.wording import cut_middle, printable

SCHEMA = json.loads(files("nsys_walls").joinpath("data/report-1.schema.json").read_text("utf-8"))
HOSTILE = "void pack<Tile<float, 4>, </script><b id=x>>(T1 *) | `@a` \x1b[31m\u202eevil"


def rendered(name, *kernels, **keys):
    return all_renderers()[name].render(report(kernels=list(kernels), **keys))


def test_there_is_a_renderer_for_every_documented_format():
    assert set(all_renderers()) == {"html", "md", "json", "text", "csv"}


def test_json_is_strict_and_follows_its_schema():
    text = rendered("json", kernel(), unmeasured(id=1))
    jsonschema.validate(json.loads(text), SCHEMA)


def test_json_refuses_what_json_can_not_say():
    with pytest.raises(ValueError, match="Out of range float"):
        rendered("json", kernel(intensity_flop_per_byte=float("inf")))


def test_csv_has_a_line_per_kernel_and_no_formulas():
    names = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", 'a,b\n"c"']
    text = rendered("csv", *(kernel(id=i, name=name) for i, name in enumerate(names)))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"].removeprefix("'") for row in rows] == names
    assert not any(row["name"].startswith(("=", "+", "-", "@")) for row in rows)
    assert rows[0]["grid"] == "3072x1x1"


def test_csv_leaves_what_was_not_measured_empty():
    (row,) = csv.DictReader(io.StringIO(rendered("csv", unmeasured())))
    assert row["flop"] == row["dram_bytes"] == row["bandwidth_ratio"] == ""


def test_markdown_keeps_hostile_names_as_text():
    text = rendered("md", kernel(name=HOSTILE))
    assert "<b" not in re.sub(r"\\[<>]", "", text)
    assert "\x1b" not in text
    assert "\u202e" not in text
    (line,) = (line for line in text.splitlines() if "pack" in line)
    # as many cells as the header has, so the name did not end its cell
    assert len(re.findall(r"(?<!\\)\|", line)) == 10


def test_markdown_stays_under_the_limit_of_a_comment():
    many = [kernel(id=i, name=f"{'k<' * 40_000}{i}") for i in range(1000)]
    text = rendered("md", *many)
    assert len(text) < 65_536
    assert "900 more kernels" in text


def test_text_fits_into_80_columns_and_shows_controls():
    text = rendered("text", kernel(name=HOSTILE), unmeasured(id=1, name="x" * 83_000))
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert "–" in text


def test_names_in_the_advice_are_text_too():
    made = report(kernels=[kernel()], advice=f"Begin with {HOSTILE}.")
    for name in ("text", "md"):
        assert "\x1b" not in all_renderers()[name].render(made)


def test_text_names_what_it_leaves_out():
    text = rendered("text", *(kernel(id=i) for i in range(25)))
    assert "and 5 more kernels with 20 % of the time" in text


@pytest.mark.parametrize("name", ["md", "text"])
def test_a_report_without_kernels_still_renders(name):
    assert "0 launches, 0 kernels" in rendered(name)


def test_escapes():
    assert printable("a\u2066b") == "a\\u2066b"
    assert escape("*a*") == r"\*a\*"
    assert cut_middle("abcdefgh", 5) == "ab…gh"
    assert cut_middle("abc", 3) == "abc"


FINDING = {
    "code": "NW101",
    "title": "small | kernels",
    "message": "They <b>add up</b>.",
    "kernels": [0],
    "time_ratio": 0.5,
    "saving_ns": 5.0,
    "speedup_bound": 2.0,
    "blockers": [],
}


def test_findings_and_warnings_are_written_everywhere():
    extra = {"findings": [FINDING], "warnings": [{"code": "odd", "message": "Odd `row`."}]}
    markdown = rendered("md", kernel(), **extra)
    assert "- **NW101 small \\| kernels.** They \\<b\\>add up" in markdown
    assert "Odd \\`row\\`. `odd`" in markdown
    text = rendered("text", kernel(), **extra)
    assert "NW101 small | kernels" in text
    assert "! Odd `row`. [odd]" in text


def test_unknown_walls_are_said_and_not_invented():
    bare = device(
        bandwidth_bytes_per_s=None, peak_flop_per_s={}, balance_flop_per_byte={}, name=None,
        hardware=None,
    )  # fmt: skip
    text = rendered("text", kernel(), devices=[bare])
    assert "unknown GPU: DRAM bandwidth unknown, compute peak unknown" in text
    only_peak = device(bandwidth_bytes_per_s=None, balance_flop_per_byte={})
    assert "balance" not in rendered("text", kernel(), devices=[only_peak])
    no_span = {"launches": 1, "kernels": 1, "span_ns": None, "busy_ns": None}
    text = rendered("text", kernel(), totals={**no_span, "measured_time_ratio": None})
    assert "GPU busy" not in text
