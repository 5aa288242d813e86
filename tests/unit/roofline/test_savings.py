import pytest
from support.findings import K, run_of

from nsys_walls.roofline.savings import (
    Faster,
    reached_ratio,
    saved_at_ratio,
    saving_at_walls,
    saving_of,
)


def test_kernels_that_overlap_save_no_more_than_their_gpu_was_busy(tmp_path):
    analysis = run_of(tmp_path, K(name="a", time_ns=1000), K(name="b", time_ns=1000, start_ns=0))
    assert analysis.busy_ns == 1000
    assert saving_of(analysis, {0: 300.0}) == 300
    assert saving_of(analysis, {0: 800.0, 1: 800.0}) == 1000


def test_without_launches_the_sum_of_all_kernels_is_the_limit(tmp_path):
    # counters only: there is nothing but ncu's own times
    analysis = run_of(tmp_path, K(name="a", time_ns=1000, launches=0))
    assert analysis.devices[0].time is None
    assert saving_of(analysis, {0: 5000.0}) == analysis.kernel_ns


def at_floors(analysis):
    """Let all kernels come down to their floors."""
    return [Faster(row, row.time_ns - row.recoverable_ns, row.placement) for row in
            analysis.kernels]  # fmt: skip


@pytest.mark.parametrize(
    ("second", "saving_ns"),
    [
        # one after the other: 600 + 600 ns above their floors
        ({"bandwidth": 0.4, "start_ns": 1000}, 1200),
        # at once: DRAM works for 400 + 400 of the 1,000 ns
        ({"bandwidth": 0.4, "start_ns": 0}, 200),
        # at once, and the other one computes: both units work for 400 ns, at the same time
        ({"compute": 0.4, "start_ns": 0}, 600),
        # at once, and more traffic than DRAM can have carried
        ({"bandwidth": 0.7, "start_ns": 0}, 0),
        # at once, and the other one is not known to need anything
        ({"start_ns": 0}, 600),
    ],
)
def test_kernels_that_need_one_unit_share_it_however_they_overlap(tmp_path, second, saving_ns):
    analysis = run_of(
        tmp_path,
        K(name="a", time_ns=1000, bandwidth=0.4),
        K(name="b", time_ns=1000, **second),
    )
    assert saving_at_walls(analysis, at_floors(analysis)) == pytest.approx(saving_ns)


def test_a_kernel_without_a_place_needs_no_unit(tmp_path):
    analysis = run_of(tmp_path, K(name="a", time_ns=1000, profiled=False))
    assert Faster(analysis.kernels[0], 100.0, None).unit is None
    assert saving_at_walls(analysis, [Faster(analysis.kernels[0], 100.0, None)]) == 900
    assert saving_at_walls(analysis, []) == 0


def test_what_a_share_of_the_wall_saves_is_over_all_launches(tmp_path):
    kernel = run_of(tmp_path, K(name="a", time_ns=1000, launches=3, compute=0.6)).kernels[0]
    assert reached_ratio(kernel) == pytest.approx(0.6)
    # 3 x 1000 x (1 - 0.6 / 0.8)
    assert saved_at_ratio(kernel, 0.8) == pytest.approx(750)
    assert saved_at_ratio(kernel, 1.0) == pytest.approx(1200)
    assert saved_at_ratio(kernel, 0.6) == pytest.approx(0)
    assert saved_at_ratio(kernel, 0.5) == 0


def test_the_nearer_wall_is_the_kernels_own(tmp_path):
    kernel = run_of(tmp_path, K(name="a", time_ns=1000, compute=0.2, bandwidth=0.5)).kernels[0]
    assert reached_ratio(kernel) == pytest.approx(0.5)
    assert saved_at_ratio(kernel, 1.0) == pytest.approx(500)


@pytest.mark.parametrize(
    "kernel",
    [
        K(name="a", time_ns=1000, profiled=False),
        K(name="a", time_ns=1000),  # no work and no traffic: no floor
    ],
)
def test_a_kernel_without_a_floor_saves_nothing(tmp_path, kernel):
    (point,) = run_of(tmp_path, kernel).kernels
    assert saved_at_ratio(point, 0.85) == 0
