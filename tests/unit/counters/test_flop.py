"""FLOP by precision, when it is a number, and peaks from counters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.counters.flop import flop_of, integer_of, peaks_from_counters

PACKED = "FP16 counted as packed pairs (NVIDIA's convention: hadd 2, hmul 2, hfma 4)"
MOVES = "FP16 instructions are moves and conversions, not counted as work"
TENSOR = "sm__inst_executed_pipe_tensor.sum"


def sass(unit="smsp", **counts):
    return {
        f"{unit}__sass_thread_inst_executed_op_{op}_pred_on.sum": float(count)
        for op, count in counts.items()
    }


def triple(letter, add=0, mul=0, fma=0, **rest):
    return sass(**{f"{letter}add": add, f"{letter}mul": mul, f"{letter}fma": fma}, **rest)


def count(values, capability="8.0", *, says_tensor=None):
    return flop_of(values, compute_capability=capability, says_tensor=says_tensor)


@pytest.mark.parametrize(
    ("values", "precision", "flop"),
    [
        (triple("f", 3, 4, 5), "fp32", 3 + 4 + 2 * 5),
        (triple("d", 3, 4, 5), "fp64", 3 + 4 + 2 * 5),
        (triple("h", 3, 4, 5), "fp16", 2 * 3 + 2 * 4 + 4 * 5),
        (sass("sm", fadd=3, fmul=0, ffma=5), "fp32", 13),
        ({**sass(ffma=5), **sass("sm", ffma=5)}, "fp32", 10),
        # packed pairs of Blackwell: 3 + 2 x 5 + 2 x 7 + 4 x 11
        (triple("f", 3, 0, 5, fadd2=7, fmul2=0, ffma2=11), "fp32", 71),
    ],
)
def test_operations_per_instruction(values, precision, flop):
    found = count(values)
    assert found.flop_by_precision == {precision: flop}
    assert found.flop == flop


def test_rates_per_cycle_are_said_to_be_that():
    rate = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_cycle_elapsed"
    values = {rate.format("fadd"): 2.0, rate.format("fmul"): 0.0, rate.format("ffma"): 80.0}
    assert count(values).flop is None
    found = count({**values, "gpc__cycles_elapsed.max": 1000.0})
    assert found.flop == (2 + 2 * 80) * 1000
    assert tuple(map(str, found.notes)) == ("FLOP from rates per cycle times elapsed cycles",)


@pytest.mark.parametrize(
    ("half", "tensor", "flop", "note"),
    [
        (triple("h", 0, 0, 64), None, 256, PACKED),
        (triple("h", 0, 0, 64), 2.0, 0, MOVES),
        (triple("h", 6, 0, 64), 3.0, 0, MOVES),
        (triple("h", 6, 0, 0), 0.0, 0, MOVES),
        (triple("h", 0, 0, 65), 2.0, 260, PACKED),
        (triple("h", 0, 1, 64), 2.0, 258, PACKED),
        (triple("h", 0, 0, 0), 2.0, 0, None),
    ],
)
def test_half_precision_moves_are_no_work(half, tensor, flop, note):
    pipe = {} if tensor is None else {TENSOR: tensor}
    found = count({**half, **pipe, **triple("f", 1)})
    assert found.flop_by_precision["fp16"] == flop
    assert [said for said in map(str, found.notes) if said.startswith("FP16")] == (
        [note] if note else []
    )


@pytest.mark.parametrize(
    ("values", "flop"),
    [
        (triple("f"), 0),
        ({**triple("f"), **triple("d"), **triple("h")}, 0),
        (sass(ffma=8), 16),
        (triple("d", 1), 1),
        ({"sm__ops_path_tensor_src_int8.sum": 90.0}, 90),
    ],
)
def test_a_number_with_fp32_or_with_anything_above_zero(values, flop):
    assert count(values).flop == flop


@pytest.mark.parametrize(
    ("values", "start"),
    [
        ({}, "no FLOP counter was collected; collect smsp__sass"),
        ({"gpu__time_duration.sum": 5.0}, "no FLOP counter was collected"),
        (sass(integer=900), "no FLOP counter was collected"),
        (sass(ffma=0), "every FLOP counter collected is 0, without FP32; collect smsp__sass"),
        (triple("d"), "every FLOP counter collected is 0, without FP32"),
        ({"sm__ops_path_tensor_src_bf16_dst_fp32.sum": 0.0}, "every FLOP counter collected is 0"),
    ],
)
def test_no_number_where_fp32_is_open_and_the_rest_zero(values, start):
    found = count(values)
    assert (found.flop, found.flop_is) == (None, None)
    assert str(found.flop_reason).startswith(start)


@pytest.mark.parametrize("capability", ["8.0", None])
def test_no_number_where_the_name_means_work_that_was_not_counted(capability):
    found = count(triple("f", 7), capability, says_tensor=True)
    assert found.flop is None
    assert found.flop_by_precision == {"fp32": 7}
    assert str(found.flop_reason).startswith("the kernel's name means tensor cores")


def test_no_number_where_the_tensor_pipe_was_active():
    found = count({**triple("f", 7), **triple("h"), TENSOR: 64.0}, "9.0", says_tensor=False)
    assert found.flop is None
    assert str(found.flop_reason).startswith("the tensor pipe was active")


COMPLETE = {**triple("d", 1), **triple("f", 2), **triple("h"), TENSOR: 0.0}


@pytest.mark.parametrize(
    ("values", "capability", "trust"),
    [
        (COMPLETE, "8.0", "exact"),
        (COMPLETE, None, "exact"),
        (COMPLETE, "12.0", "lower_bound"),
        (triple("f", 2), "8.0", "lower_bound"),
        ({**COMPLETE, TENSOR: 5.0}, "8.0", "estimate"),
        # FADD2 and its like are missing on a chip that has them
        (triple("f", 2), "10.0", "lower_bound"),
    ],
)
def test_trust(values, capability, trust):
    assert count(values, capability).flop_is == trust


def test_precisions_that_were_not_collected_are_named():
    found = count(triple("f", 2), "7.0")
    assert found.not_collected == ("fp64", "fp16", "fp16_tensor")


@pytest.mark.parametrize(
    ("values", "capability", "names"),
    [
        (sass(ffma=8), "8.0", "fp32"),
        (triple("f", 8), "10.3", "fp32"),
        (
            {**sass(ffma=8), "sm__ops_path_tensor_src_int8_sparsity_off.sum": 4.0},
            "8.0",
            "fp32, int8_tensor",
        ),
    ],
)
def test_precisions_collected_in_part_are_named(values, capability, names):
    found = count(values, capability)
    assert f"only some counters of {names} were collected" in map(str, found.notes)
    assert not set(names.split(", ")) & set(found.not_collected)


def test_an_unknown_tensor_type_makes_a_bound():
    values = {**COMPLETE, "sm__ops_path_tensor_src_fp3.sum": 5.0}
    assert count(values).flop_is == "lower_bound"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (sass(integer=900), 900),
        (sass("sm", integer=900), 900),
        ({**sass(integer=900), **sass("sm", integer=900)}, 900),
        ({}, None),
    ],
)
def test_integer_instructions(values, expected):
    assert integer_of(values) == expected


NAMES = [
    f"{unit}__sass_thread_inst_executed_op_{letter}{op}_pred_on.sum"
    for unit in ("sm", "smsp")
    for letter in "dfh"
    for op in ("add", "mul", "fma")
]
VALUES = st.dictionaries(
    st.sampled_from([*NAMES, TENSOR, "sm__ops_path_tensor_src_fp16_dst_fp32.sum"]),
    st.integers(0, 2**50).map(float),
)


@given(VALUES, st.sampled_from([None, "7.0", "8.0", "10.0"]), st.sampled_from([None, True, False]))
def test_never_negative_and_in_any_order(values, capability, says_tensor):
    found = count(values, capability, says_tensor=says_tensor)
    assert found.flop is None or found.flop >= 0
    assert all(flop >= 0 for flop in found.flop_by_precision.values())
    assert (found.flop is None) == (found.flop_is is None) == (found.flop_reason is not None)
    mirrored = dict(reversed(values.items()))
    assert count(mirrored, capability, says_tensor=says_tensor) == found


@given(st.tuples(*[st.integers(0, 2**50)] * 3))
def test_both_units_are_one_count(counts):
    one = triple("f", *counts)
    other = {name.replace("smsp__", "sm__"): value for name, value in one.items()}
    assert count({**one, **other}).flop == count(one).flop == count(other).flop


# 100 units of 64 FMA lanes at 1.5 GHz: 100 x 64 x 2 x 1.5e9 = 19.2e12
def test_peaks_are_per_cycle_of_the_whole_chip():
    peak = "sm__sass_thread_inst_executed_op_{}_pred_on.sum.peak_sustained"
    values = {
        peak.format("ffma"): 6400.0,
        peak.format("fadd"): 6400.0,
        peak.format("dfma"): 100.0,
        peak.format("hfma"): 6400.0,
    }
    assert peaks_from_counters(values, 1.5e9) == {"fp32": 19.2e12, "fp64": 0.3e12, "fp16": 38.4e12}


def test_tensor_peaks_are_dense():
    peak = "sm__ops_path_tensor_{}.sum.peak_sustained"
    values = {
        peak.format("src_fp16_dst_fp32"): 2000.0,
        peak.format("src_fp16_dst_fp32_sparsity_off"): 1000.0,
        peak.format("src_fp16_dst_fp32_sparsity_on"): 2000.0,
        peak.format("src_bf16_dst_fp32"): 2000.0,
        peak.format("src_fp64"): 70.0,
        peak.format("op_hmma_src_tf32_dst_fp32_sparsity_off"): 250.0,
        peak.format("op_hgmma_src_tf32_dst_fp32_sparsity_off"): 500.0,
        peak.format("src_fp3_sparsity_off"): 9.0,
        "sm__ops_path_tensor_src_int8.sum": 9.0,
    }
    assert peaks_from_counters(values, 2e9) == {
        "fp16_tensor": 2e12,
        "fp64_tensor": 0.14e12,
        "tf32_tensor": 1e12,
    }


def test_no_peaks_without_counters():
    assert peaks_from_counters({"gpu__time_duration.sum": 5.0}, 2e9) == {}
