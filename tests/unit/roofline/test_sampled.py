"""Samples of GPU metrics as ratios, and when they are enough."""

import pytest

from nsys_walls.roofline.sampled import Sampled, sampled

MEANS = {
    "dram_read": 45.0, "dram_write": 15.0, "sm_active": 98.5, "tensor_active": 30.0,
    "gpc_clock": 1.41e9,
}  # fmt: skip


def of(means=MEANS, **given):
    values = {"samples": 12, "period_ns": 100_000, "median_ns": 500_000.0,
              "bandwidth_bytes_per_s": 2e12}  # fmt: skip
    return sampled(means, **{**values, **given})


def test_percentages_become_ratios_and_bytes_of_the_bandwidth_wall():
    kernel, reason = of()
    # 45 % + 15 % of 2 TB/s
    assert kernel == Sampled(
        samples=12,
        period_ns=100_000,
        dram_read_ratio=0.45,
        dram_write_ratio=0.15,
        bandwidth_ratio=pytest.approx(0.6),
        bytes_per_s=pytest.approx(1.2e12),
        sm_active_ratio=0.985,
        tensor_active_ratio=0.3,
        tensor_includes_fp16=False,
        clock_hz=1.41e9,
    )
    assert reason is None


def test_what_was_not_sampled_is_not_zero():
    kernel, _ = of({"dram_read": 0.0})
    assert kernel.dram_read_ratio == 0
    assert (kernel.dram_write_ratio, kernel.bandwidth_ratio, kernel.bytes_per_s) == (None,) * 3
    assert (kernel.sm_active_ratio, kernel.tensor_active_ratio, kernel.clock_hz) == (None,) * 3
    assert not kernel.tensor_includes_fp16


def test_no_traffic_is_zero_and_known():
    kernel, _ = of({"dram_read": 0.0, "dram_write": 0.0})
    assert (kernel.bandwidth_ratio, kernel.bytes_per_s) == (0, 0)


def test_without_a_wall_the_ratio_is_still_known():
    kernel, _ = of(bandwidth_bytes_per_s=None)
    assert kernel.bandwidth_ratio == pytest.approx(0.6)
    assert kernel.bytes_per_s is None


def test_the_counter_that_turing_shares_is_marked():
    kernel, _ = of({"tensor_or_fp16_active": 40.0})
    assert (kernel.tensor_active_ratio, kernel.tensor_includes_fp16) == (0.4, True)
    kernel, _ = of({"tensor_or_fp16_active": 40.0, "tensor_active": 30.0})
    assert (kernel.tensor_active_ratio, kernel.tensor_includes_fp16) == (0.3, False)


def test_more_than_the_peak_is_shown_as_it_is():
    kernel, _ = of({"dram_read": 70.0, "dram_write": 40.0})
    assert kernel.bandwidth_ratio == pytest.approx(1.1)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"period_ns": None}, "not sampled"),
        ({"median_ns": 299_999.0}, "300 µs, less than 3 times the 100 µs between samples"),
        ({"samples": 0}, "only 0 samples of the 3 needed"),
        ({"samples": 1}, "only 1 sample of the 3 needed"),
        ({"samples": 2}, "only 2 samples of the 3 needed"),
        ({"mig": "3g.40gb"}, "MIG slice (3g.40gb)"),
    ],
)
def test_too_little_to_say_anything(given, reason):
    kernel, why = of(**given)
    assert kernel is None
    assert reason in why


def test_just_enough():
    kernel, reason = of(samples=3, median_ns=300_000.0)
    assert (kernel.samples, reason) == (3, None)
