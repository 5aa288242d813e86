"""Which range is innermost at a time: sweeps over sorted arrays, for millions of ranges.

Ranges of one thread may overlap without being nested: they come from several domains, and
start-end ranges obey no stack. What holds for all of them: among ranges in order of their
start, the innermost one around a time is the last that began before it and ends after it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]
Positions = NDArray[np.int64]
Numbers = NDArray[np.int32]

#: Where no range is open.
OUTSIDE = -1


def _last_reaching(ends: Times, before: Positions, times: Times) -> Positions:
    """Find for each time the last range before a position that does not end sooner.

    One pass, for any nesting: a range that ended is never looked at again. That holds because
    each time is no earlier than all before it, or is the end of the very next range.

    Args:
        ends: End of each range.
        before: The positions, rising, not above the number of ranges.
        times: One time for each.
    """
    return np.fromiter(_sweep(ends.data, before.data, times.data), np.int64, len(times))


def _sweep(ends: memoryview, before: memoryview, times: memoryview) -> Iterator[int]:
    # plain integers out of buffers, one at a time: lists of them would be five times as large
    begun: list[int] = []
    count = 0
    for bound, time in zip(before, times, strict=True):
        begun.extend(range(count, bound))
        count = bound
        while begun and ends[begun[-1]] < time:
            begun.pop()
        yield begun[-1] if begun else OUTSIDE


def last_ending_later(ends: Times) -> Positions:
    """Link each range to the last one before it that ends no sooner.

    Args:
        ends: End of each range, ordered by start and among equal starts by falling end.

    Returns:
        Position of the link, `OUTSIDE` where there is none.
    """
    return _last_reaching(ends, np.arange(len(ends)), ends)


def innermost(starts: Times, ends: Times, times: Times) -> Positions:
    """Find the innermost range around each time; both ends belong to a range.

    Args:
        starts: Start of each range, rising.
        ends: Their ends.
        times: The times to look at, rising.

    Returns:
        Position of the range, `OUTSIDE` where none is open.
    """
    return _last_reaching(ends, np.searchsorted(starts, times, side="right"), times)


def outlasting(starts: Times, ends: Times) -> NDArray[np.bool_]:
    """Say which ranges begin inside another one and outlast it."""
    around = _last_reaching(ends, np.arange(len(ends)), starts + 1)
    return (around >= 0) & (ends[around] < ends)


def also_open(ends: Times, links: Positions, around: Positions, times: Times) -> Positions:
    """Find the last range that is open too, but neither encloses the innermost one nor it that.

    Args:
        ends: End of each range.
        links: Their links, see `last_ending_later`.
        around: Position of the innermost range at each time, or `OUTSIDE`.
        times: The times.

    Returns:
        Position of the range, `OUTSIDE` where all that are open lie in each other.
    """
    found = np.full(len(around), OUTSIDE, np.int64)
    inner = around.copy()
    pending = np.flatnonzero(inner >= 0)
    while pending.size:
        before = _climb(inner[pending] - 1, links, ends, times[pending])
        encloses = before == links[inner[pending]]
        found[pending[~encloses]] = before[~encloses]
        inner[pending[encloses]] = before[encloses]
        pending = pending[encloses & (before >= 0)]
    return found


def _climb(found: Positions, links: Positions, ends: Times, times: Times) -> Positions:
    """Follow links from ranges that end before a time to one that does not."""
    pending = np.flatnonzero(found >= 0)
    while pending.size:
        pending = pending[ends[found[pending]] < times[pending]]
        found[pending] = links[found[pending]]
        pending = pending[found[pending] >= 0]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """Ranges and the threads that they count on.

    Attributes:
        number: Number of each range; a range that counts on two threads stands here twice.
        own: Whether ``thread`` is the one that the range began on.
        thread: The thread (globalTid).
        start: ns.
        end: ns, not before ``start``.
    """

    number: Numbers
    own: NDArray[np.bool_]
    thread: Times
    start: Times
    end: Times


@dataclass(frozen=True, slots=True, kw_only=True)
class Nesting:
    """The ranges of all threads as a sequence of segments, in each of which one is innermost.

    Segments are numbered through all threads; segment 0 is outside of all ranges. On one
    thread a later time has no lower segment.

    Attributes:
        edges: Of each thread, the segment before its first edge and the times in ns where a
            segment begins.
        range_of: Innermost range of each segment, or `OUTSIDE`.
        also_of: Range of each segment that is open too without being nested with the innermost
            one, or `OUTSIDE`; None where all ranges are nested.
        parent_of: Enclosing range of each range on its own thread, or `OUTSIDE`.
        overlaps: Ranges that begin inside another one on their own thread and outlast it.
    """

    edges: Mapping[int, tuple[int, Times]]
    range_of: Numbers
    also_of: Numbers | None
    parent_of: Numbers
    overlaps: int

    def segments(self, thread: int, times: Times) -> Positions:
        """Number the segments that times on a thread lie in."""
        if thread not in self.edges:
            return np.zeros(len(times), np.int64)
        before, edges = self.edges[thread]
        return before + np.searchsorted(edges, times, side="right")


def nest(ranges: Ranges, count: int) -> Nesting:
    """Work out how ranges are nested.

    Args:
        ranges: The ranges.
        count: How many different ones there are, numbered from 0.
    """
    edges: dict[int, tuple[int, Times]] = {}
    nowhere = np.array([OUTSIDE], np.int32)
    segments, also = [nowhere], [nowhere]
    parent_of = np.full(count, OUTSIDE, np.int32)
    total, overlaps = 1, 0
    for thread, rows in _by_thread(ranges):
        number, own = ranges.number[rows], ranges.own[rows]
        start, end = ranges.start[rows], ranges.end[rows]
        links = last_ending_later(end)
        times = np.concatenate([start, end + 1])
        times.sort()
        edges[thread] = (total, times)
        around = innermost(start, end, times)
        segments += [nowhere, _pick(number, around)]
        total += 1 + len(times)
        parent_of[number[own]] = _pick(number, links)[own]
        outlast = outlasting(start, end)
        overlaps += int(np.count_nonzero(outlast & own))
        beside = np.full(len(times), OUTSIDE, np.int64)
        if outlast.any():
            beside = also_open(end, links, around, times)
        also += [nowhere, _pick(number, beside)]
    return Nesting(
        edges=edges,
        range_of=np.concatenate(segments),
        also_of=np.concatenate(also) if overlaps else None,
        parent_of=parent_of,
        overlaps=overlaps,
    )


def _pick(number: Numbers, positions: Positions) -> Numbers:
    return np.where(positions >= 0, number[positions], np.int32(OUTSIDE))


def _by_thread(ranges: Ranges) -> Iterator[tuple[int, Positions]]:
    """Give the rows of each thread by start, among equal starts the longest first."""
    order = np.lexsort((-ranges.end, ranges.start, ranges.thread))
    threads, first = np.unique(ranges.thread[order], return_index=True)
    yield from zip(threads.tolist(), np.split(order, first[1:]), strict=True)
