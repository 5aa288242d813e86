"""Kernel time by range name: what is listed, what is summed, and that sums stay whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.runs import analyse_rows, store_run, trace_rows

from nsys_walls.roofline import ranges as module
from nsys_walls.roofline.range_forest import NONE, PathTree, RangeForest, range_name
from nsys_walls.roofline.ranges import OTHER, OUTSIDE


def rows_of(launches, ranges, *, names=("k",)):
    """Make a trace of (kernel, ns, innermost range) launches and (parent, name) ranges."""
    traced = [(1000 * i, ns, kernel, 0, 7) for i, (kernel, ns, _) in enumerate(launches)]
    rows = trace_rows(traced, names=names)
    for launch, (_, _, number) in zip(rows["launches"], launches, strict=True):
        launch["range"] = number
    numbered = [{"range": i, "parent": p, "name": name} for i, (p, name) in enumerate(ranges)]
    return {**rows, "ranges": numbered}


def totals_of(found):
    """Give launches, time and self time by name, in order."""
    return {row.name: (row.launches, row.time_ns, row.self_time_ns) for row in found.ranges.by_name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("aten::mul, op_id = 12, sizes = [[2, 3], []]", "aten::mul, sizes = [[2, 3], []]"),
        ("aten::mul, seq = 7, sizes = [], input_op_ids = [(1,0), (2,0)]", "aten::mul, sizes = []"),
        ("aten::cat, input_op_ids = [[(1,0), (2,0)], (3,1)], op_id = 4", "aten::cat"),
        ("aten::ones, input_op_ids = []", "aten::ones"),
        ("step, input_op_ids = [(1", "step, input_op_ids = [(1"),
    ],
)
def test_counters_of_operators_are_no_part_of_a_name(text, name):
    assert range_name(text) == name


def test_six_operators_of_one_shape_are_one_name(tmp_path):
    ranges = [
        (None, f"aten::mul, op_id = {i}, sizes = [[2, 3]], input_op_ids = [({i - 1},0)]")
        for i in range(6)
    ]
    found = analyse_rows(tmp_path, rows_of([(0, 10, i) for i in range(6)], ranges))
    assert totals_of(found) == {"aten::mul, sizes = [[2, 3]]": (6, 60, 60)}


def test_a_node_has_the_kernels_that_were_launched_in_it_or_deeper(tmp_path):
    # step: a kernel of its own; layer 0 with k and l; step 2 with layer 0, which ran l only
    ranges = [(None, "step"), (0, "layer"), (1, "inner"), (None, "step 2"), (3, "layer")]
    launches = [("m", 90, 0), ("k", 80, 1), ("l", 70, 2), ("l", 60, 4), ("k", 9, None)]
    places = {"k": 0, "l": 1, "m": 2}
    rows = rows_of([(places[name], *rest) for name, *rest in launches], ranges, names=tuple("klm"))
    found = analyse_rows(tmp_path, rows)

    name_of = {kernel.id: kernel.name for kernel in found.kernels}
    kernels = [
        (node.name, {name_of[number] for number in node.kernels}) for node in found.ranges.tree
    ]
    assert kernels == [
        ("step", {"k", "l", "m"}), ("layer", {"k", "l"}), ("inner", {"l"}),
        ("step 2", {"l"}), ("layer", {"l"}),
    ]  # fmt: skip


def test_kernels_of_a_node_that_is_not_listed_are_in_the_one_around_it(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_MOST_NODES", 1)
    rows = rows_of([(0, 9, 1), (1, 5, 2), (0, 3, 3)],
                   [(None, "a"), (0, "b"), (1, "c"), (None, "d")], names=tuple("kl"))  # fmt: skip
    (node,) = analyse_rows(tmp_path, rows).ranges.tree

    assert (node.name, node.kernels) == ("a", (0, 1))


class TestManyNames:
    @pytest.fixture(autouse=True)
    def two_names(self, monkeypatch):
        monkeypatch.setattr(module, "_MOST_NAMES", 2)

    def test_all_are_listed_up_to_the_limit(self, tmp_path):
        found = analyse_rows(tmp_path, rows_of([(0, 5, 0), (0, 7, 1)], [(None, "a"), (None, "b")]))
        assert totals_of(found) == {"b": (1, 7, 7), "a": (1, 5, 5)}

    def test_beyond_it_the_lightest_become_one_row_of_self_time(self, tmp_path):
        # step 100 holds a (20) and b (10), in b is c (4); 9 are outside
        ranges = [(None, "step"), (0, "a"), (0, "b"), (2, "c")]
        launches = [(0, 70, 0), (0, 20, 1), (0, 6, 2), (0, 4, 3), (0, 9, None)]
        found = analyse_rows(tmp_path, rows_of(launches, ranges))
        assert totals_of(found) == {
            "step": (4, 100, 70),
            "a": (1, 20, 20),
            OTHER: (2, 10, 10),
            OUTSIDE: (1, 9, 9),
        }
        assert all(
            row.time_by_wall_ns == {"unmeasured": row.time_ns} for row in found.ranges.by_name
        )
        # the tree has its own limit
        assert [node.name for node in found.ranges.tree] == ["step", "a", "b", "c"]

    def test_of_equally_heavy_names_the_first_by_name_are_listed(self, tmp_path):
        ranges = [(None, name) for name in ("d", "c", "b", "a")]
        launches = [(0, 9, 0), (0, 5, 1), (0, 5, 2), (0, 5, 3)]
        found = analyse_rows(tmp_path, rows_of(launches, ranges))
        assert totals_of(found) == {OTHER: (2, 10, 10), "d": (1, 9, 9), "a": (1, 5, 5)}

    def test_names_without_kernels_of_their_own_leave_nothing_over(self, tmp_path):
        ranges = [(None, "a"), (0, "b"), (1, "c")]
        found = analyse_rows(tmp_path, rows_of([(0, 5, 2)], ranges))
        assert totals_of(found) == {"a": (1, 5, 0), "b": (1, 5, 0), OTHER: (1, 5, 5)}

    def test_a_kernel_is_said_to_run_in_a_row_that_is_listed(self, tmp_path):
        ranges = [(None, name) for name in "abcd"]
        launches = [(0, 90, 0), (0, 80, 1), (1, 20, 0), (1, 15, 2), (1, 15, 3), (2, 9, None)]
        found = analyse_rows(tmp_path, rows_of(launches, ranges, names=("k", "spread", "out")))
        names = {kernel.name: found.ranges.innermost.get(kernel.id) for kernel in found.kernels}
        assert names == {"k": "a", "spread": OTHER, "out": None}


def test_a_range_that_is_called_outside_keeps_its_own_row(tmp_path):
    found = analyse_rows(tmp_path, rows_of([(0, 5, 0), (0, 3, None)], [(None, OUTSIDE)]))
    assert [(row.name, row.self_time_ns) for row in found.ranges.by_name] == [
        (OUTSIDE, 5),
        (OUTSIDE, 3),
    ]


def test_a_name_nested_in_itself_counts_once_at_any_depth(tmp_path):
    # x > y > x > y > … 2,000 deep, a kernel of 1 ns in each
    count = 2000
    ranges = [(i - 1 if i else None, "xy"[i % 2]) for i in range(count)]
    found = analyse_rows(tmp_path, rows_of([(0, 1, i) for i in range(count)], ranges))
    assert totals_of(found) == {"x": (2000, 2000, 1000), "y": (1999, 1999, 1000)}
    assert found.ranges.nodes == count


class Forest:
    """Ranges of one source, numbered from the outside in."""

    def __init__(self, parents, codes):
        self.parents, self.codes, self.names = parents, codes, list("abc")

    def size(self, _):
        return len(self.parents)

    def parent(self, _, number):
        return self.parents[number]

    def code(self, _, number):
        return self.codes[number]


NODES = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 2)), min_size=1, max_size=30)


@given(NODES)
def test_topmost_nodes_and_sums_are_those_of_a_walk_up_each_path(rows):
    parents = [link % (number + 1) - 1 for number, (link, _) in enumerate(rows)]
    tree = PathTree(Forest(parents, [code for _, code in rows]))
    for number in range(len(rows)):
        tree.node(0, number)
    paths = []
    for node in range(len(tree.names)):
        path = []
        above = tree.parents[node]
        while above != NONE:
            path.append(above)
            above = tree.parents[above]
        paths.append(path)
    names = tree.names
    assert tree.topmost().tolist() == [
        all(names[above] != names[node] for above in path) for node, path in enumerate(paths)
    ]
    own = [3**node % 101 for node in range(len(names))]
    sums = own.copy()
    for node, path in enumerate(paths):
        for above in path:
            sums[above] += own[node]
    assert tree.add_up(np.array(own)).tolist() == sums


@pytest.mark.parametrize(
    ("pattern", "numbers"),
    [
        ("second[1]", [1]),  # the name itself, though as a pattern it means second1
        ("second[2]", [3]),  # no such name: a pattern
        ("second*", [1, 2, 3]),
        ("third", []),
    ],
)
def test_a_range_is_chosen_by_its_name_before_it_is_by_a_pattern(tmp_path, pattern, numbers):
    names = ["first", "second[1]", "second1", "second2"]
    rows = [{"range": i, "parent": None, "name": name} for i, name in enumerate(names)]
    forest = RangeForest(store_run(tmp_path, {"ranges": rows}))
    assert forest.inside([pattern])["range"].to_pylist() == numbers
