import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.counters.work import Work
from nsys_walls.roofline.model import Walls, pipe_of, place

# Round numbers: 1 TB/s and 100 TFLOP/s, so 1000 bytes take 1 ns and 100,000 FLOP take 1 ns.
WALLS = Walls(
    bandwidth_bytes_per_s=1e12,
    peak_flop_per_s={"fp64": 5e12, "fp32": 10e12, "fp16": 20e12, "fp16_tensor": 100e12},
)


def work(bytes_=None, **flop):
    total = sum(flop.values()) if flop else None
    return Work(flop=total, flop_by_precision=flop, dram_bytes=bytes_)


def test_balance_points_are_per_precision():
    assert WALLS.balance_flop_per_byte("fp16_tensor") == 100
    assert WALLS.balance_flop_per_byte("fp32") == 10
    assert WALLS.balance_flop_per_byte("fp8_tensor") is None
    assert Walls(bandwidth_bytes_per_s=None).balance_flop_per_byte("fp32") is None


def test_half_accumulation_has_its_own_peak_only_where_it_is_faster():
    assert WALLS.peak_of("fp16_tensor_fp16acc") == 100e12
    geforce = Walls(
        bandwidth_bytes_per_s=1e12,
        peak_flop_per_s={"fp16_tensor": 50e12, "fp16_tensor_fp16acc": 100e12},
    )
    assert geforce.peak_of("fp16_tensor_fp16acc") == 100e12
    assert geforce.peak_of("fp16_tensor") == 50e12


def test_a_streaming_kernel_stands_at_the_bandwidth_wall():
    # 800,000 B need 800 ns at 1 TB/s; 80,000 FLOP need 8 ns at 10 TFLOP/s
    found = place(work(800_000, fp32=80_000), 1000, WALLS)
    assert (found.memory_floor_ns, found.compute_floor_ns) == (800, 8)
    assert found.floor_ns == 800
    assert (found.bandwidth_ratio, found.compute_ratio) == (0.8, 0.008)
    assert (found.side, found.wall, found.precision) == ("memory", "bandwidth", "fp32")
    assert found.near_balance is False


def test_a_gemm_stands_at_the_compute_wall():
    # 70 MFLOP need 700 ns at 100 TFLOP/s; 100,000 B need 100 ns
    found = place(work(100_000, fp16_tensor=70e6), 1000, WALLS)
    assert (found.bandwidth_ratio, found.compute_ratio) == (0.1, 0.7)
    assert (found.side, found.wall, found.precision) == ("compute", "compute", "fp16_tensor")


def test_precisions_of_one_pipe_add_up_and_pipes_overlap():
    # cuda pipe: 1e6/10e12 = 100 ns and 2e6/20e12 = 100 ns; tensor: 10e6/100e12 = 100 ns
    mixed = work(0, fp32=1e6, fp16=2e6, fp16_tensor=10e6)
    assert place(mixed, 1000, WALLS).compute_floor_ns == pytest.approx(200)
    assert {pipe_of(name) for name in ("int8_tensor", "fp8_tensor", "fp64_tensor")} == {"tensor"}
    assert pipe_of("fp64") != pipe_of("fp32") == pipe_of("fp16")


@pytest.mark.parametrize(
    ("floor_ns", "side", "near"),
    [
        (400, "memory", False),
        (500, "memory", True),
        (990, "memory", True),
        (1010, "compute", False),
    ],
)
def test_the_practical_balance_point_is_half_of_the_theoretical_one(floor_ns, side, near):
    # intensity / balance point = compute floor / memory floor; memory floor 1000 ns
    found = place(work(1_000_000, fp16_tensor=floor_ns * 1e5), 10_000, WALLS)
    assert (found.side, found.near_balance) == (side, near)


def test_unknown_parts_stay_unknown():
    only_bytes = place(work(100_000), 1000, WALLS)
    assert only_bytes.bandwidth_ratio == 0.1
    assert only_bytes.compute_ratio is only_bytes.side is only_bytes.near_balance is None
    assert only_bytes.wall == "unmeasured"
    only_flop = place(work(None, fp32=1e6), 1000, WALLS)
    assert only_flop.compute_ratio == pytest.approx(0.1)
    assert (only_flop.bandwidth_ratio, only_flop.wall) == (None, "unmeasured")
    nothing = place(Work(), 1000, WALLS)
    assert (nothing.floor_ns, nothing.wall) == (None, "unmeasured")


def test_one_known_ratio_is_enough_to_prove_its_wall():
    assert place(work(700_000), 1000, WALLS).wall == "bandwidth"
    assert place(work(None, fp32=7e6), 1000, WALLS).wall == "compute"


def test_work_at_a_precision_without_a_peak_has_no_compute_ratio():
    found = place(work(100_000, fp8_tensor=1e9), 1000, WALLS)
    assert found.compute_ratio is None
    assert found.bandwidth_ratio == 0.1


def test_zero_flop_is_measured_and_on_the_memory_side():
    found = place(work(700_000, fp32=0), 1000, WALLS)
    assert (found.compute_ratio, found.side, found.wall) == (0, "memory", "bandwidth")
    assert found.precision is None


def test_operations_without_traffic_are_on_the_compute_side():
    found = place(work(0, fp32=7e6), 1000, WALLS)
    assert (found.side, found.wall) == ("compute", "compute")
    assert place(work(0, fp32=0), 1000, WALLS).side is None


def test_traffic_that_l2_served_has_no_side():
    by_l2 = Work(flop=1e6, flop_by_precision={"fp32": 1e6}, dram_bytes=512, l2_bytes=1e6)
    assert str(by_l2.intensity_note) == "served by L2"
    assert place(by_l2, 1000, WALLS).side is None


@pytest.mark.parametrize(
    ("sm", "memory", "wall"),
    [
        (0.97, None, "on_chip"),
        (0.10, 0.60, "on_chip"),
        (0.59, 0.59, "latency"),
        (0.20, None, "neither"),
        (None, None, "neither"),
    ],
)
def test_below_both_walls_the_speed_of_light_decides(sm, memory, wall):
    below = Work(
        flop=1e5,
        flop_by_precision={"fp32": 1e5},
        dram_bytes=1e5,
        sm_throughput_ratio=sm,
        memory_throughput_ratio=memory,
    )
    assert place(below, 1000, WALLS).wall == wall


def test_above_the_wall_is_not_clipped():
    found = place(work(2_000_000, fp16_tensor=120e6), 1000, WALLS)
    assert found.bandwidth_ratio == 2
    assert found.compute_ratio == pytest.approx(1.2)


def test_near_moves_the_rule():
    strict = Walls(bandwidth_bytes_per_s=1e12, peak_flop_per_s={"fp32": 1e13}, near_ratio=0.9)
    assert place(work(800_000, fp32=1), 1000, strict).wall == "neither"


@given(
    st.floats(min_value=0, max_value=1e12),
    st.floats(min_value=0, max_value=1e15),
    st.floats(min_value=1, max_value=1e12),
)
def test_no_launch_is_faster_than_its_floor_unless_a_ratio_says_so(bytes_, flop, duration_ns):
    found = place(work(bytes_, fp32=flop), duration_ns, WALLS)
    above = max(found.bandwidth_ratio, found.compute_ratio) > 1
    assert (found.floor_ns > duration_ns) == above
    assert found.wall in {"bandwidth", "compute", "neither"}
