"""Warnings that only the whole analysis can give."""

from collections.abc import Iterator, Sequence

from nsys_walls.counters.work import Work
from nsys_walls.errors import Notice
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.joined import COUNTERS_ONLY
from nsys_walls.roofline.kernel import RATED_LEVELS, KernelPoint
from nsys_walls.roofline.listed import names, some
from nsys_walls.texts import text
from nsys_walls.units import duration, percent

_NAMED = 3
# A launch is slow beside its fellows from 3 times their median on, and worth a word from a
# tenth of its kernel's time on.
_SLOW_FACTOR, _SLOW_SHARE = 3.0, 0.1
_SMALL_SHARE = 0.01


def analysis_notices(analysis: Analysis) -> tuple[Notice, ...]:
    """Collect every warning about a run, each once: of its sources, then of the analysis."""
    found = (
        *analysis.warnings,
        *_counters_only(analysis),
        *_above_the_wall(analysis.kernels),
        *_slow_launches(analysis),
        *_impossible(analysis),
        *_without_counters(analysis),
        *_partly_counted(analysis),
        *_not_traced(analysis),
        *_graphs(analysis),
        *_slow_collectives(analysis),
    )
    return tuple(dict.fromkeys(found))


def _counters_only(analysis: Analysis) -> Iterator[Notice]:
    if not analysis.has_trace:
        yield Notice("counters-only", text("notice.counters_only", reason=COUNTERS_ONLY))


def _above_the_wall(kernels: Sequence[KernelPoint]) -> Iterator[Notice]:
    for ratio_name, code, key in (
        ("bandwidth_ratio", "above-bandwidth-wall", "notice.above_bandwidth"),
        ("compute_ratio", "above-compute-wall", "notice.above_compute"),
    ):
        above = [
            (kernel, ratio)
            for kernel in kernels
            if kernel.placement is not None
            and (ratio := getattr(kernel.placement, ratio_name)) is not None
            and ratio > 1
        ]
        if above:
            shown = some([f"{kernel.name} ({percent(ratio)})" for kernel, ratio in above])
            yield Notice(code, text(key, names=shown))


def _slow_launches(analysis: Analysis) -> Iterator[Notice]:
    damaged = {row.point for row in analysis.impossible}
    for kernel in analysis.kernels:
        times = kernel.times
        if times.median_ns is None or times.max_ns is None:
            continue
        if kernel.wall == "communication" or kernel.id in damaged:
            continue
        share = times.max_ns / kernel.time_ns if kernel.time_ns else 0.0
        if times.launches < _NAMED or times.max_ns <= _SLOW_FACTOR * times.median_ns:
            continue
        if share >= _SLOW_SHARE:
            is_first = times.max_ns == times.first_ns
            said = text(
                "notice.slow_first_launch" if is_first else "notice.slow_launch",
                kernel=kernel.name,
                launches=times.launches,
                longest=duration(times.max_ns),
                share=percent(share),
                median=duration(times.median_ns),
            )
            yield Notice("slow-launch", said)


def _impossible(analysis: Analysis) -> Iterator[Notice]:
    if not analysis.impossible:
        return
    bad_ns = {row.point: row.time_ns for row in analysis.impossible}
    launches = sum(row.launches for row in analysis.impossible)
    total = sum(kernel.times.launches for kernel in analysis.kernels)
    rest = {kernel.name: kernel.time_ns - bad_ns.get(kernel.id, 0) for kernel in analysis.kernels}
    rest_ns = sum(rest.values()) or 1
    ranking = sorted(rest, key=rest.__getitem__, reverse=True)[:_NAMED]
    shares = ", ".join(
        f"{name} {duration(rest[name])} ({percent(rest[name] / rest_ns)})" for name in ranking
    )
    said = text(
        "notice.impossible_durations",
        launches=launches,
        of_launches=total,
        names=names([analysis.kernels[row.point] for row in analysis.impossible]),
        share=percent(sum(bad_ns.values()) / analysis.kernel_ns),
        shares=shares,
    )
    yield Notice("impossible-duration", said)


def _without_counters(analysis: Analysis) -> Iterator[Notice]:
    """Name the kernels that a share of 1 % or more makes worth profiling."""
    for code, key, level in (
        ("no-counters", "notice.no_counters", "none"),
        ("ambiguous-counters", "notice.ambiguous_counters", "ambiguous"),
    ):
        missing = [
            kernel
            for kernel in analysis.kernels
            if kernel.match.level == level and kernel.wall != "communication"
        ]
        share = sum(kernel.time_ns for kernel in missing) / (analysis.kernel_ns or 1)
        if share >= _SMALL_SHARE:
            yield Notice(code, text(key, share=percent(share), names=names(missing)))


def _partly_counted(analysis: Analysis) -> Iterator[Notice]:
    """Name what to collect for kernels whose counters lack bytes or FLOP."""
    lacking = [
        kernel
        for kernel in analysis.kernels
        if kernel.match.level in RATED_LEVELS and kernel.work != Work() and not kernel.is_measured
    ]
    share = sum(kernel.time_ns for kernel in lacking) / (analysis.kernel_ns or 1)
    if share >= _SMALL_SHARE:
        said = text(
            "notice.incomplete_counters",
            share=percent(share),
            names=names(lacking),
            kernel=lacking[0].name,
            reason=lacking[0].work.flop_reason or text("notice.no_dram_bytes"),
        )
        yield Notice("incomplete-counters", said)


def _not_traced(analysis: Analysis) -> Iterator[Notice]:
    distinct = list(dict.fromkeys(profile.name for profile in analysis.unmatched))
    if distinct:
        launches = len(analysis.unmatched)
        said = text("notice.not_traced", launches=launches, names=some(distinct))
        yield Notice("profiled-not-traced", said)


def _graphs(analysis: Analysis) -> Iterator[Notice]:
    hidden_ns = sum(
        device.time.graph_hidden_ns for device in analysis.devices if device.time is not None
    )
    if hidden_ns:
        yield Notice("graph-hidden", text("notice.graphs", time=duration(hidden_ns)))


def _slow_collectives(analysis: Analysis) -> Iterator[Notice]:
    """Name collectives most time of which is waiting for a rank that came late."""
    for total in analysis.around.ranks.collectives:
        slow = total.slow
        if slow is None or slow.time_ns < _SLOW_SHARE * slow.of_time_ns:
            continue
        said = text(
            "notice.slow_collective",
            kernel=slow.name,
            launches=slow.launches,
            of_launches=slow.of_launches,
            time=duration(slow.time_ns),
            longest=duration(slow.max_ns),
            median=duration(slow.median_ns),
        )
        yield Notice("slow-collective", said)
