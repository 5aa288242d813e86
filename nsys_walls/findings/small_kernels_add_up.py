"""NW101: small memory-side kernels together outweigh the heaviest kernel.

Meaning:
    No single kernel of the set stands out in a top-10 list, yet their sum is the largest
    cost of the run. Looking only at the heaviest kernel misses it.

Evidence:
    At least three kernels on the memory side, each with at most 15 % of kernel time, whose
    summed time is greater than that of the heaviest kernel (which is not one of them).

Abstains:
    Where kernels have no counters, or wait on latency or inside the chip, they do not count.

Try:
    Fuse neighbours that pass a tensor through DRAM (norm + residual, softmax + mask), or
    remove layout copies. Check first that nothing between them synchronises.
"""

from collections.abc import Iterator

from nsys_walls.findings import Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.texts import text
from nsys_walls.units import duration, percent

_FEWEST = 3
_SMALL_RATIO = 0.15


def _is_memory_side(kernel: KernelPoint) -> bool:
    if kernel.placement is None:
        return False
    if kernel.wall in {"latency", "on_chip"}:
        return False
    return kernel.wall == "bandwidth" or kernel.placement.side == "memory"


def check(analysis: Analysis) -> Iterator[Finding]:
    """Compare the sum of the small memory-side kernels with the heaviest kernel."""
    computing = [kernel for kernel in analysis.kernels if kernel.wall != "communication"]
    if not computing:
        return
    heaviest, total_ns = computing[0], analysis.kernel_ns
    small = [
        kernel
        for kernel in computing[1:]
        if kernel.time_ns <= _SMALL_RATIO * total_ns and _is_memory_side(kernel)
    ]
    small_ns = sum(kernel.time_ns for kernel in small)
    if len(small) < _FEWEST or small_ns <= heaviest.time_ns:
        return
    share = small_ns / total_ns
    largest = max(kernel.time_ns for kernel in small) / total_ns
    yield Finding(
        code=RULE.code,
        title=text("NW101.title", kernels=len(small)),
        message=text(
            "NW101.message",
            time=duration(small_ns),
            share=percent(share),
            heaviest=heaviest.name,
            heaviest_share=percent(heaviest.time_ns / total_ns),
            largest_share=percent(largest),
        ),
        advice=text("NW101.advice"),
        kernels=tuple(kernel.id for kernel in small),
        time_ratio=share,
        saving_ns=float(small_ns),
        speedup_bound=speedup_bound(analysis.busy_ns, small_ns),
        evidence={"small_time_ns": small_ns, "heaviest_time_ns": heaviest.time_ns},
    )


RULE = Rule(code="NW101", name="small-kernels-add-up", check=check)
