"""Likely reasons of the launch shape in words, and what to try for them."""

from collections.abc import Mapping

from nsys_walls.roofline.below_walls import BelowWalls, Share, launch_of
from nsys_walls.roofline.geometry import Launch, LaunchReason, reason_of
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.listed import items
from nsys_walls.roofline.walls import DeviceWalls
from nsys_walls.texts import Text, text
from nsys_walls.units import percent, three_digits

# On a full SM the number of its warps is what limits; of that nothing can be blamed.
_BLAMED = frozenset({"registers", "shared_mem", "blocks", "barriers"})

_ADVICE: Mapping[LaunchReason, str] = {
    "few_blocks": "launch.more_blocks",
    "small_grid": "launch.more_blocks",
    "part_wave": "launch.more_blocks",
    "last_wave": "launch.whole_waves",
    "low_occupancy": "launch.more_warps",
    "other": "launch.look_at_stalls",
    "unknown": "launch.look_at_stalls",
}


def launch_reason(kernel: KernelPoint, walls: DeviceWalls) -> LaunchReason:
    """Name the likely reason of a kernel's launch."""
    return reason_of(launch_of(kernel, walls))


def reasons_text(found: BelowWalls[LaunchReason], walls: Mapping[int, DeviceWalls]) -> Text:
    """List the reasons, the one with most time first, each with its heaviest kernel.

    Args:
        found: Kernels by reason.
        walls: Walls by device.
    """
    return items([_reason_text(share, found.time_ns, walls) for share in found.told])


def _reason_text(
    share: Share[LaunchReason], total_ns: int, walls: Mapping[int, DeviceWalls]
) -> Text:
    kernel = share.kernels[0]
    launch = launch_of(kernel, walls[kernel.key.device])
    values = _values(share.reason, launch)
    key = f"launch.{share.reason}"
    if "limit" in values:
        key = f"{key}_limited"
    return text(key, share=percent(share.time_ns / total_ns), kernel=kernel.name, **values)


def _values(reason: LaunchReason, launch: Launch) -> dict[str, str | int | Text]:
    """Collect the numbers behind a reason, which are there wherever it was given."""
    if reason == "few_blocks":
        return {"blocks": launch.blocks or 0, "sms": launch.sm_count or 0}
    if reason == "small_grid":
        return {"filled": percent(launch.filled_ratio or 0.0)}
    if reason in {"part_wave", "last_wave"}:
        return {
            "waves": three_digits(launch.waves or 0.0),
            "empty": percent(launch.empty_ratio or 0.0),
        }
    if reason == "low_occupancy":
        return {"filled": percent(launch.occupancy_ratio or 0.0), **_limit(launch)}
    return {}


def _limit(launch: Launch) -> dict[str, str | int | Text]:
    limiter = launch.limiter
    if limiter not in _BLAMED:
        return {}
    return {
        "limit": text(f"launch.limit_{limiter}"),
        "blocks": round(launch.limits[limiter]),
    }


def advice_text(found: BelowWalls[LaunchReason]) -> Text:
    """Say what to try for the reason that holds most of the time."""
    return text(_ADVICE[found.shares[0].reason])
