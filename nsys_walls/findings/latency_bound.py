"""NW401: kernels wait on latency, near neither wall.

Meaning:
    Neither DRAM nor the arithmetic units are near their wall, and ncu says that no unit inside
    the chip is busy either: the warps wait, and there are too few of them to cover it.

Evidence:
    Kernels at wall `latency`: below `--near` (60 %) of both walls, with ncu's Speed of Light of
    the SMs and of the memory system both measured and below 60 %. The likely reason is read off
    the launch, the first of these that holds: fewer blocks than SMs; a grid whose warps, all
    resident at once, would fill less than half of the GPU; waves of blocks (ncu's launch
    statistics) that leave 20 % of the places empty; less than half of the places for warps filled
    (ncu's achieved occupancy). The saving is the time above their floors, less where they overlap:
    an upper bound that a small launch rarely comes near.

Abstains:
    Where 10 % of kernel time or more has no usable counters, or where kernels are near neither wall
    and Speed of Light was not collected. Kernels on other streams may fill what a small launch
    leaves empty; that is not looked at.

Try:
    More blocks for each launch (larger batches, split-K, split-KV), fewer and larger kernels
    (fusion), or several streams. Where the launch shape gives no reason: ncu's warp states.
"""

from collections.abc import Iterator

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound, without_speed_of_light
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.below_walls import gather
from nsys_walls.roofline.coverage import SMALLEST_RATIO
from nsys_walls.roofline.launch_words import advice_text, launch_reason, reasons_text
from nsys_walls.roofline.listed import sentences
from nsys_walls.texts import text
from nsys_walls.units import duration, percent


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Gather the kernels that wait on latency, with the reasons that their launches show."""
    found = gather(analysis, "latency", launch_reason)
    if found.time_ratio < SMALLEST_RATIO:
        yield from without_speed_of_light(analysis, RULE.code)
        return
    parts = [text("NW401.message", time=duration(found.time_ns), share=percent(found.time_ratio))]
    if found.above_floor_ns is not None:
        parts.append(text("NW401.above", above=duration(found.above_floor_ns)))
    if found.without_floor_ns:
        parts.append(text("NW401.partial", without=duration(found.without_floor_ns)))
    walls = {row.walls.facts.device: row.walls for row in analysis.devices}
    parts.append(text("NW401.reasons", reasons=reasons_text(found, walls)))
    saving_ns = found.saving_ns
    yield Finding(
        code=RULE.code,
        title=text("NW401.title", kernels=len(found.kernels)),
        message=sentences(parts),
        advice=advice_text(found),
        kernels=tuple(kernel.id for kernel in found.kernels),
        time_ratio=found.time_ratio,
        saving_ns=saving_ns,
        speedup_bound=None if saving_ns is None else speedup_bound(analysis.busy_ns, saving_ns),
        evidence={
            "latency_time_ns": found.time_ns,
            "above_floor_ns": found.above_floor_ns,
            "without_floor_ns": found.without_floor_ns,
            **{f"{share.reason}_time_ns": share.time_ns for share in found.shares},
        },
    )


RULE = Rule(code="NW401", name="latency-bound", check=check)
