"""Chains of kernels that could be fused into one."""

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

from nsys_walls.errors import UsageError
from nsys_walls.findings import Finding
from nsys_walls.roofline import chains as roofline
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint

#: Rule that finds them; its findings carry an id as ``key``.
FUSION_RULE = "NW202"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A kernel of a chain on one device, over all occurrences of the chain.

    Attributes:
        kernel: Its id.
        share: Part of its launches that are in the chain, 0 to 1.
        time_ns: Time of these, ns.
        saved_ratio: Part of that time that goes with its traffic.
    """

    kernel: int
    share: float
    time_ns: float
    saved_ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChain:
    """A chain on one device.

    Attributes:
        saved_ns: Upper bound of what fusing it saves there as the kernels are now, ns.
        floor_ns: Least time of the fused kernels, ns.
        members: What it consists of.
    """

    saved_ns: float
    floor_ns: float
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Kernels that run one after the other and pass a tensor on.

    Attributes:
        saved_ns: Upper bound of what fusing them saves, ns.
        kernels: Their ids.
        blockers: What stands in the way, one clause each; then nothing is saved.
        devices: The chain on each device, where it is known kernel by kernel.
    """

    saved_ns: float
    kernels: tuple[int, ...]
    blockers: tuple[str, ...] = ()
    devices: tuple[DeviceChain, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainEffect:
    """What fusing one chain is worth.

    Attributes:
        id: The chain.
        chain: What it consists of.
        saved_ns: What it saves at most, other changes considered, ns; 0 where it is blocked.
    """

    id: str
    chain: Chain
    saved_ns: float


def chains_of(findings: Iterable[Finding]) -> dict[str, Chain]:
    """Take the chains out of a run's findings, by id."""
    return {
        finding.key: Chain(
            saved_ns=finding.saving_ns or 0.0,
            kernels=finding.kernels,
            blockers=tuple(map(str, finding.blockers)),
        )
        for finding in findings
        if finding.code == FUSION_RULE and finding.key is not None
    }


def with_members(chains: Mapping[str, Chain], analysis: Analysis) -> dict[str, Chain]:
    """Add to chains what they are on each device, kernel by kernel."""
    kernels = {kernel.id: kernel for kernel in analysis.kernels}
    known = analysis.around.chains.by_id
    return {
        name: replace(chain, devices=tuple(_on_device(one, kernels) for one in known[name].devices))
        if name in known
        else chain
        for name, chain in chains.items()
    }


def _on_device(chain: roofline.DeviceChain, kernels: Mapping[int, KernelPoint]) -> DeviceChain:
    return DeviceChain(
        saved_ns=chain.saving_ns,
        floor_ns=chain.floor_ns,
        members=tuple(
            Member(
                kernel=part.kernel,
                share=chain.occurrences / kernels[part.kernel].times.launches,
                time_ns=part.time_ns * chain.occurrences,
                saved_ratio=part.saved_ns / part.time_ns if part.time_ns else 0.0,
            )
            for part in chain.fused.parts
        ),
    )


def fuse(
    ids: Sequence[str], chains: Mapping[str, Chain], after_ns: MutableMapping[int, float]
) -> tuple[ChainEffect, ...]:
    """Fuse chains, one after the other.

    Args:
        ids: Which.
        chains: All there are, by id.
        after_ns: Time of every kernel, ns; what fusing saves is taken off. A chain saves in the
            proportion of its kernels' times, never goes below the floor of the fused kernel and
            never saves more than its kernels still take, nor can two chains save the same time.

    Raises:
        UsageError: There is no such chain.
    """
    effects = []
    changed_ns = dict(after_ns)
    for name in dict.fromkeys(ids):
        if name not in chains:
            listed = ", ".join(chains) if chains else "none"
            msg = f"no chain of this run is called {name!r}; there are: {listed}."
            raise UsageError("no-such-chain", msg)
        chain = chains[name]
        saved_ns = 0.0
        if not chain.blockers:
            saved_ns = sum(_fuse_on_device(one, changed_ns, after_ns) for one in chain.devices)
            if not chain.devices:
                left_ns = {kernel: after_ns[kernel] for kernel in chain.kernels}
                saved_ns = _take_off(chain.saved_ns, left_ns, after_ns)
        effects.append(ChainEffect(id=name, chain=chain, saved_ns=saved_ns))
    return tuple(effects)


def _fuse_on_device(
    chain: DeviceChain, changed_ns: Mapping[int, float], after_ns: MutableMapping[int, float]
) -> float:
    """Take off what a chain saves on one device; gives it, ns.

    Args:
        chain: The chain.
        changed_ns: Time of every kernel before any chain is fused, ns: other chains have other
            launches.
        after_ns: Time of every kernel as far as chains are fused already, ns.
    """
    left_ns: dict[int, float] = {}
    saved_ns = 0.0
    for member in chain.members:
        now_ns = min(member.time_ns, member.share * changed_ns[member.kernel])
        saved_ns += member.saved_ratio * now_ns
        known_ns = left_ns.get(member.kernel, 0.0) + member.share * changed_ns[member.kernel]
        left_ns[member.kernel] = min(known_ns, after_ns[member.kernel])
    above_floor_ns = max(0.0, sum(left_ns.values()) - chain.floor_ns)
    return _take_off(min(chain.saved_ns, saved_ns, above_floor_ns), left_ns, after_ns)


def _take_off(
    saved_ns: float, left_ns: Mapping[int, float], after_ns: MutableMapping[int, float]
) -> float:
    """Take a saving off kernels in the proportion of what is left of them; gives it, ns."""
    all_ns = sum(left_ns.values())
    saved_ns = min(saved_ns, all_ns)
    if saved_ns:
        for kernel, own_ns in left_ns.items():
            after_ns[kernel] -= saved_ns * own_ns / all_ns
    return saved_ns
