"""The arithmetic of the article behind this project, by the product's own functions.

"Performance bottleneck analysis": memory-bound and compute-bound operators, and the two walls.
"""

import pytest

from nsys_walls.counters.work import Work
from nsys_walls.findings import speedup_bound
from nsys_walls.roofline.hardware import named
from nsys_walls.roofline.model import Walls, place
from nsys_walls.roofline.walls import DeviceFacts, WallOptions, resolve_walls

MIB = 2**20
GEMM_FLOP = 2 * 1024**3


def walls(hw, **options):
    return resolve_walls(DeviceFacts(device=0), WallOptions(hw=hw, **options)).walls


def gemm(dram_bytes):
    return Work(flop=GEMM_FLOP, flop_by_precision={"fp16_tensor": GEMM_FLOP}, dram_bytes=dram_bytes)


@pytest.mark.parametrize(
    ("dram_bytes", "intensity", "on_t4", "on_h100"),
    [
        (6 * MIB, 341.33, "compute", "compute"),  # read A and B, write C, all FP16
        (8 * MIB, 256, "compute", "memory"),  # C read as well
        (8e6, 268.4, "compute", "memory"),  # the article's 8 MB
    ],
)
def test_a_gemm_of_1024_stands_above_the_balance_point_of_a_t4(
    dram_bytes, intensity, on_t4, on_h100
):
    work = gemm(dram_bytes)
    assert work.intensity_flop_per_byte == pytest.approx(intensity, rel=1e-3)
    assert place(work, 1e5, walls("t4")).side == on_t4
    assert place(work, 1e5, walls("h100-sxm5")).side == on_h100


def test_the_gemm_needs_33_us_of_a_t4s_operations_and_20_us_of_its_traffic():
    found = place(gemm(6 * MIB), 1e5, walls("t4"))
    assert found.compute_floor_ns == pytest.approx(33_040, rel=1e-3)
    assert found.memory_floor_ns == pytest.approx(19_660, rel=1e-3)


@pytest.mark.parametrize("hw", ["t4", "v100-sxm2-16", "a100-sxm4-40", "a100-sxm4-80", "h100-sxm5"])
def test_layer_norm_stands_before_the_bandwidth_wall_everywhere(hw):
    # 1024 FP16 elements read and written, 3 FLOP each: 3072 / 4096 = 0.75 FLOP/byte
    work = Work(flop=3072, flop_by_precision={"fp32": 3072}, dram_bytes=4096)
    assert work.intensity_flop_per_byte == 0.75
    assert place(work, 1e3, walls(hw)).side == "memory"


@pytest.mark.parametrize(
    ("hw", "balance"),
    [
        ("t4", 203.1),
        ("v100-sxm2-16", 138.9),
        ("v100-pcie", 124.4),
        ("a100-sxm4-40", 200.6),
        ("a100-pcie-80", 161.2),
        ("a100-sxm4-80", 153.0),
        ("h20", 36.8),
    ],
)
def test_balance_points_of_fp16_on_tensor_cores(hw, balance):
    assert walls(hw).balance_flop_per_byte("fp16_tensor") == pytest.approx(balance, abs=0.06)


def test_the_balance_point_of_an_h100_comes_from_its_trace():
    # the data sheet rounds to 3.35 TB/s, the trace says 3352.32 GB/s
    found = walls("h100-sxm5", bandwidth_bytes_per_s=3352.32e9)
    assert found.balance_flop_per_byte("fp16_tensor") == pytest.approx(295.1, abs=0.05)


def test_half_of_the_balance_point_is_the_practical_one():
    t4 = walls("t4")
    # 101.6 FLOP/byte on, a kernel is near the balance point of 203.1
    for flop_per_byte, near in ((101, False), (102, True), (203, True)):
        work = Work(
            flop=flop_per_byte * 1e6,
            flop_by_precision={"fp16_tensor": flop_per_byte * 1e6},
            dram_bytes=1e6,
        )
        assert place(work, 1e6, t4).near_balance is near


@pytest.mark.parametrize(("dram_bytes", "milliseconds"), [(100 * 2048 * 1024 * 2, 1.311),
                                                          (100 * 4e6, 1.25)])  # fmt: skip
def test_moving_the_kv_cache_of_100_tokens_one_way_takes_over_a_millisecond(
    dram_bytes, milliseconds
):
    # 2048 positions x 1024 wide x 2 bytes = 4 MiB a token, at 320 GB/s; no FLOP at all
    work = Work(flop=0, flop_by_precision={"fp32": 0}, dram_bytes=dram_bytes)
    found = place(work, 5e6, walls("t4"))
    assert found.memory_floor_ns == pytest.approx(milliseconds * 1e6, rel=1e-3)
    assert found.side == "memory"


@pytest.mark.parametrize(
    ("hw", "balance"),
    [("a100-sxm4-80", 9.6), ("a100-sxm4-40", 12.5), ("p100-sxm2", 14.5), ("v100-sxm2-16", 17.4),
     ("t4", 25.3), ("rtx3090", 38.0)],
)  # fmt: skip
def test_ten_to_fifty_is_the_balance_point_of_fp32_without_tensor_cores(hw, balance):
    assert walls(hw).balance_flop_per_byte("fp32") == pytest.approx(balance, abs=0.06)


def test_gemm_from_60_to_85_percent_buys_5_percent_where_it_takes_17():
    busy_ns, gemm_ns = 1e6, 0.17e6
    wall = Walls(bandwidth_bytes_per_s=320e9, peak_flop_per_s={"fp16_tensor": 65e12})
    floor_ns = 0.6 * gemm_ns
    work = Work(flop=floor_ns * 65e3, flop_by_precision={"fp16_tensor": floor_ns * 65e3})
    assert place(work, gemm_ns, wall).compute_ratio == pytest.approx(0.60)
    saving_ns = gemm_ns - floor_ns / 0.85
    assert place(work, gemm_ns - saving_ns, wall).compute_ratio == pytest.approx(0.85)
    assert saving_ns / busy_ns == pytest.approx(0.05)
    assert speedup_bound(busy_ns, saving_ns) == pytest.approx(1 / 0.95)


def test_no_gpu_is_called_a100_alone():
    # 195 is right for no card that was ever shipped; the alias names four parts
    assert len(named("a100")) == 4
