"""Tensor operations: every operation once, in its own precision."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.counters.pipe import Pipe
from nsys_walls.counters.table import load_table
from nsys_walls.counters.tensor import tensor_of


def ops(**amounts):
    return {f"sm__ops_path_tensor_{name}.sum": float(flop) for name, flop in amounts.items()}


def count(values, capability=None, *, says_tensor=None):
    chip = load_table().chips.get(capability or "")
    return tensor_of(values, Pipe(values=values, chip=chip, says_tensor=says_tensor))


def every_counter(capability, flop=0.0):
    chip = load_table().chips[capability]
    return ops(**dict.fromkeys(chip.tensor_metrics(), flop))


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [
        ({"src_bf16_dst_fp32": 70}, {"bf16_tensor": 70}),
        ({"src_fp16_dst_fp16": 70}, {"fp16_tensor_fp16acc": 70}),
        ({"src_fp16_dst_fp32": 70}, {"fp16_tensor": 70}),
        ({"src_fp16": 70}, {"fp16_tensor": 70}),
        ({"src_fp16_bf16_tf32_dst_fp32": 70}, {"fp16_tensor": 70}),
        ({"src_fp64": 70}, {"fp64_tensor": 70}),
        ({"src_int8": 0}, {"int8_tensor": 0}),
        ({"src_fp4_dst_fp32": 70}, {"fp4_tensor": 70}),
        ({"src_fp4_fp6_fp8_dst_fp32": 70}, {"fp8_tensor": 70}),
        ({"src_fp4_fp6_dst_fp16": 70}, {"fp8_tensor_fp16acc": 70}),
        # the FP4 path is beside the mixed one, not inside it
        (
            {"src_fp4_dst_fp32": 3, "src_fp4_fp6_fp8_dst_fp32": 40},
            {"fp4_tensor": 3, "fp8_tensor": 40},
        ),
        # dense and sparse parts add up, and the plain name is both
        ({"src_int8_sparsity_off": 30, "src_int8_sparsity_on": 4}, {"int8_tensor": 34}),
        (
            {"src_int8": 34, "src_int8_sparsity_off": 30, "src_int8_sparsity_on": 4},
            {"int8_tensor": 34},
        ),
        # parts by instruction alone are added: 5 + (20 + 1)
        (
            {
                "op_hmma_src_bf16_dst_fp32": 5,
                "op_hgmma_src_bf16_dst_fp32_sparsity_off": 20,
                "op_hgmma_src_bf16_dst_fp32_sparsity_on": 1,
            },
            {"bf16_tensor": 26},
        ),
        # beside their total they say nothing new
        (
            {"src_bf16_dst_fp32": 26, "op_hmma_src_bf16_dst_fp32_sparsity_off": 5},
            {"bf16_tensor": 26},
        ),
        # Hopper's FP16 total: a part with FP16 accumulation is told apart, 90 - 7
        (
            {"src_fp16": 90, "op_hmma_src_fp16_dst_fp16_sparsity_off": 7},
            {"fp16_tensor_fp16acc": 7, "fp16_tensor": 83},
        ),
        # parts above their total can't be told apart
        (
            {"src_fp16": 5, "op_hmma_src_fp16_dst_fp16_sparsity_off": 7},
            {"fp16_tensor": 5},
        ),
        # one type of a mixed total, counted by a mixed instruction
        (
            {"src_fp4_fp6_fp8_dst_fp32": 90, "op_utcqmma_src_fp8_dst_fp32": 90},
            {"fp8_tensor": 90},
        ),
        # where the mixed total holds no FP8, FP8 is beside it
        (
            {"src_fp4_fp6_dst_fp32": 8, "op_utcqmma_src_fp8_dst_fp32_sparsity_off": 90},
            {"fp8_tensor": 98},
        ),
        ({"op_utcqmma_src_fp8_dst_fp32": 90}, {"fp8_tensor": 90}),
        # a part without accumulator is in the totals that state one
        (
            {"src_fp8_dst_fp32": 60, "src_fp8_dst_fp16": 30, "op_qmma_src_fp8": 90},
            {"fp8_tensor": 60, "fp8_tensor_fp16acc": 30},
        ),
        # an unknown part of a known total
        ({"src_fp16": 90, "op_xmma_src_fp16_dst_fp12": 40}, {"fp16_tensor": 90}),
    ],
)
def test_each_operation_counts_once(amounts, expected):
    assert count(ops(**amounts)).flop_by_precision == expected


def test_rates_per_cycle_count_as_sums_do():
    values = {
        "sm__ops_path_tensor_src_tf32_dst_fp32.sum.per_cycle_elapsed": 512.0,
        "gpc__cycles_elapsed.max": 1000.0,
        "sm__ops_path_tensor_src_int8.sum.peak_sustained": 4096.0,
    }
    assert count(values).flop_by_precision == {"tf32_tensor": 512_000}
    del values["gpc__cycles_elapsed.max"]
    assert count(values).flop_by_precision == {}


def test_a_type_that_the_table_lacks_is_named_and_makes_a_bound():
    found = count({**every_counter("8.0", 8.0), **ops(src_fp3_dst_fp32=5)}, "8.0")
    assert found.is_bound
    assert found.missing == ()
    assert str(found.notes[0]) == (
        "sm__ops_path_tensor_src_fp3_dst_fp32: not in the counter table, left out"
    )


def test_sparse_operations_are_said_to_be_counted_as_dense_ones():
    assert "zeros included" in str(count(ops(src_int8_sparsity_on=4)).notes[0])
    assert count(ops(src_int8_sparsity_on=0)).notes == ()


@pytest.mark.parametrize("capability", ["7.5", "8.0", "8.9", "9.0", "10.0", "10.3", "12.1"])
def test_all_counters_of_a_chip_leave_nothing_open(capability):
    found = count(every_counter(capability), capability, says_tensor=True)
    assert (found.missing, found.partial, found.reason) == ((), (), None)
    assert set(found.flop_by_precision) == set(
        load_table().precisions(load_table().chips[capability])
    )


def test_precisions_that_were_not_collected_are_named():
    found = count(ops(src_fp16_dst_fp32=9, src_int8_sparsity_off=0), "8.6")
    assert set(found.missing) == {
        *("bf16_tensor", "fp16_tensor_fp16acc", "tf32_tensor", "int4_tensor"),
        *("int1_tensor", "fp64_tensor"),
    }
    assert found.partial == ("int8_tensor",)


def test_one_part_of_fp8_is_partial():
    found = count(ops(op_utcqmma_src_fp8_dst_fp32=9), "10.0")
    assert found.partial == ("fp8_tensor",)
    assert "fp4_tensor" in found.missing


def test_other_precisions_of_an_unknown_chip_stay_open():
    assert count(ops(src_fp16_dst_fp32=9)).missing == ("tensor",)


@pytest.mark.parametrize(
    ("says_tensor", "pipe", "start"),
    [
        (True, {}, "the kernel's name means tensor cores"),
        (None, {"sm__inst_executed_pipe_tensor.sum": 64.0}, "the tensor pipe was active"),
        (None, {}, None),
        (False, {}, None),
        (True, {"sm__inst_executed_pipe_tensor.sum": 0.0}, None),
    ],
)
def test_zero_in_the_precisions_collected_may_hide_work_in_the_others(says_tensor, pipe, start):
    found = count({**ops(src_bf16_dst_fp32=0), **pipe}, "8.0", says_tensor=says_tensor)
    assert str(found.reason or "").startswith(start or "")
    assert (found.reason is None) == (start is None)


def test_an_idle_pipe_closes_the_list():
    values = {**ops(src_bf16_dst_fp32=0), "sm__inst_executed_pipe_tensor.sum": 0.0}
    assert count(values, "8.0").missing == ()
    # on 10.0 other pipes compute too
    assert "fp16_tensor" in count(values, "10.0").missing


FORMS = [
    f"{op}src_{family}{sparsity}"
    for op in ("", "op_hmma_", "op_utcqmma_")
    for family in ("fp16", "fp16_dst_fp16", "fp8_dst_fp32", "fp4_fp6_fp8_dst_fp32", "int8")
    for sparsity in ("", "_sparsity_off", "_sparsity_on")
]
AMOUNTS = st.dictionaries(
    st.sampled_from([f"sm__ops_path_tensor_{form}.sum" for form in FORMS]),
    st.integers(0, 2**50).map(float),
)


def total_of(values):
    return sum(count(values).flop_by_precision.values())


@given(AMOUNTS)
def test_never_negative_and_in_any_order(values):
    found = count(values)
    assert all(flop >= 0 for flop in found.flop_by_precision.values())
    assert count(dict(reversed(values.items()))) == found


@given(AMOUNTS)
def test_no_more_than_all_counters_together(values):
    assert total_of(values) <= sum(values.values())


@given(AMOUNTS)
def test_parts_by_instruction_never_change_the_sum_of_totals(values):
    totals = ops(src_fp16=1000, src_fp8_dst_fp32=200, src_fp4_fp6_fp8_dst_fp32=30, src_int8=4)
    parts = {name: flop for name, flop in values.items() if "_op_" in name}
    assert total_of({**totals, **parts}) == total_of(totals) == 1234
