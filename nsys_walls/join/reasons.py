"""Why a kernel has its counters, or has none and what to do: one clause each."""

from collections.abc import Iterable, Sequence

from nsys_walls.join.candidates import Group, NamePool, differs
from nsys_walls.join.kernels import Traced
from nsys_walls.join.profiles import Profile
from nsys_walls.texts import Text, some, text
from nsys_walls.units import percent, three_digits

_LONGEST = 60

OTHER_MEMORY = text("match.other_memory")
ONE_TRACED_SHAPE = text("match.one_traced_shape")

# What they ask for is another trace, not more counters.
_ABOUT_THE_TRACE = frozenset({"match.mixed_times", "match.mixed_profiles", "match.two_profiled"})


def needs_another_trace(reason: Text) -> bool:
    """Whether more counters would be as ambiguous again, and only another trace would help."""
    return reason.key in _ABOUT_THE_TRACE


def no_name(kernel: Traced, refused: Sequence[Group]) -> Text:
    """Say why no profiled launch of this name may be used."""
    if any(not differs(group.part, kernel.part) for group in refused):
        return text("match.other_device")
    if refused:
        return text("match.other_part", parts=_some(group.part or "" for group in refused))
    if kernel.is_communication:
        return text("match.collective")
    return text("match.no_name")


def other_shape(kernel: Traced, pool: NamePool) -> Text:
    """Say at which shapes a kernel was profiled instead of its own."""
    if kernel.shape in pool.by_shape:
        return text("match.other_shared_memory")
    grid, block = ("×".join(map(str, axes)) for axes in pool.shapes[0])
    if len(pool.shapes) == 1:
        return text("match.other_shape", grid=grid, block=block)
    return text("match.other_shapes", grid=grid, block=block, more=len(pool.shapes) - 1)


def all_of_shape(kernel: Traced) -> Text:
    """Say that every launch of a shape was profiled."""
    return text("match.all_of_shape", launches=kernel.launches)


def all_of_name(kernel: Traced) -> Text:
    """Say that every launch of a name was profiled."""
    return text("match.all_of_name", launches=kernel.launches)


def same_shape(groups: Sequence[Group]) -> Text:
    """Say how many launches of a shape were profiled."""
    return text("match.same_shape", launches=_launches(groups))


def borrowed(groups: Sequence[Group]) -> Text:
    """Say where counters come from that are not the device's own."""
    devices = _some(str(group.device) for group in groups)
    return text("match.borrowed", launches=_launches(groups), devices=devices)


def fits_alike(owners: Sequence[Traced]) -> Text:
    """Say which kernels of one shape a set of counters fits alike."""
    names = {kernel.full for kernel in owners}
    if len(names) > 1:
        return names_alike(names)
    if len({kernel.dynamic_shared_bytes for kernel in owners}) > 1:
        return text("match.shared_memory_alike")
    return text("match.parts_alike")


def names_alike(names: Iterable[str]) -> Text:
    """Say which traced names one profiled name may stand for."""
    distinct = set(names)
    return text("match.names_alike", kernels=len(distinct), names=_some(distinct))


def two_profiled(names: Iterable[str]) -> Text:
    """Say which profiled names may be the one that was traced."""
    return text("match.two_profiled", names=_some(names))


def two_parts(parts: Iterable[str | None]) -> Text:
    """Say that counters of several chips are there."""
    return text("match.two_parts", parts=_some(part or "" for part in parts))


def shapes_unknown(shapes: int) -> Text:
    """Say that profiled launches could be of any traced shape."""
    return text("match.shapes_unknown", shapes=shapes)


def mixed_bytes(profiles: Sequence[Profile], spread: float | None) -> Text:
    """Say that profiled launches without shapes may be of several."""
    launches = sum(profile.launches for profile in profiles)
    if spread is None:
        return text("match.unknown_bytes", launches=launches)
    return text("match.mixed_bytes", launches=launches, spread=percent(spread))


def mixed_times(kernel: Traced) -> Text:
    """Say that the launches under a name are of several shapes, to judge by their times."""
    factor = _time_factor(kernel)
    return text(
        "match.mixed_times",
        launches=kernel.launches,
        where=text("match.in_summary" if kernel.from_summary else "match.in_trace"),
        how=text("match.by_unknown_factor")
        if factor is None
        else text("match.by_factor", factor=three_digits(factor)),
    )


def mixed_profiles(shapes: int) -> Text:
    """Say that launches of several shapes were profiled, and the trace has no shapes."""
    return text("match.mixed_profiles", shapes=shapes)


def steady_times(kernel: Traced) -> Text:
    """Say why a name without shapes may be one shape."""
    factor = _time_factor(kernel)
    if factor is None:
        return text("match.steady")
    return text("match.steady_by", ratio=three_digits(factor))


def _launches(groups: Sequence[Group]) -> int:
    return sum(profile.launches for group in groups for profile in group.profiles)


def _time_factor(kernel: Traced) -> float | None:
    """Longest over shortest launch; None where either is unknown or 0."""
    return kernel.max_ns / kernel.min_ns if kernel.min_ns and kernel.max_ns else None


def _some(names: Iterable[str]) -> Text | str:
    """List some names, each cut to a readable length."""
    distinct = sorted(set(names))
    return some([name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…" for name in distinct])
