import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.join.summary import spread_of, summarise, weighted_median
from nsys_walls.texts import text

BECAUSE = text("match.no_name")
TIME, BYTES, RATE = "gpu__time_duration.sum", "dram__bytes.sum", "dram__bytes.sum.per_second"


def test_counters_are_medians(profile, bytes_of):
    group = [
        profile(values={BYTES: 100.0, TIME: 10.0}),
        profile(values={BYTES: 300.0, TIME: 12.0, "launch__waves": 2.0}),
        profile(values={BYTES: 160.0, TIME: 17.0}),
    ]
    joined = summarise(group, "shape", BECAUSE, bytes_of)
    assert joined.values == {BYTES: 160.0, TIME: 12.0, "launch__waves": 2.0}
    assert joined.profiled_launches == 3
    assert joined.spread_ratio == pytest.approx(200 / 160)
    assert (joined.level, joined.reason, joined.part) == ("shape", BECAUSE, "8.0")
    assert joined.per_launch == ()


def test_one_launch_is_taken_as_it_is(profile, bytes_of):
    joined = summarise([profile(values={RATE: 5.0}, part=None)], "ambiguous", "", bytes_of)
    assert joined.values == {RATE: 5.0}
    assert joined.spread_ratio is None
    assert joined.part is None


def test_parts_that_differ_are_unknown(profile, bytes_of):
    group = [profile(part="8.0"), profile(part="9.0")]
    assert summarise(group, "shape", "", bytes_of).part is None


def test_a_rate_never_meets_the_time_of_another_launch(profile, bytes_of):
    group = [profile(values={TIME: 10.0, RATE: 7.0}), profile(values={RATE: 900.0, BYTES: 3.0})]
    assert summarise(group, "shape", "", bytes_of).values == {TIME: 10.0, RATE: 7.0, BYTES: 3.0}


def test_launches_of_who_knows_what_are_not_averaged(profile, bytes_of):
    group = [profile(nbytes=100.0), profile(nbytes=200.0)]
    joined = summarise(group, "ambiguous", "", bytes_of)
    assert joined.values is None
    assert joined.profiled_launches == 2
    assert joined.spread_ratio == pytest.approx(100 / 150)
    steady = summarise([profile(nbytes=100.0), profile(nbytes=104.0)], "ambiguous", "", bytes_of)
    assert steady.values == {BYTES: 102.0}


def test_summaries_weigh_as_many_launches(profile, bytes_of):
    group = [profile(nbytes=10.0, launches=5), profile(nbytes=40.0), profile(nbytes=90.0)]
    joined = summarise(group, "shape", "", bytes_of)
    assert joined.profiled_launches == 7
    assert joined.values == {BYTES: 10.0}
    assert joined.spread_ratio == pytest.approx(8.0)


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [([], None), ([5.0], None), ([5.0, None], None), ([0.0, 0.0], 0.0), ([0.0, 0.0, 4.0], None),
     ([90.0, 100.0, 105.0], 0.15)],
)  # fmt: skip
def test_spread(profile, bytes_of, amounts, expected):
    spread = spread_of([profile(nbytes=amount) for amount in amounts], bytes_of)
    assert spread == (expected if expected is None else pytest.approx(expected))


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 6)), min_size=1))
def test_weighted_median_is_the_median_of_all_launches(weighted):
    written_out = [float(value) for value, count in weighted for _ in range(count)]
    assert weighted_median([(float(value), count) for value, count in weighted]) == (
        statistics.median(written_out)
    )
