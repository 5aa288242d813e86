"""What ncu itself says between the rows."""

import pytest

from nsys_walls.sources.ncu_csv.banners import Banners, is_banner


def _see(*lines):
    banners = Banners()
    for line in lines:
        banners.see(line)
    return banners


@pytest.mark.parametrize(
    ("line", "todo"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "sudo"),
        ("==WARNING== No kernels were profiled.", "--target-processes all"),
        ("==ERROR== The application returned an error code (11).", "without ncu first"),
        ("==ERROR== Failed to find metric dram__foo.sum", "--query-metrics"),
        ("==ERROR== Profiling failed because a driver resource was unavailable.", "DCGM"),
        ("==ERROR== Cuda driver is not compatible with Nsight Compute", "driver"),
    ],
)
def test_causes_come_with_a_cure(line, todo):
    cause = _see("==PROF== Connected to process 7\n", f"\ufeff{line}\n").cause
    assert cause is not None
    assert todo in str(cause)


def test_the_first_cause_of_the_table_counts():
    cause = _see("==WARNING== No kernels were profiled.", "==ERROR== ERR_NVGPUCTRPERM").cause
    assert cause is not None
    assert "ERR_NVGPUCTRPERM" in str(cause)


def test_programs_may_say_the_same_without_being_ncu():
    banners = _see("my app: No kernels were profiled", "==ERROR==no blank", "==77== NVPROF")
    assert banners.cause is None
    assert banners.errors == 0
    assert not is_banner("# ==PROF== quoted")


def test_errors_are_counted():
    assert _see("==ERROR== a", "==ERROR== b", "==WARNING== c").errors == 2
