"""Sums of counters, whichever form was collected."""

import pytest

from nsys_walls.counters.amount import amount, elapsed_cycles, instructions

OP = "sass_thread_inst_executed_op_fadd_pred_on"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"c.sum": 12.0}, 12.0),
        ({"c.sum": 0.0, "c.sum.per_cycle_elapsed": 3.0, "sm__cycles_elapsed.avg": 5.0}, 0.0),
        ({"c.sum.per_cycle_elapsed": 3.0, "sm__cycles_elapsed.avg": 5.0}, 15.0),
        ({"c.sum.per_cycle_elapsed": 3.0, "gpc__cycles_elapsed.max": 7.0}, 21.0),
        # clock times duration is no count of cycles: they may be of different passes
        (
            {
                "c.sum.per_cycle_elapsed": 3.0,
                "sm__cycles_elapsed.avg.per_second": 1e9,
                "gpu__time_duration.sum": 5.0,
            },
            None,
        ),
        ({"sm__cycles_elapsed.avg": 5.0}, None),
    ],
)
def test_amount(values, expected):
    assert amount(values, "c") == expected


def test_average_cycles_come_before_the_maximum():
    assert elapsed_cycles({"gpc__cycles_elapsed.max": 7.0, "sm__cycles_elapsed.avg": 5.0}) == 5
    assert elapsed_cycles({}) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({f"smsp__{OP}.sum": 4.0}, 4.0),
        ({f"sm__{OP}.sum": 4.0}, 4.0),
        ({f"sm__{OP}.sum": 4.0, f"smsp__{OP}.sum": 4.0}, 4.0),
        ({f"sm__{OP}.sum": 4.0, f"smsp__{OP}.sum": 0.0}, 0.0),
        ({}, None),
    ],
)
def test_units_are_never_added(values, expected):
    assert instructions(values, OP) == expected
