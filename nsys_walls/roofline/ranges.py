"""Kernel time by NVTX range: by name, and as a tree."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.range_forest import NONE, PathTree, RangeForest
from nsys_walls.store.times import RangeTime

OUTSIDE = "(outside)"

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
    """

    name: str
    launches: int
    time_ns: int
    self_time_ns: int
    time_by_wall_ns: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeNode(RangeTotal):
    """Kernels launched inside ranges of one name that lie in ranges of one path.

    Attributes:
        node: Its number, in the order of a walk through the tree, heaviest branches first.
        parent: Node around it; None at the top.
        depth: Nodes around it.
    """

    node: int
    parent: int | None
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTotals:
    """Kernel time by range.

    Attributes:
        by_name: One row a name by falling time, with ``(outside)``; a name that is nested in
            itself counts once. Empty where a run has no ranges.
        tree: The heaviest nodes of the tree, each behind the one around it.
        nodes: How many nodes the whole tree has.
        innermost: By kernel id, the name of the innermost range that most of its time was
            launched in; kernels that ran mostly outside of ranges are not in it.
    """

    by_name: tuple[RangeTotal, ...] = ()
    tree: tuple[RangeNode, ...] = ()
    nodes: int = 0
    innermost: Mapping[int, str] = field(default_factory=dict)


class _Sum:
    __slots__ = ("by_wall", "launches", "self_time_ns", "time_ns")

    def __init__(self) -> None:
        self.launches = self.time_ns = self.self_time_ns = 0
        self.by_wall: dict[str, int] = {}

    def add(self, launches: int, time_ns: int, wall: str) -> None:
        self.launches += launches
        self.time_ns += time_ns
        self.by_wall[wall] = self.by_wall.get(wall, 0) + time_ns

    def merge(self, other: "_Sum") -> None:
        self.launches += other.launches
        self.time_ns += other.time_ns
        for wall, time_ns in other.by_wall.items():
            self.by_wall[wall] = self.by_wall.get(wall, 0) + time_ns


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
    tree, outside = PathTree(forest), _Sum()
    own: list[_Sum] = []
    places: dict[int, dict[str, int]] = {}
    for row in rows:
        node = NONE if row.range is None else tree.node(row.source, row.range)
        times = places.setdefault(kernels[row.point].id, {})
        name = OUTSIDE if node == NONE else tree.names[node]
        times[name] = times.get(name, 0) + row.time_ns
        own += [_Sum() for _ in range(len(tree.names) - len(own))]
        total = outside if node == NONE else own[node]
        total.add(row.launches, row.time_ns, kernels[row.point].wall)
        total.self_time_ns += row.time_ns
    by_name = _by_name(tree, own)
    if outside.launches:
        by_name[OUTSIDE] = outside
    totals = [_total(name, total) for name, total in by_name.items()]
    return RangeTotals(
        by_name=tuple(sorted(totals, key=lambda total: (-total.time_ns, total.name))),
        tree=tuple(_nodes(tree, own)),
        nodes=len(tree.names),
        innermost=_innermost(places),
    )


def _innermost(places: Mapping[int, Mapping[str, int]]) -> dict[int, str]:
    """Choose the range that holds most of each kernel's time."""
    most = {
        kernel: max(times, key=lambda name: (times[name], name)) for kernel, times in places.items()
    }
    return {kernel: name for kernel, name in most.items() if name != OUTSIDE}


def _total(name: str, total: _Sum) -> RangeTotal:
    return RangeTotal(
        name=name,
        launches=total.launches,
        time_ns=total.time_ns,
        self_time_ns=total.self_time_ns,
        time_by_wall_ns=total.by_wall,
    )


def _by_name(tree: PathTree, own: list[_Sum]) -> dict[str, _Sum]:
    sums: dict[str, _Sum] = {}
    for node, total in enumerate(own):
        if not total.launches:
            continue
        sums.setdefault(tree.names[node], _Sum()).self_time_ns += total.self_time_ns
        for name in {tree.names[above] for above in _upwards(tree, node)}:
            sums.setdefault(name, _Sum()).merge(total)
    return sums


def _upwards(tree: PathTree, node: int) -> Iterator[int]:
    while node != NONE:
        yield node
        node = tree.parents[node]


def _nodes(tree: PathTree, own: list[_Sum]) -> Iterator[RangeNode]:
    """Give the heaviest nodes in the order of a walk; a node is never heavier than its parent."""
    inclusive = [_Sum() for _ in own]
    for node in reversed(range(len(own))):
        inclusive[node].merge(own[node])
        if tree.parents[node] != NONE:
            inclusive[tree.parents[node]].merge(inclusive[node])
    heaviest = sorted(range(len(own)), key=lambda node: (-inclusive[node].time_ns, node))
    children: dict[int, list[int]] = {}
    for node in heaviest[:_MOST_NODES]:
        children.setdefault(tree.parents[node], []).append(node)
    numbers: dict[int, int] = {}
    depths = {NONE: -1}
    pending = children.get(NONE, [])[::-1]
    while pending:
        node = pending.pop()
        parent, total = tree.parents[node], inclusive[node]
        numbers[node], depths[node] = len(numbers), depths[parent] + 1
        pending += children.get(node, [])[::-1]
        yield RangeNode(
            node=numbers[node],
            parent=numbers.get(parent),
            depth=depths[node],
            name=tree.names[node],
            launches=total.launches,
            time_ns=total.time_ns,
            self_time_ns=own[node].self_time_ns,
            time_by_wall_ns=total.by_wall,
        )
