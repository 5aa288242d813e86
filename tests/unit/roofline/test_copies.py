import dataclasses

import pytest

from nsys_walls.roofline.copies import total_copies
from nsys_walls.roofline.walls import DeviceFacts, WallOptions, resolve_walls
from nsys_walls.store.copy_times import CopyRow

A100 = DeviceFacts(
    device=0,
    name="NVIDIA A100-SXM4-80GB",
    compute_capability="8.0",
    sm_count=108,
    bandwidth_bytes_per_s=2e12,
    discrete=True,
)
ORIN = DeviceFacts(device=0, name="Orin", compute_capability="8.7", discrete=False)
ROW = CopyRow(
    device=0,
    operation="host_to_device",
    source_memory="pinned",
    target_memory="device",
    copies=3,
    bytes=31_508,
    time_ns=2_000,
    union_ns=2_000,
    median_bytes_per_s=1e10,
    hidden_ns=500,
    exposed_ns=1_500,
)


def walls(facts=A100, **options):
    return {0: resolve_walls(facts, WallOptions(**options))}


def total(walls_by_device, **changes):
    # copies one after another, unless a test says otherwise
    times = {"union_ns": changes["time_ns"]} if "time_ns" in changes else {}
    (found,) = total_copies([dataclasses.replace(ROW, **(times | changes))], walls_by_device)
    return found


def test_a_copy_is_set_against_its_link():
    # 31,508 bytes in 2 µs are 15.754 GB/s, half of PCIe 4.0 x16
    found = total(walls())
    assert (found.link.kind, found.link.bytes_per_s) == ("pcie", 31.508e9)
    assert "PCIe 4.0 x16" in str(found.link.document)
    assert found.bytes_per_s == pytest.approx(15.754e9)
    assert found.link_ratio == pytest.approx(0.5)
    assert found.traffic_bytes == 31_508
    assert found.notes == ()
    for name in CopyRow.__slots__:
        assert getattr(found, name) == getattr(ROW, name)


def test_copies_at_once_share_their_link():
    # 31,508 bytes in 1 µs, in which 4 copies ran side by side: the whole link
    found = total(walls(), time_ns=4_000, union_ns=1_000)
    assert found.bytes_per_s == pytest.approx(31.508e9)
    assert found.link_ratio == pytest.approx(1)
    assert (found.time_ns, found.union_ns) == (4_000, 1_000)


def test_copies_within_the_device_move_their_bytes_twice():
    # 1 GB in 1.25 ms: 800 GB/s copied, 1.6 TB/s of traffic, 80 % of 2 TB/s
    found = total(walls(), operation="device_to_device", bytes=1_000_000_000, time_ns=1_250_000)
    assert (found.link.kind, found.traffic_bytes) == ("dram", 2_000_000_000)
    assert found.bytes_per_s == pytest.approx(800e9)
    assert found.link_ratio == pytest.approx(0.8)
    assert found.link.document is None  # the trace's own bandwidth


def test_the_memory_wall_is_that_of_the_kernels():
    found = total(walls(bandwidth_bytes_per_s=1e12), operation="memset", bytes=500, time_ns=1)
    assert found.link_ratio == pytest.approx(0.5)
    table = dataclasses.replace(A100, bandwidth_bytes_per_s=None)
    assert "gpu-specs" in str(total(walls(table), operation="memset").link.document)


def test_a_jetson_copies_within_its_one_memory():
    # 204.8 GB/s: 102.4 bytes/ns are copied at most
    found = total(walls(ORIN, hw="orin-agx-64"), bytes=512, time_ns=10)
    assert (found.link.kind, found.traffic_bytes) == ("dram", 1024)
    assert found.link_ratio == pytest.approx(1024 / 10 / 204.8, rel=1e-3)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("memset", "above the memory wall: what stays in the L2 cache"),
        ("host_to_device", "above the PCIe wall: the bytes took a faster way"),
        ("peer_to_peer", "above the NVLink wall"),
    ],
)
def test_a_ratio_above_1_is_shown_with_its_reason(operation, words):
    found = total(walls(), operation=operation, bytes=10_000_000, time_ns=1_000)
    assert found.link_ratio > 1
    assert str(found.notes[0]).startswith(words)
    assert "--hw" in str(found.notes[0])


def test_c2c_can_be_passed_too():
    found = total(walls(hw="gh200-96"), bytes=451_000, time_ns=1_000)
    assert found.link_ratio == pytest.approx(451 / 450)
    assert str(found.notes[0]).startswith("above the NVLink-C2C wall")


def test_peers_are_told_what_nvlink_leaves_open():
    found = total(walls(), operation="peer_to_peer", bytes=150, time_ns=1)
    assert found.link_ratio == pytest.approx(0.5)
    assert len(found.notes) == 1
    assert "without a bridge" in str(found.notes[0])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # bytes, bytes_per_s, traffic_bytes, link_ratio
        ({"bytes": None}, (None, None, None, None)),
        ({"time_ns": 0}, (31_508, None, 31_508, None)),
        ({"bytes": 0}, (0, 0, 0, 0)),
        ({"operation": "other"}, (31_508, pytest.approx(15.754e9), None, None)),
        ({"operation": None}, (31_508, pytest.approx(15.754e9), None, None)),
        ({"device": 1}, (31_508, pytest.approx(15.754e9), None, None)),
    ],
)
def test_what_is_not_known_is_none(changes, expected):
    found = total(walls(), **changes)
    assert (found.bytes, found.bytes_per_s, found.traffic_bytes, found.link_ratio) == expected
    assert found.notes == ()


def test_rows_keep_their_order():
    rows = [dataclasses.replace(ROW, copies=copies) for copies in (2, 9, 4)]
    assert [found.copies for found in total_copies(rows, walls())] == [2, 9, 4]
    assert total_copies([], walls()) == ()
