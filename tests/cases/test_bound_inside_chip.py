"""NW402: kernels below both walls that keep a unit inside the chip busy."""

import pytest
from support.findings import MEMORY, SM, K, finding, found, reasons, run_of
from support.pipeline import profiled, series, shape

from nsys_walls.findings.bound_inside_chip import RULE

GEMM = "gemm_tiled_kernel(const float *, const float *, float *, int)"
L1 = "l1tex__throughput.avg.pct_of_peak_sustained_active"
L2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed"
DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"


def test_a_tiled_gemm_that_waits_for_shared_memory_is_bound_inside_the_chip(desk):
    rows = series(GEMM, [100_000] * 10, **shape((4096, 1, 1)))
    # 155,520 ns x 100 B of 100,000 ns; 195,000,000 FLOP / 19.5 TFLOP/s = 10,000 ns
    counters = {"dram": 15_552_000, "fp32": (0, 0, 97_500_000), SM: 40.0, MEMORY: 92.0, L1: 92.0}
    document = desk.report(
        desk.trace(kernels=rows), desk.counters(profiled(GEMM, counters, grid=(4096, 1, 1)))
    )
    row = finding(document, "NW402")
    assert row["title"] == "1 kernel is bound inside the chip"
    assert row["message"] == (
        "That is 1.00 ms, 100 % of kernel time. "
        "900 µs of it is more than work and traffic would need at the walls. "
        "The busiest unit by ncu's Speed of Light: "
        "for 100 % of it L1 and shared memory (gemm_tiled_kernel: 92 %)."
    )
    assert "bank conflicts" in row["advice"]
    assert row["saving_ns"] == pytest.approx(900_000)
    assert row["speedup_bound"] == pytest.approx(10)


def busy(name, time_ns, sm, memory, levels=()):
    """Make a kernel with these percentages of Speed of Light."""
    return K(name=name, time_ns=time_ns, values={SM: sm, MEMORY: memory, **dict(levels)})


def test_units_count_by_time_and_small_ones_are_not_told(tmp_path):
    analysis = run_of(
        tmp_path,
        busy("a", 500, 80.0, 70.0),
        busy("b", 300, 30.0, 75.0, {L1: 40.0, L2: 75.0}),
        busy("c", 100, 30.0, 65.0),
        busy("d", 60, 30.0, 65.0, {L1: 40.0, L2: 50.0, DRAM: 65.0}),
        busy("e", 40, 30.0, 65.0, {L1: 65.0}),
    )
    (row,) = found(RULE, analysis)
    assert str(row.message).endswith(
        "for 50 % of it the SMs (a: 80 %); for 30 % of it the L2 cache (b: 75 %); "
        "for 10 % of it a memory unit that was not told apart (c: 65 %); "
        "for 6.0 % of it DRAM, by ncu's own peak and clock (d: 65 %)."
    )
    assert row.evidence["l1_time_ns"] == 40
    assert "fewer instructions" in str(row.advice)


def test_a_kernel_without_flop_promises_nothing(tmp_path):
    analysis = run_of(tmp_path, K(name="k", time_ns=1000, compute=None, values={SM: 97.0}))
    (row,) = found(RULE, analysis)
    assert (row.saving_ns, row.speedup_bound) == (None, None)
    said = "For 1.00 µs of it bytes or FLOP are not known, so no saving is counted there."
    assert said in str(row.message)


@pytest.mark.parametrize(
    "kernels",
    [
        [K(name="k", time_ns=1000, bandwidth=0.6, values={SM: 97.0})],  # at a wall
        [busy("k", 1000, 30.0, 40.0)],  # latency
        [busy("k", 4, 97.0, 40.0), K(name="b", time_ns=996, bandwidth=0.9)],  # 0.4 %
    ],
)
def test_inside_the_chip_is_silent(tmp_path, kernels):
    assert list(RULE.check(run_of(tmp_path, *kernels))) == []


def test_inside_the_chip_abstains_where_speed_of_light_was_not_collected(tmp_path):
    neither = run_of(tmp_path / "neither", K(name="k", time_ns=1000, bandwidth=0.1))
    (reason,) = reasons(RULE, neither)
    assert reason.startswith("100 % of kernel time is near neither wall, and whether it is bound")
    bare = run_of(tmp_path / "bare", K(name="k", time_ns=1000, profiled=False))
    (reason,) = reasons(RULE, bare)
    assert reason.startswith("100 % of kernel time has no usable counters")
