"""Arrays made from buffers equal those that pyarrow makes."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.traces import arrow

INT64 = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))


@given(st.lists(INT64), st.integers(0, 9))
def test_values_and_nulls_survive_also_in_a_slice(numbers, skip):
    array = pa.array(numbers, pa.int64()).slice(skip)
    assert arrow.integers(arrow.values(array), arrow.known(array)).equals(array)


@given(st.lists(INT64))
def test_optional_integers(numbers):
    assert arrow.optional_integers(numbers).equals(pa.array(numbers, pa.int64()))


@given(st.lists(st.one_of(st.none(), st.text())))
def test_texts(strings):
    made = arrow.texts(strings)
    made.validate(full=True)
    assert made.to_pylist() == strings


def test_int32_stays_int32():
    assert arrow.integers(np.array([1, 2], np.int32)).type == pa.int32()


def test_a_column_that_is_absent_is_null():
    assert arrow.known(pa.nulls(3, pa.int64())).tolist() == [False] * 3
    assert arrow.known(pa.nulls(3)).tolist() == [False] * 3
    assert arrow.values(pa.Array.from_buffers(pa.int64(), 0, [None, None])).tolist() == []


def test_what_int32_can_not_hold_becomes_null():
    numbers = [-(2**31) - 1, -(2**31), 0, None, 2**31 - 1, 2**31]
    fitting = arrow.in_int32(arrow.optional_integers(numbers))
    assert fitting.to_pylist() == [None, -(2**31), 0, None, 2**31 - 1, None]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([None, None], pa.int64()), [None, None]),
        (pa.array(["a", None]), ["a", None]),
        (pa.array([b"a\xff", None], pa.binary()), ["a\ufffd", None]),
    ],
)
def test_text_of_any_type_is_decoded(array, expected):
    assert arrow.decoded(array) == expected
    assert arrow.valid_text(array).to_pylist() == expected


def test_bytes_that_are_no_utf_8_are_replaced():
    broken = pa.array([b"ok", b"\xc3("], pa.binary()).view(pa.string())
    assert arrow.valid_text(broken).to_pylist() == ["ok", "\ufffd("]


def test_pandas_is_not_imported():
    code = (
        "import sys; from nsys_walls.sources.nsys_sqlite import read; "
        "from nsys_walls.traces import arrow as a; "
        "t = a.table({'n': a.optional_integers([1, None]), 't': a.texts(['x', None])}); "
        "a.in_int32(t['n'].combine_chunks()); a.valid_text(t['t'].combine_chunks()); "
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
