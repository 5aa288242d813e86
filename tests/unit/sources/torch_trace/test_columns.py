"""Columns that grow, and codes of equal keys."""

from nsys_walls.sources.torch_trace.columns import Codes, Columns, printable
from nsys_walls.sources.torch_trace.numbers import MISSING


def test_rows_come_back_as_columns():
    columns = Columns("a", "b")
    assert len(columns) == 0
    assert columns["a"].tolist() == []
    columns.add((1, 2))
    columns.add((3, MISSING))
    assert len(columns) == 2
    assert columns["a"].tolist() == [1, 3]
    assert columns.array("b").to_pylist() == [2, None]
    columns.add((5, 6))  # what was given out does not keep the rows from growing
    assert columns["b"].tolist() == [2, MISSING, 6]


def test_one_column_is_a_table_too():
    columns = Columns("a")
    columns.add((1,))
    first = columns["a"]
    columns.add((2,))
    assert (first.tolist(), columns["a"].tolist()) == ([1], [1, 2])


def test_codes_count_keys_as_they_come():
    codes = Codes()
    assert [codes.code(key) for key in ("x", None, "x", ("y", 1))] == [0, 1, 0, 2]
    assert list(codes) == ["x", None, ("y", 1)]


def test_names_become_utf_8():
    assert printable(["a", None, "\ud83d", "é"]).to_pylist() == ["a", None, "?", "é"]
