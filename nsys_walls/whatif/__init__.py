"""What would it be worth: the most that faster kernels could save over the whole run.

The result is a bound, not a forecast:
    - A kernel that is to reach a share of its own wall takes its floor divided by that share.
    - Busy time falls by no more than what the kernels of a device save together: one that
      overlaps with others saves less. Idle time and copies stay as they are.
    - Two changes to one kernel do not add up; the faster one counts.
    - A fused chain saves in the proportion of the times that other changes leave its kernels,
      and stays above the floor of the fused kernel.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nsys_walls.findings import speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.units import percent
from nsys_walls.whatif.chains import Chain, ChainEffect, fuse, with_members
from nsys_walls.whatif.changes import Change, find_kernels

__all__ = ["Chain", "Change", "Effect", "Times", "Unchanged", "WhatIf", "suppose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A kernel that would run faster.

    Attributes:
        kernel: The kernel.
        after_ns: Time of all its launches then, ns; ``kernel.time_ns`` is before.
        floor_is_partial: Whether bytes or FLOP are unknown, so that it may save less.
        beats_floor: Whether it would be faster than its work and traffic allow.
        held_by_latency: Whether it is to come nearer to a wall that it doesn't stand at: its
            launches wait.
    """

    kernel: KernelPoint
    after_ns: float
    floor_is_partial: bool = False
    beats_floor: bool = False
    held_by_latency: bool = False

    @property
    def saved_ns(self) -> float:
        """Time that all its launches save, ns."""
        return self.kernel.time_ns - self.after_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """A kernel that a change is about and that stays as it is.

    Attributes:
        kernel: The kernel.
        reason: Why, one clause.
    """

    kernel: KernelPoint
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """A time before and at least after, ns."""

    before_ns: float
    after_ns: float

    @property
    def saved_ratio(self) -> float:
        """Part that goes, 0 to 1."""
        return 1 - self.after_ns / self.before_ns if self.before_ns else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What the changes are worth at most.

    Attributes:
        changes: What was supposed.
        effects: Kernels that run faster, by falling saving.
        unchanged: Kernels that were meant and stay as they are, by falling time.
        chains: Chains that were to be fused.
        kernels: Sum of all kernels' times.
        busy: Union of kernels over each device.
        span: First start to last end on each device, idle time and copies kept; None where
            no launches are known.
        devices: How many GPUs these are sums over.
    """

    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]
    unchanged: tuple[Unchanged, ...]
    chains: tuple[ChainEffect, ...]
    kernels: Times
    busy: Times
    span: Times | None
    devices: int

    @property
    def typed(self) -> tuple[str, ...]:
        """All suppositions, as options that could be typed."""
        fused = (f"--fuse {chain.id}" for chain in self.chains)
        return (*(change.typed for change in self.changes), *fused)

    @property
    def speedup_bound(self) -> float | None:
        """End-to-end limit over busy time, at least 1; None where nothing would be left."""
        return speedup_bound(round(self.busy.before_ns), self.busy.before_ns - self.busy.after_ns)


@dataclass(slots=True)
class _Draft:
    """What is known so far, by kernel id."""

    effects: dict[int, Effect] = field(default_factory=dict)
    unchanged: dict[int, Unchanged] = field(default_factory=dict)


def suppose(
    analysis: Analysis,
    changes: Sequence[Change],
    *,
    chains: Mapping[str, Chain] | None = None,
    fused: Sequence[str] = (),
) -> WhatIf:
    """Work out what changes are worth at most.

    Args:
        analysis: The run.
        changes: What to suppose.
        chains: Chains of kernels that could be fused, by id.
        fused: Ids of those to fuse.

    Raises:
        UsageError: Nothing of the run fits a change or an id.
    """
    draft = _Draft()
    for change in changes:
        for kernel in find_kernels(change, analysis.kernels):
            _apply(change, kernel, draft)
    after_ns = {
        kernel.id: draft.effects[kernel.id].after_ns if kernel.id in draft.effects
        else float(kernel.time_ns)
        for kernel in analysis.kernels
    }  # fmt: skip
    chain_effects = fuse(fused, with_members(chains or {}, analysis), after_ns)
    unchanged = (row for row in draft.unchanged.values() if row.kernel.id not in draft.effects)
    busy, span = _device_times(analysis, after_ns)
    return WhatIf(
        changes=tuple(changes),
        effects=tuple(
            sorted(draft.effects.values(), key=lambda row: (-row.saved_ns, row.kernel.id))
        ),
        unchanged=tuple(sorted(unchanged, key=lambda row: row.kernel.id)),
        chains=chain_effects,
        kernels=Times(before_ns=analysis.kernel_ns, after_ns=sum(after_ns.values())),
        busy=busy,
        span=span,
        devices=len(analysis.devices),
    )


def _apply(change: Change, kernel: KernelPoint, draft: _Draft) -> None:
    """Work out one kernel under one change."""
    if not kernel.time_ns:
        _keep(kernel, "its time is not known", draft)
        return
    floor_ns = _floor_ns(kernel)
    if change.factor is not None:
        after_ns = kernel.time_ns / change.factor
    elif floor_ns is None or change.ratio is None:
        _keep(kernel, _why_no_floor(kernel), draft)
        return
    else:
        after_ns = floor_ns / change.ratio
    reached = _reached_ratio(kernel)
    if after_ns >= kernel.time_ns or (change.ratio is not None and reached >= change.ratio):
        _keep(kernel, f"it reaches {percent(reached)} of its wall already", draft)
        return
    known = draft.effects.get(kernel.id)
    if known is None or after_ns < known.after_ns:
        draft.effects[kernel.id] = Effect(
            kernel=kernel,
            after_ns=after_ns,
            floor_is_partial=change.ratio is not None and not kernel.is_measured,
            beats_floor=floor_ns is not None and after_ns < floor_ns,
            held_by_latency=change.ratio is not None and kernel.wall == "latency",
        )


def _keep(kernel: KernelPoint, reason: str, draft: _Draft) -> None:
    draft.unchanged.setdefault(kernel.id, Unchanged(kernel=kernel, reason=reason))


def _floor_ns(kernel: KernelPoint) -> float | None:
    """Floor of all launches of a kernel, ns; None where it has none."""
    if kernel.placement is None or not kernel.placement.floor_ns:
        return None
    return kernel.placement.floor_ns * kernel.times.launches


def _reached_ratio(kernel: KernelPoint) -> float:
    """Part of its own wall that a typical launch reaches; 0 where it is not known."""
    if kernel.placement is None:
        return 0.0
    return max(kernel.placement.bandwidth_ratio or 0.0, kernel.placement.compute_ratio or 0.0)


def _why_no_floor(kernel: KernelPoint) -> str:
    if kernel.kernel_class.is_communication:
        return "a collective has no floor: it waits for its partners"
    if kernel.placement is None:
        return f"no floor is known: {kernel.match.reason}"
    if kernel.placement.floor_ns == 0:
        return "its work and DRAM traffic are 0"
    return f"no floor is known: {kernel.work.flop_reason or 'bytes were not collected'}"


def _device_times(analysis: Analysis, after_ns: Mapping[int, float]) -> tuple[Times, Times | None]:
    """Take what kernels save off the busy time of their devices."""
    saved: dict[int, float] = {}
    for kernel in analysis.kernels:
        device = kernel.key.device
        saved[device] = saved.get(device, 0.0) + kernel.time_ns - after_ns[kernel.id]
    timed = [(row.walls.facts.device, row.time) for row in analysis.devices if row.time is not None]
    if not timed:
        summed_ns = analysis.busy_ns
        return Times(before_ns=summed_ns, after_ns=summed_ns - sum(saved.values())), None
    busy_ns = sum(time.busy_ns for _, time in timed)
    span_ns = sum(time.span_ns for _, time in timed)
    # kernels of several streams overlap, so that their sum may be more than the device was busy
    gone_ns = sum(min(saved.get(device, 0.0), time.busy_ns) for device, time in timed)
    return (
        Times(before_ns=busy_ns, after_ns=busy_ns - gone_ns),
        Times(before_ns=span_ns, after_ns=span_ns - gone_ns),
    )
