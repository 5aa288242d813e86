"""Copies and sets against the walls that bound them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nsys_walls.roofline.links import Dram, LinkKind, LinkWall, link_wall
from nsys_walls.roofline.walls import DeviceWalls
from nsys_walls.store.copy_times import CopyRow
from nsys_walls.texts import Text, text
from nsys_walls.units import NS_PER_S

# Why a measured rate passes a published one, by the kind of wall.
_ABOVE: Mapping[LinkKind, Text] = {
    "dram": text("note.above_dram"),
    "pcie": text("note.above_pcie"),
    "nvlink": text("note.above_nvlink"),
    "c2c": text("note.above_c2c"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyTotal:
    """Copies or sets of one device that have operation and memories in common.

    Attributes:
        device: Number of the device.
        operation: As in the store, such as ``host_to_device`` or ``memset``; None if unknown.
        source_memory: ``pageable``, ``pinned``, ``device``, ``managed``, ``array``, or None.
        target_memory: As ``source_memory``.
        copies: How many.
        bytes: What they copied, in one direction; None where that of any is unknown.
        time_ns: Sum of their durations, ns.
        union_ns: Time in which any of them ran, ns: those that ran at once count once.
        median_bytes_per_s: Median of the rates of single copies, byte/s, or None. Far below
            ``bytes_per_s``, it tells of many small copies, or of copies at once.
        traffic_bytes: What passed the wall; None where the bytes or the wall are unknown.
        bytes_per_s: Sum of bytes over ``union_ns``, byte/s: copies that run at once share their
            link, so this is its rate. None where the bytes are unknown or the time is 0.
        link: What bounds them, or None where that is not known.
        link_ratio: Traffic over ``union_ns`` as a part of the wall, which it may pass; None where
            either is unknown.
        hidden_ns: The part of ``time_ns`` during which a kernel or a graph ran on the device, ns;
            None where no kernels were traced.
        exposed_ns: The part of ``union_ns`` during which none ran, ns; None as above.
        notes: What the numbers leave open, and why a ratio is above 1.
    """

    device: int
    operation: str | None
    source_memory: str | None
    target_memory: str | None
    copies: int
    bytes: int | None
    time_ns: int
    union_ns: int
    median_bytes_per_s: float | None
    traffic_bytes: int | None
    bytes_per_s: float | None
    link: LinkWall | None
    link_ratio: float | None
    hidden_ns: int | None
    exposed_ns: int | None
    notes: tuple[Text, ...]


def total_copies(
    rows: Iterable[CopyRow], walls_by_device: Mapping[int, DeviceWalls]
) -> tuple[CopyTotal, ...]:
    """Set copies against their walls, in the order of the rows.

    Args:
        rows: Copies by device, operation and memories.
        walls_by_device: Walls by number of the device; one that is missing has none.
    """
    return tuple(_total(row, _link(row, walls_by_device.get(row.device))) for row in rows)


def _link(row: CopyRow, device: DeviceWalls | None) -> LinkWall | None:
    if device is None:
        return None
    dram = Dram(
        bytes_per_s=device.walls.bandwidth_bytes_per_s,
        document=device.documents.get("bandwidth_bytes_per_s"),
    )
    return link_wall(row.operation, device.hardware, dram, discrete=device.facts.discrete)


def _total(row: CopyRow, link: LinkWall | None) -> CopyTotal:
    bytes_per_s = None
    if row.bytes is not None and row.union_ns > 0:
        bytes_per_s = row.bytes / row.union_ns * NS_PER_S
    traffic_bytes = ratio = None
    if link is not None and row.bytes is not None:
        traffic_bytes = row.bytes * link.traffic_factor
    if link is not None and bytes_per_s is not None:
        ratio = bytes_per_s * link.traffic_factor / link.bytes_per_s
    return CopyTotal(
        device=row.device,
        operation=row.operation,
        source_memory=row.source_memory,
        target_memory=row.target_memory,
        copies=row.copies,
        bytes=row.bytes,
        time_ns=row.time_ns,
        union_ns=row.union_ns,
        median_bytes_per_s=row.median_bytes_per_s,
        traffic_bytes=traffic_bytes,
        bytes_per_s=bytes_per_s,
        link=link,
        link_ratio=ratio,
        hidden_ns=row.hidden_ns,
        exposed_ns=row.exposed_ns,
        notes=_notes(link, ratio),
    )


def _notes(link: LinkWall | None, ratio: float | None) -> tuple[Text, ...]:
    if link is None:
        return ()
    above = [_ABOVE[link.kind]] if ratio is not None and ratio > 1 else []
    return (*above, *([link.note] if link.note else []))
