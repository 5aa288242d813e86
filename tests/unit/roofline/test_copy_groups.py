"""Copies of several devices as one."""

import pytest

from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.copy_groups import group_copies
from nsys_walls.roofline.links import LinkWall

PCIE = LinkWall(kind="pcie", bytes_per_s=1e9, traffic_factor=1)


def copies(device=0, **changes):
    values = {
        "operation": "host_to_device", "source_memory": "pinned", "target_memory": "device",
        "copies": 2, "bytes": 1000, "time_ns": 4000, "median_bytes_per_s": None,
        "traffic_bytes": None, "bytes_per_s": None, "link": PCIE, "link_ratio": None,
        "hidden_ns": 1000, "notes": (),
    }  # fmt: skip
    return CopyTotal(device=device, **{**values, **changes})


def test_devices_add_up_and_directions_stay_apart():
    rows = [
        copies(0),
        copies(0, operation="device_to_host", source_memory="device", target_memory="pageable",
               time_ns=20_000),
        copies(1, copies=3, bytes=3000, time_ns=6000, hidden_ns=0),
    ]  # fmt: skip
    longest, both = group_copies(rows, {0: 50_000, 1: 5_000})
    assert (longest.operation, longest.host_memory, longest.time_ns) == (
        "device_to_host", "pageable", 20_000,
    )  # fmt: skip
    assert (both.operation, both.host_memory) == ("host_to_device", "pinned")
    assert (both.copies, both.bytes, both.time_ns, both.hidden_ns) == (5, 4000, 10_000, 1000)
    assert both.mean_bytes == 800
    # 4000 bytes in 10 µs; the link would take 4 µs
    assert both.bytes_per_s == pytest.approx(4e8)
    assert both.link_ns == pytest.approx(4000)
    assert both.link_ratio == pytest.approx(0.4)
    assert both.exposed_ns == 9000


def test_copies_at_once_are_exposed_no_longer_than_their_devices_copied():
    (found,) = group_copies([copies(time_ns=8000, hidden_ns=0)], {0: 5000})
    assert found.exposed_ns == 5000


def test_what_is_unknown_of_one_device_is_unknown_of_all():
    rows = [copies(0), copies(1, bytes=None, hidden_ns=None), copies(2, link=None)]
    (found,) = group_copies(rows, dict.fromkeys(range(3), 9000))
    assert (found.bytes, found.mean_bytes, found.bytes_per_s, found.link_ns) == (None,) * 4
    assert (found.link_ratio, found.hidden_ns, found.exposed_ns) == (None,) * 3
    assert (found.copies, found.time_ns) == (6, 12_000)


def test_copies_without_a_duration_have_no_rate():
    (found,) = group_copies([copies(time_ns=0, hidden_ns=0)], {0: 0})
    assert (found.bytes_per_s, found.link_ratio, found.exposed_ns) == (None, None, 0)
