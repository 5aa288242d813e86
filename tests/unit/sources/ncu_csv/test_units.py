"""Units over the versions of ncu."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.sources.ncu_csv.units import exponent, is_whole


@pytest.mark.parametrize(
    ("unit", "power"),
    [
        *[("byte", 0), ("Kbyte", 3), ("Mbyte", 6), ("Gbyte", 9), ("Tbyte", 12), ("Pbyte", 15)],
        *[("nsecond", 0), ("ns", 0), ("nsec", 0), ("usecond", 3), ("us", 3), ("usec", 3)],
        *[("msecond", 6), ("ms", 6), ("msec", 6), ("second", 9), ("s", 9), ("sec", 9)],
        *[("hertz", 0), ("Hz", 0), ("hz", 0), ("Khz", 3), ("Mhz", 6), ("Ghz", 9), ("GHz", 9)],
        *[("cycle/nsecond", 9), ("cycle/usecond", 6), ("cycle/second", 0), ("cycle/s", 0)],
        *[("byte/second", 0), ("Gbyte/second", 9), ("Kbyte/s", 3), ("Tbyte/s", 12), ("GB/s", 9)],
        *[("", 0), ("%", 0), ("inst", 0), ("sector", 0), ("Kinst", 3), ("K", 3), ("M", 6)],
        *[("byte/block", 0), ("Kbyte/block", 3), ("register/thread", 0), ("inst/cycle", 0)],
        (" Mbyte ", 6),
    ],
)
def test_known_units(unit, power):
    assert exponent(unit) == power


@pytest.mark.parametrize(
    "unit", ["Kibyte", "KiB", "furlong", "mbyte", "byte/fortnight", "byte/", "%/s/s", "m"]
)
def test_unknown_units_have_no_power(unit):
    assert exponent(unit) is None


@given(st.text(alphabet="KMGTPkmunsbyteinst/% ", max_size=12))
def test_a_unit_never_gets_two_readings(unit):
    # A prefix may not be taken twice, nor a time be read as a prefixed count
    power = exponent(unit)
    assert power is None or -9 <= power <= 27


@pytest.mark.parametrize(
    ("metric", "unit", "whole"),
    [
        ("gpu__time_duration.sum", "ns", True),
        ("gpu__time_duration.sum", "us", False),
        ("dram__bytes.sum", "byte", True),
        ("dram__bytes.sum.per_second", "byte/second", False),
        ("dram__bytes.avg", "byte", False),
        ("sm__cycles_elapsed.max", "cycle", True),
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", False),
        ("Duration", "ns", False),
    ],
)
def test_only_sums_and_extremes_of_counts_are_whole(metric, unit, whole):
    assert is_whole(metric, unit) == whole
