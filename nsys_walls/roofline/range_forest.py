"""The NVTX ranges of a run as trees of names, in arrays: there may be millions of ranges."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.selection import RANGE_COLUMNS

# PyTorch numbers every operator in its range name; without that, a run of 93 operators
# shows 18,000 ranges
_COUNTER = re.compile(r",\s*(?:op_id|seq)\s*=\s*\d+")

_Numbers = NDArray[np.int64]

#: Where a range has no parent, and a node neither.
NONE = -1


def range_name(text: str) -> str:
    """Take the counters of operators out of a range's text.

    >>> range_name("aten::mm, op_id = 7, seq = 12")
    'aten::mm'
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

        Returns:
            Their numbers, see `RANGE_COLUMNS`.
        """
        rules = [re.compile(translate(pattern)) for pattern in patterns]
        matches = np.array(
            [*(any(rule.match(name) for rule in rules) for name in self.names), False], np.bool_
        )
        sources: list[_Numbers] = [np.empty(0, np.int64)]
        numbers: list[_Numbers] = [np.empty(0, np.int64)]
        for source, ranges in self._sources.items():
            chosen = np.flatnonzero(_or_ancestor(matches[ranges.name], ranges.parent))
            sources.append(np.full(len(chosen), source, np.int64))
            numbers.append(chosen)
        columns = [np.concatenate(sources), np.concatenate(numbers)]
        return pa.Table.from_arrays([pa.array(column) for column in columns], schema=RANGE_COLUMNS)

    def parent(self, source: int, number: int) -> int:
        """Give the enclosing range of a range, or `NONE`."""
        return int(self._sources[source].parent[number])

    def name(self, source: int, number: int) -> str:
        """Name a range."""
        return self.names[int(self._sources[source].name[number])]


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
    """Paths of names: ranges of one name in ranges of one path are one node."""

    def __init__(self, forest: RangeForest) -> None:
        self._forest = forest
        self._nodes: dict[tuple[int, str], int] = {}
        self._by_range: dict[tuple[int, int], int] = {}
        self.parents: list[int] = []
        self.names: list[str] = []

    def node(self, source: int, number: int) -> int:
        """Number the node of a range; an enclosing node has a lower number."""
        pending = []
        current = number
        while current != NONE and (source, current) not in self._by_range:
            pending.append(current)
            current = self._forest.parent(source, current)
        found = self._by_range[source, current] if current != NONE else NONE
        for current in reversed(pending):
            key = found, self._forest.name(source, current)
            if key not in self._nodes:
                self._nodes[key] = len(self.names)
                self.parents.append(key[0])
                self.names.append(key[1])
            found = self._by_range[source, current] = self._nodes[key]
        return found
