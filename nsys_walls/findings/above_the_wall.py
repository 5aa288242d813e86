"""NW701: kernels run above a wall, which a wall does not allow.

Meaning:
    By its counters and its time a kernel moves more bytes, or does more FLOP, each second than
    the GPU can. One of three numbers belongs to something else: the bytes (counted with empty
    caches), the time (another clock than that of the peak), or the wall (another GPU). Ratios are
    shown as they are; this says what speaks for which.

Evidence:
    For bandwidth: whether the traffic fits into the L2 cache, and ncu's own rate in the counter
    run. Below the wall there, caches were warm in the trace; above it there, too, the wall is
    wrong. For FLOP: the clock that the trace states against the clock that the peak is stated at,
    estimated counts, FP16 counted in pairs. For both: `--hw` that contradicts the trace, a wall
    that was typed or derived, counters of other launches. What is less than 1 % above a wall is at
    the wall: clocks and counters differ by that from one run to the next. Nothing is saved.

Abstains:
    Where nothing was found and 10 % of kernel time or more has no usable counters.

Try:
    `--hw` with the GPU that was traced. For bandwidth, `ncu --cache-control none`, which leaves
    caches as the launch before left them. For FLOP, the same locked clock in both runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from nsys_walls.findings import Abstention, Finding, Rule
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.coverage import SMALLEST_RATIO, unknown_ratio
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.listed import items, sentences
from nsys_walls.roofline.walls import DeviceWalls
from nsys_walls.texts import Text, text
from nsys_walls.units import NS_PER_S, duration, percent, si

_Wall = Literal["bandwidth", "compute"]

_EXPLAINED = 3
# Clocks and counters of one kernel differ by about a percent between two runs; what is less than
# that above a wall would be said to "reach 100 %" of it, and nobody could act on it.
_ABOVE_RATIO = 1.01
# Profiled launches of one shape mostly agree to a percent; a tenth apart they are not of one kind.
_SPREAD_RATIO = 0.1


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Explain the kernels above each wall, the heaviest in detail."""
    found = list(_find(analysis))
    yield from found
    unknown = unknown_ratio(analysis)
    if not found and unknown is not None:
        yield Abstention(code=RULE.code, reason=text("NW701.no_counters", share=percent(unknown)))


def _find(analysis: Analysis) -> Iterator[Finding]:
    walls = {row.walls.facts.device: row.walls for row in analysis.devices}
    for wall in ("bandwidth", "compute"):
        above = [
            row for row in analysis.kernels if row.time_ns and _ratio(row, wall) >= _ABOVE_RATIO
        ]
        time_ns = sum(kernel.time_ns for kernel in above)
        if above and time_ns >= SMALLEST_RATIO * analysis.kernel_ns:
            yield _finding(analysis, wall, above, walls)


def _ratio(kernel: KernelPoint, wall: _Wall) -> float:
    """Part of a wall that a kernel reaches; 0 where it is not known."""
    placement = kernel.placement
    if placement is None:
        return 0.0
    ratio = placement.bandwidth_ratio if wall == "bandwidth" else placement.compute_ratio
    return ratio or 0.0


def _finding(
    analysis: Analysis,
    wall: _Wall,
    above: Sequence[KernelPoint],
    walls: Mapping[int, DeviceWalls],
) -> Finding:
    time_ns = sum(kernel.time_ns for kernel in above)
    share = time_ns / analysis.kernel_ns
    parts = [text("NW701.message", time=duration(time_ns), share=percent(share))]
    for kernel in above[:_EXPLAINED]:
        reasons = list(_reasons(kernel, wall, walls[kernel.key.device]))
        parts.append(
            text(
                "NW701.kernel",
                kernel=kernel.name,
                ratio=percent(_ratio(kernel, wall)),
                reasons=items(reasons or [text("NW701.unexplained")]),
            )
        )
    if len(above) > _EXPLAINED:
        parts.append(text("NW701.more", more=len(above) - _EXPLAINED))
    return Finding(
        code=RULE.code,
        title=text(f"NW701.title_{wall}", kernels=len(above)),
        message=sentences(parts),
        advice=text(f"NW701.advice_{wall}"),
        kernels=tuple(kernel.id for kernel in above),
        time_ratio=share,
        evidence=dict(_evidence(above[:_EXPLAINED], wall, walls)),
        key=wall,
    )


def _reasons(kernel: KernelPoint, wall: _Wall, walls: DeviceWalls) -> Iterator[Text]:
    """Say what speaks for a ratio above 1, doubts of the wall first."""
    yield from _doubts_of_wall(kernel, wall, walls)
    yield from _of_bandwidth(kernel, walls) if wall == "bandwidth" else _of_flop(kernel, walls)
    spread = kernel.match.spread_ratio
    if spread is not None and spread >= _SPREAD_RATIO:
        yield text("NW701.spread", spread=percent(spread))
    elif kernel.match.level == "name":
        yield text("NW701.by_name")


def _doubts_of_wall(kernel: KernelPoint, wall: _Wall, walls: DeviceWalls) -> Iterator[Text]:
    if any(notice.code == "hw-contradicts-trace" for notice in walls.warnings):
        yield text("NW701.other_gpu")
    origin = (
        walls.bandwidth_from if wall == "bandwidth" else walls.peak_from.get(_precision(kernel))
    )
    if origin in {"option", "ncu", "derived"}:
        yield text(f"NW701.wall_from_{origin}")


def _precision(kernel: KernelPoint) -> str:
    return (kernel.placement.precision if kernel.placement else None) or ""


def _of_bandwidth(kernel: KernelPoint, walls: DeviceWalls) -> Iterator[Text]:
    wall, rate = walls.walls.bandwidth_bytes_per_s, _ncu_rate(kernel)
    if rate is not None and wall:
        which = "above" if rate > wall else "below"
        yield text(f"NW701.ncu_{which}", rate=si(rate, "B/s"), share=percent(rate / wall))
    size, l2 = kernel.work.dram_bytes, _l2_size(walls)
    if size and l2 and size <= l2:
        yield text("NW701.fits_l2", size=si(size, "B"), l2=si(l2, "B"))


def _ncu_rate(kernel: KernelPoint) -> float | None:
    """DRAM traffic over the time of the counter run, byte/s; None where one is not known."""
    work = kernel.work
    if not work.dram_bytes or not work.ncu_ns:
        return None
    return work.dram_bytes / work.ncu_ns * NS_PER_S


def _l2_size(walls: DeviceWalls) -> float | None:
    # of a MIG slice only a part of it is known to be there
    if walls.hardware is None or walls.hardware.l2_bytes is None or walls.mig:
        return None
    return walls.hardware.l2_bytes.value


def _of_flop(kernel: KernelPoint, walls: DeviceWalls) -> Iterator[Text]:
    precision, clocks = _precision(kernel), _clocks_hz(kernel, walls)
    if clocks is not None:
        device, listed = clocks
        explains = _ratio(kernel, "compute") <= device / listed
        yield text(
            "NW701.clock" if explains else "NW701.past_clock",
            clock=si(device, "Hz"),
            listed=si(listed, "Hz"),
            share=percent(device / listed),
        )
    if kernel.work.flop_is == "estimate":
        yield text("NW701.estimate")
    if precision == "fp16":
        yield text("NW701.pairs")


def _clocks_hz(kernel: KernelPoint, walls: DeviceWalls) -> tuple[float, float] | None:
    """Highest clock of the device and clock of the peak, Hz; None where one is not known."""
    hardware, precision = walls.hardware, _precision(kernel)
    if hardware is None or walls.peak_from.get(precision) != "table":
        return None
    is_tensor = "_tensor" in precision and hardware.tensor_clock_hz is not None
    listed = hardware.tensor_clock_hz if is_tensor else hardware.clock_hz
    if listed is None or not walls.facts.clock_hz:
        return None
    return walls.facts.clock_hz, listed.value


def _evidence(
    kernels: Sequence[KernelPoint], wall: _Wall, walls: Mapping[int, DeviceWalls]
) -> Iterator[tuple[str, float | None]]:
    for kernel in kernels:
        device = walls[kernel.key.device]
        yield f"kernel_{kernel.id}_{wall}_ratio", _ratio(kernel, wall)
        if wall == "bandwidth":
            yield f"kernel_{kernel.id}_dram_bytes", kernel.work.dram_bytes
            yield f"kernel_{kernel.id}_l2_bytes", kernel.work.l2_bytes
            yield f"kernel_{kernel.id}_ncu_bytes_per_s", _ncu_rate(kernel)
            yield f"device_{kernel.key.device}_l2_size_bytes", _l2_size(device)
        else:
            clock, listed = _clocks_hz(kernel, device) or (None, None)
            yield f"device_{kernel.key.device}_clock_hz", clock
            yield f"device_{kernel.key.device}_peak_clock_hz", listed


RULE = Rule(code="NW701", name="above-the-wall", check=check)
