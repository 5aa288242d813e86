"""Widths on a terminal: in cells, not in characters."""

import textwrap
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.documents import kernel, report

from nsys_walls.reports.cells import cells, cut_to, padded, wrapped
from nsys_walls.reports.text import RENDERER

#: Narrow and wide letters, accents, brackets and punctuation of both languages, spaces.
MIXED = st.text("ab1% e\u0301，。（）：,.()带宽墙算子핵한ｗ😀", max_size=300)
#: An accent without a letter in front of it is not what is meant by a text.
LETTERS = st.text("ab <>:,()带宽墙算子ｗ😀", max_size=120)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0), ("bandwidth", 9), ("带宽墙", 6), ("，", 2), ("ｗ", 2), ("한", 2), ("😀", 2),
        ("e\u0301", 1), ("µ–…×", 4),
    ],
)  # fmt: skip
def test_cells_of_a_text(text, width):
    assert cells(text) == width


def test_a_text_is_filled_up_to_a_width():
    assert padded("算力墙", 8) == "算力墙  "
    assert padded("算力墙", 8, right=True) == "  算力墙"
    assert padded("算力墙", 5) == "算力墙"


def test_a_text_is_cut_in_the_middle():
    assert cut_to("abcdefghij", 10) == "abcdefghij"
    # as `cut_middle` cuts it
    assert cut_to("abcdefghij", 7) == "abc…hij"
    assert cut_to("abcdefgh", 5) == "ab…gh"
    # 2 x 2 + 1 + 2 cells, and no half of a character
    assert cut_to("一二三四五六", 7) == "一二…六"
    assert cut_to("一二三四五六", 8) == "一二…六"
    # the accent of the letter that is left out is left out with it
    assert cut_to("abcde\u0301f", 4) == "ab…f"
    assert cut_to("ae\u0301bcdef", 5) == "ae\u0301…ef"


def test_chinese_is_broken_between_characters():
    assert wrapped("一二三四五六七", 6) == ["一二三", "四五六", "七"]
    assert wrapped("一二三四五六七", 7, "  ") == ["一二三", "  四五", "  六七"]
    assert wrapped("abc一二三def", 6) == ["abc一", "二三", "def"]


@pytest.mark.parametrize("mark", list("，。、；：？！）》」』】%"))
def test_no_line_begins_with_closing_punctuation(mark):
    assert wrapped(f"一二三{mark}四", 6) == ["一二", f"三{mark}四"]


@pytest.mark.parametrize("mark", list("（《「『【"))
def test_no_line_ends_with_an_opening_bracket(mark):
    assert wrapped(f"一二{mark}三", 6) == ["一二", f"{mark}三"]


def test_a_number_stays_with_its_unit_in_every_language():
    assert wrapped("it took 12 ms of 20 %", 10) == ["it took", "12 ms of", "20 %"]
    # "1 次" is one word, behind which a line may end
    assert wrapped("共有 1 次启动", 8) == ["共有", "1 次启动"]
    assert wrapped("共有 1 次启动", 6) == ["共有", "1 次启", "动"]


def test_a_long_word_goes_on_in_the_next_line():
    assert wrapped("name abcdefghijk", 8, " ") == ["name abc", " defghij", " k"]
    assert wrapped("name abcdefghijk", 5, " ") == ["name", " abcd", " efgh", " ijk"]


def test_spaces_in_front_stay_and_spaces_behind_go():
    assert wrapped("  a b", 4, "  ") == ["  a", "  b"]
    assert wrapped("a  ", 4) == ["a"]
    assert wrapped("", 4) == [""]


@given(st.text("abcdef,.()-% ", max_size=400))
def test_english_is_broken_as_textwrap_does(text):
    # where a word fits into the first line alone, textwrap leaves it to the second, and breaks it
    assume(not any(18 < len(word) <= 20 for word in text.split()))
    lines = textwrap.wrap(text, 20, subsequent_indent="  ", break_on_hyphens=False)
    assert wrapped(text, 20, "  ") == (lines or [""])


@given(MIXED)
def test_no_line_is_too_wide_and_nothing_is_lost(text):
    lines = wrapped(text, 20, "  ")
    assert max(map(cells, lines)) <= 20
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(LETTERS, st.integers(5, 60))
def test_a_cut_text_fits_and_keeps_both_ends(text, width):
    cut = cut_to(text, width)
    assert cells(cut) <= width
    assert cut == text or (cut[0] == text[0] and cut[-1] == text[-1] and cells(cut) >= width - 1)


def row(name, **more):
    return {"name": name, "launches": 1, "time_ns": 5, "self_time_ns": 5, "time_ratio": 1.0,
            "time_by_wall_ns": {}, **more}  # fmt: skip


@given(LETTERS, st.integers(1, 10**12), st.sampled_from(["en", "zh"]))
def test_a_text_report_fits_into_80_cells(name, launches, language):
    tree = [row(name, node=depth, parent=None, depth=depth) for depth in range(12)]
    made = report(
        kernels=[kernel(name=name, launches=launches, time_ns=launches * 40_000)],
        headline=name,
        advice=name,
        range_tree=tree,
        range_nodes=12,
        ranges=[row("(outside)", launches=launches)],
        warnings=[{"code": "odd", "message": name}],
        selection={"nvtx": [name], "window": None, "devices": [], "streams": [], "kernel": None},
    )
    lines = RENDERER.render(replace(made, language=language)).splitlines()
    assert max(map(cells, lines)) <= 80


def test_columns_stand_below_their_heads_whatever_the_name():
    names = ("算子一二三", "e\u0301te\u0301", "k" * 40)
    kernels = [kernel(id=place, name=name) for place, name in enumerate(names)]
    for language, head in (("en", "kernel"), ("zh", "算子")):
        made = replace(report(kernels=kernels), language=language)
        lines = RENDERER.render(made).splitlines()
        (place,) = (at for at, line in enumerate(lines) if line.startswith(f"{head}  "))
        widths = {cells(line) for line in lines[place : place + 4]}
        assert widths == {80}, lines
