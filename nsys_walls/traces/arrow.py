"""Between Arrow and NumPy without a copy, and without pandas.

``pyarrow.array`` and ``pyarrow.scalar`` import pandas on first use: 0.3 s and 40 MB that
reading a trace does not need. Arrays are made from buffers here instead.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_INT32 = (-(2**31), 2**31 - 1)


def values(array: pa.Array) -> Ints:
    """View an array of int64; where it is null, the value is undefined."""
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros(len(array), np.int64)
    return np.frombuffer(buffer, np.int64, array.offset + len(array))[array.offset :]


def known(array: pa.Array) -> Mask:
    """Say where an array is not null."""
    if array.null_count == 0:
        return np.ones(len(array), np.bool_)
    bitmap = array.buffers()[0]
    if bitmap is None:  # an array of type null has no bitmap
        return np.zeros(len(array), np.bool_)
    bits = np.unpackbits(np.frombuffer(bitmap, np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].view(np.bool_)


def integers(numbers: Ints | NDArray[np.int32], where: Mask | None = None) -> pa.Array:
    """Make an array of int32 or int64.

    Args:
        numbers: The values.
        where: Where they are known; elsewhere the array is null. None: everywhere.
    """
    kind = pa.int32() if numbers.dtype == np.int32 else pa.int64()
    bitmap = None
    if where is not None and not where.all():
        bitmap = pa.py_buffer(np.packbits(where, bitorder="little"))
    return pa.Array.from_buffers(
        kind, len(numbers), [bitmap, pa.py_buffer(np.ascontiguousarray(numbers))]
    )


def optional_integers(numbers: Sequence[int | None]) -> pa.Array:
    """Make an array of int64 from a few Python numbers."""
    filled = np.fromiter((number or 0 for number in numbers), np.int64, len(numbers))
    where = np.fromiter((number is not None for number in numbers), np.bool_, len(numbers))
    return integers(filled, where)


def texts(strings: Sequence[str | None]) -> pa.Array:
    """Make an array of strings from a few Python strings."""
    encoded = [(string or "").encode() for string in strings]
    offsets = np.array([0, *accumulate(map(len, encoded))], np.int32)
    where = np.fromiter((string is not None for string in strings), np.bool_, len(strings))
    bitmap = pa.py_buffer(np.packbits(where, bitorder="little"))
    buffers = [bitmap, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def in_int32(array: pa.Array) -> pa.Array:
    """Make what an int32 column can't hold null: it is no id or size that CUDA has."""
    numbers = values(array)
    fits = (numbers >= _INT32[0]) & (numbers <= _INT32[1])
    return integers(numbers, known(array) & fits)


def table(columns: dict[str, pa.Array]) -> pa.Table:
    """Make a table from columns."""
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def decoded(array: pa.Array | pa.ChunkedArray) -> list[str | None]:
    """List an array that a query made of text; bytes that are no UTF-8 are replaced."""
    if pa.types.is_integer(array.type):  # every value is NULL
        return [None] * len(array)
    return [
        None if raw is None else raw.decode("utf-8", "replace")
        for raw in array.cast(pa.binary()).to_pylist()
    ]


def valid_text(array: pa.Array) -> pa.Array:
    """Make an array of strings that holds UTF-8 only, as Parquet readers expect."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return texts(decoded(array))
    return array if array.type == pa.string() else texts(decoded(array))
