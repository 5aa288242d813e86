from datetime import date

import pytest

from nsys_walls.roofline.hardware import named
from nsys_walls.roofline.hardware_file import Hardware, Number
from nsys_walls.roofline.links import PEER_NOTE, Dram, link_wall

DRAM = Dram(bytes_per_s=2e12, document="Sheet (checked 2026-05-04)")
HOST_COPIES = ("host_to_device", "device_to_host")


def number(value):
    return Number(value=value, source="Sheet", checked=date(2026, 5, 4))


def card(**changes):
    values = {
        "id": "card",
        "name": "Card",
        "bandwidth_bytes_per_s": number(1.9e12),
        "peak_flop_per_s": {},
        "pcie_bytes_per_s": number(31.5e9),
    }
    return Hardware(**{**values, **changes})


def seen(wall):
    return wall and (wall.kind, wall.bytes_per_s, wall.traffic_factor)


@pytest.mark.parametrize("operation", HOST_COPIES)
def test_a_card_is_linked_to_its_host_by_pcie(operation):
    wall = link_wall(operation, card(nvlink_bytes_per_s=number(3e11)), DRAM, discrete=True)
    assert seen(wall) == ("pcie", 31.5e9, 1)
    assert str(wall.document) == "Sheet (checked 2026-05-04)"
    assert wall.note is None


@pytest.mark.parametrize("operation", HOST_COPIES)
@pytest.mark.parametrize("discrete", [True, False, None])
def test_a_grace_cpu_is_linked_by_c2c_whatever_the_driver_calls_its_gpu(operation, discrete):
    part = card(c2c_bytes_per_s=number(4.5e11))
    wall = link_wall(operation, part, DRAM, discrete=discrete)
    assert seen(wall) == ("c2c", 4.5e11, 1)


@pytest.mark.parametrize("operation", HOST_COPIES)
@pytest.mark.parametrize("hardware", [None, card()])
def test_where_cpu_and_gpu_share_a_memory_it_is_read_and_written(operation, hardware):
    wall = link_wall(operation, hardware, DRAM, discrete=False)
    assert seen(wall) == ("dram", 2e12, 2)
    assert str(wall.document) == "Sheet (checked 2026-05-04)"


@pytest.mark.parametrize(
    ("segment", "kind"), [("jetson", "dram"), ("desktop", "dram"), ("geforce", "pcie")]
)
def test_the_table_tells_of_shared_memory_where_the_trace_does_not(segment, kind):
    wall = link_wall("host_to_device", card(segment=segment), DRAM, discrete=None)
    assert wall.kind == kind


@pytest.mark.parametrize(("operation", "factor"), [("device_to_device", 2), ("memset", 1)])
@pytest.mark.parametrize("hardware", [None, card()])
def test_within_the_device_its_resolved_memory_wall_counts(operation, factor, hardware):
    assert seen(link_wall(operation, hardware, DRAM, discrete=True)) == ("dram", 2e12, factor)
    unknown = Dram(bytes_per_s=None)
    assert link_wall(operation, hardware, unknown, discrete=True) is None


def test_peers_use_nvlink_and_are_told_what_it_leaves_open():
    part = card(nvlink_bytes_per_s=number(3e11))
    wall = link_wall("peer_to_peer", part, DRAM, discrete=True)
    assert seen(wall) == ("nvlink", 3e11, 1)
    assert wall.note == PEER_NOTE
    assert "without a bridge copy through PCIe" in str(PEER_NOTE)


def test_peers_without_nvlink_use_pcie():
    wall = link_wall("peer_to_peer", card(), DRAM, discrete=True)
    assert (seen(wall), wall.note) == (("pcie", 31.5e9, 1), None)


@pytest.mark.parametrize(
    ("operation", "hardware", "discrete"),
    [
        ("host_to_host", card(), True),
        ("host_to_host", card(), False),
        ("other", card(), True),
        (None, card(), True),
        ("host_to_device", None, True),
        ("host_to_device", None, None),
        ("device_to_host", card(pcie_bytes_per_s=None), True),
        ("peer_to_peer", None, True),
        ("peer_to_peer", card(pcie_bytes_per_s=None), True),
    ],
)
def test_what_is_not_known_has_no_wall(operation, hardware, discrete):
    assert link_wall(operation, hardware, DRAM, discrete=discrete) is None


def test_a_slice_shares_the_links_of_its_card():
    """Half the memory bandwidth, the whole PCIe."""
    (a30,) = named("a30")
    half = Dram(bytes_per_s=466.6e9)
    assert seen(link_wall("memset", a30, half, discrete=True)) == ("dram", 466.6e9, 1)
    assert seen(link_wall("host_to_device", a30, half, discrete=True)) == ("pcie", 31.508e9, 1)
