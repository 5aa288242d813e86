"""Whole ns and bytes from what is printed in larger units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.sources.nsys_stats.printed import Printed


@pytest.mark.parametrize(
    ("text", "factor", "expected"),
    [
        ("288824971", 1, 288_824_971),
        ("288,824,971", 1, 288_824_971),
        ("12.345", 1000, 12_345),
        ("1.5e3", 1, 1500),
        ("9007199254740993", 1, 9_007_199_254_740_993),  # more digits than a float holds
        ("", 1, None),
        (" ", 1, None),
    ],
)
def test_whole_numbers(text, factor, expected):
    assert Printed().whole(text, factor) == expected


@pytest.mark.parametrize(("text", "bits"), [("x", 64), (str(2**63), 64), (str(2**31), 32)])
def test_what_does_not_fit_is_refused(text, bits):
    with pytest.raises(ValueError, match=r"number|large"):
        Printed().whole(text, 1, bits)


@pytest.mark.parametrize(
    ("text", "factor", "size"),
    [
        ("49152", 1, 49_152),
        ("0", 1, 0),
        ("0.049", 10**6, 49_000),  # off by 500 at most: 1 %
        ("0.010", 10**6, 10_000),  # 5 %
        ("0.009", 10**6, None),
        ("0.000", 10**6, None),  # anything up to 499 bytes
        ("0.000", 1000, 0),  # half a byte: exact
        ("0,049", 10**6, 49_000),
        ("", 10**6, None),
    ],
)
def test_sizes_that_are_rounded_away_are_unknown(text, factor, size):
    printed = Printed()
    assert printed.size(text, factor) == size
    assert printed.rounded == (size is None and text != "")


@given(st.integers(0, 10**12))
def test_a_size_in_megabytes_is_off_by_five_percent_at_most_or_unknown(size):
    read = Printed().size(f"{size / 1e6:.3f}", 10**6)
    assert read is None or abs(read - size) <= 0.0501 * size + 1
