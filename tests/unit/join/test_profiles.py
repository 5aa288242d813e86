import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.join.profiles import merge, own_time_ns, same_shared_memory

TIME, READ, WRITE = "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"
RATE = "dram__bytes.sum.per_second"
CYCLES, CLOCK = "sm__cycles_elapsed.avg", "sm__cycles_elapsed.avg.per_second"
FMA_PER_CYCLE = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed"


def test_files_of_one_launch_become_one(profile):
    files = [
        profile(source=0, values={TIME: 8000.0, READ: 4096.0}, dynamic_shared_bytes=1020),
        profile(source=1, values={READ: 4100.0, WRITE: 64.0}, dynamic_shared_bytes=1024),
        profile(source=2, values={FMA_PER_CYCLE: 12.5}),
    ]
    (merged,) = merge(files)
    assert merged.values == {TIME: 8000.0, READ: 4096.0, WRITE: 64.0, FMA_PER_CYCLE: 12.5}
    assert merged.source == 0
    # 1.02 Kbyte is how automatic units print 1024 byte
    assert merged.dynamic_shared_bytes == 1024


def test_the_value_with_most_digits_is_kept(profile):
    # 4.10 Mbyte in automatic units, 4 097 152 byte in base units: 0.07 % apart
    printed, exact = profile(values={READ: 4.10e6}), profile(source=1, values={READ: 4_097_152.0})
    assert [row.values for row in merge([printed, exact])] == [{READ: 4_097_152.0}]
    assert [row.values for row in merge([exact, printed])] == [{READ: 4_097_152.0}]


@pytest.mark.parametrize(
    "facts",
    [
        {"process": 8},
        {"launch_id": 1},
        {"device": 1},
        {"device": None},
        {"grid": (5, 1, 1)},
        {"block": (64, 1, 1)},
        {"grid": None},
        {"launches": 2},
        {"name": "fill(double *)"},
        {"name": "clear(float *)"},
        {"dynamic_shared_bytes": 2048},
        {"source": 0},
        {"values": {READ: 4180.0}},
    ],
    ids=str,
)
def test_other_launches_stay_apart(profile, facts):
    one = profile(values={READ: 4096.0}, dynamic_shared_bytes=1024)
    other = profile(**({"source": 1, "values": {READ: 4096.0}} | facts))
    assert len(merge([one, other])) == 2


def test_two_percent_is_the_limit(profile):
    # of the larger value: 4096 / 4179 is 1.99 % below, 4096 / 4180 is 2.01 % below
    one = profile(values={READ: 4096.0})
    assert len(merge([one, profile(source=1, values={READ: 4179.0})])) == 1
    assert len(merge([one, profile(source=1, values={READ: 4180.0})])) == 2


def test_names_of_one_launch_may_be_printed_differently(profile):
    files = [
        profile("void unnamed>::fill<4>(T1 *)", values={READ: 1.0}),
        profile("void core::<unnamed>::fill<(int)4>(T1 *)", source=1, values={WRITE: 2.0}),
        profile("fill", source=2, values={TIME: 3.0}),
    ]
    (merged,) = merge(files)
    assert merged.name == "void core::<unnamed>::fill<(int)4>(T1 *)"
    assert merged.values == {READ: 1.0, WRITE: 2.0, TIME: 3.0}


def test_clocks_and_percentages_prove_nothing(profile):
    files = [
        profile(values={TIME: 5000.0, CLOCK: 1.5e9, "sm__throughput.avg.pct_of_peak": 40.0}),
        profile(source=1, values={CLOCK: 1.7e9, "sm__throughput.avg.pct_of_peak": 55.0}),
    ]
    (merged,) = merge(files)
    # the clock is that of the file that has the time
    assert merged.values[CLOCK] == 1.5e9


def test_a_file_that_fits_two_launches_belongs_to_neither(profile):
    one = profile(source=0, values={READ: 1000.0, TIME: 500.0})
    same = profile(source=1, values={READ: 1001.0, WRITE: 7.0})
    other = profile(source=2, values={READ: 9000.0, TIME: 900.0})
    unsure = profile(source=3, values={FMA_PER_CYCLE: 3.0})
    merged = merge([one, same, other, unsure])
    assert [dict(row.values) for row in merged] == [
        {READ: 1001.0, TIME: 500.0, WRITE: 7.0},
        {READ: 9000.0, TIME: 900.0},
        {FMA_PER_CYCLE: 3.0},
    ]


def test_a_chain_of_agreement_that_contradicts_itself_is_not_merged(profile):
    # 1000 and 1015 agree, 1015 and 1030 agree, 1000 and 1030 do not
    files = [profile(source=number, values={READ: 1000.0 + 15 * number}) for number in range(3)]
    assert len(merge(files)) == 3


def test_equal_launches_of_one_file_are_never_merged(profile):
    repeated = [profile(values={READ: 64.0}), profile(values={READ: 64.0})]
    assert len(merge(repeated)) == 2
    # with a second file nothing tells whose it is
    assert len(merge([*repeated, profile(source=1, values={READ: 64.0})])) == 3


def test_a_launch_without_id_stays_alone(profile):
    assert len(merge([profile(launch_id=None), profile(launch_id=None, source=1)])) == 2
    summaries = [profile(launch_id=None, launches=9, source=source) for source in (0, 1)]
    assert len(merge(summaries)) == 1


def test_launches_keep_the_order_of_their_first_file(profile):
    details = [profile(launch_id=number, values={READ: 1.0}) for number in range(3)]
    section = [profile(launch_id=number, source=1, values={WRITE: 2.0}) for number in (2, 0)]
    merged = merge([details[2], details[0], *section, details[1]])
    assert [row.launch_id for row in merged] == [2, 0, 1]


class TestRates:
    def test_a_rate_without_time_of_its_own_is_left_out(self, profile):
        files = [profile(values={TIME: 5000.0}), profile(source=1, values={RATE: 3e11})]
        assert merge(files)[0].values == {TIME: 5000.0}

    def test_a_rate_is_scaled_to_the_merged_time(self, profile):
        # own time 12 000 cycles at 1.5 GHz = 8000 ns, so 2e11 byte/s are 1.6e6 byte: that
        # is what the rate must give with the merged time as well
        timed = profile(values={TIME: 7900.0, READ: 1.0, WRITE: 0.0})
        cycles = profile(source=1, values={CYCLES: 12_000.0, CLOCK: 1.5e9, RATE: 2e11})
        (merged,) = merge([timed, cycles])
        assert merged.values[RATE] * merged.values[TIME] * 1e-9 == pytest.approx(1.6e6)
        assert merged.values[CLOCK] == 1.5e9

    def test_rates_stay_where_no_file_has_a_partner(self, profile):
        assert merge([profile(values={RATE: 3e11})])[0].values == {RATE: 3e11}

    def test_rates_without_any_time_are_left_out(self, profile):
        files = [profile(values={RATE: 3e11, READ: 1.0}), profile(source=1, values={CYCLES: 9.0})]
        assert merge(files)[0].values == {READ: 1.0, CYCLES: 9.0}

    def test_rates_per_cycle_fit_the_cycles_of_any_file(self, profile):
        files = [profile(values={CYCLES: 13_000.0}), profile(source=1, values={FMA_PER_CYCLE: 2.5})]
        assert merge(files)[0].values == {CYCLES: 13_000.0, FMA_PER_CYCLE: 2.5}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({TIME: 900.0, CYCLES: 5.0, CLOCK: 1e9}, 900.0),
        ({CYCLES: 3000.0, CLOCK: 1.5e9}, 2000.0),
        ({"sm__cycles_elapsed.max": 3000.0, CLOCK: 1.5e9}, 2000.0),
        ({CYCLES: 3000.0}, None),
        ({CLOCK: 1.5e9}, None),
        ({}, None),
    ],
)
def test_own_time(values, expected):
    assert own_time_ns(values) == expected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1024, 1020, True), (16384, 16380, True), (1024, 1030, False), (0, 0, True), (0, 16, False),
     (None, 16, True), (16, None, True)],
)  # fmt: skip
def test_same_shared_memory(one, other, same):
    assert same_shared_memory(one, other) is same


def _content(profiles):
    return sorted(
        (row.name, row.launch_id, row.source, row.part or "", sorted(row.values.items()))
        for row in profiles
    )


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.integers(0, 1),
            st.sampled_from(["fill", "fill(float *)", "core::fill(float *)", "fill(int)"]),
            st.sampled_from([None, "8.0", "9.0"]),
            st.dictionaries(
                st.sampled_from([TIME, READ, WRITE, RATE, CYCLES, CLOCK]),
                st.sampled_from([100.0, 101.0, 102.5, 200.0]),
            ),
        ),
        max_size=7,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_files_does_not_matter(profile, rows, shuffling: random.Random):
    profiles = [
        profile(name, source=source, launch_id=number, part=part, values=values)
        for source, number, name, part, values in rows
    ]
    shuffled = list(profiles)
    shuffling.shuffle(shuffled)
    merged = merge(profiles)
    assert _content(merged) == _content(merge(shuffled))
    # nothing that was counted gets lost or is counted twice
    amounts = set(itertools.chain.from_iterable(row.values for row in profiles)) - {RATE, CLOCK}
    assert amounts <= set(itertools.chain.from_iterable(row.values for row in merged))
    assert len(merged) >= len({row.launch_id for row in profiles})
