"""Rows per launch and metric: details page, ``--metrics``, summaries."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ncu_files import (
    BEFORE_2022,
    LAUNCH,
    LONG,
    METRIC,
    PROCESS,
    RULE,
    SUMMARY,
    csv_text,
    row,
)

from nsys_walls.sources.ncu_csv.header import parse_header
from nsys_walls.sources.ncu_csv.launches import Profile
from nsys_walls.sources.ncu_csv.long_page import LongPage
from nsys_walls.sources.ncu_csv.metrics import Metrics
from nsys_walls.sources.ncu_csv.rows import counters

BYTES, TIME = "dram__bytes.sum", "gpu__time_duration.sum"


class Table:
    """Wants two metrics by name, and one by its label."""

    def wants(self, name):
        return name in {BYTES, TIME}

    def from_label(self, _section, label, _unit):
        return TIME if label == "Duration" else None


def _read(rows, columns=LONG):
    profile = Profile()
    page = LongPage(parse_header(csv_text(columns)), Metrics(Table()), profile)
    for cells in rows:
        page.read(cells)
    launches = counters(profile).to_pylist()
    return [dict(launch["values"]) for launch in launches], launches, dict(+profile.skipped)


def test_rows_of_a_launch_are_one_launch():
    values, launches, _ = _read([row(BYTES, "byte", "4,096"), row(TIME, "us", "1.25")])
    assert values == [{BYTES: 4096, TIME: 1250}]
    expected = {
        "profile": 0,
        "launch_id": 0,
        "process": 977,
        "ordinal": 0,
        "launches": 1,
        "compute_capability": "8.6",
        "name": "scale(float *, int)",
        "device_name": None,
        "grid_x": 640,
        "grid_y": 2,
        "grid_z": 1,
        "block_x": 128,
        "block_y": 1,
        "block_z": 1,
        "dynamic_shared_bytes": None,
    }
    assert {key: launches[0][key] for key in expected} == expected


@pytest.mark.parametrize(
    "other",
    [
        {"ID": "1"},
        {"Process_ID": "978"},  # processes of one run count their launches each from 0
        {"Kernel_Name": "scale(double *, int)"},
        {"Grid_Size": "(320, 2, 1)"},
        {"Block_Size": "(256, 1, 1)"},
        {"Device": "1"},
    ],
)
def test_what_differs_in_identity_is_another_launch(other):
    values, launches, _ = _read(
        [
            row(BYTES, "byte", "1"),
            row(BYTES, "byte", "2", **other),
            row(TIME, "ns", "3"),
            row(TIME, "ns", "4", **other),
        ]
    )
    assert values == [{BYTES: 1, TIME: 3}, {BYTES: 2, TIME: 4}]
    assert [launch["profile"] for launch in launches] == [0, 1]


def test_rows_before_2022_have_no_shape_and_no_device():
    values, launches, _ = _read([row(BYTES, "byte", "8", columns=BEFORE_2022)], BEFORE_2022)
    assert values == [{BYTES: 8}]
    unknown = ("grid_x", "grid_y", "grid_z", "block_x", "ordinal", "compute_capability")
    assert [launches[0][name] for name in unknown] == [None] * len(unknown)


def test_ragged_and_rule_rows():
    columns = (*LONG, *RULE)
    short = [*row(BYTES, "Mbyte", "2.5"), ""]
    rule = [*row("", "", ""), "SOLBottleneck", "OPT", 'Two lines,\nwith "quotes"']
    values, _, skipped = _read([short, rule, row(TIME, "ns", "7"), rule], columns)
    assert values == [{BYTES: 2_500_000, TIME: 7}]
    assert skipped == {"rule rows": 2}


def test_a_launch_of_which_only_a_rule_speaks_is_a_launch():
    values, _, skipped = _read([row("", "", "")])
    assert values == [{}]
    assert skipped == {"rule rows": 1}


def test_what_is_not_stored_is_counted_by_reason():
    values, _, skipped = _read(
        [
            row(BYTES, "byte", "n/a"),
            row(BYTES, "byte", "(!) n/a"),
            row(BYTES, "byte", ""),
            row(BYTES, "byte", "nan"),
            row(BYTES, "byte", "inf"),
            row(BYTES, "Zbyte", "5"),
            row(BYTES, "byte", "see log"),
            row(TIME, "ns", "9"),
            row("Duration", "us", "9.9", Section_Name="GPU Speed Of Light Throughput"),
            row("No Such Label", "%", "1.5"),
        ]
    )
    assert values == [{TIME: 9}]  # the first one printed
    assert skipped == {
        "values not measured (n/a)": 5,
        "unknown unit Zbyte": 1,
        "values that can't be read as numbers": 1,
        "metrics printed again for the same launch": 1,
        "metrics that are not used": 1,
    }


def test_a_number_after_n_a_counts():
    values, _, _ = _read([row(BYTES, "byte", "n/a"), row(BYTES, "byte", "6")])
    assert values == [{BYTES: 6}]


def test_the_parts_of_a_sum_are_left_out():
    values, _, _ = _read([row(BYTES, "byte", "1,600 (400; 400; 800)")])
    assert values == [{BYTES: 1600}]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["0", "977", "app"], "lines that are not CSV rows"),
        (row(BYTES, "byte", "1")[:-1], "rows that are cut off"),
        ([str(number) for number in range(15)], "lines that are not CSV rows"),
        (row(BYTES, "byte", "1", Kernel_Name=""), "lines that are not CSV rows"),
    ],
)
def test_what_looks_like_a_row_and_is_none(cells, reason):
    values, _, skipped = _read([row(TIME, "ns", "7"), cells])
    assert values == [{TIME: 7}]
    assert skipped == {reason: 1}


def test_numbers_in_columns_of_old_headers_are_no_row():
    values, _, skipped = _read([[str(number) for number in range(12)]], BEFORE_2022)
    assert values == []
    assert skipped == {"lines that are not CSV rows": 1}


def test_ids_that_do_not_fit_are_unknown():
    _, launches, _ = _read([row(BYTES, "byte", "1", ID="9" * 30, Device="9" * 12, Process_ID="x")])
    assert [launches[0][key] for key in ("launch_id", "ordinal", "process")] == [None] * 3


@pytest.mark.parametrize(
    ("printed", "meant"), [("8", "8.0"), ("12", "12.0"), ("8,9", "8.9"), ("", None)]
)
def test_spreadsheets_shorten_compute_capabilities(printed, meant):
    _, launches, _ = _read([row(BYTES, "byte", "1", CC=printed)])
    assert launches[0]["compute_capability"] == meant


def test_dynamic_shared_memory_comes_by_label_or_by_name():
    label = row("Dynamic Shared Memory Per Block", "Kbyte/block", "32.77")
    name = row("launch__shared_mem_per_block_dynamic", "byte/block", "49,152", ID="1")
    _, launches, _ = _read([label, name])
    assert [launch["dynamic_shared_bytes"] for launch in launches] == [32770, 49152]


def _summary(metric, unit, low, high, average, **launch):
    cells = row(metric, unit, "", columns=SUMMARY, **launch)
    return [*cells[:-3], low, high, average]


def test_a_summary_is_a_row_per_shape_with_its_average():
    values, launches, _ = _read(
        [
            _summary(BYTES, "byte", "1,000", "3,000", "2,000.50", Invocations="14"),
            _summary(TIME, "us", "1.00", "2.00", "1.50", Invocations="14"),
            _summary(BYTES, "byte", "7", "7", "7", Grid_Size="(1, 1, 1)"),
        ],
        SUMMARY,
    )
    assert values == [{BYTES: 2000.5, TIME: 1500}, {BYTES: 7}]
    assert [launch["launches"] for launch in launches] == [14, 1]
    assert [launch["launch_id"] for launch in launches] == [None, None]


def test_extremes_of_whole_numbers_show_the_decimal_mark_of_a_summary():
    # 117.344 ns can only be 117 thousand; an average alone would prove nothing
    values, _, _ = _read([_summary(TIME, "ns", "117.344", "118.000", "117.672")], SUMMARY)
    assert values == [{TIME: 117_672}]
    values, _, _ = _read([_summary(TIME, "ns", "117", "118", "117.672")], SUMMARY)
    assert values == [{TIME: 117.672}]


def test_columns_are_found_in_any_order():
    columns = tuple(reversed(LONG))
    values, launches, _ = _read([row(BYTES, "byte", "5", columns=columns)], columns)
    assert values == [{BYTES: 5}]
    assert launches[0]["grid_x"] == 640


def test_nvtx_columns_may_stand_between():
    columns = (*PROCESS, "thread Domain:Push/Pop_Range:PL_Type:PL_Value", *LAUNCH, *METRIC)
    values, launches, _ = _read([row(BYTES, "byte", "5", columns=columns)], columns)
    assert values == [{BYTES: 5}]
    assert launches[0]["name"] == "scale(float *, int)"


@given(st.text(min_size=1))
def test_kernel_names_are_kept_as_printed(name):
    parsed = next(csv.reader([csv_text(row(BYTES, "byte", "5", Kernel_Name=name))]))
    _, launches, _ = _read([parsed])
    assert [launch["name"] for launch in launches] == [name]
