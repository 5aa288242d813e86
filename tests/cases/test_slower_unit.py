"""NW601: matrix products on a slower unit, or in a slower precision, than the GPU has."""

import pytest
from support.findings import ALL_FLOP, FP16_OPS, SM, K, finding, found, reasons, run_of
from support.pipeline import profiled, series, shape

from nsys_walls.findings.slower_unit import RULE
from nsys_walls.roofline.walls import WallOptions

GEMM = "ampere_sgemm_128x64_nn"

#: FLOP/ns: 10,000 in FP32 as in the other tests
PEAKS = {"fp64": 5e12, "fp32": 1e13, "fp16": 2e13, "fp16_tensor": 1.6e14, "bf16_tensor": 1.6e14}


def walls(**peaks):
    """One TB/s, and peaks by precision, FLOP/s."""
    return WallOptions(bandwidth_bytes_per_s=1e12, peak_flop_per_s={**PEAKS, **peaks})


def test_an_fp32_gemm_has_tf32_tensor_cores_beside_it(desk):
    rows = series(GEMM, [100_000] * 10, **shape((4096, 1, 1)))
    # 0.8 x 100,000 ns x 19,500 FLOP/ns, two a fused one; 15,552,000 bytes are 10,000 ns
    counters = {"dram": 15_552_000, "fp32": (0, 0, 780_000_000)}
    document = desk.report(
        desk.trace(kernels=rows), desk.counters(profiled(GEMM, counters, grid=(4096, 1, 1)))
    )
    row = finding(document, "NW601", key="fp32-tf32_tensor")
    assert row["title"] == (
        "1 matrix product computes FP32 on CUDA cores, though the GPU has TF32 tensor cores"
    )
    assert row["message"] == (
        "That is 1.00 ms, 100 % of kernel time (ampere_sgemm_128x64_nn). The compute wall is "
        "19.5 TFLOP/s now; that of TF32 tensor cores is 156 TFLOP/s, 8 times as high. "
        "900 µs of the time is more than the same work and traffic would need there."
    )
    assert "allow_tf32" in row["advice"]
    # 1,560,000,000 FLOP at 156,000 FLOP/ns take 10,000 ns, as long as the traffic
    assert row["saving_ns"] == pytest.approx(900_000)
    assert row["speedup_bound"] == pytest.approx(10)


def test_the_new_floor_is_never_below_that_of_the_traffic(tmp_path):
    gemm = K(name=GEMM, time_ns=1000, bandwidth=0.5, compute=0.8, values=ALL_FLOP | work(8e6))
    (row,) = found(RULE, run_of(tmp_path, gemm, options=walls(tf32_tensor=1e14)))
    # 80 ns of work there, 500 ns of traffic
    assert row.saving_ns == pytest.approx(500)


def test_products_that_overlap_share_the_new_wall(tmp_path):
    # four at once, each at 20 % of FP32's wall and 5 % of DRAM's: 25 ns of work in TF32, which is
    # less than 50 ns of traffic; 4 x 950 ns are above that, and DRAM works for 200 of 1,000 ns
    gemm = {"time_ns": 1000, "bandwidth": 0.05, "values": ALL_FLOP | work(2e6), "start_ns": 0}
    analysis = run_of(
        tmp_path,
        *(K(name=f"{GEMM}_{n}", **gemm) for n in range(4)),
        options=walls(tf32_tensor=8e13),
    )
    (row,) = found(RULE, analysis)
    assert "That is 4.00 µs, 100 % of kernel time" in str(row.message)
    assert "3.80 µs of the time is more than the same work" in str(row.message)
    assert (row.saving_ns, row.speedup_bound) == (pytest.approx(800), pytest.approx(5))


def work(fp32=0.0, **other):
    """Count additions in FP32, and metrics by name."""
    return {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": fp32, **other}


def matrix(values, **more):
    """Make a GEMM of 1000 ns whose FLOP are all counted."""
    return K(**{"name": "gemm", "time_ns": 1000, "bandwidth": 0.1, "values": {**ALL_FLOP, **values},
                **more})  # fmt: skip


FP64 = {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum": 4e6}
FP16 = {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum": 8e6}
TF32_OPS = {"sm__ops_path_tensor_src_tf32_dst_fp32_sparsity_off.sum": 8e7}


@pytest.mark.parametrize(
    ("values", "peaks", "key", "tried"),
    [
        (FP64, {"fp64_tensor": 1e13}, "fp64-fp64_tensor", "multiples of 16 bytes"),
        (FP16, {}, "fp16-fp16_tensor", "multiples of 16 bytes"),
        (TF32_OPS, {"tf32_tensor": 8.1e13}, "tf32_tensor-bf16_tensor", "BF16"),
        # TF32 as fast as FP32, as on GeForce cards of Ampere
        (work(8e6), {"tf32_tensor": 1e13}, "fp32-bf16_tensor", "BF16"),
    ],
)
def test_each_precision_has_its_sibling(tmp_path, values, peaks, key, tried):
    (row,) = found(RULE, run_of(tmp_path, matrix(values), options=walls(**peaks)))
    assert row.key == key
    assert tried in str(row.advice)
    assert 0 < row.saving_ns < 1000


def test_fp16_is_what_a_gpu_without_bf16_has(tmp_path):
    options = WallOptions(
        bandwidth_bytes_per_s=1e12, peak_flop_per_s={"fp32": 1e13, "fp16_tensor": 8e13}
    )
    (row,) = found(RULE, run_of(tmp_path, matrix(work(8e6)), options=options))
    assert row.key == "fp32-fp16_tensor"
    assert "loss scaling" in str(row.advice)
    # 8,000,000 FLOP at 80,000 FLOP/ns, as long as its traffic
    assert row.saving_ns == pytest.approx(900)


def test_fp8_is_named_and_promises_nothing(tmp_path):
    gemm = matrix({FP16_OPS: 1.2e8})
    (row,) = found(RULE, run_of(tmp_path, gemm, options=walls(fp8_tensor=3.2e14)))
    assert str(row.title) == "1 matrix product computes in FP16, though FP8 is faster on this GPU"
    assert (row.saving_ns, row.speedup_bound) == (None, None)
    assert "accuracy" in str(row.advice)
    assert "above" not in str(row.message)


TF32 = {"tf32_tensor": 8e13}


@pytest.mark.parametrize(
    ("kernels", "peaks"),
    [
        ([matrix(work(8e6))], {"bf16_tensor": 1e13, "fp16_tensor": 1e13}),  # no faster one
        ([matrix(work(8e6), bandwidth=0.9)], TF32),  # bound by its traffic
        ([matrix(work(8e6), name="softmax_kernel")], TF32),  # no matrix product
        ([matrix({FP16_OPS: 1.2e8})], TF32),  # on tensor cores already
        # waits on latency
        ([matrix(work(2e6, **{SM: 20.0, "gpu__compute_memory_throughput"
                              ".avg.pct_of_peak_sustained_elapsed": 30.0}))], TF32),
        # 0.4 % of the time, and 4 % for FP8
        ([matrix(work(32_000), time_ns=4), K(name="add", time_ns=996, bandwidth=0.9)], TF32),
        ([matrix({FP16_OPS: 4.8e6}, time_ns=40), K(name="add", time_ns=960, bandwidth=0.9)],
         {"fp8_tensor": 3.2e14}),
        # whether tensor cores worked was not counted, and its name does not tell
        ([K(name="gemm", time_ns=1000, bandwidth=0.1, compute=0.8)], TF32),
    ],
)  # fmt: skip
def test_the_unit_is_silent(tmp_path, kernels, peaks):
    assert list(RULE.check(run_of(tmp_path, *kernels, options=walls(**peaks)))) == []


def test_a_name_that_says_cuda_cores_needs_no_tensor_counters(tmp_path):
    gemm = K(name=GEMM, time_ns=1000, bandwidth=0.1, compute=0.8)
    (row,) = found(RULE, run_of(tmp_path, gemm, options=walls(**TF32)))
    assert row.key == "fp32-tf32_tensor"


def test_the_unit_abstains_where_flop_are_not_known(tmp_path):
    analysis = run_of(tmp_path, K(name=GEMM, time_ns=1000, compute=None), options=walls(**TF32))
    assert reasons(RULE, analysis) == [
        "100 % of kernel time is in matrix products whose FLOP are not known by precision"
    ]
