"""Kernel time by NVTX range: by name, and as a tree."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.range_forest import NONE, PathTree, RangeForest
from nsys_walls.store.times import RangeTime

#: Kernels that were launched outside of all ranges.
OUTSIDE = "(outside)"

#: Kernels whose innermost range has a name that is not among the heaviest.
OTHER = "(other ranges)"

# Names that a report lists: programs that number their steps have millions.
_MOST_NAMES = 2_000

# Nodes of the tree that a reader would look at; what is smaller adds to the node around it.
_MOST_NODES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTotal:
    """Kernels launched inside ranges of one name.

    Attributes:
        name: Text of the range, without operator counters.
        launches: Kernel launches inside, ranges in it included.
        time_ns: Their time, ns; ranges overlap, so these do not add up.
        self_time_ns: Time of kernels whose innermost range this is, ns.
        time_by_wall_ns: ``time_ns`` by wall.
        shared_time_ns: Part of ``time_ns`` of launches inside another range too that is not
            nested with this one, ns: it counts in both.
    """

    name: str
    launches: int
    time_ns: int
    self_time_ns: int
    time_by_wall_ns: Mapping[str, int]
    shared_time_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeNode(RangeTotal):
    """Kernels launched inside ranges of one name that lie in ranges of one path.

    Attributes:
        node: Its number, in the order of a walk through the tree, heaviest branches first.
        parent: Node around it; None at the top.
        depth: Nodes around it.
        kernels: Ids of the kernels with a launch in it or in what lies in it, rising.
    """

    node: int
    parent: int | None
    depth: int
    kernels: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTotals:
    """Kernel time by range.

    Attributes:
        by_name: The heaviest names, one row each, with ``(outside)`` and, where names are left
            out, ``(other ranges)``, by falling time; a name that is nested in itself counts
            once. Self times add up to all kernel time. Empty where a run has no ranges.
        tree: The heaviest nodes of the tree, each behind the one around it.
        nodes: How many nodes the whole tree has.
        innermost: By kernel id, the row of ``by_name`` that holds most of its time as self
            time; kernels that ran mostly outside of ranges are not in it.
    """

    by_name: tuple[RangeTotal, ...] = ()
    tree: tuple[RangeNode, ...] = ()
    nodes: int = 0
    innermost: Mapping[int, str] = field(default_factory=dict)


_Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Kernel time by innermost node, kernel and wall, a column each."""

    node: _Numbers
    kernel: _Numbers
    wall: _Numbers
    launches: _Numbers
    time_ns: _Numbers


@dataclass(frozen=True, slots=True)
class _Sums:
    """Launches and, by wall, time of some things: a row each, launches in column 0.

    Attributes:
        inside: With all that lies in them.
        own: Without.
    """

    inside: _Numbers
    own: _Numbers


def total_ranges(
    forest: RangeForest, rows: Iterable[RangeTime], kernels: Mapping[int, KernelPoint]
) -> RangeTotals:
    """Sum kernel time by range.

    Args:
        forest: The ranges of the run.
        rows: Kernel time by innermost range and point.
        kernels: Kernels by point.
    """
    if not forest:
        return RangeTotals()
    tree = PathTree(forest)
    walls = list(dict.fromkeys(kernel.wall for kernel in kernels.values()))
    rows = tuple(rows)
    found = _read(tree, rows, kernels, walls)
    overlaps = _overlaps(tree, rows)
    # the last row is that of no node, whose number is -1
    own = np.zeros((len(tree.names) + 1, 1 + len(walls)), np.int64)
    np.add.at(own[:, 0], found.node, found.launches)
    np.add.at(own, (found.node, 1 + found.wall), found.time_ns)
    inside = [tree.add_up(column) for column in own[:-1].T]
    nodes = _Sums(np.stack(inside, axis=1), own[:-1])
    names = _sum_names(tree, nodes, len(forest.names))
    shared: dict[int, int] = {}
    for here, there, row in overlaps:
        for code in there - here:
            names.inside[code, 0] += row.launches
            names.inside[code, 1 + walls.index(kernels[row.point].wall)] += row.time_ns
        for code in here ^ there:
            shared[code] = shared.get(code, 0) + row.time_ns
    listed = _heaviest(names.inside, forest.names)
    totals = [
        replace(
            _total(forest.names[code], names.inside[code], names.own[code], walls),
            shared_time_ns=shared.get(code, 0),
        )
        for code in listed
    ]
    totals += _remainders(names, listed, own[-1], walls)
    return RangeTotals(
        by_name=tuple(sorted(totals, key=lambda total: (-total.time_ns, total.name))),
        tree=tuple(_with_kernels(dict(_nodes(tree, nodes, walls)), tree, found)),
        nodes=len(tree.names),
        innermost=_innermost(found, tree, forest.names, listed),
    )


def _read(
    tree: PathTree,
    rows: Iterable[RangeTime],
    kernels: Mapping[int, KernelPoint],
    walls: Sequence[str],
) -> _Rows:
    columns = [array("q") for _ in _Rows.__slots__]
    for row in rows:
        kernel = kernels[row.point]
        node = NONE if row.range is None else tree.node(row.source, row.range)
        values = node, kernel.id, walls.index(kernel.wall), row.launches, row.time_ns
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return _Rows(*(np.array(column, np.int64) for column in columns))


def _overlaps(
    tree: PathTree, rows: Iterable[RangeTime]
) -> list[tuple[set[int], set[int], RangeTime]]:
    """List rows that lie in two ranges which are not nested, with the names on both paths."""
    return [
        (
            _path(tree, tree.node(row.source, row.range)),
            _path(tree, tree.node(row.source, row.also)),
            row,
        )
        for row in rows
        if row.range is not None and row.also is not None
    ]


def _path(tree: PathTree, node: int) -> set[int]:
    """Collect the names of a node and of all around it."""
    codes = set()
    while node != NONE:
        codes.add(tree.codes[node])
        node = tree.parents[node]
    return codes


def _sum_names(tree: PathTree, nodes: _Sums, count: int) -> _Sums:
    codes, topmost = np.array(tree.codes, np.int64), tree.topmost()
    names = _Sums(*(np.zeros((count, nodes.own.shape[1]), np.int64) for _ in _Sums.__slots__))
    np.add.at(names.inside, codes[topmost], nodes.inside[topmost])
    np.add.at(names.own, codes, nodes.own)
    return names


def _heaviest(inside: _Numbers, names: Sequence[str]) -> list[int]:
    """Choose the names to list: the heaviest, of equally heavy ones the first by name."""
    times = inside[:, 1:].sum(axis=1)
    found = np.flatnonzero(inside[:, 0])
    if len(found) <= _MOST_NAMES:
        return found.tolist()
    least = np.partition(times[found], -_MOST_NAMES)[-_MOST_NAMES]
    heavier: list[int] = found[times[found] > least].tolist()
    equal: list[int] = found[times[found] == least].tolist()
    return heavier + nsmallest(_MOST_NAMES - len(heavier), equal, key=names.__getitem__)


def _remainders(
    names: _Sums, listed: Sequence[int], outside: _Numbers, walls: Sequence[str]
) -> Iterator[RangeTotal]:
    """Sum what is in no listed range; a kernel counts where its innermost range is not listed."""
    if outside[0]:
        yield _total(OUTSIDE, outside, outside, walls)
    other = np.delete(names.own, listed, axis=0).sum(axis=0)
    if other[0]:
        yield _total(OTHER, other, other, walls)


def _total(name: str, inside: _Numbers, own: _Numbers, walls: Sequence[str]) -> RangeTotal:
    launches, *times = inside.tolist()
    return RangeTotal(
        name=name,
        launches=launches,
        time_ns=sum(times),
        self_time_ns=int(own[1:].sum()),
        time_by_wall_ns={wall: ns for wall, ns in zip(walls, times, strict=True) if ns},
    )


def _innermost(
    rows: _Rows, tree: PathTree, names: Sequence[str], listed: Sequence[int]
) -> dict[int, str]:
    """Choose the row that holds most of each kernel's time, of equal ones the last by name."""
    labels = [*(names[code] for code in listed), OTHER, OUTSIDE]
    label_of_name = np.full(len(names), len(listed), np.int64)
    label_of_name[listed] = np.arange(len(listed))
    label_of_node = np.append(label_of_name[np.array(tree.codes, np.int64)], len(listed) + 1)
    places, place = np.unique(
        rows.kernel * len(labels) + label_of_node[rows.node], return_inverse=True
    )
    times = np.zeros(len(places), np.int64)
    np.add.at(times, place, rows.time_ns)
    most: dict[int, tuple[int, str]] = {}
    for key, time_ns in zip(places.tolist(), times.tolist(), strict=True):
        kernel, label = divmod(key, len(labels))
        most[kernel] = max(most.get(kernel, (-1, "")), (time_ns, labels[label]))
    return {kernel: name for kernel, (_, name) in most.items() if name != OUTSIDE}


def _with_kernels(listed: dict[int, RangeNode], tree: PathTree, rows: _Rows) -> Iterator[RangeNode]:
    """Give each listed node its kernels; those of a node that is not listed are its parent's."""
    own: dict[int, set[int]] = {path: set() for path in listed}
    for row, kernel in set(zip(rows.node.tolist(), rows.kernel.tolist(), strict=True)):
        path = row
        while path != NONE and path not in own:
            path = tree.parents[path]
        if path != NONE:
            own[path].add(kernel)
    # a node stands behind the one around it
    for path in reversed(listed):
        if tree.parents[path] != NONE:
            own[tree.parents[path]] |= own[path]
    for path, node in listed.items():
        yield replace(node, kernels=tuple(sorted(own[path])))


def _nodes(tree: PathTree, sums: _Sums, walls: Sequence[str]) -> Iterator[tuple[int, RangeNode]]:
    """Give the heaviest nodes in the order of a walk, each with its number in the whole tree.

    A node is never heavier than its parent.
    """
    heaviest = np.argsort(-sums.inside[:, 1:].sum(axis=1), kind="stable")
    children: dict[int, list[int]] = {}
    for node in heaviest[:_MOST_NODES].tolist():
        children.setdefault(tree.parents[node], []).append(node)
    numbers: dict[int, int] = {}
    depths = {NONE: -1}
    pending = children.get(NONE, [])[::-1]
    while pending:
        node = pending.pop()
        parent = tree.parents[node]
        total = _total(tree.names[node], sums.inside[node], sums.own[node], walls)
        numbers[node], depths[node] = len(numbers), depths[parent] + 1
        pending += children.get(node, [])[::-1]
        yield (
            node,
            RangeNode(
                node=numbers[node],
                parent=numbers.get(parent),
                depth=depths[node],
                name=total.name,
                launches=total.launches,
                time_ns=total.time_ns,
                self_time_ns=total.self_time_ns,
                time_by_wall_ns=total.time_by_wall_ns,
            ),
        )
