"""Work from the counters of a launch."""

import pytest

from nsys_walls.counters.measure import work_of
from nsys_walls.counters.work import Work

FFMA = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
COLLECT = "DRAM bytes were not collected; collect dram__bytes.sum"


def test_work_of_a_launch():
    values = {
        FFMA.format("fadd"): 10.0,
        FFMA.format("fmul"): 0.0,
        FFMA.format("ffma"): 45.0,
        FFMA.format("integer"): 7.0,
        "dram__bytes_read.sum": 30.0,
        "dram__bytes_write.sum": 20.0,
        "lts__t_bytes.sum": 640.0,
        "l1tex__t_bytes.sum": 1280.0,
        "gpu__time_duration.sum": 5120.0,
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": 97.5,
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 12.5,
    }
    work = work_of(values, compute_capability="7.0", says_tensor=None)
    assert work == Work(
        flop=100.0,
        flop_by_precision={"fp32": 100.0},
        flop_is="lower_bound",
        not_collected=("fp64", "fp16", "fp16_tensor"),
        int_op=7.0,
        dram_bytes=50.0,
        dram_bytes_from="dram__bytes_read.sum + dram__bytes_write.sum",
        dram_read_bytes=30.0,
        dram_write_bytes=20.0,
        l2_bytes=640.0,
        l1_bytes=1280.0,
        ncu_ns=5120.0,
        sm_throughput_ratio=0.975,
        memory_throughput_ratio=0.125,
    )
    assert work.intensity_flop_per_byte == 2


@pytest.mark.parametrize(
    ("capability", "note"),
    [
        ("8.0", f"{COLLECT}, dram__bytes_read.sum, dram__bytes_write.sum"),
        (None, COLLECT),
        ("12.1", "compute capability 12.1 has no DRAM counters"),
    ],
)
def test_missing_dram_bytes_are_unknown_and_say_what_to_collect(capability, note):
    values = {"details__memory_throughput.per_second": 1e12, "gpu__time_duration.sum": 9.0}
    work = work_of(values, compute_capability=capability, says_tensor=None)
    assert work.dram_bytes is work.dram_bytes_from is None
    assert work.sm_throughput_ratio is work.memory_throughput_ratio is None
    assert tuple(map(str, work.notes)) == (note,)


def test_no_traffic_is_zero_and_not_unknown():
    work = work_of({"dram__bytes.sum": 0.0}, compute_capability=None, says_tensor=None)
    assert work.dram_bytes == 0
    assert str(work.intensity_note) == "no DRAM traffic"
    assert work.intensity_flop_per_byte is None


# 6 of 640 bytes
def test_traffic_that_l2_serves_is_said_to_be_that():
    values = {"dram__bytes.sum": 6.0, "lts__t_bytes.sum": 640.0}
    work = work_of(values, compute_capability=None, says_tensor=None)
    assert str(work.intensity_note) == "served by L2"
