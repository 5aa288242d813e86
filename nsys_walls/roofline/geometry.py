"""Why a kernel reaches neither wall, as far as the shape of its launch can tell.

Plain numbers in, one likely reason out. Grid and block are of the trace, waves and achieved
occupancy are ncu's own: how many blocks fit on an SM also depends on registers, shared memory and
what the driver makes of them, which a trace does not tell. What is not known is never guessed: a
reason is given only where the numbers prove that it holds, and it is likely, not certain, that it
is what the kernel waits for.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

LaunchReason = Literal[
    "few_blocks", "small_grid", "part_wave", "last_wave", "low_occupancy", "other", "unknown"
]

#: Warps of an SM that wait are hidden by others of them. From half of the places on, more of them
#: seldom help; below, an SM is likely to have none that can go on.
LOW_OCCUPANCY_RATIO = 0.5

#: Part of the places for blocks that stay empty in the last wave, from which on that is a reason:
#: below, a perfect fit would gain less than 1 / (1 - 0.2), a quarter.
EMPTY_RATIO = 0.2

_WARP_THREADS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The shape of one launch and the GPU that it ran on; None where it is not known.

    Attributes:
        blocks: Blocks of the grid.
        threads: Threads of a block.
        sm_count: SMs of the device.
        warps_per_sm: Warps that can be resident on an SM.
        waves: Blocks over the blocks that fit on the device at once.
        occupancy_ratio: Warps active on an SM, on average over its active cycles, over
            ``warps_per_sm``; 0 to 1.
        limits: Blocks that fit on an SM, by what limits them, such as ``{"registers": 2}``.
    """

    blocks: int | None = None
    threads: int | None = None
    sm_count: int | None = None
    warps_per_sm: int | None = None
    waves: float | None = None
    occupancy_ratio: float | None = None
    limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_unknown(self) -> bool:
        """Whether neither the grid nor anything of ncu's is known."""
        return self.blocks is None and self.waves is None and self.occupancy_ratio is None

    @property
    def has_few_blocks(self) -> bool:
        """Whether it is sure that some SMs have nothing to do."""
        if self.blocks is None or self.sm_count is None:
            return False
        return self.blocks < self.sm_count

    @property
    def filled_ratio(self) -> float | None:
        """Upper bound of the device's places for warps that the whole grid fills; may pass 1."""
        if not (self.blocks and self.threads and self.sm_count and self.warps_per_sm):
            return None
        warps = self.blocks * math.ceil(self.threads / _WARP_THREADS)
        return warps / (self.sm_count * self.warps_per_sm)

    @property
    def empty_ratio(self) -> float | None:
        """Part of the places for blocks that stays empty over all waves, 0 to 1."""
        if self.waves is None or self.waves <= 0:
            return None
        return 1 - self.waves / math.ceil(self.waves)

    @property
    def limiter(self) -> str | None:
        """What leaves room for the fewest blocks on an SM; the first of equals."""
        return min(self.limits, key=self.limits.__getitem__, default=None)


def reason_of(launch: Launch) -> LaunchReason:
    """Name the likely reason, the one that wastes most of the chip first.

    Returns:
        ``unknown``: neither the grid nor anything of ncu's is known.
        ``few_blocks``: fewer blocks than SMs, so that some SMs have nothing to do.
        ``small_grid``: even if all of its warps were resident at once, they would fill less than
        half of the places.
        ``part_wave``: all blocks fit at once, and more would.
        ``last_wave``: the last wave of blocks leaves a good part of the places empty.
        ``low_occupancy``: less than half of the places were filled, as ncu measured.
        ``other``: nothing that is known of the launch is a reason.
    """
    filled, empty, waves = launch.filled_ratio, launch.empty_ratio, launch.waves
    wastes_wave = empty is not None and empty >= EMPTY_RATIO
    occupancy = launch.occupancy_ratio
    holding: dict[LaunchReason, bool] = {
        "unknown": launch.is_unknown,
        "few_blocks": launch.has_few_blocks,
        "small_grid": filled is not None and filled < LOW_OCCUPANCY_RATIO,
        "part_wave": wastes_wave and waves is not None and waves < 1,
        "last_wave": wastes_wave,
        "low_occupancy": occupancy is not None and occupancy < LOW_OCCUPANCY_RATIO,
        "other": True,
    }
    return next(reason for reason, holds in holding.items() if holds)


def waves_of(blocks: int | None, sm_count: int | None, limits: Mapping[str, float]) -> float | None:
    """Work out the waves of a launch from what limits its blocks on an SM.

    Args:
        blocks: Blocks of the grid, or None.
        sm_count: SMs of the device, or None.
        limits: Blocks that fit on an SM, by what limits them. All of registers, shared memory
            and warps have to be there, since the least of them counts.
    """
    if blocks is None or not sm_count or not {"registers", "shared_mem", "warps"} <= limits.keys():
        return None
    fitting = min(limits.values())
    return blocks / (fitting * sm_count) if fitting > 0 else None


@cache
def _table() -> Mapping[str, Any]:
    path = files("nsys_walls").joinpath("data", "occupancy.toml")
    return tomllib.loads(path.read_text("utf-8"))


def warps_per_sm(compute_capability: str | None) -> int | None:
    """Warps that can be resident on an SM of a compute capability; None where unknown."""
    found: int | None = _table()["warps_per_sm"].get(compute_capability)
    return found
