import pytest
from support.runs import analyse_rows, counter_row, trace_rows

from nsys_walls.roofline.notices import analysis_notices


@pytest.fixture
def notices(tmp_path):
    def collect(*sources):
        found = analysis_notices(analyse_rows(tmp_path, *sources))
        return {notice.code: notice.message for notice in found}

    return collect


def test_a_clean_run_has_no_warning(notices):
    assert notices(trace_rows([(0, 4, 0, 0, 7)]), {"counters": [counter_row()]}) == {}


def test_more_than_dram_can_deliver_is_named_with_its_ratio(notices):
    # 8000 bytes need 8 ns at the wall, the launch took 4: 200 %
    found = notices(trace_rows([(0, 4, 0, 0, 7)]), {"counters": [counter_row(dram_bytes=8000.0)]})
    assert "k (200 %)" in found["above-bandwidth-wall"]
    assert "L2" in found["above-bandwidth-wall"]


def test_more_than_the_nominal_peak_is_named(notices):
    # 50,000 FLOP need 5 ns
    found = notices(trace_rows([(0, 4, 0, 0, 7)]), {"counters": [counter_row(flop=50_000.0)]})
    assert "k (125 %)" in found["above-compute-wall"]


def test_one_slow_first_launch_is_named_with_its_share(notices):
    # 1 x 900 + 9 x 10 = 990 ns: the first holds 91 %
    rows = trace_rows([(0, 900, 0, 0, 7), *((1000 + 20 * i, 10, 0, 0, 7) for i in range(9))])
    message = notices(rows)["slow-launch"]
    assert "the first of 10 launches took 900 ns, 91 %" in message
    assert "the median, 10.0 ns" in message


def test_a_slow_launch_in_the_middle_is_not_called_the_first(notices):
    rows = trace_rows([(i * 1000, 900 if i == 4 else 10, 0, 0, 7) for i in range(10)])
    assert ": 1 of 10 launches" in notices(rows)["slow-launch"]


def test_damaged_durations_are_named_with_the_ranking_without_them(notices):
    # bad: 4 s on a stream whose next launch begins 1 ms later; without it bad has 1 ms of 3 ms
    ms = 1_000_000
    launches = [(0, ms, 0, 0, 7), (2 * ms, 4000 * ms, 1, 0, 7), (3 * ms, ms, 0, 0, 7),
                (5 * ms, ms, 1, 0, 7)]  # fmt: skip
    found = notices(trace_rows(launches, names=("good", "bad")))
    message = found["impossible-duration"]
    assert "1 of 4 launches" in message
    assert "good 2.00 ms (67 %), bad 1.00 ms (33 %)" in message
    assert "slow-launch" not in found


def test_only_damaged_launches_leave_no_ranking_to_divide_by(notices):
    launches = [(0, 4_000_000_000, 0, 0, 7), (1000, 0, 0, 0, 7)]
    assert "1 of 2 launches" in notices(trace_rows(launches))["impossible-duration"]


def test_kernels_without_counters_are_named_on_both_sides(notices):
    rows = trace_rows([(0, 6, 0, 0, 7), (10, 4, 1, 0, 7)], names=("k", "other"))
    found = notices(rows, {"counters": [counter_row(), counter_row(1, name="init_once")]})
    assert found["no-counters"] == "40 % of kernel time has no counters: other."
    assert "init_once" in found["profiled-not-traced"]


def test_counters_without_a_trace_say_whose_time_it_is(notices):
    assert "ncu's own" in notices({"counters": [counter_row()]})["counters-only"]


def test_kernels_inside_graphs_are_hidden(notices):
    rows = {
        **trace_rows([(0, 4, 0, 0, 7)]),
        "graphs": [{"start_ns": 10, "duration_ns": 2000, "gpu": 0}],
    }
    assert "2.00 µs of kernels are hidden" in notices(rows)["graph-hidden"]


def test_long_lists_are_cut(notices):
    names = tuple(f"kernel_{letter}" for letter in "abcde")
    rows = trace_rows([(i * 10, 5, i, 0, 7) for i in range(5)], names=names)
    assert "and 2 more" in notices(rows)["no-counters"]


def test_counters_without_flop_say_what_to_collect(notices):
    row = counter_row()
    row = {**row, "values": [(k, v) for k, v in row["values"] if not k.startswith("smsp__")]}
    message = notices(trace_rows([(0, 4, 0, 0, 7)]), {"counters": [row]})["incomplete-counters"]
    assert message.startswith("100 % of kernel time has counters without bytes or FLOP: k (k: ")
    assert "smsp__sass_thread_inst_executed_op" in message
