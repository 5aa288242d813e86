"""What is still to be counted of a kernel, and which kernels can't be measured at all."""

from collections.abc import Mapping

from nsys_walls.counters.table import (
    DRAM_BYTES,
    PIPE_COUNTER,
    TENSOR_PREFIX,
    UNITS,
    load_table,
    recommended_metrics,
)
from nsys_walls.join.match import STEADY_TIME_RATIO
from nsys_walls.join.reasons import needs_another_trace
from nsys_walls.roofline.kernel import RATED_LEVELS, KernelPoint
from nsys_walls.roofline.walls import DeviceWalls

#: Dynamic shared memory of a launch, bytes; it takes no replay pass.
DYNAMIC_SHARED = "launch__shared_mem_per_block_dynamic"

_COLLECTIVE = (
    "a collective: ncu runs one kernel at a time and again and again, so that its partners "
    "on the other GPUs would wait for ever"
)
# how readers call a kernel whose name is not in the trace
_UNNAMED = "(unnamed kernel "
_NAMELESS = "the trace has no name for it"

# One text for all kernels that are in this case, so that they are listed together.
_MIXED = (
    "launches without shapes share its name and their times differ {how}, so it mixes shapes: "
    "export cuda_gpu_trace or SQLite"
)


def chip_of(walls: DeviceWalls) -> str | None:
    """Find the compute capability of a device, such as ``"8.0"``; None if unknown."""
    hardware = walls.hardware
    return walls.facts.compute_capability or (hardware.compute_capability if hardware else None)


def lacking_metrics(kernel: KernelPoint, chip: str | None) -> tuple[str, ...]:
    """List the counters that a kernel lacks for its bytes and FLOP.

    Args:
        kernel: The kernel.
        chip: Compute capability of its device; for an unknown one, what every chip counts.

    Returns:
        Counter names in the order of `recommended_metrics`; all of them where the kernel has
        no counters of its own, none where it is measured.
    """
    recommended = recommended_metrics(chip or "")
    if kernel.match.level not in RATED_LEVELS or not kernel.match.values:
        return recommended
    known = load_table().chips.get(chip or "")
    traffic = set(known.dram if known else (DRAM_BYTES,))
    wanted = set()
    if kernel.work.dram_bytes is None:
        wanted |= traffic
    if kernel.work.flop is None:
        wanted |= _operations(recommended)
    values = kernel.match.values
    return tuple(name for name in recommended if name in wanted and not _has(values, name))


def why_unmeasurable(kernel: KernelPoint, chip: str | None) -> str | None:
    """Say why no command can measure a kernel that is not measured; None where one can."""
    if kernel.kernel_class.is_communication:
        return _COLLECTIVE
    if not kernel.key.full_name or kernel.key.full_name.startswith(_UNNAMED):
        return _NAMELESS
    known = load_table().chips.get(chip or "")
    if kernel.work.dram_bytes is None and known and not known.dram:
        return f"ncu has no DRAM counters for compute capability {chip}"
    mixed = _why_mixed(kernel)
    if mixed is not None or lacking_metrics(kernel, chip):
        return mixed
    return f"all counters of its walls were collected: {kernel.work.flop_reason}"


def _why_mixed(kernel: KernelPoint) -> str | None:
    """Say why counters could not be told to be of a kernel, whatever was collected."""
    key, times, match = kernel.key, kernel.times, kernel.match
    if not (key.grid and key.block) and match.level not in RATED_LEVELS and times.launches > 1:
        if not times.min_ns or times.max_ns is None:
            return _MIXED.format(how="by an unknown factor")
        if times.max_ns > STEADY_TIME_RATIO * times.min_ns:
            return _MIXED.format(how=f"more than {STEADY_TIME_RATIO:g}-fold")
    if match.level == "ambiguous" and needs_another_trace(match.reason):
        return str(match.reason)
    return None


def _operations(recommended: tuple[str, ...]) -> set[str]:
    """Choose the counters that FLOP are made of."""
    instructions = {f"{UNITS[0]}{row.counter}.sum" for row in load_table().instructions}
    return {
        name
        for name in recommended
        if name in instructions or name.startswith(TENSOR_PREFIX) or PIPE_COUNTER in name
    }


def _has(values: Mapping[str, float], name: str) -> bool:
    """Whether a counter was collected, under either of its equal prefixes."""
    counter = name[name.index("__") + 2 :]
    return name in values or any(f"{unit}{counter}" in values for unit in UNITS)
