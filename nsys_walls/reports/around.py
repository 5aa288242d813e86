"""What the report says of all time beside kernels: ranges as a tree, copies, idle time, ranks."""

from typing import TypedDict

from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.model import WALLS
from nsys_walls.roofline.ranges import RangeNode
from nsys_walls.roofline.ranks import CollectiveTotal, Rank
from nsys_walls.roofline.sampled import Sampled as KernelSamples
from nsys_walls.store.gaps import Gap, IdleCause
from nsys_walls.store.selection import Selection

_SPREADS = ("kernel_ns", "busy_ns", "copy_ns", "idle_ns")


class Selected(TypedDict):
    """What of the run is shown, as it was typed."""

    nvtx: list[str]
    window: str | None
    devices: list[int]
    streams: list[int]
    kernel: str | None


class RangeNodeRow(TypedDict):
    """Ranges of one path of names; a node stands behind the one around it."""

    node: int
    parent: int | None
    depth: int
    name: str
    launches: int
    time_ns: int
    self_time_ns: int
    time_ratio: float
    time_by_wall_ns: dict[str, int]
    #: ids of the kernels with a launch inside, rising
    kernels: list[int]


class Copy(TypedDict):
    """Copies or sets of one device, operation and pair of memories."""

    device: int
    operation: str | None
    source_memory: str | None
    target_memory: str | None
    copies: int
    bytes: int | None
    time_ns: int
    #: part of ``time_ns`` in which kernels ran
    hidden_ns: int | None
    #: time in which any of them ran: copies at once count once; rates are over it
    union_ns: int
    #: part of ``union_ns`` in which no kernel or graph ran
    exposed_ns: int | None
    bytes_per_s: float | None
    median_bytes_per_s: float | None
    #: what passed the wall: copies inside a device read and write it
    traffic_bytes: int | None
    wall: str | None
    wall_bytes_per_s: float | None
    wall_ratio: float | None
    wall_from: str | None
    notes: list[str]


class IdleRow(TypedDict):
    """Gaps of one device that have one cause."""

    device: int
    cause: str
    call: str | None
    gaps: int
    time_ns: int
    median_ns: float
    longest_ns: int


class GapRow(TypedDict):
    """One of the longest gaps; kernels are ids."""

    device: int
    start_ns: int
    duration_ns: int
    cause: str
    call: str | None
    kernel_before: int | None
    kernel_after: int | None


class Idle(TypedDict):
    """Idle time: all of it by cause, and its longest gaps."""

    by_cause: list[IdleRow]
    longest: list[GapRow]


class SlowRow(TypedDict):
    """Launches of one collective that took many times its median."""

    kernel: int
    launches: int
    time_ns: int
    median_ns: float
    max_ns: int


# "class" is a keyword, so keys of that name need the functional form
_Classed = TypedDict("_Classed", {"class": str})


class CollectiveRow(_Classed):
    """Collectives of one class; ``waiting_ns`` is time above the fastest rank."""

    kernels: list[int]
    ranks: int
    launches: int
    time_ns: int
    waiting_ns: int | None
    slow: SlowRow | None


class RankRow(TypedDict):
    """One process on one device."""

    rank: int
    #: place of its file in ``run.sources``
    source: int
    device: int
    launches: int
    span_ns: int
    kernel_ns: int
    busy_ns: int
    copy_ns: int
    idle_ns: int
    communication_ns: int
    waiting_ns: int | None


class Sampled(TypedDict):
    """GPU metrics that nsys sampled while a kernel ran alone; ratios are of cycles."""

    samples: int
    period_ns: float
    bytes_per_s: float | None
    bandwidth_ratio: float | None
    dram_read_ratio: float | None
    dram_write_ratio: float | None
    sm_active_ratio: float | None
    tensor_active_ratio: float | None
    #: whether FP16 outside of tensor cores counts as tensor activity
    tensor_includes_fp16: bool
    clock_hz: float | None


class Samples(TypedDict):
    """What became of the samples of GPU metrics of one device."""

    device: int
    period_ns: int | None
    samples: int
    attributed: int
    #: several launches, copies or graphs ran
    shared: int
    #: nothing ran
    idle: int
    #: one thing ran, but not all the time, or was no launch that is shown
    partial: int


class Around(TypedDict):
    """The keys of the document that this module fills."""

    selection: Selected | None
    range_tree: list[RangeNodeRow]
    range_nodes: int
    copies: list[Copy]
    idle: Idle
    communication: list[CollectiveRow]
    ranks: list[RankRow]
    #: (max - min) / median over ranks
    rank_spread: dict[str, float | None]
    sampling: list[Samples]


def around(analysis: Analysis, language: str) -> Around:
    """Write down all that is not about single kernels; notes are in the given language."""
    found, total_ns = analysis.around, analysis.kernel_ns
    several = len(found.ranks.ranks) > 1
    return Around(
        selection=_selection(analysis.selection),
        range_tree=[_node(node, total_ns) for node in analysis.ranges.tree],
        range_nodes=analysis.ranges.nodes,
        copies=[_copy(total, language) for total in found.copies],
        idle=Idle(
            by_cause=[_idle(row) for row in found.idle],
            longest=[_gap(gap) for gap in found.gaps],
        ),
        communication=[_collective(total) for total in found.ranks.collectives],
        ranks=[_rank(rank) for rank in found.ranks.ranks] if several else [],
        rank_spread={what: found.ranks.spread_ratio(what) for what in _SPREADS} if several else {},
        sampling=[
            Samples(
                device=row.device,
                period_ns=row.period_ns,
                samples=row.samples,
                attributed=row.attributed,
                shared=row.shared,
                idle=row.idle,
                partial=row.partial,
            )
            for row in found.samples
        ],
    )


def sampled(found: KernelSamples | None) -> Sampled | None:
    """Write down the samples of a kernel."""
    if found is None:
        return None
    return Sampled(
        samples=found.samples,
        period_ns=found.period_ns,
        bytes_per_s=found.bytes_per_s,
        bandwidth_ratio=found.bandwidth_ratio,
        dram_read_ratio=found.dram_read_ratio,
        dram_write_ratio=found.dram_write_ratio,
        sm_active_ratio=found.sm_active_ratio,
        tensor_active_ratio=found.tensor_active_ratio,
        tensor_includes_fp16=found.tensor_includes_fp16,
        clock_hz=found.clock_hz,
    )


def _selection(selection: Selection) -> Selected | None:
    if selection.is_everything:
        return None
    return Selected(
        nvtx=list(selection.nvtx),
        window=str(selection.window) if selection.window else None,
        devices=list(selection.devices),
        streams=list(selection.streams),
        kernel=selection.kernel,
    )


def _node(node: RangeNode, total_ns: int) -> RangeNodeRow:
    return RangeNodeRow(
        node=node.node,
        parent=node.parent,
        depth=node.depth,
        name=node.name,
        launches=node.launches,
        time_ns=node.time_ns,
        self_time_ns=node.self_time_ns,
        time_ratio=node.time_ns / total_ns if total_ns else 0.0,
        time_by_wall_ns={wall: node.time_by_wall_ns.get(wall, 0) for wall in WALLS},
        kernels=list(node.kernels),
    )


def _copy(total: CopyTotal, language: str) -> Copy:
    link = total.link
    return Copy(
        device=total.device,
        operation=total.operation,
        source_memory=total.source_memory,
        target_memory=total.target_memory,
        copies=total.copies,
        bytes=total.bytes,
        time_ns=total.time_ns,
        hidden_ns=total.hidden_ns,
        union_ns=total.union_ns,
        exposed_ns=total.exposed_ns,
        bytes_per_s=total.bytes_per_s,
        median_bytes_per_s=total.median_bytes_per_s,
        traffic_bytes=total.traffic_bytes,
        wall=link.kind if link else None,
        wall_bytes_per_s=link.bytes_per_s if link else None,
        wall_ratio=total.link_ratio,
        wall_from=link.document.written(language) if link and link.document else None,
        notes=[note.written(language) for note in total.notes],
    )


def _idle(row: IdleCause) -> IdleRow:
    return IdleRow(
        device=row.device,
        cause=row.cause,
        call=row.call,
        gaps=row.gaps,
        time_ns=row.time_ns,
        median_ns=row.median_ns,
        longest_ns=row.longest_ns,
    )


def _gap(gap: Gap) -> GapRow:
    return GapRow(
        device=gap.device,
        start_ns=gap.start_ns,
        duration_ns=gap.duration_ns,
        cause=gap.cause,
        call=gap.call,
        kernel_before=gap.point_before,
        kernel_after=gap.point_after,
    )


def _collective(total: CollectiveTotal) -> CollectiveRow:
    slow = total.slow
    return CollectiveRow(
        {
            "class": total.op_class,
            "kernels": list(total.kernels),
            "ranks": total.ranks,
            "launches": total.launches,
            "time_ns": total.time_ns,
            "waiting_ns": total.waiting_ns,
            "slow": None
            if slow is None
            else SlowRow(
                kernel=slow.kernel,
                launches=slow.launches,
                time_ns=slow.time_ns,
                median_ns=slow.median_ns,
                max_ns=slow.max_ns,
            ),
        }
    )


def _rank(rank: Rank) -> RankRow:
    time, communication = rank.time, rank.communication
    return RankRow(
        rank=rank.rank,
        source=rank.source,
        device=rank.device,
        launches=time.launches,
        span_ns=time.span_ns,
        kernel_ns=time.kernel_ns,
        busy_ns=time.busy_ns,
        copy_ns=time.copy_ns,
        idle_ns=time.idle_ns,
        communication_ns=communication.time_ns if communication else 0,
        waiting_ns=communication.waiting_ns if communication else None,
    )
