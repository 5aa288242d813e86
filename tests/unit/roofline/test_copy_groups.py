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
        "hidden_ns": 1000, "exposed_ns": 3000, "notes": (),
    }  # fmt: skip
    values |= changes
    return CopyTotal(device=device, **{"union_ns": values["time_ns"], **values})


def test_devices_add_up_and_directions_stay_apart():
    rows = [
        copies(0),
        copies(0, operation="device_to_host", source_memory="device", target_memory="pageable",
               time_ns=20_000),
        copies(1, copies=3, bytes=3000, time_ns=6000, hidden_ns=0, exposed_ns=6000),
    ]  # fmt: skip
    longest, both = group_copies(rows)
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


def test_copies_at_once_count_once_and_share_their_link():
    # 4 copies of 2 µs side by side: 4000 bytes in 2 µs, twice what the link carries
    at_once = copies(copies=4, bytes=4000, time_ns=8000, union_ns=2000, hidden_ns=0,
                     exposed_ns=2000)  # fmt: skip
    (found,) = group_copies([at_once])
    assert (found.time_ns, found.union_ns, found.exposed_ns) == (8000, 2000, 2000)
    assert (found.bytes_per_s, found.link_ratio) == (pytest.approx(2e9), pytest.approx(2))


def test_what_is_unknown_of_one_device_is_unknown_of_all():
    unknown = copies(1, bytes=None, hidden_ns=None, exposed_ns=None)
    (found,) = group_copies([copies(0), unknown, copies(2, link=None)])
    assert (found.bytes, found.mean_bytes, found.bytes_per_s, found.link_ns) == (None,) * 4
    assert (found.link_ratio, found.hidden_ns, found.exposed_ns) == (None,) * 3
    assert (found.copies, found.time_ns) == (6, 12_000)


def test_copies_without_a_duration_have_no_rate():
    (found,) = group_copies([copies(time_ns=0, hidden_ns=0, exposed_ns=0)])
    assert (found.bytes_per_s, found.link_ratio, found.exposed_ns) == (None, None, 0)
