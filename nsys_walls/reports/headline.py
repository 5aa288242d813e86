"""The answer in words: which wall holds which share of the time, and what to do first."""

from collections.abc import Sequence

from nsys_walls.findings import Finding
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.units import duration, percent

_PLACES = {
    "bandwidth": "stands at the bandwidth wall",
    "compute": "stands at the compute wall",
    "on_chip": "is bound inside the chip",
    "latency": "waits on latency, near neither wall",
    "neither": "is near neither wall",
    "communication": "is communication",
    "unmeasured": "has no usable counters",
}
_SMALLEST_SHARE = 0.005
_MOSTLY = 0.5


def headline(analysis: Analysis) -> str:
    """Say which wall holds which share of kernel time, in one sentence.

    Shares under 0.5 % are left out.
    """
    total_ns = analysis.kernel_ns
    if not total_ns:
        return "No kernel time was measured."
    shares: dict[str, float] = dict.fromkeys(_PLACES, 0.0)
    for kernel in analysis.kernels:
        shares[kernel.wall] += kernel.time_ns / total_ns
    told = sorted(
        (wall for wall in shares if shares[wall] >= _SMALLEST_SHARE),
        key=lambda wall: -shares[wall],
    )
    first, *rest = [f"{percent(shares[wall])} {_PLACES[wall]}" for wall in told]
    subject = first.replace(" % ", " % of kernel time ", 1)
    return f"{', '.join([subject, *rest])}."


def advice(analysis: Analysis, findings: Sequence[Finding]) -> str:
    """Say what to do first, in one or two sentences."""
    total_ns = analysis.kernel_ns
    ratio = analysis.measured_time_ratio
    if ratio is None or ratio < _MOSTLY:
        return (
            f"Counters are known for {percent(ratio or 0)} of kernel time: profile the heaviest "
            "kernels with ncu and add its CSV with `nsys-walls ingest`."
        )
    if findings:
        return f"{findings[0].title}. {findings[0].message}"
    best = max(analysis.kernels, key=lambda kernel: kernel.recoverable_ns or 0.0)
    if best.recoverable_ns is None:
        return "No wall of these kernels is known: name the GPU with --hw, or give --peak."
    if not best.recoverable_ns:
        return "Every measured kernel runs at its wall: only less work or traffic helps."
    return (
        f"Most time above the walls is in {best.name}: {duration(best.recoverable_ns)}, "
        f"{percent(best.recoverable_ns / total_ns)} of kernel time{_where(best)}."
    )


def _where(kernel: KernelPoint) -> str:
    if kernel.placement is None or kernel.placement.side is None:
        return ""
    wall = "bandwidth" if kernel.placement.side == "memory" else "compute"
    share = getattr(kernel.placement, f"{wall}_ratio")
    return f", which reaches {percent(share)} of its {wall} wall"
