"""NW401: kernels that wait on latency, and what their launches show of the reason."""

import pytest
from support.findings import MEMORY, SM, K, finding, found, reasons, run_of
from support.pipeline import after, profiled, series, shape

from nsys_walls.findings.latency_bound import RULE

NORM = "void at::native::vectorized_layer_norm_kernel<float, float>(int, float, const float *)"
ADD = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>(int, T2, T3)"

IDLE = {SM: 20.0, MEMORY: 30.0}
WAVES = "launch__waves_per_multiprocessor"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
LIMITS = {
    f"launch__occupancy_limit_{name}": float(blocks)
    for name, blocks in {"registers": 2, "shared_mem": 8, "warps": 8, "blocks": 32}.items()
}
A100 = {"compute_capability": "8.0", "sm_count": 108}


def test_a_launch_of_one_block_waits(desk):
    rows = series(NORM, [10_000] * 10, **shape((1, 1, 1)))
    rows += series(ADD, [30_000] * 10, start=after(rows), **shape((4096, 1, 1)))
    counters = desk.counters(
        # 155,520 bytes / 1,555.2 B/ns = 100 ns of 10,000
        profiled(NORM, {"dram": 155_520, "fp32": (1_000, 0, 0), **IDLE}, grid=(1, 1, 1)),
        profiled(ADD, {"dram": 37_324_800, "fp32": (1_000_000, 0, 0)}, grid=(4096, 1, 1)),
    )
    row = finding(desk.report(desk.trace(kernels=rows), counters), "NW401")
    assert row["title"] == "1 kernel waits on latency, near neither wall"
    assert row["message"] == (
        "That is 100 µs, 25 % of kernel time. "
        "99.0 µs of it is more than work and traffic would need at the walls. "
        "Likely reasons, as shares of this time: 100 % has fewer blocks than SMs "
        "(vectorized_layer_norm_kernel: 1 block for 108 SMs)."
    )
    assert "split-K" in row["advice"]
    assert row["saving_ns"] == pytest.approx(99_000)
    # without it 301 of 400 us are left
    assert row["speedup_bound"] == pytest.approx(400 / 301)


def waiting(name, time_ns, grid, values=(), **more):
    """Make a kernel that waits on latency."""
    return K(name=name, time_ns=time_ns, grid=grid, bandwidth=0.1, compute=0.1,
             values={**IDLE, **dict(values)}, **more)  # fmt: skip


def test_reasons_count_by_time_and_small_ones_are_not_told(tmp_path):
    analysis = run_of(
        tmp_path,
        waiting("a", 300, (107, 1, 1)),
        # 108 x 8 warps of 108 x 64
        waiting("b", 400, (108, 1, 1)),
        # 1,080 x 8 warps are more than fit; registers leave 2 x 108 places for 1,080 blocks
        waiting("c", 200, (1080, 1, 1), {WAVES: 0.7}),
        waiting("d", 60, (1080, 1, 1), {OCCUPANCY: 12.0, **LIMITS}),
        waiting("e", 40, (1080, 1, 1)),
        device=A100,
    )
    (row,) = found(RULE, analysis)
    assert str(row.message).endswith(
        "Likely reasons, as shares of this time: "
        "40 % has grids too small for the GPU (b: all its warps fill at most 12 % of the places); "
        "30 % has fewer blocks than SMs (a: 107 blocks for 108 SMs); "
        "20 % has less than one wave of blocks "
        "(c: 0.7 waves, 30 % of the places for blocks stay empty); "
        "6.0 % has low occupancy (d: 12 % of the places for warps were filled; "
        "registers are enough for 2 blocks on an SM)."
    )
    # d: 1,080 / (2 x 108) = 5 waves, none of them partial
    told = {name: ns for name, ns in row.evidence.items() if name.endswith("_time_ns")}
    assert told == {
        "latency_time_ns": 1000, "small_grid_time_ns": 400, "few_blocks_time_ns": 300,
        "part_wave_time_ns": 200, "low_occupancy_time_ns": 60, "other_time_ns": 40,
    }  # fmt: skip
    # nine tenths are above the floors
    assert row.saving_ns == pytest.approx(900)


@pytest.mark.parametrize(
    ("kernel", "said", "tried"),
    [
        (
            waiting("k", 1000, (1000, 1, 1), {WAVES: 1.25}),
            "a last wave of blocks that is far from full (k: 1.25 waves, 38 % of the places",
            "whole waves",
        ),
        (
            waiting("k", 1000, (1000, 1, 1), {OCCUPANCY: 49.0}),
            "low occupancy (k: 49 % of the places for warps were filled).",
            "fewer registers",
        ),
        (
            waiting("k", 1000, (1000, 1, 1)),
            "for 100 % the launch shape gives no reason (k).",
            "warps",
        ),
    ],
)
def test_the_advice_fits_the_reason(tmp_path, kernel, said, tried):
    (row,) = found(RULE, run_of(tmp_path, kernel, device=A100))
    assert said in str(row.message)
    assert tried in str(row.advice)


def test_kernels_of_which_bytes_or_flop_are_unknown_promise_nothing(tmp_path):
    analysis = run_of(tmp_path, K(name="k", time_ns=1000, compute=None, values=IDLE))
    (row,) = found(RULE, analysis)
    assert (row.saving_ns, row.speedup_bound) == (None, None)
    said = "For 1.00 µs of it bytes or FLOP are not known, so no saving is counted there."
    assert said in str(row.message)


def test_what_overlaps_can_not_save_more_than_the_gpu_was_busy(tmp_path):
    # side by side: 2 x 900 ns above their floors in 1,000 ns, of which the wall that they share
    # needs 2 x 100 ns
    analysis = run_of(
        tmp_path,
        waiting("a", 1000, (1, 1, 1)),
        waiting("b", 1000, (1, 1, 1), start_ns=0),
        device=A100,
    )
    (row,) = found(RULE, analysis)
    assert (row.saving_ns, row.speedup_bound) == (pytest.approx(800), pytest.approx(5))
    assert "That is 2.00 µs, 100 % of kernel time. 1.80 µs of it is more" in str(row.message)


@pytest.mark.parametrize(
    "kernels",
    [
        [K(name="k", time_ns=1000, bandwidth=0.6, values=IDLE)],  # at a wall
        [K(name="k", time_ns=1000, values={SM: 70.0, MEMORY: 30.0})],  # inside the chip
        # 0.4 % of the time
        [K(name="k", time_ns=4, values=IDLE), K(name="b", time_ns=996, bandwidth=0.9)],
    ],
)
def test_latency_is_silent(tmp_path, kernels):
    assert list(RULE.check(run_of(tmp_path, *kernels))) == []


def test_latency_abstains_where_speed_of_light_was_not_collected(tmp_path):
    neither = run_of(tmp_path / "neither", K(name="k", time_ns=1000, bandwidth=0.1))
    (reason,) = reasons(RULE, neither)
    assert reason.startswith("100 % of kernel time is near neither wall, and whether it waits")
    bare = run_of(tmp_path / "bare", K(name="k", time_ns=1000, profiled=False))
    (reason,) = reasons(RULE, bare)
    assert reason.startswith("100 % of kernel time has no usable counters")
