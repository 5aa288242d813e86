"""Texts of reports: every language says everything, with the same values."""

import ast
import re
from pathlib import Path

import pytest
from support.languages import has_english

from nsys_walls.texts import LANGUAGES, Text, in_a_row, placeholders, some, templates, text

PACKAGE = Path(__file__).parents[2] / "nsys_walls"
TREES = [ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))]
# sections whose texts are all named in full, nowhere put together
NAMED_IN_FULL = {"document", "listed", "match", "note", "notice", "source", "work"}

NAMES = (
    r"\b(Nsight (Systems|Compute)|PyTorch profiler|Roofline|nsys|byte|SQLite|Parquet|Arrow|"
    r"PyTorch|stats)\b"
)


@pytest.mark.parametrize("key", templates())
def test_every_text_is_there_in_every_language_with_the_same_values(key):
    row = templates()[key]
    assert set(row) == set(LANGUAGES)
    assert len({frozenset(placeholders(template)) for template in row.values()}) == 1
    assert all(template.strip() for template in row.values())


@pytest.mark.parametrize("key", templates())
def test_chinese_is_chinese(key):
    # separators, unit signs and names of tools may be without
    words = re.sub(r"\{.*?\}", "", templates()[key]["en"])
    if re.search("[a-z]{4}", re.sub(NAMES, "", words)):
        assert re.search(r"[\u4e00-\u9fff]", templates()[key]["zh"]), key


@pytest.mark.parametrize("key", templates())
def test_chinese_holds_no_words_of_english_in_a_row(key):
    assert not has_english(re.sub(r"\{.*?\}", "·", templates()[key]["zh"]))


def _said():
    """Find every text that the package makes with its key in full: its key, and its values."""
    for node in (node for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(node.func, ast.Name) and node.func.id == "text" and node.args:
            key, names = node.args[0], {word.arg for word in node.keywords}
            either = (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,)
            yield from ((one.value, names) for one in either if isinstance(one, ast.Constant))


def test_every_text_that_is_said_exists_and_gets_its_values():
    said = list(_said())
    assert len(said) > 150
    for key, names in said:
        assert key in templates()
        # None stands for values that are collected elsewhere
        assert None in names or placeholders(templates()[key]["en"]) <= names, key


def test_no_text_is_left_that_nobody_says():
    constants = {
        node.value for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Constant)
    }
    of_section = {key for key in templates() if key.partition(".")[0] in NAMED_IN_FULL}
    assert of_section - constants == set()


def test_values_are_put_in_and_never_read_as_templates():
    said = text("headline.bandwidth", share="{share} {0} 41 %")
    assert said.written("en") == "{share} {0} 41 % stands at the bandwidth wall"
    assert str(said) == said.written()


def test_a_whole_number_takes_the_word_that_fits(monkeypatch):
    row = {"en": "{n:launch|launches} of {n}", "zh": "{n} 次启动"}
    monkeypatch.setattr("nsys_walls.texts.templates", lambda: {"x": row})
    assert [Text("x", {"n": n}).written() for n in (1, 2000)] == [
        "1 launch of 1",
        "2,000 launches of 2,000",
    ]
    assert Text("x", {"n": 2000}).written("zh") == "2,000 次启动"


def test_a_text_inside_a_text_is_in_the_same_language():
    outer = text("advice.finding", title=text("headline.no_time"), saving="1 s", advice="a")
    assert outer.written("zh") == "没有测到任何算子时间。：最多可省 1 s。a"


def test_equal_texts_are_one_key_of_a_mapping():
    one, other = (
        text("notice.same_file", file="a", other_file="b"),
        Text("notice.same_file", {"other_file": "b", "file": "a"}),
    )
    assert {one: 1}[other] == 1
    nested = text("notice.counters_only", reason=text("match.counters_only"))
    assert len({nested, text("notice.counters_only", reason=text("match.no_name"))}) == 2


def test_the_first_three_of_many_are_named():
    assert some(["a", "b", "c"]) == "a, b, c"
    five = some(["a", "b", "c", "d", "e"])
    assert five.written("en") == "a, b, c and 2 more"
    assert five.written("zh") == "a, b, c 等（另有 2 个）"


def test_parts_stand_in_a_row_in_every_language():
    assert in_a_row("listed.either", ["fp16"]) == "fp16"
    three = in_a_row("listed.either", ["fp16", "bf16", "fp32"])
    assert three.written("en") == "fp16 or bf16 or fp32"
    assert three.written("zh") == "fp16 或 bf16 或 fp32"
