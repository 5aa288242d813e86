"""How much of the time counters can tell of: what rules look at before they say "nothing"."""

from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.model import Wall

#: Findings begin at this part of the time: what is smaller is not worth a sentence.
SMALLEST_RATIO = 0.005

#: A rule that found nothing has looked well enough while less than this part of the time has no
#: usable counters: a kernel there could be made twice as fast, and the run would gain 5 %.
UNKNOWN_RATIO = 0.1


def wall_ratio(analysis: Analysis, wall: Wall) -> float:
    """Part of kernel time that stands at a wall, 0 to 1; 0 where there is no time."""
    time_ns = sum(kernel.time_ns for kernel in analysis.kernels if kernel.wall == wall)
    return time_ns / (analysis.kernel_ns or 1)


def unknown_ratio(analysis: Analysis) -> float | None:
    """Part of kernel time without usable counters where it is too large to look past, else None."""
    ratio = wall_ratio(analysis, "unmeasured")
    return ratio if ratio >= UNKNOWN_RATIO else None
