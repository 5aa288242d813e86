"""What launches, copies, sets and graphs have in common: rows of work on a GPU."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from nsys_walls.traces.arrow import (
    in_int32,
    integers,
    known,
    optional_integers,
    values,
)
from nsys_walls.traces.keys import coded

#: Columns of numbers under our names, all of one length.
Columns = dict[str, pa.Array]

#: A globalPid is hardware id, virtual machine, pid and 24 bits that are 0; a globalTid has the
#: thread in these (comments in the exported table definitions).
THREAD_BITS = 24

#: Far beyond the 292 years that 64 bits of ns can count; keeps sums of two times in 64 bits.
FURTHEST_NS = 2**62
_ID_MASK = 0xFFFFFF


def pid_of(global_id: int | None) -> int | None:
    """Take the operating system's process id from a globalPid or globalTid.

    >>> pid_of(281546145660928)
    4242
    """
    return None if global_id is None else global_id >> THREAD_BITS & _ID_MASK


def process_ids(array: pa.Array) -> pa.Array:
    """Like `pid_of`, for an array that may hold nulls."""
    return integers(values(array) >> THREAD_BITS & _ID_MASK, known(array))


def thread_ids(array: pa.Array) -> pa.Array:
    """Take the operating system's thread ids from an array of globalTid."""
    return integers(values(array) & _ID_MASK, known(array))


def all_columns(chunk: pa.Table, names: Sequence[str]) -> Columns:
    """Take columns out of a chunk; those that the trace does not have are null."""
    present = set(chunk.column_names)
    return {
        name: chunk.column(name).combine_chunks()
        if name in present
        else pa.nulls(chunk.num_rows, pa.int64())
        for name in names
    }


def usable(columns: Columns, required: Sequence[str]) -> tuple[Columns, Counter[str]]:
    """Drop rows that can't be used.

    Args:
        columns: ``start``, ``end`` and others.
        required: Columns that must be known.

    Returns:
        The rows that are left, with ``duration`` in ns, and how many were dropped and why.
    """
    present = np.logical_and.reduce([known(columns[name]) for name in required])
    duration = values(columns["end"]) - values(columns["start"])
    forward = duration >= 0  # also false where the difference overflows
    near = np.logical_and.reduce(
        [np.abs(values(columns[name]) // 2) < FURTHEST_NS // 2 for name in ("start", "end")]
    )
    dropped = Counter(
        {
            "without a whole number as start, end, device or name": int((~present).sum()),
            "that end before they start": int((present & ~forward).sum()),
            "with times that are centuries away": int((present & forward & ~near).sum()),
        }
    )
    columns = {**columns, "duration": integers(duration)}
    keep = present & forward & near
    if not keep.all():
        rows = integers(np.flatnonzero(keep))
        columns = {name: column.take(rows) for name, column in columns.items()}
    return columns, +dropped


def placed(columns: Columns, number: Callable[[int | None, int | None], int | None]) -> Columns:
    """Make the columns that all tables of GPU work share: when, where, who.

    Args:
        columns: Those of the trace.
        number: Numbers the GPU of a process id and CUDA ordinal.
    """
    keyed = coded([columns["process"], columns["device"]])
    numbers = [number(pid_of(process), device) for process, device in keyed.keys]
    return {
        "start_ns": columns["start"],
        "duration_ns": columns["duration"],
        "gpu": optional_integers(numbers).take(integers(keyed.codes)),
        "process": process_ids(columns["process"]),
        "stream": in_int32(columns["stream"]),
        "correlation": columns["correlation"],
    }
