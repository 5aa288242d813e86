import pytest
from support.findings import K, run_of

from nsys_walls.roofline.savings import reached_ratio, saved_at_ratio, saving_of


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
