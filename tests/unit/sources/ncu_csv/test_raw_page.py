"""Rows per launch, with a units row."""

import pytest
from support.ncu_files import LAUNCH, PROCESS, csv_text, row

from nsys_walls.sources.ncu_csv.header import parse_header
from nsys_walls.sources.ncu_csv.launches import Profile
from nsys_walls.sources.ncu_csv.metrics import Metrics
from nsys_walls.sources.ncu_csv.raw_page import RawPage
from nsys_walls.sources.ncu_csv.rows import counters

BYTES, TIME, SHARE = "dram__bytes.sum", "gpu__time_duration.sum", "sm__throughput.avg.pct"
FIXED = (*PROCESS, *LAUNCH)
DIMS = tuple(f"launch__{what}_dim_{axis}" for what in ("grid", "block") for axis in "xyz")
CAPABILITY = tuple(f"device__attribute_compute_capability_{part}" for part in ("major", "minor"))


class Table:
    """Wants two metrics."""

    def wants(self, name):
        return name in {BYTES, TIME}

    def from_label(self, _section, label, _unit):
        raise AssertionError(label)


def _read(metrics, *rows, fixed=FIXED):
    profile = Profile()
    page = RawPage(parse_header(csv_text((*fixed, *metrics))), Metrics(Table()), profile)
    for cells in rows:
        page.read(cells)
    launches = counters(profile).to_pylist()
    return [dict(launch["values"]) for launch in launches], launches, profile


def _units(*units, fixed=FIXED):
    return [*[""] * len(fixed), *units]


def _launch(*values, fixed=FIXED, **launch):
    return [*row("", "", "", columns=fixed, **launch), *values]


def test_the_units_row_is_no_launch():
    values, launches, profile = _read(
        (BYTES, SHARE, TIME),
        _units("Mbyte", "%", "us"),
        _launch("1.5", "40.00", "2.25"),
        _launch("2.5", "50.00", "3.25", ID="1"),
    )
    assert values == [{BYTES: 1_500_000, TIME: 2250}, {BYTES: 2_500_000, TIME: 3250}]
    assert [launch["launch_id"] for launch in launches] == [0, 1]
    assert profile.skipped == {"metrics that are not used": 2}
    assert profile.has_units


def test_each_row_is_a_launch_even_with_equal_ids():
    values, _, _ = _read((BYTES,), _units("byte"), _launch("1"), _launch("2"))
    assert values == [{BYTES: 1}, {BYTES: 2}]


def test_without_units_values_are_in_base_units():
    values, _, profile = _read((BYTES, TIME), _launch("4,096", "1,250"))
    assert values == [{BYTES: 4096, TIME: 1250}]
    assert not profile.has_units


def test_units_may_stand_in_the_column_names():
    fixed = ("Kernel Name",)
    values, launches, profile = _read(
        (f"{BYTES} [Mbyte]", f"{TIME} [us]"), ["scale", "1.5", "2.25"], fixed=fixed
    )
    assert values == [{BYTES: 1_500_000, TIME: 2250}]
    assert (launches[0]["name"], launches[0]["launch_id"]) == ("scale", None)
    assert profile.has_units


def test_launches_before_2022_describe_themselves_in_metrics():
    fixed = (*PROCESS, "Kernel Name", "Kernel Time", "Context", "Stream")
    _, launches, _ = _read(
        (*DIMS, *CAPABILITY, "device__attribute_display_name"),
        _units("block", "", "", "thread", "", "", "", "", "", fixed=fixed),
        _launch("1,024", "2", "3", "256", "4", "1", "7", "5", "Tesla T4, 16 GB", fixed=fixed),
        fixed=fixed,
    )
    shape = [launches[0][f"{what}_{axis}"] for what in ("grid", "block") for axis in "xyz"]
    assert shape == [1024, 2, 3, 256, 4, 1]
    assert launches[0]["compute_capability"] == "7.5"
    assert launches[0]["device_name"] == "Tesla T4, 16 GB"


def test_a_shape_with_a_part_missing_is_unknown():
    fixed = (*PROCESS, "Kernel Name", "Kernel Time")
    _, launches, _ = _read(
        (*DIMS, *CAPABILITY),
        _units(*[""] * 8, fixed=fixed),
        _launch("8", "n/a", "1", "256", "1", "1", "8", "n/a", fixed=fixed),
        fixed=fixed,
    )
    assert [launches[0][name] for name in ("grid_x", "block_x", "compute_capability")] == [
        None,
        256,
        None,
    ]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["0", "977"], "lines that are not CSV rows"),
        (_launch("1"), "rows that are cut off"),  # a number may be cut in its middle
        (_launch("1", "2", Grid_Size="many"), "lines that are not CSV rows"),
        (_units("", ""), "lines that are not CSV rows"),  # a second units row
    ],
)
def test_what_looks_like_a_row_and_is_none(cells, reason):
    values, _, profile = _read((BYTES, TIME), _units("byte", "ns"), _launch("1", "2"), cells)
    assert values == [{BYTES: 1, TIME: 2}]
    assert profile.skipped == {reason: 1, "metrics that are not used": 0}


def test_unused_columns_show_the_decimal_mark_too():
    values, _, _ = _read(
        (BYTES, SHARE), _units("Kbyte", "%"), _launch("98.304", "65,77"), _launch("1.024", "7")
    )
    assert values == [{BYTES: 98_304_000}, {BYTES: 1_024_000}]


def test_a_spreadsheet_fills_up_rows():
    values, _, _ = _read((BYTES,), _units("byte", "", ""), _launch("5", "", ""))
    assert values == [{BYTES: 5}]
