"""What the tensor pipe tells where operations were not counted."""

import pytest

from nsys_walls.counters.pipe import Pipe
from nsys_walls.counters.table import load_table
from nsys_walls.counters.tensor import tensor_of

TENSOR = "sm__inst_executed_pipe_tensor.sum"
HFMA = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"
ACTIVE = "the tensor pipe was active, but no tensor operations were counted; "
NAMED = "the kernel's name means tensor cores, but no tensor operations were counted; "
NO_CHIP = "(which of them depends on the chip, not known here)"
BUSY = "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active"


def pipe(values, capability=None, *, says_tensor=None):
    chip = load_table().chips.get(capability or "")
    return Pipe(values=values, chip=chip, says_tensor=says_tensor)


@pytest.mark.parametrize(
    ("capability", "values", "says_tensor", "flop"),
    [
        ("7.0", {TENSOR: 3.0}, None, 3 * 512),
        ("7.5", {TENSOR: 3.0, HFMA: 0.0}, None, 3 * 2048),
        ("8.0", {TENSOR: 3.0, HFMA: 0.0}, None, 3 * 4096),
        # 640 thread instructions are 20 moves of whole warps: 1000 - 20 are left
        ("8.6", {TENSOR: 1000.0, HFMA: 640.0}, None, 980 * 4096),
        ("8.9", {TENSOR: 3.0}, True, 3 * 4096),
        ("8.0", {"sm__inst_executed_pipe_tensor_op_hmma.sum": 5.0, HFMA: 0.0}, None, 5 * 4096),
        ("8.0", {"smsp__inst_executed_pipe_tensor.sum": 5.0, HFMA: 0.0}, None, 5 * 4096),
        # moves and matrix instructions can't be told apart without hfma
        ("8.0", {TENSOR: 3.0}, None, None),
        ("8.0", {TENSOR: 3.0}, False, None),
        # other shapes, chips without a factor, chips not known
        (
            "8.0",
            {TENSOR: 9.0, HFMA: 0.0, "sm__inst_executed_pipe_tensor_op_imma.sum": 4.0},
            True,
            None,
        ),
        ("7.2", {TENSOR: 3.0}, True, None),
        ("9.0", {TENSOR: 3.0, HFMA: 0.0}, True, None),
        ("12.0", {TENSOR: 3.0, HFMA: 0.0}, True, None),
        (None, {TENSOR: 3.0, HFMA: 0.0}, True, None),
        # all of it can be moves: 160 instructions, 3200 lanes
        ("8.0", {TENSOR: 160.0, HFMA: 3200.0}, None, None),
        ("8.0", {}, True, None),
    ],
)
def test_estimate(capability, values, says_tensor, flop):
    assert pipe(values, capability, says_tensor=says_tensor).estimated_flop == flop


@pytest.mark.parametrize(
    ("capability", "values", "says_tensor", "idle", "active"),
    [
        ("8.0", {TENSOR: 0.0}, True, True, False),
        (None, {TENSOR: 0.0}, None, True, False),
        # lanes switched off: more instructions than whole warps, fewer than lanes
        ("8.0", {TENSOR: 160.0, HFMA: 3200.0}, None, True, False),
        (None, {TENSOR: 160.0, HFMA: 3200.0}, None, True, False),
        # with a name that means tensor cores that is open; with whole warps it is not
        ("8.0", {TENSOR: 160.0, HFMA: 3200.0}, True, False, False),
        ("8.0", {TENSOR: 100.0, HFMA: 3200.0}, True, True, False),
        ("8.0", {TENSOR: 161.0, HFMA: 160.0}, None, False, True),
        # zero proves nothing where other pipes compute too
        ("10.0", {TENSOR: 0.0}, None, False, False),
        ("10.0", {"sm__inst_executed_pipe_tc.sum": 2.0}, None, False, True),
        ("8.0", {BUSY: 0.96}, None, False, False),
        ("8.0", {BUSY: 41.0}, None, False, True),
        ("8.0", {BUSY: 0.96, HFMA: 0.0}, None, False, True),
        ("8.0", {BUSY: 0.0, HFMA: 0.0}, None, False, False),
        ("8.0", {}, None, False, False),
    ],
)
def test_idle_and_active(capability, values, says_tensor, idle, active):
    found = pipe(values, capability, says_tensor=says_tensor)
    assert (found.was_idle, found.was_active) == (idle, active)


def test_an_estimate_stands_for_all_tensor_work_where_the_pipe_sees_all():
    values = {TENSOR: 3.0, HFMA: 0.0}
    found = tensor_of(values, pipe(values, "8.0"))
    assert found.is_estimate
    assert found.flop_by_precision == {"fp16_tensor": 3 * 4096}
    assert found.missing == ()
    assert tuple(map(str, found.notes)) == (
        "tensor FLOP estimated as 4,096 per tensor instruction, taken as FP16",
    )


def test_an_estimate_from_hmma_alone_leaves_the_rest_open():
    values = {"sm__inst_executed_pipe_tensor_op_hmma.sum": 5.0, HFMA: 0.0}
    found = tensor_of(values, pipe(values, "8.0"))
    assert "fp16_tensor" not in found.missing
    assert "int8_tensor" in found.missing


@pytest.mark.parametrize(
    ("capability", "values", "reason"),
    [
        (
            "9.0",
            {TENSOR: 3.0, HFMA: 0.0},
            f"{ACTIVE}collect sm__ops_path_tensor_*.sum as compute capability 9.0 has them",
        ),
        (
            None,
            {TENSOR: 3.0, HFMA: 0.0},
            f"{ACTIVE}collect sm__ops_path_tensor_*.sum {NO_CHIP}",
        ),
        (
            "7.0",
            {},
            f"{NAMED}collect sm__inst_executed_pipe_tensor.sum",
        ),
        (
            "7.2",
            {},
            f"{NAMED}compute capability 7.2 has no counter for them",
        ),
    ],
)
def test_reasons_say_what_to_collect(capability, values, reason):
    found = tensor_of(values, pipe(values, capability, says_tensor=True))
    assert str(found.reason) == reason


def test_nothing_measured_is_nothing_known():
    found = tensor_of({}, pipe({}, "7.5"))
    assert found.flop_by_precision == {}
    assert found.reason is None
    assert set(found.missing) == {
        *("fp16_tensor", "fp16_tensor_fp16acc", "int8_tensor", "int4_tensor", "int1_tensor"),
    }
    assert tensor_of({}, pipe({})).missing == ("tensor",)
