"""Walls of copies: the link or the memory that bounds each operation of the copy engines.

A link is shared by all that use it and has a bandwidth for each direction. A MIG slice has a
part of the card's memory bandwidth, but the card's PCIe, NVLink and NVLink-C2C as they are:
links are never scaled by a slice.
"""

from dataclasses import dataclass
from typing import Literal

from nsys_walls.roofline.hardware_file import Hardware, Number
from nsys_walls.texts import Text, text

LinkKind = Literal["pcie", "nvlink", "c2c", "dram"]

#: What a GPU's number does not tell about a pair of GPUs.
PEER_NOTE = text("note.peer_links")

_BETWEEN_HOST_AND_DEVICE = frozenset({"host_to_device", "device_to_host"})

# Their CPU and GPU share one memory; where a trace does not say so, the table does.
_SHARED_MEMORY_SEGMENTS = frozenset({"jetson", "desktop"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkWall:
    """What bounds a copy or set.

    Attributes:
        kind: ``pcie``, ``nvlink``, ``c2c`` (between a Grace CPU and its GPU) or ``dram``, the
            memory of the device.
        bytes_per_s: Its peak, byte/s: of a link in one direction, of the DRAM for reads and
            writes together.
        traffic_factor: How often each copied byte passes it: 2 where it is read from and
            written to the same DRAM.
        document: Source and check date of the number, or None where it is no number of the
            hardware table.
        note: What the number leaves open, or None.
    """

    kind: LinkKind
    bytes_per_s: float
    traffic_factor: Literal[1, 2]
    document: Text | None = None
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dram:
    """The memory wall of a device, as it was resolved for its kernels.

    Attributes:
        bytes_per_s: Peak bandwidth, byte/s, scaled to the MIG slice; None if unknown.
        document: Source and check date where it is a number of the hardware table, else None.
    """

    bytes_per_s: float | None
    document: Text | None = None


def link_wall(
    operation: str | None, hardware: Hardware | None, dram: Dram, *, discrete: bool | None
) -> LinkWall | None:
    """Find what bounds an operation.

    Args:
        operation: As in the store: ``host_to_device``, ``device_to_host``, ``device_to_device``,
            ``peer_to_peer``, ``memset``, ``host_to_host``, ``other`` or None.
        hardware: The part that the device is, or None.
        dram: The device's memory wall.
        discrete: Whether it has a memory of its own; None where the trace does not say.

    Returns:
        The wall, or None where the way of the bytes or its bandwidth is not known: copies within
        the host's memory, kinds that the profiler could not name, parts without that number.
    """
    if operation == "memset":
        return _dram_wall(dram, 1)
    if operation == "device_to_device":
        return _dram_wall(dram, 2)
    if operation == "peer_to_peer":
        return _peer_wall(hardware)
    if operation in _BETWEEN_HOST_AND_DEVICE:
        return _host_wall(hardware, dram, discrete=discrete)
    return None


def _dram_wall(dram: Dram, traffic_factor: Literal[1, 2]) -> LinkWall | None:
    if dram.bytes_per_s is None:
        return None
    return LinkWall(
        kind="dram",
        bytes_per_s=dram.bytes_per_s,
        traffic_factor=traffic_factor,
        document=dram.document,
    )


def _peer_wall(hardware: Hardware | None) -> LinkWall | None:
    if hardware is None:
        return None
    nvlink = _link("nvlink", hardware.nvlink_bytes_per_s, PEER_NOTE)
    return nvlink or _link("pcie", hardware.pcie_bytes_per_s)


def _host_wall(hardware: Hardware | None, dram: Dram, *, discrete: bool | None) -> LinkWall | None:
    # a part with NVLink-C2C has a memory of its own, whatever its driver calls it
    c2c = _link("c2c", hardware.c2c_bytes_per_s) if hardware else None
    if c2c:
        return c2c
    if discrete is None:
        discrete = hardware is None or hardware.segment not in _SHARED_MEMORY_SEGMENTS
    if not discrete:
        return _dram_wall(dram, 2)
    return _link("pcie", hardware.pcie_bytes_per_s) if hardware else None


def _link(kind: LinkKind, number: Number | None, note: Text | None = None) -> LinkWall | None:
    if number is None:
        return None
    return LinkWall(
        kind=kind,
        bytes_per_s=number.value,
        traffic_factor=1,
        document=number.document,
        note=note,
    )
