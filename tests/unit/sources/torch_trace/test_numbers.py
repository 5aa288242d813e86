"""Numbers, exact or absent."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.sources.torch_trace.numbers import MISSING, nanoseconds, number, whole


@given(st.integers(-(2**62) + 1, 2**62 - 1))
def test_every_nanosecond_survives(time_ns):
    sign, size = "-" if time_ns < 0 else "", abs(time_ns)
    text = f"{sign}{size // 1000}.{size % 1000:03}"
    assert nanoseconds(Decimal(text)) == nanoseconds(text) == time_ns


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15))
def test_what_is_finer_than_a_nanosecond_is_rounded(time_us):
    assert abs(Fraction(nanoseconds(time_us)) - Fraction(time_us) * 1000) <= Fraction(1, 2)


def test_microseconds_may_be_whole():
    assert nanoseconds(1_621_401_187_223_197) == 1_621_401_187_223_197_000
    assert nanoseconds(-3) == -3000


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, "", "soon", "nan", "inf", "1e9", "1_000", "٣", [1], {"a": 1}, 1.5),
        *(2**62, -(2**62), Decimal("1e999999"), Decimal("-1e30"), "9" * 30, "9" * 40),
    ],
)
def test_other_values_are_no_times(value):
    assert nanoseconds(value) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((0, 0), (-7, -7), ("12", 12), (" 12 ", 12), ("+3", 3), (Decimal("4.0"), 4), ("4.0", 4)),
        *((Decimal("1E3"), 1000), (2**63 - 1, 2**63 - 1)),
        *((2**63, None), (MISSING, None), (Decimal("4.5"), None), ("4.5", None), (True, None)),
        *((Decimal("1e99999999"), None), ("stream 7", None), (None, None), ([7], None)),
    ],
)
def test_a_whole_number_is_read_or_there_is_none(value, expected):
    assert whole(value) == expected
    assert number(value) == (MISSING if expected is None else expected)


def test_a_number_must_fit():
    assert [whole(value, 32) for value in (2**31 - 1, 2**31, -(2**31) + 1, -(2**31))] == [
        2**31 - 1, None, -(2**31) + 1, None,
    ]  # fmt: skip
