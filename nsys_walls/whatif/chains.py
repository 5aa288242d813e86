"""Chains of kernels that could be fused into one."""

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from nsys_walls.errors import UsageError
from nsys_walls.findings import Finding

#: Rule that finds them; its findings carry an id as ``key``.
FUSION_RULE = "NW202"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Kernels that run one after the other and pass a tensor on.

    Attributes:
        saved_ns: Upper bound of what fusing them saves, ns.
        kernels: Their ids.
        blockers: What stands in the way, one clause each; then nothing is saved.
    """

    saved_ns: float
    kernels: tuple[int, ...]
    blockers: tuple[str, ...] = ()


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


def fuse(
    ids: Sequence[str], chains: Mapping[str, Chain], after_ns: MutableMapping[int, float]
) -> tuple[ChainEffect, ...]:
    """Fuse chains, one after the other.

    Args:
        ids: Which.
        chains: All there are, by id.
        after_ns: Time of every kernel, ns; what fusing saves is taken off. A chain can't save
            more than its kernels still take, nor can two chains save the same time.

    Raises:
        UsageError: There is no such chain.
    """
    effects = []
    for name in dict.fromkeys(ids):
        if name not in chains:
            listed = ", ".join(chains) if chains else "none"
            msg = f"no chain of this run is called {name!r}; there are: {listed}."
            raise UsageError("no-such-chain", msg)
        chain = chains[name]
        left_ns = sum(after_ns[kernel] for kernel in set(chain.kernels))
        saved_ns = 0.0 if chain.blockers else min(chain.saved_ns, left_ns)
        if saved_ns:
            for kernel in set(chain.kernels):
                after_ns[kernel] *= 1 - saved_ns / left_ns
        effects.append(ChainEffect(id=name, chain=chain, saved_ns=saved_ns))
    return tuple(effects)
