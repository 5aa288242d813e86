"""Kernels that only move data, and copies within a GPU."""

import pytest
from support.runs import analyse_rows, counter_row, trace_rows

from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.layout import Layout, copy_traffic, is_layout, traffic_of
from nsys_walls.roofline.links import LinkWall
from nsys_walls.store.recurrence import Recurrence
from nsys_walls.store.times import GpuTime

TRANSPOSE = "transpose_tiled_kernel"
WRITE = "dram__bytes_write.sum"


@pytest.fixture
def transposing(tmp_path):
    """Analyse launches of a transpose with these counters beside another kernel."""

    def build(launches=3, **counters):
        rows = trace_rows(
            [(place * 20, 10, place % 2, 0, 7) for place in range(2 * launches)],
            names=(TRANSPOSE, "spin"),
        )
        counted = {"counters": [counter_row(name=TRANSPOSE, **counters)]} if counters else {}
        found = analyse_rows(tmp_path, rows, counted)
        (kernel,) = [row for row in found.kernels if row.name == TRANSPOSE]
        return kernel, found

    return build


# 0.1 FLOP a byte of 8000 bytes
@pytest.mark.parametrize(("flop", "expected"), [(0.0, True), (800.0, True), (801.0, False)])
def test_a_layout_kernel_computes_about_nothing(transposing, flop, expected):
    kernel, _ = transposing(dram_bytes=8000.0, flop=flop)
    assert is_layout(kernel) == expected


def test_without_counters_its_name_is_enough(transposing):
    kernel, _ = transposing()
    assert is_layout(kernel)
    assert traffic_of(kernel) is None


def test_other_names_are_no_layout_kernels(transposing):
    _, found = transposing()
    assert [is_layout(kernel) for kernel in found.kernels if kernel.name == "spin"] == [False]


def test_one_way_is_what_was_written_else_half(transposing):
    kernel, _ = transposing(dram_bytes=8000.0, flop=0.0, values={WRITE: 3000.0})
    traffic = traffic_of(kernel)
    # 1000 bytes take 1 ns
    assert (traffic.bytes, traffic.one_way_bytes) == (8000, 3000)
    assert (traffic.wall_ns, traffic.one_way_ns) == (pytest.approx(8), pytest.approx(3))
    kernel, _ = transposing(dram_bytes=8000.0, flop=0.0)
    assert traffic_of(kernel).one_way_bytes == 4000


def test_it_is_told_how_a_layout_kernel_comes_again(transposing):
    kernel, found = transposing(dram_bytes=8000.0, flop=0.0)
    every_second = Recurrence(per_step=1, steps=3, distance=2)
    assert found.around.layout == Layout(kernels={kernel.id: every_second})


def test_nothing_is_looked_for_without_bytes(transposing):
    _, found = transposing()
    assert found.around.layout == Layout()


DRAM = LinkWall(kind="dram", bytes_per_s=1e12, traffic_factor=2, document=None, note=None)


def copies(operation="device_to_device", **changes):
    values = {
        "device": 0, "operation": operation, "source_memory": "device", "target_memory": "device",
        "copies": 2, "bytes": 4000, "time_ns": 50, "union_ns": 50, "median_bytes_per_s": None,
        "traffic_bytes": 8000, "bytes_per_s": None, "link": DRAM, "link_ratio": None,
        "hidden_ns": 10, "exposed_ns": 40, "notes": (),
    }  # fmt: skip
    return CopyTotal(**values | changes)


def device_time(*, span_ns=200, copy_ns=100):
    return GpuTime(launches=1, span_ns=span_ns, kernel_ns=10, busy_ns=10, copy_ns=copy_ns,
                   other_ns=0, graph_hidden_ns=0)  # fmt: skip


TIMES = {0: device_time(), 1: device_time()}


def test_copies_within_gpus_are_summed_over_devices():
    rows = [copies(), copies(device=1, hidden_ns=0, exposed_ns=50), copies("host_to_device")]
    found = copy_traffic(rows, TIMES)
    assert (found.copies, found.time_ns, found.union_ns) == (4, 100, 100)
    assert (found.exposed_ns, found.bytes) == (90, 8000)
    # 16,000 bytes of traffic at 1000 bytes a ns
    assert found.wall_ns == pytest.approx(16)


def test_copies_of_two_memories_at_once_take_no_more_than_their_device():
    # device 0 spans 70 ns and copies for 55 of them; device 1 has time for both
    rows = [copies(device=device, source_memory=memory)
            for device in (0, 1) for memory in ("device", "array")]  # fmt: skip
    found = copy_traffic(rows, {0: device_time(span_ns=70, copy_ns=55), 1: device_time()})
    assert (found.time_ns, found.union_ns, found.exposed_ns) == (200, 70 + 100, 55 + 80)


def test_what_one_device_does_not_know_is_unknown_of_all():
    unknown = copies(bytes=None, traffic_bytes=None, hidden_ns=None, exposed_ns=None)
    found = copy_traffic([copies(), unknown], TIMES)
    assert (found.exposed_ns, found.bytes, found.wall_ns) == (None, None, None)
    assert copy_traffic([copies("memset")], TIMES) is None
