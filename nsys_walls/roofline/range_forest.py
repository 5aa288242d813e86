"""The NVTX ranges of a run as trees of names, in arrays: there may be millions of ranges."""

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.selection import RANGE_COLUMNS

# PyTorch numbers every operator in its range name, and lists the numbers of those that made its
# inputs; without that, a run of 93 operators shows 18,000 ranges
_COUNTER = re.compile(
    r",\s*(?:(?:op_id|seq)\s*=\s*\d+|input_op_ids\s*=\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\])"
)

_Numbers = NDArray[np.int64]

#: Where a range has no parent, and a node neither.
NONE = -1


def range_name(text: str) -> str:
    """Take the counters of operators out of a range's text.

    >>> range_name("aten::mm, op_id = 7, sizes = [[2, 3]], input_op_ids = [(5,0)]")
    'aten::mm, sizes = [[2, 3]]'
    """
    return _COUNTER.sub("", text)


@dataclass(frozen=True, slots=True)
class _Ranges:
    """The ranges of one source, by their number.

    Attributes:
        parent: Enclosing range, or `NONE`.
        name: Place of its name in the forest's names; `NONE` for numbers that no range has.
    """

    parent: _Numbers
    name: _Numbers


class RangeForest:
    """Which range lies in which, and what they are called.

    Attributes:
        names: Distinct names, without counters of operators.
    """

    def __init__(self, run: StoredRun) -> None:
        """Read the ranges of a run."""
        self._codes: dict[str, int] = {}
        self._sources = {
            source: self._read(table)
            for source, table in run.parts("ranges", ("range", "parent", "name"))
            if table.num_rows
        }
        self.names = list(self._codes)

    def _read(self, table: pa.Table) -> _Ranges:
        number = table["range"].to_numpy().astype(np.int64)
        name = table["name"].combine_chunks()
        texts = [range_name(text or "") for text in name.dictionary.to_pylist()]
        unnamed = self._code("") if name.null_count else NONE
        codes = np.array([*(self._code(text) for text in texts), unnamed], np.int64)
        # a null index becomes the last code, that of no name
        places = name.indices.fill_null(len(texts)).to_numpy()
        size = int(number.max()) + 1
        parents = np.full(size, NONE, np.int64)
        parents[number] = table["parent"].fill_null(NONE).to_numpy()
        named = np.full(size, NONE, np.int64)
        named[number] = codes[places]
        return _Ranges(parents, named)

    def _code(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))

    def __bool__(self) -> bool:
        """Whether there is any range."""
        return bool(self._sources)

    def inside(self, patterns: Iterable[str]) -> pa.Table:
        """Find the ranges with a name like one of some patterns, and all that lie in them.

        Args:
            patterns: Names, or patterns of a shell; what is the name of a range is no pattern.

        Returns:
            Their numbers, see `RANGE_COLUMNS`.
        """
        # numbers that no range has are named -1, so by the last
        matches = np.zeros(len(self.names) + 1, np.bool_)
        for pattern in patterns:
            matches[self._named(pattern)] = True
        sources: list[_Numbers] = [np.empty(0, np.int64)]
        numbers: list[_Numbers] = [np.empty(0, np.int64)]
        for source, ranges in self._sources.items():
            chosen = np.flatnonzero(_or_ancestor(matches[ranges.name], ranges.parent))
            sources.append(np.full(len(chosen), source, np.int64))
            numbers.append(chosen)
        columns = [np.concatenate(sources), np.concatenate(numbers)]
        return pa.Table.from_arrays([pa.array(column) for column in columns], schema=RANGE_COLUMNS)

    def _named(self, pattern: str) -> list[int]:
        if pattern in self._codes:
            return [self._codes[pattern]]
        rule = re.compile(translate(pattern))
        return [code for code, name in enumerate(self.names) if rule.match(name)]

    def size(self, source: int) -> int:
        """Give the highest number of a range of a source, plus one."""
        return len(self._sources[source].parent)

    def parent(self, source: int, number: int) -> int:
        """Give the enclosing range of a range, or `NONE`."""
        return int(self._sources[source].parent[number])

    def code(self, source: int, number: int) -> int:
        """Give the place of a range's name in `names`."""
        return int(self._sources[source].name[number])


def _or_ancestor(chosen: NDArray[np.bool_], parent: _Numbers) -> NDArray[np.bool_]:
    """Say of each range whether it or one around it is chosen; steps double at every turn."""
    inside, upwards = chosen.copy(), parent.copy()
    pending = np.flatnonzero(upwards != NONE)
    while pending.size:
        inside[pending] |= inside[upwards[pending]]
        upwards[pending] = upwards[upwards[pending]]
        pending = pending[upwards[pending] != NONE]
    return inside


class PathTree:
    """Paths of names: ranges of one name in ranges of one path are one node.

    Attributes:
        parents: Enclosing node of each node, which has a lower number, or `NONE`.
        codes: Place of its name in the forest's names.
        names: Its name.
    """

    def __init__(self, forest: RangeForest) -> None:
        self._forest = forest
        self._nodes: dict[int, int] = {}
        self._by_range: dict[int, _Numbers] = {}
        self.parents = array("q")
        self.codes = array("q")
        self.names: list[str] = []

    def node(self, source: int, number: int) -> int:
        """Number the node of a range; an enclosing node has a lower number."""
        if source not in self._by_range:
            self._by_range[source] = np.full(self._forest.size(source), NONE, np.int64)
        known = self._by_range[source]
        pending = []
        current = number
        while current != NONE and known[current] == NONE:
            pending.append(current)
            current = self._forest.parent(source, current)
        found = NONE if current == NONE else int(known[current])
        for current in reversed(pending):
            found = known[current] = self._child(found, self._forest.code(source, current))
        return found

    def _child(self, parent: int, code: int) -> int:
        # one integer, where a pair would take three times the memory
        key = (parent + 1) * len(self._forest.names) + code
        if key not in self._nodes:
            self._nodes[key] = len(self.names)
            self.parents.append(parent)
            self.codes.append(code)
            self.names.append(self._forest.names[code])
        return self._nodes[key]

    def add_up(self, own: _Numbers) -> _Numbers:
        """Add to a number of each node those of all nodes in it."""
        sums = array("q", own.tobytes())
        for node in reversed(range(len(sums))):
            if self.parents[node] != NONE:
                sums[self.parents[node]] += sums[node]
        return np.array(sums, np.int64)

    def topmost(self) -> NDArray[np.bool_]:
        """Say of each node whether no node around it has its name."""
        starts, sizes = self._spans()
        codes = np.array(self.codes, np.int64)
        order = np.lexsort((starts, codes))
        # spans lie in each other or apart: among those of one name, in order, a span lies in
        # another where it begins before all earlier ones have ended; each name has its own line
        line = codes[order] * (len(codes) + 1)
        ended = np.maximum.accumulate(line + (starts + sizes)[order])
        topmost = np.ones(len(codes), np.bool_)
        topmost[order[1:]] = (line + starts[order])[1:] >= ended[:-1]
        return topmost

    def _spans(self) -> tuple[_Numbers, _Numbers]:
        """Number all nodes so that those in a node follow it: its number and how many."""
        sizes = self.add_up(np.ones(len(self.parents), np.int64))
        starts = array("q")
        # next number to give in each node; the last is that of the top, whose number is -1
        free = array("q", bytes(8 * (len(sizes) + 1)))
        for node, (parent, size) in enumerate(zip(self.parents, sizes.data, strict=True)):
            starts.append(free[parent])
            free[node] = free[parent] + 1
            free[parent] += size
        return np.array(starts, np.int64), sizes
