"""NW403: kernels are near neither wall, and counters do not tell why.

Meaning:
    They reach less than `--near` (60 %) of both walls. Whether their warps wait, or a unit inside
    the chip is busy (L1, L2, shared memory, instruction issue), is not known: ncu's Speed of
    Light was not collected.

Evidence:
    Kernels at wall `neither`: bytes and FLOP are known, and both ratios are below the threshold.
    What their launches show is listed as for NW401; it needs no Speed of Light, and is no proof.
    The saving is the time above their floors, less where they overlap.

Abstains:
    Where 10 % of kernel time or more has no usable counters.

Try:
    Collect Speed of Light, occupancy and launch statistics: `ncu --section SpeedOfLight
    --section Occupancy --section LaunchStats`. With them the same kernels are `latency`
    (NW401) or `on_chip` (NW402).
"""

from collections.abc import Iterator

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.below_walls import gather
from nsys_walls.roofline.coverage import SMALLEST_RATIO, unknown_ratio
from nsys_walls.roofline.launch_words import launch_reason, reasons_text
from nsys_walls.roofline.listed import sentences
from nsys_walls.texts import text
from nsys_walls.units import duration, percent


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Gather the kernels near neither wall whose Speed of Light is not known."""
    found = gather(analysis, "neither", launch_reason)
    if found.time_ratio < SMALLEST_RATIO:
        unknown = unknown_ratio(analysis)
        if unknown is not None:
            yield Abstention(
                code=RULE.code, reason=text("NW403.no_counters", share=percent(unknown))
            )
        return
    saving_ns = found.saving_ns or 0.0
    parts = [
        text(
            "NW403.message",
            time=duration(found.time_ns),
            share=percent(found.time_ratio),
            above=duration(found.above_floor_ns or 0.0),
        )
    ]
    if not {share.reason for share in found.shares} <= {"other", "unknown"}:
        walls = {row.walls.facts.device: row.walls for row in analysis.devices}
        parts.append(text("NW403.reasons", reasons=reasons_text(found, walls)))
    yield Finding(
        code=RULE.code,
        title=text("NW403.title", kernels=len(found.kernels)),
        message=sentences(parts),
        advice=text("NW403.advice"),
        kernels=tuple(kernel.id for kernel in found.kernels),
        time_ratio=found.time_ratio,
        saving_ns=saving_ns,
        speedup_bound=speedup_bound(analysis.busy_ns, saving_ns),
        evidence={
            "neither_time_ns": found.time_ns,
            "above_floor_ns": found.above_floor_ns,
            **{f"{share.reason}_time_ns": share.time_ns for share in found.shares},
        },
    )


RULE = Rule(code="NW403", name="near-neither-wall", check=check)
