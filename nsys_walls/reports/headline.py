"""The answer in words: which wall holds which share of the time, and what to do first."""

from nsys_walls.findings import Finding, Findings
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.model import WALLS
from nsys_walls.texts import Text, in_a_row, text
from nsys_walls.units import duration, percent, three_digits

_SMALLEST_SHARE = 0.005
_MOSTLY = 0.5


def headline(analysis: Analysis, language: str) -> str:
    """Say which wall holds which share of kernel time, in one sentence.

    Shares under 0.5 % are left out.
    """
    total_ns = analysis.kernel_ns
    if not total_ns:
        return text("headline.no_time").written(language)
    shares: dict[str, float] = dict.fromkeys(WALLS, 0.0)
    for kernel in analysis.kernels:
        shares[kernel.wall] += kernel.time_ns / total_ns
    told = sorted(
        (wall for wall in shares if shares[wall] >= _SMALLEST_SHARE),
        key=lambda wall: -shares[wall],
    )
    parts = []
    for place, wall in enumerate(told):
        share = percent(shares[wall])
        first = text("headline.first_share", share=share)
        parts.append(text(f"headline.{wall}", share=share if place else first))
    return text("headline.sentence", shares=in_a_row("listed.comma", parts)).written(language)


def advice(analysis: Analysis, findings: Findings) -> Text:
    """Say what to do first, in one or two sentences."""
    total_ns = analysis.kernel_ns
    ratio = analysis.measured_time_ratio
    if ratio is None or ratio < _MOSTLY:
        return text("advice.profile", share=percent(ratio or 0))
    first = next((one for one in findings.found if one.saving_ns and not one.blockers), None)
    if first is not None:
        return _of_finding(first, first.saving_ns or 0.0)
    best = max(analysis.kernels, key=lambda kernel: kernel.recoverable_ns or 0.0)
    if best.recoverable_ns is None:
        return text("advice.no_wall")
    if not best.recoverable_ns:
        return text("advice.at_wall")
    return _above_floor(best, best.recoverable_ns, total_ns)


def _of_finding(finding: Finding, saving_ns: float) -> Text:
    values: dict[str, str | int | Text] = {
        "title": finding.title,
        "saving": duration(saving_ns),
        "advice": finding.advice,
    }
    bound = finding.end_to_end_bound
    if bound is not None:
        return text("advice.finding_bound", **values, bound=three_digits(bound))
    if finding.speedup_bound is not None:
        bound = finding.speedup_bound
        return text("advice.finding_kernel_time", **values, bound=three_digits(bound))
    return text("advice.finding", **values)


def _above_floor(kernel: KernelPoint, above_ns: float, total_ns: int) -> Text:
    values = {
        "kernel": kernel.name,
        "time": duration(above_ns),
        "share": percent(above_ns / total_ns),
    }
    if kernel.placement is None or kernel.placement.side is None:
        return text("advice.above_floor", **values)
    wall = "bandwidth" if kernel.placement.side == "memory" else "compute"
    reached = percent(getattr(kernel.placement, f"{wall}_ratio"))
    return text(f"advice.above_floor_{wall}", **values, reached=reached)
