"""Build the report document, schema 1, from an analysis."""

from collections import defaultdict
from collections.abc import Iterable

from nsys_walls import __version__
from nsys_walls.errors import Notice
from nsys_walls.findings import Finding, Findings
from nsys_walls.reports import (
    DOCUMENT_SCHEMA,
    ClassTime,
    Device,
    DeviceTotals,
    Document,
    Kernel,
    Range,
    Run,
    Source,
    Totals,
)
from nsys_walls.reports import Finding as FindingRow
from nsys_walls.reports.around import around, sampled
from nsys_walls.roofline.analysis import Analysis, DeviceAnalysis
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.model import WALLS
from nsys_walls.roofline.ranges import RangeTotal
from nsys_walls.store.manifest import Manifest


def build_document(
    analysis: Analysis, findings: Findings, notices: Iterable[Notice], language: str
) -> Document:
    """Write an analysis, its findings and its warnings down as plain data.

    All that is said in sentences is in the given language; codes are the same in every one.
    """
    total_ns = analysis.kernel_ns
    return Document(
        schema=DOCUMENT_SCHEMA,
        version=__version__,
        run=_run(analysis.manifest),
        devices=[_device(device, language) for device in analysis.devices],
        totals=_totals(analysis),
        time_by_wall_ns=_by_wall(analysis.kernels),
        classes=_classes(analysis.kernels, total_ns),
        kernels=[_kernel(kernel, analysis, total_ns, language) for kernel in analysis.kernels],
        ranges=[_range(total, total_ns) for total in analysis.ranges.by_name],
        findings=[_finding(finding, language) for finding in findings.found],
        abstained=[
            {"code": row.code, "reason": row.reason.written(language)} for row in findings.abstained
        ],
        warnings=[
            {"code": notice.code, "message": notice.text.written(language)} for notice in notices
        ],
        **around(analysis, language),
    )


def _run(manifest: Manifest) -> Run:
    return Run(
        name=manifest.run,
        sources=[
            Source(
                kind=source.kind,
                file=source.file,
                product_version=source.product_version,
                schema_version=source.schema_version,
                rows=source.rows,
                skipped=sum(source.skipped.values()),
            )
            for source in manifest.sources
        ],
    )


def _device(device: DeviceAnalysis, language: str) -> Device:
    found, facts, time = device.walls, device.walls.facts, device.time
    balances = {
        precision: found.walls.balance_flop_per_byte(precision)
        for precision in found.walls.peak_flop_per_s
    }
    return Device(
        device=facts.device,
        name=facts.name,
        hardware=found.hardware.id if found.hardware else None,
        hardware_from=found.hardware_from,
        compute_capability=facts.compute_capability
        or (found.hardware.compute_capability if found.hardware else None),
        sm_count=found.sm_count,
        mig=found.mig,
        bandwidth_bytes_per_s=found.walls.bandwidth_bytes_per_s,
        bandwidth_from=found.bandwidth_from,
        peak_flop_per_s=dict(found.walls.peak_flop_per_s),
        peak_from=dict(found.peak_from),
        balance_flop_per_byte={
            precision: balance for precision, balance in balances.items() if balance is not None
        },
        balance_factor=found.walls.balance_factor,
        near_ratio=found.walls.near_ratio,
        documents={key: cited.written(language) for key, cited in found.documents.items()},
        totals=DeviceTotals(
            launches=device.launches,
            span_ns=time.span_ns if time else None,
            kernel_ns=device.kernel_ns,
            busy_ns=time.busy_ns if time else None,
            copy_ns=time.copy_ns if time else None,
            other_ns=time.other_ns if time else None,
            idle_ns=time.idle_ns if time else None,
        ),
    )


def _totals(analysis: Analysis) -> Totals:
    times = [device.time for device in analysis.devices if device.time is not None]
    kernels = analysis.kernels
    return Totals(
        launches=sum(kernel.times.launches for kernel in kernels),
        kernels=len(kernels),
        span_ns=sum(time.span_ns for time in times) if times else None,
        kernel_ns=analysis.kernel_ns,
        busy_ns=sum(time.busy_ns for time in times) if times else None,
        copy_ns=sum(time.copy_ns for time in times) if times else None,
        other_ns=sum(time.other_ns for time in times) if times else None,
        idle_ns=sum(time.idle_ns for time in times) if times else None,
        communication_ns=sum(
            kernel.time_ns for kernel in kernels if kernel.wall == "communication"
        ),
        wall_ns=analysis.wall_ns,
        graph_hidden_ns=sum(time.graph_hidden_ns for time in times),
        measured_time_ratio=analysis.measured_time_ratio,
    )


def _by_wall(kernels: Iterable[KernelPoint]) -> dict[str, int]:
    times: dict[str, int] = dict.fromkeys(WALLS, 0)
    for kernel in kernels:
        times[kernel.wall] += kernel.time_ns
    return times


def _ratio(time_ns: int, total_ns: int) -> float:
    return time_ns / total_ns if total_ns else 0.0


def _classes(kernels: Iterable[KernelPoint], total_ns: int) -> list[ClassTime]:
    groups: defaultdict[str, list[KernelPoint]] = defaultdict(list)
    for kernel in kernels:
        groups[kernel.kernel_class.op_class].append(kernel)
    classes = []
    for name, group in groups.items():
        known = [row.recoverable_ns for row in group if row.recoverable_ns is not None]
        time_ns = sum(kernel.time_ns for kernel in group)
        classes.append(
            ClassTime(
                {
                    "class": name,
                    "launches": sum(kernel.times.launches for kernel in group),
                    "time_ns": time_ns,
                    "time_ratio": _ratio(time_ns, total_ns),
                    "recoverable_ns": sum(known) if known else None,
                    "time_by_wall_ns": _by_wall(group),
                }
            )
        )
    return sorted(classes, key=lambda row: (-row["time_ns"], row["class"]))


def _kernel(kernel: KernelPoint, analysis: Analysis, total_ns: int, language: str) -> Kernel:
    key, times, work, place = kernel.key, kernel.times, kernel.work, kernel.placement
    doubt = work.intensity_note
    return Kernel(
        {
            "id": kernel.id,
            "name": kernel.name,
            "full_name": key.full_name,
            "class": kernel.kernel_class.op_class,
            "device": key.device,
            "grid": list(key.grid) if key.grid else None,
            "block": list(key.block) if key.block else None,
            "shared_memory_bytes": key.dynamic_shared_bytes,
            "launches": times.launches,
            "time_ns": times.time_ns,
            "time_ratio": _ratio(kernel.time_ns, total_ns),
            "median_ns": times.median_ns,
            "mean_ns": times.mean_ns,
            "min_ns": times.min_ns,
            "max_ns": times.max_ns,
            "p95_ns": times.p95_ns,
            "match": {
                "level": kernel.match.level,
                "reason": kernel.match.reason.written(language),
                "profiled_launches": kernel.match.profiled_launches,
                "spread_ratio": kernel.match.spread_ratio,
            },
            "flop": work.flop,
            "flop_by_precision": dict(work.flop_by_precision),
            "flop_is": work.flop_is,
            "not_collected": list(work.not_collected),
            "int_op": work.int_op,
            "dram_bytes": work.dram_bytes,
            "l2_bytes": work.l2_bytes,
            "l1_bytes": work.l1_bytes,
            "ncu_ns": work.ncu_ns,
            "ncu_time_ratio": kernel.ncu_time_ratio,
            "intensity_flop_per_byte": work.intensity_flop_per_byte,
            "intensity_note": doubt.written(language) if doubt else None,
            "flop_per_s": kernel.flop_per_s,
            "bytes_per_s": kernel.bytes_per_s,
            "precision": place.precision if place else None,
            "compute_ratio": place.compute_ratio if place else None,
            "bandwidth_ratio": kernel.bandwidth_ratio,
            "side": place.side if place else None,
            "near_balance": place.near_balance if place else None,
            "wall": kernel.wall,
            "floor_ns": place.floor_ns if place else None,
            "recoverable_ns": kernel.recoverable_ns,
            "notes": [note.written(language) for note in kernel.notes],
            "range": analysis.ranges.innermost.get(kernel.id),
            "sampled": sampled(kernel.sampled),
        }
    )


def _range(total: RangeTotal, total_ns: int) -> Range:
    return Range(
        name=total.name,
        launches=total.launches,
        time_ns=total.time_ns,
        self_time_ns=total.self_time_ns,
        time_ratio=_ratio(total.time_ns, total_ns),
        time_by_wall_ns={wall: total.time_by_wall_ns.get(wall, 0) for wall in WALLS},
        shared_time_ns=total.shared_time_ns,
    )


def _finding(finding: Finding, language: str) -> FindingRow:
    return FindingRow(
        code=finding.code,
        title=finding.title.written(language),
        message=finding.message.written(language),
        kernels=list(finding.kernels),
        time_ratio=finding.time_ratio,
        saving_ns=finding.saving_ns,
        speedup_bound=finding.speedup_bound,
        end_to_end_bound=finding.end_to_end_bound,
        blockers=[blocker.written(language) for blocker in finding.blockers],
        advice=finding.advice.written(language),
        evidence=dict(finding.evidence),
        key=finding.key,
    )
