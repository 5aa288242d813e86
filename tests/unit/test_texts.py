"""Texts of reports: every language says everything, with the same values."""

import re

import pytest

from nsys_walls.texts import LANGUAGES, Text, placeholders, templates, text

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
