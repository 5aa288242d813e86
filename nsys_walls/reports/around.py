"""What the report says of all time beside kernels: ranges as a tree, copies, idle time, ranks."""

from nsys_walls.reports.around_rows import (
    Around,
    CollectiveRow,
    Copy,
    GapRow,
    Idle,
    IdleRow,
    RangeNodeRow,
    RankRow,
    Sampled,
    Samples,
    Selected,
    SlowRow,
)
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.model import WALLS
from nsys_walls.roofline.ranges import RangeNode
from nsys_walls.roofline.ranks import CollectiveTotal, Rank
from nsys_walls.roofline.sampled import Sampled as KernelSamples
from nsys_walls.store.gaps import Gap, IdleCause
from nsys_walls.store.selection import Selection

_SPREADS = ("kernel_ns", "busy_ns", "copy_ns", "idle_ns")


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
