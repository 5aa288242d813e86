"""The walls: which GPU it is, what it can do, and what stands above that."""

import pytest
from support.nsys_traces import A100
from support.pipeline import only, profiled, series, warned

BF16_OPS = "sm__ops_path_tensor_src_bf16_dst_fp32.sum"


def gpu(name, sm_count, gigabytes, bandwidth_gb_per_s, cc):
    """Describe a GPU as a trace would."""
    return A100 | {
        "name": name, "chip": "", "sm_count": sm_count, "memory_bytes": gigabytes * 10**9,
        "bandwidth_bytes_per_s": round(bandwidth_gb_per_s * 10**9),
        "compute": tuple(map(int, cc.split("."))),
    }  # fmt: skip


A10 = gpu("NVIDIA A10", 72, 24, 600.096, "8.6")
RTX_2080_TI = gpu("NVIDIA GeForce RTX 2080 Ti", 68, 11, 616, "7.5") | {"clock_hz": 1_545_000_000}
UNKNOWN = gpu("NVIDIA Engineering Sample", 99, 20, 1344, "12.9")
# the bandwidth field is that of the whole card: 28 of 108 SMs, 2 of 8 memory slices
SLICE = gpu("NVIDIA A100-SXM4-40GB MIG 2g.10gb", 28, 10, 1555.2, "8.0")
COPY = "strided_copy(float *, const float *)"


def copying(desk, gpu, durations_ns, size, cc):
    """Trace and profile a kernel that only moves bytes."""
    counters = {"dram": size, "ncu_ns": 2 * durations_ns[0], "fp32": (0, 0, 0)}
    return desk.report(
        desk.trace(gpus=[gpu], kernels=series(COPY, durations_ns)),
        desk.counters(profiled(COPY, counters, cc=cc)),
    )


def test_dense_peaks_are_the_roof_not_the_sparse_ones_of_the_datasheet(desk):
    name = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cga2x1x1_execute"
    h100 = gpu("NVIDIA H100 80GB HBM3", 132, 85, 3352.32, "9.0")
    counters = {"dram": 268_435_456, "ncu_ns": 900_000, BF16_OPS: 549_755_813_888}
    document = desk.report(
        desk.trace(gpus=[h100], kernels=series(name, [800_000] * 6)),
        desk.counters(profiled(name, counters, cc="9.0")),
    )
    (device,), row = document["devices"], only(document)
    # half of the 1978.9 TFLOP/s that the datasheet prints, with sparsity
    assert device["peak_flop_per_s"]["bf16_tensor"] == 989.4e12
    # 989.4e12 / 3352.32e9
    assert device["balance_flop_per_byte"]["bf16_tensor"] == pytest.approx(295.1389, abs=0.0001)
    # 2 x 4096 x 8192^2 FLOP / 800 us = 687.2 TFLOP/s
    assert row["flop"] == 549_755_813_888
    assert row["flop_per_s"] == pytest.approx(687.195e12, rel=1e-6)
    assert row["compute_ratio"] == pytest.approx(0.69456, abs=1e-5)
    assert "dense" in desk.render("text")
    assert "dense" in desk.render("md")
    assert "dense" in desk.page().text


@pytest.mark.parametrize(
    ("described", "hardware"),
    [
        (A10, "a10"),
        (gpu("NVIDIA A100-SXM4-40GB", 108, 42, 1555.2, "8.0"), "a100-sxm4-40"),
        (gpu("NVIDIA A10G", 80, 24, 600.096, "8.6"), "a10g"),
        (gpu("NVIDIA L40", 142, 48, 864.096, "8.9"), "l40"),
        (gpu("NVIDIA L40S", 142, 48, 864.096, "8.9"), "l40s"),
        (gpu("NVIDIA B300", 148, 288, 7700, "10.3"), "b300"),
        (gpu("NVIDIA GB300", 152, 288, 8000, "10.3"), "gb300"),
        (gpu("NVIDIA H200", 132, 141, 4800, "9.0"), "h200-sxm"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_gpu_is_found_by_its_whole_name(desk, described, hardware):
    document = desk.report(desk.trace(gpus=[described], kernels=series(COPY, [90_000] * 5)))
    (device,) = document["devices"]
    assert (device["hardware"], device["hardware_from"]) == (hardware, "trace-name")
    assert device["bandwidth_bytes_per_s"] == described["bandwidth_bytes_per_s"]
    assert device["bandwidth_from"] == "trace"


def test_rates_of_an_a10_are_those_of_an_a10(desk):
    row = only(copying(desk, A10, [90_000] * 5, 40_506_480, "8.6"))
    # 40,506,480 B / 90,000 ns = 450.072 GB/s = 75 % of 600.096; of an A100 28.9 %
    assert row["bytes_per_s"] == pytest.approx(450.072e9)
    assert row["bandwidth_ratio"] == pytest.approx(0.75)


def test_an_unknown_gpu_keeps_its_own_bandwidth_and_gets_no_other_cards_peaks(desk):
    document = copying(desk, UNKNOWN, [100_000] * 10, 107_520_000, "12.9")
    (device,) = document["devices"]
    assert (device["hardware"], device["peak_flop_per_s"]) == (None, {})
    assert (device["bandwidth_bytes_per_s"], device["bandwidth_from"]) == (1344e9, "trace")
    # 107.52 MB / 100 us = 1075.2 GB/s = 80 % of 1344
    assert only(document)["bandwidth_ratio"] == pytest.approx(0.8)
    message = warned(document, "unknown-hardware")
    assert "NVIDIA Engineering Sample" in message
    assert "--hw" in message
    assert "--peak" in message


def test_an_unknown_gpu_takes_the_peak_that_is_given(desk):
    counters = {"dram": 50_000_000, "ncu_ns": 99_000, "fp32": (0, 0, 1_000_000_000)}
    document = desk.report(
        desk.trace(gpus=[UNKNOWN], kernels=series("fma(float *)", [100_000] * 4)),
        desk.counters(profiled("fma(float *)", counters, cc="12.9")),
        options=("--peak", "fp32=40TFLOP/s"),
    )
    (device,) = document["devices"]
    assert device["peak_from"] == {"fp32": "option"}
    # 2 GFLOP / 100 us = 20 TFLOP/s
    assert only(document)["compute_ratio"] == pytest.approx(0.5)


def test_a_mig_slice_stands_against_its_own_walls(desk):
    document = copying(desk, SLICE, [200_000] * 12, 62_200_000, "8.0")
    (device,), row = document["devices"], only(document)
    assert device["mig"] == "2g.10gb"
    # 2 / 8 of 1555 GB/s, 28 / 108 of 312 TFLOP/s
    assert device["bandwidth_bytes_per_s"] == pytest.approx(388.75e9, rel=2e-4)
    assert device["peak_flop_per_s"]["fp16_tensor"] == pytest.approx(80.889e12, rel=1e-5)
    # 62.2 MB / 200 us = 311 GB/s: 80 % of the slice, 20 % of the card
    assert row["bytes_per_s"] == pytest.approx(311e9)
    assert row["bandwidth_ratio"] == pytest.approx(0.8, rel=2e-4)
    assert "2g.10gb" in warned(document, "mig-slice")


def test_rates_are_decimal_not_binary(desk):
    # 512 MiB
    counters = {"dram": 536_870_912, "ncu_ns": 460_000, "fp32": (33_554_432, 0, 0)}
    document = desk.report(
        desk.trace(kernels=series("block_sum(float *)", [400_000] * 10)),
        desk.counters(profiled("block_sum(float *)", counters)),
    )
    row = only(document)
    # 1342.2 GB/s, 86.3 % of 1555.2; 1250 GiB/s would read 80.4 %
    assert row["bytes_per_s"] == pytest.approx(1342.177e9, rel=1e-6)
    assert row["bandwidth_ratio"] == pytest.approx(0.86303, abs=1e-5)
    assert row["intensity_flop_per_byte"] == 0.0625
    for output_format in ("text", "md"):
        text = desk.render(output_format)
        assert "GiB" not in text
        assert "1250" not in text


def test_boost_above_the_nominal_peak_is_shown_as_measured_and_explained(desk):
    counters = {"dram": 2_097_152, "ncu_ns": 640_000, "fp32": (0, 0, 4_294_967_296)}
    document = desk.report(
        desk.trace(gpus=[RTX_2080_TI], kernels=series("fma_loop(float *)", [568_000] * 9)),
        desk.counters(profiled("fma_loop(float *)", counters, cc="7.5")),
    )
    (device,), row = document["devices"], only(document)
    # 68 SMs x 64 lanes x 2 x 1.545 GHz
    assert device["peak_flop_per_s"]["fp32"] == pytest.approx(13.448e12, rel=5e-3)
    # 8,589,934,592 FLOP / 568 us
    assert row["flop_per_s"] == pytest.approx(15.1231e12, rel=1e-5)
    assert row["compute_ratio"] == pytest.approx(15.1231 / 13.448, rel=5e-3)
    assert (row["side"], row["wall"]) == ("compute", "compute")
    message = warned(document, "above-compute-wall")
    assert "fma_loop (11" in message
    assert "boost" in message
    assert any("boost" in note for note in row["notes"])
