"""The innermost range that holds most of a wait."""

import pytest
from support.runs import store_run

from nsys_walls.roofline.range_forest import RangeForest
from nsys_walls.roofline.waits import WaitPlace, main_place

# step > (forward > layer, layer), backward; the layers are one path
RANGES = [(1, None, "step"), (2, 1, "forward"), (3, 2, "layer"), (4, 2, "layer"), (5, 1, "back")]


@pytest.fixture
def forest(tmp_path):
    rows = [{"range": number, "parent": parent, "name": name} for number, parent, name in RANGES]
    return RangeForest(store_run(tmp_path, {"ranges": rows}))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({3: 30, 4: 30}, WaitPlace(name="layer", time_ns=60)),
        ({3: 30, 2: 30}, WaitPlace(name="forward", time_ns=60)),
        ({3: 40, 5: 40}, WaitPlace(name="step", time_ns=80)),
        ({3: 50}, None),  # half is not most
        ({}, None),
    ],
)
def test_where_most_of_100_ns_is(forest, parts, expected):
    rows = [(0, number, time_ns) for number, time_ns in parts.items()]
    assert main_place(forest, rows, 100) == expected


def test_a_run_without_ranges_has_no_place(tmp_path):
    forest = RangeForest(store_run(tmp_path, {"ranges": []}))
    assert main_place(forest, [], 100) is None
