"""Which rank the others wait for."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from nsys_walls.roofline.ranks import Rank

# A rank that waits less than half as long as the others do on average is late, not unlucky.
_LATE_RATIO = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How waiting is spread over ranks.

    Attributes:
        last: The rank that waits least, so that comes last most of the time.
        first: The rank that waits most.
        others: All ranks whose waiting is known but the last.
    """

    last: Rank
    first: Rank
    others: tuple[Rank, ...]

    @property
    def is_one_late(self) -> bool:
        """Whether the last rank waits much less than the others; else they take turns."""
        others_ns = fmean(waiting_ns(rank) for rank in self.others)
        return waiting_ns(self.last) < _LATE_RATIO * others_ns


def spread_waiting(ranks: Sequence[Rank]) -> Waiting | None:
    """Compare the waiting of ranks; None where fewer than two are known."""
    known = [
        rank
        for rank in ranks
        if rank.communication is not None and rank.communication.waiting_ns is not None
    ]
    if len(known) < 2:  # noqa: PLR2004  # one rank is not waited for by another
        return None
    last = min(known, key=waiting_ns)
    return Waiting(
        last=last,
        first=max(known, key=waiting_ns),
        others=tuple(rank for rank in known if rank is not last),
    )


def waiting_ns(rank: Rank) -> int:
    """Give the waiting of a rank, ns; 0 where it is not known."""
    return (rank.communication.waiting_ns or 0) if rank.communication else 0


def computing_ns(rank: Rank) -> int:
    """Sum the kernels of a rank that do not communicate, ns."""
    return rank.time.kernel_ns - (rank.communication.time_ns if rank.communication else 0)
