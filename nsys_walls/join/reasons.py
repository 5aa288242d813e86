"""Why a kernel has its counters, or has none and what to do: one clause each."""

from collections.abc import Iterable, Sequence

from nsys_walls.join.candidates import Group, NamePool, differs
from nsys_walls.join.kernels import Traced
from nsys_walls.join.profiles import Profile
from nsys_walls.units import percent, three_digits

_LONGEST, _SHOWN = 60, 3
_FULL_NAMES = "collect with ncu --print-kernel-base demangled --rename-kernels 0"
_TRACE_SHAPES = "export cuda_gpu_trace or SQLite"
_PRINT_SHAPES = "profile with an ncu that prints grid and block"

OTHER_MEMORY = "one launch shape on both sides, but for dynamic shared memory"
ONE_TRACED_SHAPE = "the counters have no launch shape, the trace has one under this name"


def no_name(kernel: Traced, refused: Sequence[Group]) -> str:
    """Say why no profiled launch of this name may be used."""
    if any(not differs(group.part, kernel.part) for group in refused):
        return "profiled on another device only, and not at this shape: profile this one"
    if refused:
        parts = _some(group.part or "" for group in refused)
        return f"profiled on another part only ({parts}), whose counters never fit"
    if kernel.is_communication:
        return "collectives are not profiled: ncu can't replay one rank alone"
    return "no profiled launch has this name: profile it with ncu"


def other_shape(kernel: Traced, pool: NamePool) -> str:
    """Say at which shapes a kernel was profiled instead of its own."""
    if kernel.shape in pool.by_shape:
        return "profiled with other dynamic shared memory only: profile this one"
    grid, block = ("×".join(map(str, axes)) for axes in pool.shapes[0])
    more = f" and {len(pool.shapes) - 1} more" if len(pool.shapes) > 1 else ""
    return (
        f"profiled at another launch shape only (grid {grid}, block {block}{more}): "
        "profile this one"
    )


def all_launches(kernel: Traced, what: str) -> str:
    """Say that every launch of a shape or a name was profiled."""
    return f"all {kernel.launches} launches of this {what} were profiled, in this order"


def same_shape(groups: Sequence[Group]) -> str:
    """Say how many launches of a shape were profiled."""
    launches = sum(profile.launches for group in groups for profile in group.profiles)
    return f"{launches} profiled launch{'es' if launches != 1 else ''} of this shape"


def borrowed(groups: Sequence[Group]) -> str:
    """Say where counters come from that are not the device's own."""
    devices = _some(str(group.device) for group in groups)
    return f"{same_shape(groups)}, on device {devices}, an equal part"


def fits_alike(owners: Sequence[Traced]) -> str:
    """Say which kernels of one shape a set of counters fits alike."""
    names = {kernel.full for kernel in owners}
    if len(names) > 1:
        return names_alike(names)
    if len({kernel.dynamic_shared_bytes for kernel in owners}) > 1:
        return (
            "its counters fit launches with different dynamic shared memory: "
            "add launch__shared_mem_per_block_dynamic"
        )
    return "its counters name no device and fit different parts: profile each part apart"


def names_alike(names: Iterable[str]) -> str:
    """Say which traced names one profiled name may stand for."""
    distinct = sorted(set(names))
    return f"its counters fit {len(distinct)} traced kernels ({_some(distinct)}): {_FULL_NAMES}"


def two_profiled(names: Iterable[str]) -> str:
    """Say which profiled names may be the one that was traced."""
    return f"counters of different kernels fit this name ({_some(names)}): trace with full names"


def two_parts(parts: Iterable[str | None]) -> str:
    """Say that counters of several chips are there."""
    return f"counters of different parts fit ({_some(part or '' for part in parts)})"


def shapes_unknown(shapes: int) -> str:
    """Say that profiled launches could be of any traced shape."""
    return (
        f"the counters have no launch shape, the trace has {shapes} under this name: "
        f"{_PRINT_SHAPES}"
    )


def mixed_bytes(profiles: Sequence[Profile], spread: float | None) -> str:
    """Say that profiled launches without shapes may be of several."""
    launches = sum(profile.launches for profile in profiles)
    how = "are not measured" if spread is None else f"differ by {percent(spread)}"
    return (
        f"{launches} profiled launches without launch shape share this name and their "
        f"DRAM bytes {how}: {_PRINT_SHAPES}"
    )


def mixed_times(kernel: Traced) -> str:
    """Say that the launches under a name are of several shapes, to judge by their times."""
    where = "the summary" if kernel.from_summary else "a trace without launch shapes"
    ratio = _time_ratio(kernel)
    how = "by an unknown factor" if ratio is None else f"{three_digits(ratio)}-fold"
    return (
        f"{kernel.launches} launches share this name in {where} and their times differ {how}, "
        f"so it mixes shapes: {_TRACE_SHAPES}"
    )


def mixed_profiles(shapes: int) -> str:
    """Say that launches of several shapes were profiled, and the trace has no shapes."""
    return f"counters of {shapes} launch shapes fit, the trace has no shapes: {_TRACE_SHAPES}"


def steady_times(kernel: Traced) -> str:
    """Say why a name without shapes may be one shape."""
    ratio = _time_ratio(kernel)
    spread = "" if ratio is None else f" (max/min {three_digits(ratio)})"
    return f"the trace has no launch shapes, but steady times under this name{spread}"


def _time_ratio(kernel: Traced) -> float | None:
    return kernel.max_ns / kernel.min_ns if kernel.min_ns and kernel.max_ns else None


def _some(texts: Iterable[str]) -> str:
    """List some texts, each cut to a readable length."""
    distinct = sorted(set(texts))
    shown = [text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…" for text in distinct]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more
