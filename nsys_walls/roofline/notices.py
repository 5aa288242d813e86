"""Warnings that only the whole analysis can give."""

from collections.abc import Iterator, Sequence

from nsys_walls.counters.work import Work
from nsys_walls.errors import Notice
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.joined import COUNTERS_ONLY
from nsys_walls.roofline.kernel import RATED_LEVELS, KernelPoint
from nsys_walls.units import duration, percent

_NAMED = 3
# A launch is slow beside its fellows from 3 times their median on, and worth a word from a
# tenth of its kernel's time on.
_SLOW_FACTOR, _SLOW_SHARE = 3.0, 0.1
_SMALL_SHARE = 0.01
_WHY_ABOVE_BANDWIDTH = (
    "DRAM can't deliver that: L2 served part of the traffic in the real run, "
    "while ncu flushed the caches before it counted, or --hw names another part"
)


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


def _list_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown


def _counters_only(analysis: Analysis) -> Iterator[Notice]:
    if not analysis.has_trace:
        yield Notice("counters-only", f"No trace is in this run; {COUNTERS_ONLY}.")


def _above_the_wall(kernels: Sequence[KernelPoint]) -> Iterator[Notice]:
    for ratio_name, code, reason in (
        (
            "bandwidth_ratio",
            "above-bandwidth-wall",
            _WHY_ABOVE_BANDWIDTH,
        ),
        (
            "compute_ratio",
            "above-compute-wall",
            "above the nominal peak (boost clock), or --hw names another part",
        ),
    ):
        above = [
            (kernel, ratio)
            for kernel in kernels
            if kernel.placement is not None
            and (ratio := getattr(kernel.placement, ratio_name)) is not None
            and ratio > 1
        ]
        if above:
            names = [f"{kernel.name} ({percent(ratio)})" for kernel, ratio in above]
            yield Notice(code, f"Shown as measured: {_list_names(names)}; {reason}.")


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
            which = "the first" if times.max_ns == times.first_ns else "1"
            yield Notice(
                "slow-launch",
                f"{kernel.name}: {which} of {times.launches} launches took "
                f"{duration(times.max_ns)}, {percent(share)} of this kernel's time; "
                f"rates use the median, {duration(times.median_ns)}.",
            )


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
    names = [analysis.kernels[row.point].name for row in analysis.impossible]
    yield Notice(
        "impossible-duration",
        f"{launches} of {total} launches end long after the next one of their stream began "
        f"({_list_names(names)}) and hold {percent(sum(bad_ns.values()) / analysis.kernel_ns)} of "
        f"kernel time: damaged rows. Without them: {shares}.",
    )


def _without_counters(analysis: Analysis) -> Iterator[Notice]:
    """Name the kernels that a share of 1 % or more makes worth profiling."""
    for code, what, levels in (
        ("no-counters", "no counters", {"none"}),
        ("ambiguous-counters", "counters that fit more than one kernel or shape", {"ambiguous"}),
    ):
        missing = [
            kernel
            for kernel in analysis.kernels
            if kernel.match.level in levels and kernel.wall != "communication"
        ]
        share = sum(kernel.time_ns for kernel in missing) / (analysis.kernel_ns or 1)
        if share >= _SMALL_SHARE:
            names = _list_names([kernel.name for kernel in missing])
            yield Notice(code, f"{percent(share)} of kernel time has {what}: {names}.")


def _partly_counted(analysis: Analysis) -> Iterator[Notice]:
    """Name what to collect for kernels whose counters lack bytes or FLOP."""
    lacking = [
        kernel
        for kernel in analysis.kernels
        if kernel.match.level in RATED_LEVELS and kernel.work != Work() and not kernel.is_measured
    ]
    share = sum(kernel.time_ns for kernel in lacking) / (analysis.kernel_ns or 1)
    if share >= _SMALL_SHARE:
        reason = lacking[0].work.flop_reason or "DRAM bytes were not collected"
        names = _list_names([kernel.name for kernel in lacking])
        yield Notice(
            "incomplete-counters",
            f"{percent(share)} of kernel time has counters without bytes or FLOP: {names} "
            f"({lacking[0].name}: {reason}).",
        )


def _not_traced(analysis: Analysis) -> Iterator[Notice]:
    names = list(dict.fromkeys(profile.name for profile in analysis.unmatched))
    if names:
        yield Notice(
            "profiled-not-traced",
            f"Profiled, but in no kernel of the trace ({len(analysis.unmatched)} of the profiled "
            f"launches): {_list_names(names)}.",
        )


def _graphs(analysis: Analysis) -> Iterator[Notice]:
    hidden_ns = sum(
        device.time.graph_hidden_ns for device in analysis.devices if device.time is not None
    )
    if hidden_ns:
        yield Notice(
            "graph-hidden",
            f"{duration(hidden_ns)} of kernels are hidden in CUDA graphs: "
            "trace again with `nsys profile --cuda-graph-trace=node`.",
        )


def _slow_collectives(analysis: Analysis) -> Iterator[Notice]:
    """Name collectives most time of which is waiting for a rank that came late."""
    for total in analysis.around.ranks.collectives:
        slow = total.slow
        if slow is None or slow.time_ns < _SLOW_SHARE * slow.of_time_ns:
            continue
        yield Notice(
            "slow-collective",
            f"{slow.name}: {slow.launches} of {slow.of_launches} launches "
            f"took {duration(slow.time_ns)} (the longest {duration(slow.max_ns)}, the median "
            f"{duration(slow.median_ns)}): they waited for another rank, or moved a far larger "
            "message; this is not work of the GPU.",
        )
