import pytest
from support.findings import MEMORY, SM, K, run_of

from nsys_walls.roofline.below_walls import busy_ratio, busy_unit, gather, launch_of
from nsys_walls.roofline.geometry import reason_of

L1, L1_OLD = (f"l1tex__throughput.avg.pct_of_peak_sustained_{end}" for end in ("elapsed", "active"))
L2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed"
WAVES = "launch__waves_per_multiprocessor"
LIMIT = "launch__occupancy_limit_"


def kernel_of(folder, device=None, **values):
    """Analyse one kernel with these counters, and give it with its device's walls."""
    analysis = run_of(folder, K(name="k", time_ns=1000, values=values), device=device)
    return analysis.kernels[0], analysis.devices[0].walls


@pytest.mark.parametrize(
    ("values", "unit", "ratio"),
    [
        ({SM: 80.0, MEMORY: 80.0}, "sm", 0.8),
        ({SM: 61.0}, "sm", 0.61),
        ({MEMORY: 62.0}, "memory", 0.62),
        ({SM: 10.0, MEMORY: 90.0, L1: 90.0, L2: 70.0}, "l1", 0.9),
        ({SM: 10.0, MEMORY: 90.0, L1: 59.0, L2: 50.0}, "memory", 0.9),
        ({SM: 10.0, MEMORY: 90.0, L1_OLD: 95.0}, "l1", 0.95),
        ({SM: 10.0, MEMORY: 90.0, L1_OLD: 95.0, L1: 70.0, L2: 88.0}, "l2", 0.88),
    ],
)
def test_the_busiest_unit_is_named_where_it_was_told_apart(tmp_path, values, unit, ratio):
    kernel, _ = kernel_of(tmp_path, **values)
    assert kernel.wall == "on_chip"
    assert (busy_unit(kernel), busy_ratio(kernel)) == (unit, pytest.approx(ratio))


def test_a_launch_is_put_together_from_the_trace_and_from_ncu(tmp_path):
    device = {"compute_capability": "8.0", "sm_count": 108}
    values = {WAVES: 2.5, f"{LIMIT}registers": 2.0,
              "sm__warps_active.avg.pct_of_peak_sustained_active": 25.0}  # fmt: skip
    launch = launch_of(*kernel_of(tmp_path, device, **values))
    assert (launch.blocks, launch.threads, launch.sm_count) == (1000, 256, 108)
    assert (launch.warps_per_sm, launch.waves, launch.occupancy_ratio) == (64, 2.5, 0.25)
    assert launch.limits == {"registers": 2.0}


def test_waves_are_worked_out_where_ncu_has_only_the_limits(tmp_path):
    device = {"compute_capability": "8.0", "sm_count": 100}
    limits = {f"{LIMIT}{name}": 4.0 for name in ("registers", "shared_mem", "warps")}
    # 1,000 blocks, 4 x 100 at once
    assert launch_of(*kernel_of(tmp_path, device, **limits)).waves == pytest.approx(2.5)


def test_a_kernel_without_counters_has_its_grid(tmp_path):
    analysis = run_of(tmp_path, K(name="k", time_ns=1000, profiled=False))
    launch = launch_of(analysis.kernels[0], analysis.devices[0].walls)
    assert (launch.blocks, launch.waves, launch.occupancy_ratio) == (1000, None, None)
    assert reason_of(launch) == "other"


def test_the_grid_is_ncus_where_the_trace_has_none(tmp_path):
    size = {"launch__grid_size": 50.0, "launch__block_size": 128.0}
    analysis = run_of(tmp_path, K(name="k", time_ns=1000, launches=0, shapeless=True, values=size))
    launch = launch_of(analysis.kernels[0], analysis.devices[0].walls)
    assert (launch.blocks, launch.threads) == (50, 128)


def test_kernels_are_gathered_by_reason_and_time(tmp_path):
    analysis = run_of(
        tmp_path,
        *(K(name=name, time_ns=ns, bandwidth=0.2) for name, ns in zip("abc", (500, 300, 200),
                                                                      strict=True)),
        K(name="fast", time_ns=1000, bandwidth=0.9),
    )  # fmt: skip
    found = gather(analysis, "neither", lambda kernel, _: "odd" if kernel.name == "b" else "even")
    assert [kernel.name for kernel in found.kernels] == ["a", "b", "c"]
    assert (found.time_ns, found.time_ratio) == (1000, 0.5)
    shares = [(share.reason, share.time_ns, len(share.kernels)) for share in found.shares]
    assert shares == [("even", 700, 2), ("odd", 300, 1)]
    assert found.above_floor_ns == found.saving_ns == pytest.approx(800)
    assert found.without_floor_ns == 0
    assert found.told == found.shares


def test_where_there_are_none_nothing_is_gathered(tmp_path):
    analysis = run_of(tmp_path, K(name="k", time_ns=1000, bandwidth=0.9))
    found = gather(analysis, "latency", lambda *_: "never")
    assert (found.kernels, found.time_ratio, found.above_floor_ns, found.told) == (
        (),
        0.0,
        None,
        (),
    )
