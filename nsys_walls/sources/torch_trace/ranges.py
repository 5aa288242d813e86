"""Operators and annotations as ranges: how they nest, and their rows for the store."""

import numpy as np
import pyarrow as pa

from nsys_walls.sources.torch_trace.collect import Collected
from nsys_walls.sources.torch_trace.columns import printable
from nsys_walls.sources.torch_trace.threads import Threads
from nsys_walls.traces.arrow import Ints, integers, table, texts
from nsys_walls.traces.nesting import OUTSIDE, Nesting, Ranges, nest
from nsys_walls.traces.privacy import without_folders


def outer_first(collected: Collected) -> Ints:
    """List the rows of the ranges so that those around others come first: they number them.

    Where two begin and end together, as they do in whole microseconds, the one whose operator
    began first is around the other.
    """
    ranges = collected.ranges
    keys = ranges["operator"], -ranges["duration"], ranges["start"], ranges["thread"]
    return np.lexsort(keys)


def nested(collected: Collected, order: Ints) -> Nesting:
    """Nest the ranges.

    Args:
        collected: The trace.
        order: Their rows, see `outer_first`.
    """
    ranges, count = collected.ranges, len(order)
    return nest(
        Ranges(
            number=np.arange(count, dtype=np.int32),
            own=np.ones(count, np.bool_),
            thread=ranges["thread"][order],
            start=ranges["start"][order],
            end=(ranges["start"] + ranges["duration"])[order],
        ),
        count,
    )


def range_table(collected: Collected, order: Ints, nesting: Nesting, threads: Threads) -> pa.Table:
    """Make the rows of ``ranges``."""
    ranges = collected.ranges
    names = without_folders(printable(collected.range_names))
    kind = texts(["push_pop"]).take(integers(np.zeros(len(order), np.int64)))
    return table(
        {
            "range": integers(np.arange(len(order), dtype=np.int32)),
            "parent": integers(nesting.parent_of, nesting.parent_of != OUTSIDE),
            "name": names.take(integers(ranges["name"][order])),
            "kind": kind,
            "start_ns": integers(ranges["start"][order] - collected.first_ns),
            "duration_ns": integers(ranges["duration"][order]),
            **threads.columns(ranges["thread"][order]),
        }
    )
