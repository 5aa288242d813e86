import pytest
from support.runs import analyse_rows, counter_row, trace_rows

from nsys_walls.findings import Findings, find_all
from nsys_walls.reports.headline import advice, headline
from nsys_walls.roofline.walls import WallOptions

NOTHING = Findings()


def said(analysis, findings=NOTHING):
    return advice(analysis, findings).written()


@pytest.fixture
def analysis(tmp_path):
    def build(launches, *counters, names=("k", "other")):
        return analyse_rows(tmp_path, trace_rows(launches, names=names), {"counters": counters})

    return build


def test_shares_are_told_by_falling_size(analysis):
    # k: 3500 bytes in 4 ns are 88 % of the wall; other has no counters
    found = analysis([(0, 4, 0, 0, 7), (10, 6, 1, 0, 7)], counter_row(dram_bytes=3500.0))
    assert headline(found, "en") == (
        "60 % of kernel time has no usable counters, 40 % stands at the bandwidth wall."
    )
    assert "Counters are known for 40 %" in said(found)


def test_tiny_shares_are_left_out(analysis):
    found = analysis([(0, 4, 0, 0, 7), (10, 40_000, 1, 0, 7)], counter_row())
    assert headline(found, "en") == "100 % of kernel time has no usable counters."


def test_without_findings_the_kernel_with_most_above_its_floor_is_named(analysis):
    # 1000 bytes need 1 of 4 ns: 3 ns above the floor, 75 % of all time, at 25 % of its wall
    found = analysis([(0, 4, 0, 0, 7)], counter_row())
    assert said(found) == (
        "Most time above the walls is in k: 3.00 ns, 75 % of kernel time, "
        "which reaches 25 % of its bandwidth wall."
    )


def test_a_kernel_at_its_wall_leaves_only_less_work(analysis):
    found = analysis([(0, 4, 0, 0, 7)], counter_row(dram_bytes=4000.0))
    assert "only less work or traffic helps" in said(found)


def test_the_first_finding_is_the_advice(analysis):
    names = ("gemm", "a", "b", "c", "d", "e")
    launches = [(i * 1000, 400 if i == 0 else 120, i, 0, 7) for i in range(6)]
    counters = [
        counter_row(
            i, name=name, dram_bytes=0.0 if i == 0 else 100_000.0, flop=4e6 if i == 0 else 0
        )
        for i, name in enumerate(names)
    ]
    found = analysis(launches, *counters, names=names)
    assert said(found, find_all(found)).startswith("5 small memory-side kernels outweigh")


def test_no_time_at_all(tmp_path):
    found = analyse_rows(tmp_path, {"summaries": []})
    assert headline(found, "en") == "No kernel time was measured."
    assert "0 %" in said(found)


def test_a_kernel_without_a_side_names_no_wall(analysis):
    # L2 served it all: DRAM traffic says nothing, the compute floor is 0.1 ns
    row = counter_row(dram_bytes=0.0, values={"lts__t_bytes.sum": 1e6})
    found = analysis([(0, 4, 0, 0, 7)], row)
    assert said(found) == "Most time above the walls is in k: 3.90 ns, 98 % of kernel time."


def test_where_no_wall_is_known_nothing_is_said_to_stand_at_one(tmp_path):
    walls = WallOptions(peak_flop_per_s={"fp64": 1e12})
    rows = trace_rows([(0, 4, 0, 0, 7)])
    found = analyse_rows(tmp_path, rows, {"counters": [counter_row()]}, options=walls)
    assert said(found).startswith("No wall of these kernels is known")
