"""NW403: kernels near neither wall for a reason that was not measured."""

import pytest
from support.findings import MEMORY, SM, K, finding, found, reasons, run_of
from support.pipeline import profiled, series, shape

from nsys_walls.findings.near_neither_wall import RULE

NORM = "void at::native::vectorized_layer_norm_kernel<float, float>(int, float, const float *)"


def test_without_speed_of_light_the_reason_stays_open(desk):
    rows = series(NORM, [10_000] * 10, **shape((32, 1, 1)))
    # 1,555,200 bytes / 1,555.2 B/ns = 1,000 ns of 10,000
    counters = profiled(NORM, {"dram": 1_555_200, "fp32": (1_000, 0, 0)}, grid=(32, 1, 1))
    document = desk.report(desk.trace(kernels=rows), desk.counters(counters))
    row = finding(document, "NW403")
    assert row["title"] == "1 kernel is near neither wall, for a reason that was not measured"
    assert row["message"] == (
        "That is 100 µs, 100 % of kernel time; "
        "90.0 µs of it is more than work and traffic would need at the walls. "
        "Whether it waits on latency or on a unit inside the chip is not known: "
        "ncu's Speed of Light was not collected. What the launches show, as shares of this time: "
        "100 % has fewer blocks than SMs (vectorized_layer_norm_kernel: 32 blocks for 108 SMs)."
    )
    assert "ncu --section SpeedOfLight" in row["advice"]
    assert row["saving_ns"] == pytest.approx(90_000)
    assert row["speedup_bound"] == pytest.approx(10)
    assert {"NW401", "NW402"} <= {row["code"] for row in document["abstained"]}


def test_a_launch_that_shows_nothing_is_not_talked_about(tmp_path):
    (row,) = found(RULE, run_of(tmp_path, K(name="k", time_ns=1000, bandwidth=0.5)))
    assert "launches" not in str(row.message)
    assert row.evidence["other_time_ns"] == 1000


def test_what_overlaps_shares_its_wall(tmp_path):
    # three at once, each at 25 % of the bandwidth wall: 3 x 750 ns above their floors,
    # which DRAM works through in no less than 750 of the 1,000 ns
    analysis = run_of(
        tmp_path, *(K(name=name, time_ns=1000, bandwidth=0.25, start_ns=0) for name in "abc")
    )
    (row,) = found(RULE, analysis)
    assert "That is 3.00 µs, 100 % of kernel time; 2.25 µs of it is more" in str(row.message)
    assert (row.saving_ns, row.speedup_bound) == (pytest.approx(250), pytest.approx(1 / 0.75))


@pytest.mark.parametrize(
    "kernels",
    [
        [K(name="k", time_ns=1000, bandwidth=0.6)],  # at a wall
        [K(name="k", time_ns=1000, values={SM: 30.0, MEMORY: 40.0})],  # latency
        [K(name="k", time_ns=4), K(name="b", time_ns=996, bandwidth=0.9)],  # 0.4 %
    ],
)
def test_neither_is_silent(tmp_path, kernels):
    assert list(RULE.check(run_of(tmp_path, *kernels))) == []


def test_neither_abstains_without_counters(tmp_path):
    analysis = run_of(tmp_path, K(name="k", time_ns=1000, profiled=False))
    (reason,) = reasons(RULE, analysis)
    assert reason.startswith("100 % of kernel time has no usable counters")
