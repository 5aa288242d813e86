"""Codes of rows, compared with a dict of tuples."""

from functools import partial

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.traces import keys
from nsys_walls.traces.keys import coded

ANY = st.one_of(
    st.none(), st.integers(-3, 3), st.sampled_from([-(2**63), 2**63 - 1, 2**53 + 1, 2**53])
)
ROWS = st.lists(st.tuples(ANY, ANY, ANY), max_size=40)
columns_of = partial(map, lambda column: pa.array(column, pa.int64()))


@given(ROWS)
def test_equal_rows_get_equal_codes_in_order_of_appearance(rows):
    columns = list(columns_of(zip(*rows, strict=True))) if rows else [pa.array([], pa.int64())] * 3
    numbers = {}
    expected = [numbers.setdefault(row, len(numbers)) for row in rows]
    result = coded(columns)
    assert result.codes.tolist() == expected
    assert result.keys == list(numbers)


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_codes_are_packed_again_before_they_overflow(monkeypatch, limit):
    monkeypatch.setattr(keys, "_LIMIT", limit)
    rows = [(a, b, c) for a in range(4) for b in range(5) for c in range(3)] * 2
    result = coded(list(columns_of(zip(*rows, strict=True))))
    assert result.codes.tolist() == [*range(60), *range(60)]
    assert result.keys == rows[:60]


def test_many_columns_do_not_overflow():
    """Nine columns of 256 values are 72 bits: in 64, the first column would be lost."""
    rows = [(value,) * 9 for value in range(256)] + [(value, *[0] * 8) for value in range(1, 256)]
    result = coded(list(columns_of(zip(*rows, strict=True))))
    assert result.codes.tolist() == list(range(511))
