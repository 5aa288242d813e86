"""Give equal rows of many columns one small code, exactly.

Columns are coded one at a time and combined as digits of one number, which is coded again
before it could overflow: no hash can make two different rows equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from nsys_walls.traces.arrow import Ints, integers, values

_LIMIT = 2**62

#: A row of the columns that were coded, None where a value is null.
Key = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Coded:
    """Rows with their codes.

    Attributes:
        codes: Code of each row, counted from 0 in order of first appearance.
        keys: The row of each code.
    """

    codes: Ints
    keys: list[Key]


def coded(columns: Sequence[pa.Array]) -> Coded:
    """Code the rows of some columns of equal length; null is a value like any other."""
    codes: Ints = np.zeros(len(columns[0]), np.int64)
    count = 1
    for column in columns:
        encoded = column.dictionary_encode(null_encoding="encode")
        size = max(1, len(encoded.dictionary))
        if count > _LIMIT // size:
            codes, count = _dense(codes)
        codes = codes * size + values(encoded.indices.cast(pa.int64()))
        count *= size
    codes, count = _dense(codes)
    first = np.empty(count, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the earliest row is assigned last
    rows = [column.take(integers(first)).to_pylist() for column in columns]
    return Coded(codes, list(zip(*rows, strict=True)))


def _dense(codes: Ints) -> tuple[Ints, int]:
    encoded = integers(codes).dictionary_encode()
    return values(encoded.indices.cast(pa.int64())), len(encoded.dictionary)
