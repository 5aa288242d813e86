from support.findings import K, run_of

from nsys_walls.roofline.listed import items, names, sentences, some
from nsys_walls.texts import text


def parts(count):
    """Make some clauses."""
    return [text("headline.bandwidth", share=f"{number} %") for number in range(count)]


def test_clauses_and_sentences_stand_in_a_row_in_every_language():
    assert str(items(parts(1))) == "0 % stands at the bandwidth wall"
    assert str(items(parts(3))).count("; ") == 2
    assert items(parts(2)).written("zh") == "0 % 顶在带宽墙上；1 % 顶在带宽墙上"
    closed = [text("headline.no_time")] * 2
    assert str(sentences(closed)) == "No kernel time was measured. No kernel time was measured."
    assert sentences(closed).written("zh") == "没有测到任何算子时间。没有测到任何算子时间。"


def test_three_are_named_and_the_others_counted(tmp_path):
    assert some(["a", "b", "c"]) == "a, b, c"
    assert str(some(["a", "b", "c", "d", "e"])) == "a, b, c and 2 more"
    analysis = run_of(tmp_path, K(name="{x}", time_ns=10), K(name="b", time_ns=5))
    assert names(analysis.kernels) == "{x}, b"
