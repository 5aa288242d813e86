"""NW402: kernels are bound by a unit inside the chip.

Meaning:
    They are below both walls of the roofline, yet a unit of the chip is busy: the SMs (instruction
    issue, integer or special functions, address arithmetic), L1 and shared memory, or the L2
    cache. Less DRAM traffic does not help them; less work for that unit does.

Evidence:
    Kernels at wall `on_chip`: below `--near` (60 %) of both walls, with ncu's Speed of Light of
    the SMs or of the memory system at 60 % or more. The unit is the SMs where they are as busy as
    the memory system; else the busiest level of memory, where ncu's breakdown was collected
    (`l1tex__throughput`, `lts__throughput`, `gpu__dram_throughput`). The saving is the time
    above their floors, less where they overlap; only a kernel that no longer needs that unit would
    reach it.

Abstains:
    Where 10 % of kernel time or more has no usable counters, or where kernels are near neither wall
    and Speed of Light was not collected.

Try:
    For the SMs, fewer instructions for the same result: vector loads, less index arithmetic, the
    tensor cores. For L1 and shared memory, no bank conflicts, coalesced accesses, more reuse in
    registers. For L2, larger tiles.
"""

from collections.abc import Iterator

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound, without_speed_of_light
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.below_walls import (
    BelowWalls,
    BusyUnit,
    Share,
    busy_ratio,
    busy_unit,
    gather,
)
from nsys_walls.roofline.coverage import SMALLEST_RATIO
from nsys_walls.roofline.listed import items, sentences
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Gather the kernels that a unit inside the chip holds up."""
    found = gather(analysis, "on_chip", lambda kernel, _: busy_unit(kernel))
    if found.time_ratio < SMALLEST_RATIO:
        yield from without_speed_of_light(analysis, RULE.code)
        return
    parts = [text("NW402.message", time=duration(found.time_ns), share=percent(found.time_ratio))]
    if found.above_floor_ns is not None:
        parts.append(text("NW402.above", above=duration(found.above_floor_ns)))
    if found.without_floor_ns:
        parts.append(text("NW402.partial", without=duration(found.without_floor_ns)))
    parts.append(text("NW402.units", units=_units(found)))
    saving_ns = found.saving_ns
    yield Finding(
        code=RULE.code,
        title=text("NW402.title", kernels=len(found.kernels)),
        message=sentences(parts),
        advice=text(f"NW402.advice_{found.shares[0].reason}"),
        kernels=tuple(kernel.id for kernel in found.kernels),
        time_ratio=found.time_ratio,
        saving_ns=saving_ns,
        speedup_bound=None if saving_ns is None else speedup_bound(analysis.busy_ns, saving_ns),
        evidence={
            "on_chip_time_ns": found.time_ns,
            "above_floor_ns": found.above_floor_ns,
            "without_floor_ns": found.without_floor_ns,
            **{f"{share.reason}_time_ns": share.time_ns for share in found.shares},
        },
    )


def _units(found: BelowWalls[BusyUnit]) -> Text:
    return items([_unit(share, found.time_ns) for share in found.told])


def _unit(share: Share[BusyUnit], total_ns: int) -> Text:
    heaviest = share.kernels[0]
    return text(
        f"NW402.unit_{share.reason}",
        share=percent(share.time_ns / total_ns),
        kernel=heaviest.name,
        busy=percent(busy_ratio(heaviest)),
    )


RULE = Rule(code="NW402", name="bound-inside-the-chip", check=check)
