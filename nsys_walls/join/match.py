"""Join traced kernels with profiled launches, and say how well that went.

Levels, best first:
    ``launch``: every traced launch of the shape, two or more, was profiled; they pair by
        order. Without shapes, when name and count agree.
    ``shape``: name, grid and block agree, and dynamic shared memory within the rounding of
        ncu's automatic units.
    ``name``: one launch shape on either side, where one side has no shapes, or where only
        dynamic shared memory differs. Where grid or block are known on both sides and
        differ, the bytes belong to other work: that is ``none``, with the shape to profile.
        A side without shapes may mix them, so its spread must be small: max/min of the
        times in a summary at most 1.5, DRAM bytes of the profiled launches within 10 %.
    ``ambiguous``: counters fit two kernels, or two sets of counters one kernel, or a name
        mixes shapes: counters may be shown where they agree, rates may not be computed.
    ``none``: nothing fits.

Counters go to kernels of their own device. An equal part may borrow them at ``shape``, and
only for the very kernel that they were found to be of; another part never. Summaries per
name have no device of their own and no order, so they never join at ``launch``.
"""

from collections.abc import Sequence
from dataclasses import replace

from nsys_walls.join import reasons
from nsys_walls.join.candidates import Candidates, Claim, Group, NamePool
from nsys_walls.join.kernels import Joined, JoinResult, MatchLevel, Traced
from nsys_walls.join.profiles import Profile
from nsys_walls.join.summary import STEADY_RATIO, BytesOf, spread_of, summarise
from nsys_walls.texts import Text

__all__ = ["JoinResult", "Joined", "MatchLevel", "Traced", "join", "summarise"]

#: Largest max/min of the times under one name of a summary that can be one shape.
STEADY_TIME_RATIO = 1.5


def join(traced: Sequence[Traced], profiles: Sequence[Profile], bytes_of: BytesOf) -> JoinResult:
    """Find the counters of every traced kernel.

    Args:
        traced: Kernels of the trace.
        profiles: Profiled launches, one each (see `nsys_walls.join.profiles.merge`).
        bytes_of: Finds the DRAM bytes in the counters of a launch.

    Returns:
        The counters of each kernel, and the profiles that fit none.
    """
    joiner = _Joiner(traced, profiles, bytes_of)
    joined = tuple(joiner.join(position) for position in range(len(traced)))
    return JoinResult(joined=joined, unmatched=joiner.unmatched(profiles))


class _Joiner:
    """The candidates of all kernels, and which of them found one."""

    def __init__(
        self, traced: Sequence[Traced], profiles: Sequence[Profile], bytes_of: BytesOf
    ) -> None:
        self._traced = traced
        self._bytes_of = bytes_of
        self._candidates = Candidates(traced, profiles)
        self._matched: set[int] = set()
        # where many kernels share counters, these are summarised once
        self._summaries: dict[tuple[tuple[Group, ...], MatchLevel, Text], Joined] = {}
        self._alike: dict[Group, Text] = {}

    def unmatched(self, profiles: Sequence[Profile]) -> tuple[Profile, ...]:
        return tuple(profile for profile in profiles if id(profile) not in self._matched)

    def join(self, position: int) -> Joined:
        claims = self._candidates.claims[position]
        if claims:
            return self._by_shape(position, claims)
        pool = self._candidates.pool(position)
        if not pool.groups:
            return self._none(reasons.no_name(self._traced[position], pool.refused))
        if self._traced[position].shape is None:
            return self._shapeless_kernel(position, pool)
        return self._shapeless_profiles(position, pool)

    def _none(self, reason: Text) -> Joined:
        return Joined(level="none", reason=reason)

    def _summarise(self, groups: Sequence[Group], level: MatchLevel, reason: Text) -> Joined:
        key = (tuple(groups), level, reason)
        if key not in self._summaries:
            profiles = _profiles(groups)
            self._matched.update(map(id, profiles))
            self._summaries[key] = summarise(profiles, level, reason, self._bytes_of)
        return self._summaries[key]

    def _pair(self, groups: Sequence[Group], reason: Text) -> Joined:
        """Join at level ``launch``: every launch keeps its own counters."""
        joined = self._summarise(groups, "launch", reason)
        ordered = sorted(_profiles(groups), key=lambda profile: profile.launch_id or 0)
        return replace(joined, per_launch=tuple(profile.values for profile in ordered))

    def _by_shape(self, position: int, claims: Sequence[Claim]) -> Joined:
        kernel = self._traced[position]
        nearest = min(claim.distance for claim in claims)
        best = [claim for claim in claims if claim.distance == nearest]
        for claim in claims:
            self._matched.update(map(id, claim.group.profiles))
        groups = [claim.group for claim in best if not claim.group.is_shared]
        if not groups:
            groups = [claim.group for claim in best]
            reason = min(map(self._fits_alike, groups), key=str)
            return self._summarise(groups, "ambiguous", reason)
        conflict = self._conflict(groups)
        if conflict is not None:
            return self._summarise(groups, "ambiguous", conflict)
        if nearest[0]:
            return self._summarise(groups, "shape", reasons.borrowed(groups))
        if all(group.owners == (position,) for group in groups) and _are_all(kernel, groups):
            return self._pair(groups, reasons.all_of_shape(kernel))
        return self._summarise(groups, "shape", reasons.same_shape(groups))

    def _fits_alike(self, group: Group) -> Text:
        if group not in self._alike:
            owners = [self._traced[position] for position in group.owners]
            self._alike[group] = reasons.fits_alike(owners)
        return self._alike[group]

    def _conflict(self, groups: Sequence[Group]) -> Text | None:
        """Say why groups that fit one kernel equally well can't all be that kernel."""
        if self._candidates.names.contradict({group.name for group in groups}):
            names = {profile.name for profile in _profiles(groups)}
            return reasons.two_profiled(names)
        parts = {group.part for group in groups} - {None}
        return reasons.two_parts(parts) if len(parts) > 1 else None

    def _shapeless_profiles(self, position: int, pool: NamePool) -> Joined:
        """Join a kernel of known shape by name: to headers without shapes, or other memory."""
        kernel, shapes = self._traced[position], pool.namesakes
        groups = pool.by_shape.get(None)
        if groups is None:
            groups = pool.by_shape.get(kernel.shape)
            if groups is None or len(pool.groups) > 1 or shapes > 1:
                return self._none(reasons.other_shape(kernel, pool))
            return self._by_name(pool, groups, reasons.OTHER_MEMORY)
        if shapes > 1:
            return self._summarise(groups, "ambiguous", reasons.shapes_unknown(shapes))
        return self._launch(position, pool, groups) or self._by_name(
            pool, groups, reasons.ONE_TRACED_SHAPE
        )

    def _shapeless_kernel(self, position: int, pool: NamePool) -> Joined:
        """Join a kernel of unknown shape by name, such as a row of a summary."""
        kernel, groups = self._traced[position], pool.groups
        by_order = self._launch(position, pool, groups)
        if by_order is not None:
            return by_order
        if not _is_steady(kernel):
            return self._summarise(groups, "ambiguous", reasons.mixed_times(kernel))
        if len(pool.shapes) > 1:
            return self._summarise(groups, "ambiguous", reasons.mixed_profiles(len(pool.shapes)))
        return self._by_name(pool, groups, reasons.steady_times(kernel))

    def _by_name(self, pool: NamePool, groups: Sequence[Group], reason: Text) -> Joined:
        if len(pool.alike) > 1:
            return self._summarise(groups, "ambiguous", reasons.names_alike(pool.alike))
        conflict = self._conflict(groups)
        if len(pool.parts) > 1 and any(group.part is None for group in groups):
            conflict = reasons.two_parts(pool.parts)
        if conflict is not None:
            return self._summarise(groups, "ambiguous", conflict)
        profiles = _profiles(groups)
        spread = spread_of(profiles, self._bytes_of)
        is_one = None not in pool.by_shape or len(profiles) == profiles[0].launches == 1
        if not is_one and (spread is None or spread > STEADY_RATIO):
            return self._summarise(groups, "ambiguous", reasons.mixed_bytes(profiles, spread))
        return self._summarise(groups, "name", reason)

    def _launch(self, position: int, pool: NamePool, groups: Sequence[Group]) -> Joined | None:
        """Pair by order where name and count agree and nothing else has that name."""
        kernel = self._traced[position]
        alone = len(pool.alike) == pool.namesakes_anywhere == 1
        if not alone or self._conflict(groups) is not None or not _are_all(kernel, groups):
            return None
        return self._pair(groups, reasons.all_of_name(kernel))


def _profiles(groups: Sequence[Group]) -> list[Profile]:
    return [profile for group in groups for profile in group.profiles]


def _are_all(kernel: Traced, groups: Sequence[Group]) -> bool:
    """Whether profiles are all launches of a kernel, in an order that is known."""
    profiles = _profiles(groups)
    launches = sum(profile.launches for profile in profiles)
    if kernel.from_summary or not len(profiles) == launches == kernel.launches >= 2:  # noqa: PLR2004
        return False
    ids = {profile.launch_id for profile in profiles}
    runs = {(profile.process, profile.source) for profile in profiles}
    if None in {process for process, _ in runs}:
        in_order = len(runs) == 1
    else:
        in_order = len({process for process, _ in runs}) == 1
    return in_order and None not in ids and len(ids) == len(profiles)


def _is_steady(kernel: Traced) -> bool:
    """Whether the times under a name differ so little that it may be one shape."""
    if kernel.launches == 1:
        return True
    if not kernel.min_ns or kernel.max_ns is None:
        return False
    return kernel.max_ns <= STEADY_TIME_RATIO * kernel.min_ns
