"""NW101: small memory-side kernels together outweigh the heaviest kernel.

Meaning:
    No single kernel of the set stands out in a top-10 list, yet their sum is the largest
    cost of the run. Looking only at the heaviest kernel misses it. The saving is all of their
    time: what would go if each vanished into a neighbour that is read and written anyway. Fusing
    them with each other leaves one kernel; the chains of NW202 say how much that is.

Evidence:
    A kernel is one full name here: its launch shapes and its GPUs are added up. At least three
    kernels on the memory side, each with at most 15 % of kernel time, whose summed time is
    greater than that of the heaviest kernel (which is not one of them). Of a kernel that is on the
    memory side in some shapes only, these shapes count. Shapes that wait on latency or inside the
    chip do not count. The saving is no more than the time in which the GPUs were busy.

Abstains:
    Where nothing was found and 10 % of kernel time or more has no usable counters.

Try:
    Fuse neighbours that pass a tensor through DRAM (norm + residual, softmax + mask), or
    remove layout copies. Check first that nothing between them synchronises.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.coverage import unknown_ratio
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.savings import saving_of
from nsys_walls.roofline.short_name import short_name
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent

_FEWEST = 3
_SMALL_RATIO = 0.15


@dataclass(frozen=True, slots=True)
class _Kernel:
    """All points of one full name: its launch shapes, on every GPU.

    Attributes:
        points: The points, heaviest first.
    """

    points: Sequence[KernelPoint]

    @property
    def name(self) -> str:
        """Its name, of its only point or without a shape."""
        first = self.points[0]
        return first.name if len(self.points) == 1 else short_name(first.key.full_name)

    @property
    def time_ns(self) -> int:
        """Time of all points, ns."""
        return _time_ns(self.points)

    @property
    def memory_side(self) -> "_Kernel":
        """Those of its points that are on the memory side."""
        return _Kernel([point for point in self.points if _is_memory_side(point)])


def _time_ns(points: Sequence[KernelPoint]) -> int:
    return sum(point.time_ns for point in points)


def _is_memory_side(point: KernelPoint) -> bool:
    if point.placement is None or point.wall in {"latency", "on_chip"}:
        return False
    return point.wall == "bandwidth" or point.placement.side == "memory"


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Compare the sum of the small memory-side kernels with the heaviest kernel."""
    kernels = _by_name(analysis)
    small = [
        part
        for kernel in kernels[1:]
        if kernel.time_ns <= _SMALL_RATIO * analysis.kernel_ns
        and (part := kernel.memory_side).points
    ]
    small_ns = sum(kernel.time_ns for kernel in small)
    if len(small) >= _FEWEST and small_ns > kernels[0].time_ns:
        yield _finding(analysis, kernels[0], small)
        return
    unknown = unknown_ratio(analysis)
    if unknown is not None:
        yield Abstention(code=RULE.code, reason=text("NW101.no_counters", share=percent(unknown)))


def _by_name(analysis: Analysis) -> list[_Kernel]:
    """Add up the points of each full name, but for collectives; the heaviest comes first."""
    points: dict[str, list[KernelPoint]] = {}
    for point in analysis.kernels:
        if point.wall != "communication":
            points.setdefault(point.key.full_name, []).append(point)
    kernels = [_Kernel(rows) for rows in points.values()]
    return sorted(kernels, key=lambda kernel: (-kernel.time_ns, kernel.points[0].id))


def _finding(analysis: Analysis, heaviest: _Kernel, small: Sequence[_Kernel]) -> Finding:
    total_ns, small_ns = analysis.kernel_ns, sum(kernel.time_ns for kernel in small)
    points = sorted((point for kernel in small for point in kernel.points), key=lambda row: row.id)
    saving_ns = saving_of(analysis, {point.id: float(point.time_ns) for point in points})
    return Finding(
        code=RULE.code,
        title=_title(small),
        message=text(
            "NW101.message",
            time=duration(small_ns),
            share=percent(small_ns / total_ns),
            heaviest=heaviest.name,
            heaviest_share=percent(heaviest.time_ns / total_ns),
            largest_share=percent(max(kernel.time_ns for kernel in small) / total_ns),
        ),
        advice=text("NW101.advice"),
        kernels=tuple(point.id for point in points),
        time_ratio=small_ns / total_ns,
        saving_ns=saving_ns,
        speedup_bound=speedup_bound(analysis.busy_ns, saving_ns),
        evidence={"small_time_ns": small_ns, "heaviest_time_ns": heaviest.time_ns},
    )


def _title(small: Sequence[_Kernel]) -> Text:
    """Count kernels, and their points where there are more: those are what a table lists."""
    points = [point for kernel in small for point in kernel.points]
    if len(points) == len(small):
        return text("NW101.title", kernels=len(small))
    gpus = len({point.key.device for point in points})
    shapes = text(
        "NW101.shapes" if gpus == 1 else "NW101.shapes_gpus", shapes=len(points), gpus=gpus
    )
    return text("NW101.title_shapes", kernels=len(small), shapes=shapes)


RULE = Rule(code="NW101", name="small-kernels-add-up", check=check)
