"""Bytes, time and the bandwidth wall from counters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.counters.table import load_table
from nsys_walls.counters.traffic import (
    bandwidth_from_counters,
    bytes_of,
    dram_bytes_of,
    dram_sides_of,
    ncu_time_ns_of,
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"dram__bytes.sum": 4096.0}, (4096.0, "dram__bytes.sum")),
        (
            {"dram__bytes_read.sum": 700.0, "dram__bytes_write.sum": 56.0},
            (756.0, "dram__bytes_read.sum + dram__bytes_write.sum"),
        ),
        (
            {"dram__bytes_op_read.sum": 320.0, "dram__bytes_op_write.sum": 0.0},
            (320.0, "dram__bytes_op_read.sum + dram__bytes_op_write.sum"),
        ),
        (
            {"dram__read_bytes.sum": 64.0, "dram__write_bytes.sum": 32.0},
            (96.0, "dram__read_bytes.sum + dram__write_bytes.sum"),
        ),
        (  # 5 + 2 sectors of 32 bytes
            {"dram__sectors_read.sum": 5.0, "dram__sectors_write.sum": 2.0},
            (224.0, "(dram__sectors_read.sum + dram__sectors_write.sum) x 32"),
        ),
        (  # 800 GB/s for 2.5 us
            {"dram__bytes.sum.per_second": 8e11, "gpu__time_duration.sum": 2500.0},
            (2_000_000.0, "dram__bytes.sum.per_second x ncu duration"),
        ),
        ({"dram__bytes.sum": 0.0}, (0.0, "dram__bytes.sum")),
        # one side alone is no traffic, nor is one side of each spelling
        ({"dram__bytes_read.sum": 700.0}, None),
        ({"dram__bytes_read.sum": 700.0, "dram__bytes_op_write.sum": 56.0}, None),
        ({"dram__bytes.sum.per_second": 8e11}, None),
        (
            {"details__memory_throughput.per_second": 8e11, "gpu__time_duration.sum": 2500.0},
            None,
        ),
        ({}, None),
    ],
)
def test_dram_bytes(values, expected):
    assert dram_bytes_of(values) == expected


@pytest.mark.parametrize(
    "worse",
    [
        {"dram__bytes_read.sum": 1.0, "dram__bytes_write.sum": 1.0},
        {"dram__sectors_read.sum": 1.0, "dram__sectors_write.sum": 1.0},
        {"dram__bytes.sum.per_second": 1.0, "gpu__time_duration.sum": 1.0},
    ],
)
def test_the_best_route_wins_and_routes_are_never_added(worse):
    assert dram_bytes_of({**worse, "dram__bytes.sum": 640.0}) == (640.0, "dram__bytes.sum")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"dram__bytes_read.sum": 700.0, "dram__bytes_write.sum": 56.0}, (700, 56)),
        ({"dram__bytes_op_read.sum": 320.0, "dram__bytes_op_write.sum": 0.0}, (320, 0)),
        # sectors of 32 bytes
        ({"dram__sectors_read.sum": 5.0, "dram__sectors_write.sum": 2.0}, (160, 64)),
        (  # 400 and 200 GB/s for 2.5 us
            {
                "dram__bytes_read.sum.per_second": 4e11,
                "dram__bytes_write.sum.per_second": 2e11,
                "gpu__time_duration.sum": 2500.0,
            },
            (1_000_000, 500_000),
        ),
        # a side that was not collected is unknown, whatever the sum is
        ({"dram__bytes.sum": 900.0, "dram__bytes_write.sum": 56.0}, (None, 56)),
        ({"dram__bytes.sum": 900.0}, (None, None)),
        ({"dram__bytes_read.sum.per_second": 4e11}, (None, None)),
    ],
)
def test_dram_reads_and_writes_apart(values, expected):
    assert dram_sides_of(values) == expected


def test_routes_of_two_counters_name_the_reads_first():
    pairs = [row.sum for row in load_table().routes if row.level == "dram" and len(row.sum) > 1]
    assert pairs
    assert all("read" in reads and "write" in writes for reads, writes in pairs)


@pytest.mark.parametrize(
    ("level", "values", "expected"),
    [
        ("l2", {"lts__t_bytes.sum": 96.0, "lts__t_sectors.sum": 9.0}, 96.0),
        ("l2", {"lts__t_sectors.sum": 9.0}, 288.0),
        ("l2", {"lts__lts2xbar_cycles_active.sum": 3.0}, 96.0),
        (  # 5e9 slices/s of 32 bytes for 1 us
            "l2",
            {"lts__lts2xbar_cycles_active.sum.per_second": 5e9, "gpu__time_duration.sum": 1000.0},
            160_000.0,
        ),
        ("l1", {"l1tex__t_bytes.sum": 384.0}, 384.0),
        (  # 2e9 cycles/s of 128 bytes for 1 us
            "l1",
            {
                "l1tex__lsu_writeback_active_mem_lgds.sum.per_second": 2e9,
                "gpu__time_duration.sum": 1000.0,
            },
            256_000.0,
        ),
    ],
)
def test_cache_bytes(level, values, expected):
    assert bytes_of(values, level)[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"gpu__time_duration.sum": 7488.0}, 7488.0),
        # 9000 cycles at 1.2 GHz are 7.5 us
        ({"sm__cycles_elapsed.avg": 9000.0, "sm__cycles_elapsed.avg.per_second": 1.2e9}, 7500.0),
        ({"gpc__cycles_elapsed.max": 9000.0, "gpc__cycles_elapsed.avg.per_second": 2e9}, 4500.0),
        (
            {
                "gpu__time_duration.sum": 7000.0,
                "sm__cycles_elapsed.avg": 9000.0,
                "sm__cycles_elapsed.avg.per_second": 1e9,
            },
            7000.0,
        ),
        # the cycles of one clock at the rate of another are no time
        ({"gpc__cycles_elapsed.max": 9000.0, "sm__cycles_elapsed.avg.per_second": 2e9}, None),
        ({"sm__cycles_elapsed.avg": 9000.0, "sm__cycles_elapsed.avg.per_second": 0.0}, None),
        ({"gpu__time_duration.sum": 0.0}, None),
        ({}, None),
    ],
)
def test_ncu_time(values, expected):
    assert ncu_time_ns_of(values) == pytest.approx(expected)


# 1.215 GHz x 2 transfers x 5120 bit / 8 is 1555.2 GB/s
@pytest.mark.parametrize("clock", [1_215_000.0, 1_215_000_000.0])
def test_bandwidth_from_memory_clock_in_khz_or_hz(clock):
    values = {
        "device__attribute_memory_clock_rate": clock,
        "device__attribute_global_memory_bus_width": 5120.0,
        "dram__bytes.sum.peak_sustained": 1.0,
        "dram__cycles_elapsed.avg.per_second": 1.0,
    }
    assert bandwidth_from_counters(values) == pytest.approx(1555.2e9)


def test_bandwidth_from_bytes_per_cycle():
    values = {
        "dram__bytes.sum.peak_sustained": 64.0,
        "dram__cycles_elapsed.avg.per_second": 5e9,
        "device__attribute_memory_clock_rate": 5_001_000.0,
    }
    assert bandwidth_from_counters(values) == pytest.approx(320e9)


@pytest.mark.parametrize("values", [{}, {"dram__bytes.sum.peak_sustained": 64.0}])
def test_bandwidth_unknown(values):
    assert bandwidth_from_counters(values) is None


COUNTERS = (
    *("dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"),
    *("dram__sectors_read.sum", "dram__sectors_write.sum", "dram__bytes.sum.per_second"),
    "gpu__time_duration.sum",
)


@given(st.dictionaries(st.sampled_from(COUNTERS), st.floats(0, 1e15)))
def test_dram_bytes_are_never_negative_and_ignore_order(values):
    found = dram_bytes_of(values)
    assert found is None or found[0] >= 0
    assert dram_bytes_of(dict(reversed(values.items()))) == found
