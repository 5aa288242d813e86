from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.counters.table import load_table
from nsys_walls.roofline.geometry import Launch, reason_of, warps_per_sm, waves_of

#: an A100 that is full: 10 waves of 4 blocks on each SM, of 16 warps each
FULL = Launch(
    blocks=4320, threads=512, sm_count=108, warps_per_sm=64, waves=10.0, occupancy_ratio=0.9,
    limits={"registers": 4, "shared_mem": 8, "warps": 4, "blocks": 32},
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, "other"),
        ({"blocks": 107}, "few_blocks"),
        ({"blocks": 108}, "small_grid"),  # 1,728 of 6,912 warps
        ({"blocks": 216}, "other"),  # exactly half of them
        ({"waves": 0.75}, "part_wave"),
        ({"waves": 0.81}, "other"),
        ({"waves": 1.0}, "other"),
        ({"waves": 1.25}, "last_wave"),  # 1.25 of 2
        ({"waves": 5.01}, "other"),  # 5.01 of 6
        ({"occupancy_ratio": 0.49}, "low_occupancy"),
        ({"occupancy_ratio": 0.5}, "other"),
        ({"waves": 0.0}, "other"),  # ncu prints 0.00 for less than it has digits for
    ],
)
def test_the_reason_that_wastes_most_is_given(change, reason):
    assert reason_of(replace(FULL, **change)) == reason


def test_fewer_blocks_than_sms_come_before_everything_else():
    launch = replace(FULL, blocks=8, waves=0.02, occupancy_ratio=0.1)
    assert reason_of(launch) == "few_blocks"
    # one block fills 16 of 6,912 places
    assert replace(FULL, blocks=1).filled_ratio == pytest.approx(16 / 6912)


def test_a_block_of_33_threads_takes_two_warps():
    assert replace(FULL, blocks=108, threads=33).filled_ratio == pytest.approx(2 / 64)


def test_nothing_is_guessed_where_numbers_are_missing():
    assert reason_of(Launch()) == "unknown"
    assert reason_of(Launch(sm_count=108, warps_per_sm=64)) == "unknown"
    assert reason_of(Launch(blocks=1)) == "other"
    assert reason_of(Launch(blocks=200, threads=32, sm_count=108)) == "other"
    assert reason_of(Launch(blocks=None, sm_count=108, occupancy_ratio=0.1)) == "low_occupancy"
    unknown = Launch()
    assert (unknown.filled_ratio, unknown.empty_ratio, unknown.limiter) == (None, None, None)


def test_the_least_limit_is_what_limits():
    assert FULL.limiter == "registers"
    assert replace(FULL, limits={"warps": 8, "shared_mem": 1}).limiter == "shared_mem"


def test_waves_follow_from_the_least_limit():
    # 1 block an SM
    limits = {"registers": 2, "shared_mem": 1, "warps": 16}
    assert waves_of(162, 108, limits) == pytest.approx(1.5)
    assert waves_of(162, 108, {"registers": 2, "warps": 16}) is None
    assert waves_of(None, 108, limits) is None
    assert waves_of(162, None, limits) is None
    assert waves_of(162, 108, {**limits, "barriers": 0}) is None


@given(st.floats(0.001, 1e6))
def test_what_stays_empty_is_a_share(waves):
    assert 0 <= replace(FULL, waves=waves).empty_ratio < 1


@given(st.floats(1, 1e6))
def test_from_one_wave_on_less_than_half_stays_empty(waves):
    assert replace(FULL, waves=waves).empty_ratio < 0.5


def test_warps_per_sm_are_known_of_every_chip_that_has_counters_but_one():
    unknown = {chip for chip in load_table().chips if warps_per_sm(chip) is None}
    assert unknown <= {"11.0"}
    assert (warps_per_sm("7.5"), warps_per_sm("8.6"), warps_per_sm("9.0")) == (32, 48, 64)
    assert warps_per_sm(None) is None
