"""From work on a GPU to the CUDA call that launched it, and to the operator around that call."""

import re

import numpy as np
import pyarrow as pa

from nsys_walls.sources.torch_trace.collect import Collected
from nsys_walls.sources.torch_trace.columns import printable
from nsys_walls.sources.torch_trace.numbers import MISSING
from nsys_walls.sources.torch_trace.rules import rules
from nsys_walls.sources.torch_trace.threads import Threads
from nsys_walls.traces.arrow import Ints, integers, table, texts
from nsys_walls.traces.nesting import OUTSIDE, Nesting, Numbers

# No call has a longer name.
_LONGEST_NAME = 200


class Callers:
    """Finds the range that a piece of work was launched in, by its correlation id.

    A runtime call and the driver call in it may share an id: the outer one began earlier. Ids
    count within a process, and work on a GPU does not say which process it is of: where a tool
    has merged traces, an id that two processes have leads nowhere.

    Args:
        collected: The trace.
        threads: Its threads.
        nesting: Its ranges.
    """

    def __init__(self, collected: Collected, threads: Threads, nesting: Nesting) -> None:
        calls = collected.calls
        known = np.flatnonzero(calls["correlation"] != MISSING)
        order = known[np.lexsort((calls["start"][known], calls["correlation"][known]))]
        ids, first = np.unique(calls["correlation"][order], return_index=True)
        if len(ids):
            process = threads.process[calls["thread"][order]]
            lowest, highest = (
                choose.reduceat(process, first) for choose in (np.minimum, np.maximum)
            )
            ids, first = ids[lowest == highest], first[lowest == highest]
        self._ids = ids
        self._range_of = _ranges_around(calls["thread"], calls["start"], order[first], nesting)

    def ranges_of(self, correlation: Ints) -> tuple[Numbers, int]:
        """Find the innermost range around the call behind each piece of work.

        Returns:
            Number of the range, or `OUTSIDE`, and how much work has no call in the trace.
        """
        found = np.full(len(correlation), OUTSIDE, np.int32)
        if not len(self._ids):
            return found, len(correlation)
        nearest = np.minimum(np.searchsorted(self._ids, correlation), len(self._ids) - 1)
        hits = self._ids[nearest] == correlation
        found[hits] = self._range_of[nearest[hits]]
        return found, int(np.count_nonzero(~hits))


def _ranges_around(thread: Ints, start: Ints, rows: Ints, nesting: Nesting) -> Numbers:
    """Find the innermost range around some calls."""
    found = np.full(len(rows), OUTSIDE, np.int32)
    for one in np.unique(thread[rows]).tolist():
        mine = np.flatnonzero(thread[rows] == one)
        found[mine] = nesting.range_of[nesting.segments(one, start[rows[mine]])]
    return found


def call_table(collected: Collected, threads: Threads) -> pa.Table:
    """Make the rows of ``calls``: those that launch, copy, wait or allocate."""
    calls = collected.calls
    version = re.compile(rules()["calls"]["version"])
    names = [version.sub("", name[:_LONGEST_NAME]) for name in collected.call_names]
    kinds = [_kind(name) for name in names]
    stored = np.array([kind is not None for kind in kinds], np.bool_)
    rows = np.flatnonzero(stored[calls["name"]] & (calls["duration"] >= 0))
    name = integers(calls["name"][rows])
    return table(
        {
            "start_ns": integers(calls["start"][rows] - collected.first_ns),
            "duration_ns": integers(calls["duration"][rows]),
            **threads.columns(calls["thread"][rows]),
            "correlation": calls.array("correlation").take(integers(rows)),
            "kind": texts(kinds).take(name),
            "name": printable(names).take(name),
        }
    )


def _kind(name: str) -> str | None:
    """Say what a call does; None where it is not stored."""
    patterns = rules()["calls"]
    return next(
        (
            kind
            for kind, pattern in patterns.items()
            if kind != "version" and re.fullmatch(pattern, name)
        ),
        None,
    )
