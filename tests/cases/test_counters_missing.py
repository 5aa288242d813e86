"""NW801: time whose counters are missing or weak, and the command that helps."""

import pytest
from support.findings import ALL_FLOP, K, finding, found, run_of
from support.pipeline import after, profiled, series, shape

from nsys_walls.counters.table import recommended_metrics
from nsys_walls.findings.counters_missing import RULE

ADD = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>(int, T2, T3)"
NORM = "void at::native::vectorized_layer_norm_kernel<float, float>(int, float, const float *)"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"


def trace(desk):
    """Trace 600 us of additions, 300 us of norms and 100 us of a collective."""
    rows = series(ADD, [60_000] * 10, **shape((4096, 1, 1)))
    rows += series(NORM, [30_000] * 10, start=after(rows), **shape((1024, 1, 1)))
    rows += series(ALL_REDUCE, [10_000] * 10, start=after(rows), **shape((24, 1, 1)))
    return desk.trace("night-run.sqlite", kernels=rows)


def test_a_trace_alone_is_told_how_to_get_counters(desk):
    row = finding(desk.report(trace(desk)), "NW801")
    assert row["title"] == "90 % of kernel time has no usable counters"
    assert row["message"] == (
        "Bytes or FLOP are not known for 900 µs of kernels: "
        "vectorized_elementwise_kernel<CUDAFunctor_add>, vectorized_layer_norm_kernel."
    )
    assert row["advice"].startswith("Run `nsys-walls plan night-run`: it prints the ncu commands")
    assert row["evidence"] == {"none_time_ns": 900_000}
    assert (row["saving_ns"], row["time_ratio"]) == (None, pytest.approx(0.9))
    # the command is one that can be typed as it stands
    words = row["advice"].partition("`nsys-walls ")[2].partition("`")[0].split()
    assert desk.type(*words).code == 0


def test_the_plan_measures_what_the_finding_names(desk):
    counters = profiled(ADD, {"dram": 74_649_600, "fp32": (1_000_000, 0, 0)}, grid=(4096, 1, 1))
    document = desk.report(trace(desk), desk.counters(counters))
    row = finding(document, "NW801")
    assert [document["kernels"][number]["full_name"] for number in row["kernels"]] == [NORM]
    plan = desk.type("plan", "--cover", "100%").out
    assert "layer_norm" in plan
    assert "elementwise" not in plan


def test_what_is_wrong_is_counted_by_kind(tmp_path):
    analysis = run_of(
        tmp_path,
        K(name="a", time_ns=400, profiled=False),
        K(name="b", time_ns=300, bandwidth=None),
        K(name="c", time_ns=200, bandwidth=0.5, compute=0.1),
        K(name="d", time_ns=100, bandwidth=0.5, values=ALL_FLOP),
    )
    (row,) = found(RULE, analysis)
    assert str(row.title) == "70 % of kernel time has no usable counters"
    assert str(row.message) == (
        "Bytes or FLOP are not known for 700 ns of kernels: a, b. "
        "Of kernel time, 40 % has no counters; 30 % has counters that lack bytes or FLOP. "
        "For 20 %, FLOP are a lower bound: not all counters of these precisions were collected: "
        "fp64, fp16, bf16_tensor and 7 more."
    )


def test_counters_that_fit_two_kernels_are_counted(desk):
    rows = series("add<(int)1>(float *)", [10_000] * 5)
    rows += series("add<(bool)1>(float *)", [10_000] * 5, start=after(rows))
    counters = profiled("add<1>(float *)", {"dram": 1_000_000, "fp32": (1_000, 0, 0)})
    row = finding(desk.report(desk.trace(kernels=rows), desk.counters(counters)), "NW801")
    assert "100 % has counters that fit more than one kernel or shape" in row["message"]


def test_weak_counters_alone_are_a_finding_of_their_own(tmp_path):
    # FP32 without the other precisions; an estimate from tensor instructions
    pipe = {
        **{name: value for name, value in ALL_FLOP.items() if "ops_path" not in name},
        "sm__inst_executed_pipe_tensor.sum": 1e4,
    }
    analysis = run_of(
        tmp_path,
        K(name="a", time_ns=600, bandwidth=0.5),
        K(name="hmma", time_ns=400, bandwidth=0.5, values=pipe),
    )
    (row,) = found(RULE, analysis)
    assert str(row.title) == "The FLOP of 100 % of kernel time are not exact"
    assert "precisions were collected: fp64" in str(row.message)
    assert "For 40 %, FLOP are an estimate from tensor instructions." in str(row.message)
    assert str(row.message).endswith("The heaviest: a, hmma.")
    # of a the scalar ones, and of both all that an A100 has for tensor operations
    assert (
        "`nsys-walls plan` does not list them; compute ratios may differ from what is shown. "
        "For exact FLOP, profile them again with the counters that were left out: "
        "smsp__sass_thread_inst_executed_op_{dadd,dmul,dfma,hadd,hmul,hfma}_pred_on.sum, "
        "sm__ops_path_tensor_*.sum; `ncu --query-metrics` lists all their names."
    ) in str(row.advice)


def test_a_precision_that_was_counted_in_part_is_a_lower_bound(tmp_path):
    values = {name: value for name, value in ALL_FLOP.items() if "_dmul_" not in name}
    (row,) = found(RULE, run_of(tmp_path, K(name="k", time_ns=1000, compute=0.1, values=values)))
    assert "For 100 %, FLOP are a lower bound: some counters were not collected." in str(
        row.message
    )
    assert "left out: smsp__sass_thread_inst_executed_op_dmul_pred_on.sum; " in str(row.advice)


def test_a_few_tensor_counters_are_named(tmp_path):
    # what is dense was counted for FP16, and what is sparse was not
    gone = "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_on.sum"
    values = {name: value for name, value in ALL_FLOP.items() if name != gone}
    gemm = K(name="k", time_ns=1000, bandwidth=0.5, values=values)
    (row,) = found(RULE, run_of(tmp_path, gemm))
    assert f"left out: {gone}; " in str(row.advice)


def test_where_a_chip_has_no_better_counters_none_are_asked_for(tmp_path):
    # Volta counts no tensor operations, only instructions of 512 FLOP
    values = {name: 0.0 for name in recommended_metrics("7.0") if "sass_thread_inst" in name}
    gemm = K(name="hmma", time_ns=1000, bandwidth=0.5,
             values={**values, "sm__inst_executed_pipe_tensor.sum": 1e4})  # fmt: skip
    (row,) = found(RULE, run_of(tmp_path, gemm, device={"compute_capability": "7.0"}))
    assert "an estimate from tensor instructions" in str(row.message)
    assert str(row.advice).endswith("No counters are known that would make their FLOP exact.")


def test_weak_counters_are_not_in_the_plan_as_the_finding_says(desk):
    counters = profiled(ADD, {"dram": 74_649_600, "fp32": (1_000_000, 0, 0)}, grid=(4096, 1, 1))
    rows = series(ADD, [60_000] * 10, **shape((4096, 1, 1)))
    row = finding(desk.report(desk.trace(kernels=rows), desk.counters(counters)), "NW801")
    assert row["title"] == "The FLOP of 100 % of kernel time are not exact"
    assert "`nsys-walls plan` does not list them" in row["advice"]
    assert "ncu" not in "".join(
        line for line in desk.type("plan").out.splitlines() if not line.startswith("#")
    )


def test_the_command_lists_what_lacks_counters_however_little_that_is(desk):
    # 960 us with counters and 40 us without: 95 % are covered already
    rows = series(ADD, [96_000] * 10, **shape((4096, 1, 1)))
    rows += series(NORM, [4_000] * 10, start=after(rows), **shape((1024, 1, 1)))
    counters = profiled(ADD, {"dram": 74_649_600, "fp32": (1_000_000, 0, 0)}, grid=(4096, 1, 1))
    walls = ("--hw", "a100", "--near", "50%")
    document = desk.report(desk.trace(kernels=rows), desk.counters(counters), options=walls)
    advice = finding(document, "NW801")["advice"]
    # only what the command knows: it asks for the GPU, and not for a threshold
    assert advice.startswith("Run `nsys-walls plan trace --hw a100 --cover 100%`")
    words = advice.partition("`nsys-walls ")[2].partition("`")[0].split()
    assert "layer_norm" in desk.type(*words).out


@pytest.mark.parametrize(
    "kernels",
    [
        [K(name="k", time_ns=1000, bandwidth=0.5, values=ALL_FLOP)],
        [  # 0.4 % of the time
            K(name="k", time_ns=4, profiled=False),
            K(name="b", time_ns=996, bandwidth=0.9, values=ALL_FLOP),
        ],
        [  # a collective can't be measured
            K(name=ALL_REDUCE, time_ns=500, profiled=False),
            K(name="b", time_ns=500, bandwidth=0.9, values=ALL_FLOP),
        ],
    ],
)
def test_nothing_missing_is_silent(tmp_path, kernels):
    assert list(RULE.check(run_of(tmp_path, *kernels))) == []
