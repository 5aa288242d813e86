"""The roofline arithmetic: plain numbers in, plain numbers out.

Rules and their reasons: "When is a kernel at a wall" in ``nsys_walls/README.md``. Not
measured is ``None``, never 0; a ratio above 1 is left as it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from nsys_walls.counters.work import Work
from nsys_walls.units import NS_PER_S

Side = Literal["memory", "compute"]
Wall = Literal[
    "bandwidth", "compute", "on_chip", "latency", "neither", "communication", "unmeasured"
]

#: Order in which walls are listed in every report.
WALLS: tuple[Wall, ...] = (
    "bandwidth", "compute", "on_chip", "latency", "neither", "communication", "unmeasured",
)  # fmt: skip

#: NVIDIA's rule of thumb: a unit above 60 % of its Speed of Light is busy
#: (Nsight Compute documentation, SpeedOfLight section rules).
SPEED_OF_LIGHT_BUSY_RATIO = 0.6

# Precisions that share execution units add up in time; different pipes overlap.
_PIPES: Mapping[str, str] = {"fp64": "fp64", "fp32": "cuda", "fp16": "cuda"}
_TENSOR_PIPE = "tensor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """The ceilings of one GPU, and the thresholds under which a kernel is at neither.

    Attributes:
        bandwidth_bytes_per_s: Bandwidth wall: peak DRAM traffic, byte/s (1 GB is 1e9 bytes).
        peak_flop_per_s: Compute walls: dense peak by precision, FLOP/s (one FMA is two).
        near_ratio: Part of a wall from which a kernel counts as standing at it.
        balance_factor: Practical balance point as a part of the theoretical one.
    """

    bandwidth_bytes_per_s: float | None
    peak_flop_per_s: Mapping[str, float] = field(default_factory=dict)
    near_ratio: float = 0.6
    balance_factor: float = 0.5

    def peak_of(self, precision: str) -> float | None:
        """Dense peak of a precision, FLOP/s; ``*_fp16acc`` falls back to its plain peak."""
        peak = self.peak_flop_per_s.get(precision)
        if peak is None and precision.endswith("_fp16acc"):
            return self.peak_flop_per_s.get(precision.removesuffix("_fp16acc"))
        return peak

    def balance_flop_per_byte(self, precision: str) -> float | None:
        """Intensity at which bandwidth and compute wall meet, FLOP/byte."""
        peak = self.peak_of(precision)
        if peak is None or not self.bandwidth_bytes_per_s:
            return None
        return peak / self.bandwidth_bytes_per_s


def pipe_of(precision: str) -> str:
    """Name the execution pipe of a precision: fp64, cuda (fp32 and fp16) or tensor."""
    return _PIPES.get(precision, _TENSOR_PIPE)


def compute_floor_by_precision_ns(work: Work, walls: Walls) -> dict[str, float] | None:
    """Time each precision's operations need at their own peak, ns.

    Returns:
        By precision, without zeros; None where the work or a needed peak is unknown.
    """
    if work.flop is None:
        return None
    floors: dict[str, float] = {}
    for precision, amount in work.flop_by_precision.items():
        if not amount:
            continue
        peak = walls.peak_of(precision)
        if not peak:
            return None
        floors[precision] = amount / peak * NS_PER_S
    return floors


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a launch of a given duration stands between its two walls.

    Attributes:
        memory_floor_ns: Time its DRAM traffic needs at the bandwidth wall, ns.
        compute_floor_ns: Time its operations need at their compute walls, ns: precisions of
            one pipe add up, pipes overlap.
        floor_ns: The larger of the two, ns; a lower bound where one is unknown.
        bandwidth_ratio: Part of the bandwidth wall that was reached; may pass 1.
        compute_ratio: Part of the compute wall that was reached; may pass 1.
        precision: Precision with the largest part of the compute floor.
        side: Side of the balance point of the kernel's own mix.
        near_balance: Whether it stands between practical and theoretical balance point.
        wall: Where it stands.
    """

    memory_floor_ns: float | None
    compute_floor_ns: float | None
    floor_ns: float | None
    bandwidth_ratio: float | None
    compute_ratio: float | None
    precision: str | None
    side: Side | None
    near_balance: bool | None
    wall: Wall


def _side(work: Work, memory_ns: float | None, compute_ns: float | None) -> Side | None:
    if memory_ns is None or compute_ns is None or work.is_served_by_l2:
        return None
    if memory_ns == compute_ns == 0:
        return None
    return "memory" if memory_ns > compute_ns else "compute"


def _near_balance(
    side: Side | None, memory_ns: float | None, compute_ns: float | None, factor: float
) -> bool | None:
    if side is None or not memory_ns or compute_ns is None:
        return None
    # compute floor / memory floor = intensity / balance point of the kernel's own mix
    return factor <= compute_ns / memory_ns <= 1


def _speed_of_light_wall(work: Work) -> Wall | None:
    """Apply NVIDIA's rule, which is on Speed of Light percentages and not on our two ratios.

    One busy unit proves ``on_chip``; ``latency`` needs both numbers, since an idle SM says
    nothing about a busy L1 or L2.
    """
    ratios = (work.sm_throughput_ratio, work.memory_throughput_ratio)
    known = [ratio for ratio in ratios if ratio is not None]
    if any(ratio >= SPEED_OF_LIGHT_BUSY_RATIO for ratio in known):
        return "on_chip"
    return "latency" if len(known) == len(ratios) else None


def _wall(
    bandwidth_ratio: float | None, compute_ratio: float | None, work: Work, near_ratio: float
) -> Wall:
    known: dict[Wall, float] = {}
    if bandwidth_ratio is not None:
        known["bandwidth"] = bandwidth_ratio
    if compute_ratio is not None:
        known["compute"] = compute_ratio
    best = max(known, key=known.__getitem__, default=None)
    if best is not None and known[best] >= near_ratio:
        return best
    said = _speed_of_light_wall(work)
    if said is not None:
        return said
    return "neither" if bandwidth_ratio is not None and compute_ratio is not None else "unmeasured"


def place(work: Work, duration_ns: float, walls: Walls) -> Placement:
    """Compare one launch with both walls.

    Args:
        work: Its counters.
        duration_ns: Its time, above 0, ns; for a kernel, the median of its launches.
        walls: The walls of the GPU that it ran on.
    """
    memory_ns = None
    if work.dram_bytes is not None and walls.bandwidth_bytes_per_s:
        memory_ns = work.dram_bytes / walls.bandwidth_bytes_per_s * NS_PER_S
    by_precision = compute_floor_by_precision_ns(work, walls)
    compute_ns = None
    if by_precision is not None:
        pipes: dict[str, float] = {}
        for precision, floor in by_precision.items():
            pipe = pipe_of(precision)
            pipes[pipe] = pipes.get(pipe, 0.0) + floor
        compute_ns = max(pipes.values(), default=0.0)
    floors = [floor for floor in (memory_ns, compute_ns) if floor is not None]
    side = _side(work, memory_ns, compute_ns)
    bandwidth_ratio = None if memory_ns is None else memory_ns / duration_ns
    compute_ratio = None if compute_ns is None else compute_ns / duration_ns
    return Placement(
        memory_floor_ns=memory_ns,
        compute_floor_ns=compute_ns,
        floor_ns=max(floors, default=None),
        bandwidth_ratio=bandwidth_ratio,
        compute_ratio=compute_ratio,
        precision=max(by_precision, key=by_precision.__getitem__) if by_precision else None,
        side=side,
        near_balance=_near_balance(side, memory_ns, compute_ns, walls.balance_factor),
        wall=_wall(bandwidth_ratio, compute_ratio, work, walls.near_ratio),
    )
