"""Times of one run and counters of another, brought together; the GPU is an A100 40 GB.

Its walls: 1555.2 GB/s from the trace, 312 TFLOP/s in FP16 and BF16 on tensor cores.
"""

import pytest
from support.pipeline import after, by_name, only, profiled, series, shape, warned

FP16_OPS = "sm__ops_path_tensor_src_fp16_dst_fp32.sum"


def test_two_shapes_of_one_kernel_are_two_points_and_never_their_average(desk):
    name = "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn"
    prefill, decode = (64, 4, 1), (64, 1, 1)
    first = series(name, [100_000], **shape(prefill, (128, 1, 1)))
    steps = series(name, [19_000] * 24, start=after(first), **shape(decode, (128, 1, 1)))
    big = {"dram": 50_331_648, "ncu_ns": 131_000, FP16_OPS: 25_769_803_776}
    small = {"dram": 25_427_968, "ncu_ns": 23_700, FP16_OPS: 402_653_184}
    document = desk.report(
        desk.trace(kernels=[*first, *steps]),
        desk.counters(
            profiled(name, big, grid=prefill, block=(128, 1, 1)),
            profiled(name, small, grid=decode, block=(128, 1, 1)),
        ),
    )
    many, one = document["kernels"]
    assert (many["grid"], many["launches"], many["time_ns"]) == ([64, 1, 1], 24, 456_000)
    # 402,653,184 / 25,427,968; 25,427,968 B / 19,000 ns, 86.1 % of 1555.2 GB/s
    assert many["intensity_flop_per_byte"] == pytest.approx(15.835, abs=0.001)
    assert many["bytes_per_s"] == pytest.approx(1338.314e9, rel=1e-6)
    assert many["bandwidth_ratio"] == pytest.approx(0.8605, abs=0.0001)
    assert (many["side"], many["wall"]) == ("memory", "bandwidth")
    assert (one["grid"], one["launches"], one["time_ns"]) == ([64, 4, 1], 1, 100_000)
    # 25,769,803,776 / 50,331,648; / 100,000 ns = 257.7 TFLOP/s, 82.6 % of 312
    assert one["intensity_flop_per_byte"] == 512
    assert one["flop_per_s"] == pytest.approx(257.698e12, rel=1e-6)
    assert one["compute_ratio"] == pytest.approx(0.82596, abs=0.00001)
    assert (one["side"], one["wall"]) == ("compute", "compute")
    # 456 of 556 us
    assert many["time_ratio"] == pytest.approx(456 / 556)
    assert {row["match"]["level"] for row in document["kernels"]} == {"shape"}


@pytest.fixture
def instances(desk):
    """Two templates in float and half; ncu printed function names only."""
    kernels = []
    for name, each_ns, block in [
        ("void rms_fwd<float>(const T1 *, T1 *, int)", 50_000, (512, 1, 1)),
        ("void rms_fwd<__half>(const T1 *, T1 *, int)", 30_000, (256, 1, 1)),
        ("void gelu_fwd<float>(const T1 *, T1 *, int)", 45_000, (256, 1, 1)),
        ("void gelu_fwd<__half>(const T1 *, T1 *, int)", 25_000, (256, 1, 1)),
    ]:
        start = after(kernels) if kernels else 1_000_000
        kernels += series(name, [each_ns] * 6, start=start, **shape((1024, 1, 1), block))
    counters = [
        profiled(name, {"dram": size, "ncu_ns": ns, "fp32": ops}, grid=(1024, 1, 1), block=block)
        for name, size, ns, ops, block in [
            ("rms_fwd", 62_914_560, 61_000, (20_971_520, 0, 0), (512, 1, 1)),
            ("rms_fwd", 31_457_280, 37_000, (20_971_520, 0, 0), (256, 1, 1)),
            ("gelu_fwd", 60_000_000, 55_000, (0, 0, 15_000_000), (256, 1, 1)),
            ("gelu_fwd", 30_000_000, 31_000, (0, 0, 15_000_000), (256, 1, 1)),
        ]
    ]
    return desk.report(desk.trace(kernels=kernels), desk.counters(*counters))


def test_a_float_and_a_half_instance_are_told_apart_by_their_launch_shape(instances):
    kernels = by_name(instances)
    single, half = kernels["rms_fwd<float>"], kernels["rms_fwd<__half>"]
    # 62,914,560 B / 50,000 ns; 20,971,520 / 62,914,560
    assert single["bytes_per_s"] == pytest.approx(1258.2912e9)
    assert single["intensity_flop_per_byte"] == pytest.approx(1 / 3)
    # 31,457,280 B / 30,000 ns; 20,971,520 / 31,457,280
    assert half["bytes_per_s"] == pytest.approx(1048.576e9)
    assert half["intensity_flop_per_byte"] == pytest.approx(2 / 3)
    assert single["match"]["level"] == half["match"]["level"] == "shape"


def test_a_float_and_a_half_instance_of_one_name_and_shape_are_ambiguous(instances):
    kernels = by_name(instances)
    for name in ("gelu_fwd<float>", "gelu_fwd<__half>"):
        row = kernels[name]
        assert row["match"]["level"] == "ambiguous"
        assert "gelu_fwd<float>" in row["match"]["reason"]
        assert "gelu_fwd<__half>" in row["match"]["reason"]
        assert (row["bytes_per_s"], row["bandwidth_ratio"]) == (None, None)
        assert row["dram_bytes"] != 45_000_000  # the mean of both
    message = warned(instances, "ambiguous-counters")
    assert "gelu_fwd<float>" in message
    assert "gelu_fwd<__half>" in message
    # 6 x (50 + 30) of 6 x (50 + 30 + 45 + 25) us
    assert instances["totals"]["measured_time_ratio"] == pytest.approx(80 / 150)


def test_a_collective_without_counters_keeps_its_time_and_is_no_point_at_zero(desk):
    swiglu, nccl = (
        "void swiglu<float>(const T1 *, T1 *, int)",
        "ncclDevKernel_ReduceScatter_Sum_f16_RING_LL",
    )
    own = series(swiglu, [250_000] * 14)
    shared = series(
        f"{nccl}(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        [150_000] * 10,
        start=after(own),
        streamId=19,
        **shape((24, 1, 1), (544, 1, 1)),
    )
    counters = {"dram": 320_000_000, "ncu_ns": 290_000, "fp32": (0, 0, 40_000_000)}
    document = desk.report(
        desk.trace(kernels=[*own, *shared]), desk.counters(profiled(swiglu, counters))
    )
    # 14 x 250 us = 3.5 ms; 10 x 150 us = 1.5 ms
    assert document["totals"]["kernel_ns"] == 5_000_000
    assert document["totals"]["communication_ns"] == 1_500_000
    kernels = by_name(document)
    assert kernels["swiglu"]["time_ratio"] == pytest.approx(0.7)
    # 2 x 40,000,000 / 320,000,000; 320 MB / 250 us = 82.3 % of 1555.2 GB/s
    assert kernels["swiglu"]["intensity_flop_per_byte"] == 0.25
    assert kernels["swiglu"]["bytes_per_s"] == pytest.approx(1280e9)
    collective = kernels[nccl]
    assert collective["time_ratio"] == pytest.approx(0.3)
    assert (collective["class"], collective["wall"]) == ("comm_reducescatter", "communication")
    assert collective["match"]["level"] == "none"
    for key in ("flop", "dram_bytes", "intensity_flop_per_byte", "bandwidth_ratio", "side"):
        assert collective[key] is None
    # nobody can profile it: that it has no counters is not the user's fault
    assert [row["code"] for row in document["warnings"]] == []
    assert nccl in by_name(desk.page().document)


def test_the_runs_may_list_different_kernels_in_a_different_order(desk):
    kernels = []
    for _ in range(5):
        for name, each_ns in [("k_one(float *)", 32_000), ("k_two(float *)", 24_000),
                              ("k_three(float *)", 8_000)]:  # fmt: skip
            start = after(kernels) if kernels else 1_000_000
            kernels += series(name, [each_ns], start=start)
    document = desk.report(
        desk.trace(kernels=kernels),
        desk.counters(
            profiled("k_warm_up(int *)", {"dram": 2_000_000, "ncu_ns": 4_000, "fp32": (0, 0, 0)}),
            profiled("k_three(float *)",
                     {"dram": 6_144_000, "ncu_ns": 9_000, "fp32": (0, 0, 1_536_000)}),
            profiled("k_one(float *)",
                     {"dram": 40_960_000, "ncu_ns": 41_000, "fp32": (5_120_000, 0, 0)}),
        ),
    )  # fmt: skip
    found = by_name(document)
    # 40,960,000 B / 32,000 ns; 5,120,000 / 40,960,000
    assert found["k_one"]["bytes_per_s"] == pytest.approx(1280e9)
    assert found["k_one"]["intensity_flop_per_byte"] == 0.125
    # 6,144,000 B / 8,000 ns; 3,072,000 / 6,144,000
    assert found["k_three"]["bytes_per_s"] == pytest.approx(768e9)
    assert found["k_three"]["intensity_flop_per_byte"] == 0.5
    assert found["k_two"]["match"]["level"] == "none"
    assert "k_two" in warned(document, "no-counters")
    assert "k_warm_up" in warned(document, "profiled-not-traced")
    # 40 of 64 us of each step
    assert document["totals"]["measured_time_ratio"] == pytest.approx(40 / 64)


def test_bandwidth_above_the_wall_is_shown_as_measured_and_explained(desk):
    counters = {"dram": 54_432_000, "ncu_ns": 40_500, "fp32": (0, 0, 6_804_000)}
    document = desk.report(
        desk.trace(kernels=series("rope_inplace(float *)", [28_000] * 40)),
        desk.counters(profiled("rope_inplace(float *)", counters)),
    )
    row = only(document)
    # 54,432,000 B / 28,000 ns = 1944 GB/s = 1.25 x 1555.2
    assert row["bytes_per_s"] == pytest.approx(1944e9)
    assert row["bandwidth_ratio"] == pytest.approx(1.25)
    message = warned(document, "above-bandwidth-wall")
    assert "rope_inplace" in message
    assert "L2" in message
    assert "flush" in message
    # the counter run's own rate: 54,432,000 B / 40,500 ns = 1344 GB/s, 86.4 %
    (note,) = [note for note in row["notes"] if "above the bandwidth wall" in note]
    assert "1.34 TB/s" in note
    assert "86 %" in note
    # what stands above its wall has nothing to gain from it
    assert row["recoverable_ns"] == 0


def test_one_slow_first_launch_does_not_drag_the_rate(desk):
    durations = [6_000_000, *[40_000] * 79]
    document = desk.report(
        desk.trace(kernels=series("kv_write(float *)", durations)),
        desk.counters(
            profiled("kv_write(float *)",
                     {"dram": 49_766_400, "ncu_ns": 47_000, "fp32": (0, 0, 0)}),
        ),
    )  # fmt: skip
    row = only(document)
    # 6,000 + 79 x 40 = 9,160 us
    assert (row["launches"], row["time_ns"], row["max_ns"]) == (80, 9_160_000, 6_000_000)
    assert (row["median_ns"], row["mean_ns"]) == (40_000, 114_500)
    # 49,766,400 B / 40,000 ns = 1244.16 GB/s; from the mean it would be 27.9 %
    assert row["bandwidth_ratio"] == pytest.approx(0.8)
    message = warned(document, "slow-launch")
    assert "the first of 80 launches" in message
    assert "66 %" in message  # 6,000 of 9,160 us


def test_a_slow_launch_in_the_middle_is_not_called_the_first(desk):
    document = desk.report(
        desk.trace(kernels=series("kv_write(float *)", [*[40_000] * 40, 2_000_000, *[40_000] * 9]))
    )
    message = warned(document, "slow-launch")
    assert "1 of 50 launches" in message
    assert "first" not in message
