"""NW701: kernels above a wall, and what speaks for why."""

import pytest
from support.findings import BYTES, TIME, K, finding, found, reasons, run_of
from support.nsys_traces import A100
from support.pipeline import profiled, series, shape

from nsys_walls.findings.above_the_wall import RULE
from nsys_walls.roofline.walls import WallOptions

ADD = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>(int, T2, T3)"
GEMM = "nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NTT"


def test_traffic_that_l2_served_in_the_trace_is_explained(desk):
    rows = series(ADD, [10_000] * 10, **shape((4096, 1, 1)))
    # 18,662,400 bytes / 1,555.2 B/ns = 12,000 ns: 120 % of 10,000, 80 % of 15,000
    counters = {"dram": 18_662_400, "ncu_ns": 15_000, "fp32": (1_000_000, 0, 0)}
    document = desk.report(
        desk.trace(kernels=rows), desk.counters(profiled(ADD, counters, grid=(4096, 1, 1)))
    )
    row = finding(document, "NW701", key="bandwidth")
    assert row["title"] == "1 kernel is above the bandwidth wall"
    assert row["message"] == (
        "A wall does not allow that. Ratios are shown as measured, for 100 µs of kernels, "
        "100 % of kernel time. vectorized_elementwise_kernel<CUDAFunctor_add> "
        "reaches 120 % of the wall: with flushed caches, "
        "ncu's own run reached 1.24 TB/s, 80 % of the wall, so in the trace L2 served part of the "
        "bytes; "
        "its 18.7 MB fit into the L2 cache of 41.9 MB."
    )
    assert "--cache-control none" in row["advice"]
    assert (row["saving_ns"], row["speedup_bound"]) == (None, None)
    assert row["evidence"]["kernel_0_bandwidth_ratio"] == pytest.approx(1.2)
    assert row["evidence"]["device_0_l2_size_bytes"] == 41_943_040


H100 = {"name": "NVIDIA H100 80GB HBM3", "sm_count": 132, "compute_capability": "9.0",
        "clock_hz": 1_980_000_000}  # fmt: skip
BF16_OPS = "sm__ops_path_tensor_src_bf16_dst_fp32.sum"
NO_BYTES = {"bandwidth": 0.0, "compute": 0.0}


def tensor_kernel(ratio):
    """Make a kernel of 1000 ns at a part of 989.4 TFLOP/s."""
    return K(name=GEMM, time_ns=1000, values={BF16_OPS: ratio * 989.4e6}, **NO_BYTES)


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        # 1980 / 1830 = 1.082
        (1.05, "reaches 105 % of the wall: the GPU may run at 1.98 GHz and the peak is stated at"),
        (1.2, "reaches 120 % of the wall: the clock does not explain it: the GPU may run at 1.98"),
    ],
)
def test_the_clock_explains_as_much_as_it_can(tmp_path, ratio, said):
    (row,) = found(RULE, run_of(tmp_path, tensor_kernel(ratio), options=WallOptions(), device=H100))
    assert str(row.title) == "1 kernel is above the compute wall"
    assert said in str(row.message)
    assert row.evidence["device_0_peak_clock_hz"] == 1.83e9


def test_another_gpu_than_the_trace_has_is_named_first(tmp_path):
    analysis = run_of(
        tmp_path, tensor_kernel(1.5), options=WallOptions(hw="h100-pcie"), device=H100
    )
    (row,) = found(RULE, analysis)
    assert "reaches 196 % of the wall: --hw names another GPU than the trace; " in str(row.message)


def test_a_wall_that_was_typed_and_ncu_passes_too_is_too_low(tmp_path):
    # 1,050 B/ns of 1,000, in the trace and in ncu's own run
    values = {TIME: 1000.0, BYTES: 1_050_000.0}
    analysis = run_of(tmp_path, K(name="k", time_ns=1000, launches=2, values=values))
    (row,) = found(RULE, analysis)
    assert (
        "k reaches 105 % of the wall: the wall is the one that was typed; "
        "ncu's own run reached 1.05 TB/s, 105 % of the wall, too, so the wall is too low."
    ) in str(row.message)


def test_counts_that_are_too_high_are_told(tmp_path):
    half = {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum": 1.1e7}
    options = WallOptions(bandwidth_bytes_per_s=1e12, peak_flop_per_s={"fp16": 2e13})
    (row,) = found(RULE, run_of(tmp_path, K(name="k", time_ns=1000, values=half), options=options))
    assert "FP16 instructions are counted as pairs" in str(row.message)
    # 4,096 FLOP a tensor instruction of an A100; none of its FP16 instructions is a move
    pipe = {"sm__inst_executed_pipe_tensor.sum": 1e5,
            "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum": 0.0}  # fmt: skip
    options = WallOptions(bandwidth_bytes_per_s=1e12, peak_flop_per_s={"fp16_tensor": 4e14})
    (row,) = found(
        RULE,
        run_of(tmp_path / "2", K(name="hmma", time_ns=1000, compute=None, values=pipe),
               options=options),
    )  # fmt: skip
    assert "its FLOP are an estimate" in str(row.message)


def test_counters_that_may_be_of_another_launch_are_told(tmp_path, desk):
    shapeless = K(name="k", time_ns=1000, bandwidth=1.5, shapeless=True)
    (row,) = found(RULE, run_of(tmp_path / "store", shapeless))
    assert "its counters were found by name alone" in str(row.message)
    rows = series(ADD, [10_000] * 10, **shape((4096, 1, 1)))
    # 15, 20 and 25 MB: their median at 129 % of the wall
    launches = [
        profiled(ADD, {"dram": size, "fp32": (1_000_000, 0, 0)}, grid=(4096, 1, 1))
        for size in (15_000_000, 20_000_000, 25_000_000)
    ]
    document = desk.report(desk.trace(kernels=rows), desk.counters(*launches))
    message = finding(document, "NW701")["message"]
    assert "its profiled launches differ by 50 % in their bytes" in message


def test_what_nothing_explains_is_said_to_be_so(tmp_path):
    device = {name: value for name, value in H100.items() if name != "clock_hz"}
    analysis = run_of(tmp_path, tensor_kernel(1.5), options=WallOptions(), device=device)
    (row,) = found(RULE, analysis)
    assert "reaches 150 % of the wall: nothing that was measured explains it." in str(row.message)
    assert row.evidence["device_0_clock_hz"] is None


def test_only_the_heaviest_are_explained_one_by_one(tmp_path):
    kernels = [K(name=name, time_ns=1000 - n, bandwidth=1.5) for n, name in enumerate("abcde")]
    (row,) = found(RULE, run_of(tmp_path, *kernels))
    assert row.kernels == (0, 1, 2, 3, 4)
    assert "c reaches 150 %" in str(row.message)
    assert str(row.message).endswith("2 kernels more are above it.")


@pytest.mark.parametrize(
    "kernels",
    [
        [K(name="k", time_ns=1000, bandwidth=1.0, compute=1.0)],
        [K(name="k", time_ns=4, bandwidth=1.5), K(name="b", time_ns=996, bandwidth=0.9)],  # 0.4 %
        [K(name="k", time_ns=1000, bandwidth=1.009, compute=1.009)],  # as far as two runs differ
    ],
)
def test_nothing_above_a_wall_is_silent(tmp_path, kernels):
    assert list(RULE.check(run_of(tmp_path, *kernels))) == []


def test_what_reads_as_above_the_wall_is_above_it(tmp_path):
    (row,) = found(RULE, run_of(tmp_path, K(name="k", time_ns=1000, bandwidth=1.01)))
    assert "k reaches 101 %" in str(row.message)


def test_without_counters_it_is_not_known_what_is_above_a_wall(tmp_path):
    bare = K(name="a", time_ns=900, profiled=False)
    (reason,) = reasons(RULE, run_of(tmp_path / "bare", bare))
    assert reason.startswith("100 % of kernel time has no usable counters")
    # what was found is said, whatever else is not known
    one = run_of(tmp_path / "one", bare, K(name="b", time_ns=100, bandwidth=1.5))
    assert (len(found(RULE, one)), reasons(RULE, one)) == (1, [])


def test_a_slice_of_a_gpu_has_no_known_l2(desk):
    name = "NVIDIA A100-SXM4-40GB MIG 3g.20gb"
    rows = series(ADD, [10_000] * 10, **shape((4096, 1, 1)))
    slice_ = A100 | {"name": name, "sm_count": 42, "bandwidth_bytes_per_s": 777_600_000_000}
    counters = {"dram": 9_331_200, "ncu_ns": 15_000, "fp32": (1_000_000, 0, 0)}
    document = desk.report(
        desk.trace(kernels=rows, gpus=[slice_]),
        desk.counters(profiled(ADD, counters, grid=(4096, 1, 1))),
    )
    row = finding(document, "NW701")
    assert "reaches 120 %" in row["message"]
    assert "L2 cache" not in row["message"]
