"""Rows of whole numbers that are collected until the end of a trace."""

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa

from nsys_walls.sources.torch_trace.numbers import MISSING
from nsys_walls.traces.arrow import Ints, integers, texts

Key = TypeVar("Key", bound=Hashable)


class Columns:
    """A table of whole numbers, 8 bytes each.

    Args:
        names: Its columns.

    Attributes:
        add: Append a row: a sequence with a number for each column, `MISSING` where it has none.
    """

    def __init__(self, *names: str) -> None:
        self._numbers = array("q")
        self._place = {name: place for place, name in enumerate(names)}
        self.add: Callable[[Iterable[int]], None] = self._numbers.extend

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._numbers) // len(self._place)

    def __getitem__(self, name: str) -> Ints:
        """Give a copy of a column; rows can't be added while one looks into them."""
        rows = np.frombuffer(self._numbers, np.int64).reshape(-1, len(self._place))
        return rows[:, self._place[name]].copy()

    def clear(self) -> None:
        """Forget all rows."""
        del self._numbers[:]

    def array(self, name: str) -> pa.Array:
        """Give a column with null where a number is missing."""
        numbers = self[name]
        return integers(numbers, numbers != MISSING)


class Codes(Generic[Key]):
    """Gives equal keys one small number, in order of first appearance."""

    def __init__(self) -> None:
        self._codes: dict[Key, int] = {}

    def code(self, key: Key) -> int:
        """Number a key; the same again next time."""
        return self._codes.setdefault(key, len(self._codes))

    def __iter__(self) -> Iterator[Key]:
        """Give the keys in the order of their numbers."""
        return iter(self._codes)


def printable(names: Iterable[str | None]) -> pa.Array:
    """Make an array of names; half of a surrogate pair, which JSON can spell, is replaced."""
    return texts(
        [None if name is None else name.encode("utf-8", "replace").decode() for name in names]
    )
