import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls import units


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (999.7, "1.00 kB"),
        (1000, "1.00 kB"),
        (999_950_000, "1.00 GB"),
        (1_533_916_891_428, "1.53 TB"),
        (312e12, "312 TB"),
        (0.25, "0.25 B"),
    ],
)
def test_si_uses_decimal_prefixes(value, printed):
    assert units.si(value, "B") == printed


@pytest.mark.parametrize(
    ("time_ns", "printed"),
    [(0, "0 ns"), (940, "940 ns"), (2560, "2.56 µs"), (14_450_000, "14.4 ms"), (17e9, "17.0 s")],
)
def test_duration(time_ns, printed):
    assert units.duration(time_ns) == printed


@pytest.mark.parametrize(
    ("ratio", "printed"),
    [(0, "0 %"), (0.0004, "< 0.1 %"), (0.0256, "2.6 %"), (0.4081, "41 %"), (0.996, "99.6 %"),
     (1, "100 %"), (1.371, "137 %"), (13.171, "1,317 %")],
)  # fmt: skip
def test_percent(ratio, printed):
    assert units.percent(ratio) == printed


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("2039GB/s", "B/s", 2.039e12),
        ("2.039 TB/s", "B/s", 2.039e12),
        ("312TFLOP/s", "FLOP/s", 312e12),
        ("312 tflops", "FLOP/s", 312e12),
        ("1GiB/s", "B/s", 2**30),
        ("900e9", "B/s", 900e9),
    ],
)
def test_typed_quantities(text, unit, value):
    assert units.parse_quantity(text, unit) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "fast", "12 GFLOP/s", "-3GB/s", "1.2.3GB/s", "nan", "1XB/s"])
def test_what_is_no_bandwidth_is_refused(text):
    with pytest.raises(ValueError, match=r"is not a number|has unit"):
        units.parse_quantity(text, "B/s")


@pytest.mark.parametrize("text", ["-1", "inf", "nan", "much", ""])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(ValueError, match=r"not a share|could not convert"):
        units.parse_ratio(text)


@given(st.floats(min_value=1e-3, max_value=1e20))
def test_printed_values_read_back_within_their_digits(value):
    printed = units.si(value, "B/s").replace(",", "")
    assert units.parse_quantity(printed, "B/s") == pytest.approx(value, rel=0.0051)
