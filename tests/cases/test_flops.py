"""Work: what counts as a FLOP, how many, and what to do where there are none."""

import re

import pytest
from support.pipeline import only, profiled, series

TENSOR_INSTRUCTIONS = "sm__inst_executed_pipe_tensor.sum"
FP16_OPS = "sm__ops_path_tensor_src_fp16_dst_fp32.sum"

AMPERE = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_nt"
#: Name, compute capability, part, and FLOP of one tensor instruction of a warp.
CHIPS = [
    # what NERSC counts for Volta
    ("volta_fp16_s884gemm_fp16_64x64_ldg8_f2f_nt", "7.0", "v100-sxm2-16", 512),
    # 2 x 16 x 8 x 8
    ("turing_fp16_s1688gemm_fp16_128x64_ldg8_f2f_nt", "7.5", "t4", 2048),
    # 2 x 16 x 8 x 16
    (AMPERE, "8.0", "a100-sxm4-40", 4096),
]


@pytest.mark.parametrize(("name", "cc", "hw", "factor"), CHIPS)
def test_work_per_tensor_instruction_depends_on_the_chip(desk, name, cc, hw, factor):
    # a GEMM of 1024 x 1024 x 2048: 2^32 FLOP
    counters = {"dram": 8_388_608, "ncu_ns": 400_000, TENSOR_INSTRUCTIONS: 2**32 // factor}
    row = only(desk.report(desk.counters(profiled(name, counters, cc=cc)), options=("--hw", hw)))
    assert row["flop"] == 4_294_967_296
    assert (row["flop_is"], row["precision"]) == ("estimate", "fp16_tensor")
    assert any(f"{factor:,} per tensor instruction" in note for note in row["notes"])
    # 4,294,967,296 / 8,388,608
    assert row["intensity_flop_per_byte"] == 512


def test_operation_counters_win_over_instruction_counts(desk):
    # half of what the instructions would suggest
    counters = {
        "dram": 67_108_864,
        "ncu_ns": 300_000,
        TENSOR_INSTRUCTIONS: 16_777_216,
        FP16_OPS: 34_359_738_368,
    }
    path = desk.counters(profiled(AMPERE, counters))
    row = only(desk.report(path, options=("--hw", "a100-sxm4-40")))
    assert row["flop"] == 34_359_738_368
    assert row["flop_is"] != "estimate"
    # 34,359,738,368 / 67,108,864
    assert row["intensity_flop_per_byte"] == 512


def test_tensor_instructions_of_a_chip_without_a_known_factor_are_no_number(desk):
    name = "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute"
    counters = {"dram": 67_108_864, "ncu_ns": 90_000, TENSOR_INSTRUCTIONS: 16_777_216}
    path = desk.counters(profiled(name, counters, cc="9.0"))
    row = only(desk.report(path, options=("--hw", "h100-sxm5")))
    assert (row["flop"], row["intensity_flop_per_byte"], row["compute_ratio"]) == (None, None, None)
    assert any("tensor" in note for note in row["notes"])


def test_fp8_has_counters_and_a_roof_of_its_own(desk):
    counters = {
        "dram": 268_435_456,
        "ncu_ns": 160_000,
        "sm__ops_path_tensor_op_utcqmma_src_fp8_dst_fp32.sum": 549_755_813_888,
    }
    path = desk.counters(
        profiled("nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_h_bz_TNN", counters, cc="10.0")
    )
    document = desk.report(path, options=("--hw", "b200"))
    row = only(document)
    # 2 x 4096 x 8192^2 FLOP in 160 us = 3436 TFLOP/s
    assert row["flop"] == 549_755_813_888
    assert row["flop_by_precision"] == {"fp8_tensor": 549_755_813_888}
    assert row["precision"] == "fp8_tensor"
    assert row["flop_per_s"] == pytest.approx(3435.974e12, rel=1e-6)
    # dense FP8 of a B200; against BF16 (2250) it would be 152.7 %
    assert document["devices"][0]["peak_flop_per_s"]["fp8_tensor"] == 4500e12
    assert row["compute_ratio"] == pytest.approx(0.76355, abs=1e-5)
    assert row["intensity_flop_per_byte"] == 2048
    assert row["wall"] == "compute"


def test_an_integer_kernel_has_no_flop_and_does_not_vanish(desk):
    name = "radix_pass(const unsigned int *, unsigned int *, int)"
    counters = {
        "dram": 311_040_000,
        "ncu_ns": 290_000,
        "fp32": (0, 0, 0),
        "integer": 2_147_483_648,
    }
    document = desk.report(
        desk.trace(kernels=series(name, [250_000] * 8)), desk.counters(profiled(name, counters))
    )
    row = only(document)
    assert (row["time_ns"], row["time_ratio"]) == (2_000_000, 1)
    # 311.04 MB / 250 us = 1244.16 GB/s = 80 % of 1555.2
    assert row["bytes_per_s"] == pytest.approx(1244.16e9)
    assert row["bandwidth_ratio"] == pytest.approx(0.8)
    assert (row["flop"], row["int_op"]) == (0, 2_147_483_648)
    assert (row["compute_ratio"], row["intensity_flop_per_byte"]) == (0, 0)
    assert (row["side"], row["wall"]) == ("memory", "bandwidth")
    # it is in the page's data, from which table and charts are drawn, and in every other format
    assert only(desk.page().document) == row
    for output_format in ("md", "text", "csv"):
        assert "radix_pass" in desk.render(output_format).replace("\\", "")


def test_without_dram_traffic_there_is_no_intensity_and_no_infinity(desk):
    counters = {"dram": 0, "ncu_ns": 5_200, "fp32": (1_572_864, 0, 0)}
    document = desk.report(
        desk.trace(kernels=series("block_scan(float *, int)", [3_600] * 25)),
        desk.counters(profiled("block_scan(float *, int)", counters)),
    )
    row = only(document)
    assert row["intensity_flop_per_byte"] is None
    assert row["intensity_note"] == "no DRAM traffic"
    assert (row["dram_bytes"], row["bytes_per_s"], row["side"]) == (0, 0, "compute")
    assert row["flop"] == 1_572_864
    # 1,572,864 FLOP / 3,600 ns = 0.4369 TFLOP/s of 19.5
    assert row["flop_per_s"] == pytest.approx(0.436907e12, rel=1e-5)
    assert row["compute_ratio"] == pytest.approx(0.022406, rel=1e-4)
    assert only(desk.page().document) == row
    for output_format in ("md", "text", "csv"):
        text = desk.render(output_format).replace("\\", "")  # Markdown escapes "_"
        assert "block_scan" in text
        assert not re.search(r"\b(nan|inf|infinity)\b", text, re.IGNORECASE)


def test_packed_halves_are_counted_by_a_stated_convention(desk):
    packed = "half2_scale(const __half2 *, __half2 *, int)"
    counters = {"dram": 31_457_280, "ncu_ns": 27_000, "hadd": 1_048_576, "hmul": 524_288,
                "hfma": 4_194_304}  # fmt: skip
    path = desk.counters(profiled(packed, counters))
    row = only(desk.report(path, options=("--hw", "a100-sxm4-40")))
    # two elements an instruction: 2 x 1,048,576 + 2 x 524,288 + 4 x 4,194,304
    assert row["flop"] == 19_922_944
    assert row["flop_by_precision"] == {"fp16": 19_922_944}
    assert row["intensity_flop_per_byte"] == pytest.approx(19_922_944 / 31_457_280)
    assert row["side"] == "memory"
    (note,) = [note for note in row["notes"] if "packed" in note]
    assert "hadd 2, hmul 2, hfma 4" in note
    assert note in only(desk.page("--hw", "a100-sxm4-40").document)["notes"]
