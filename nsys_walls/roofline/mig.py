"""MIG: a GPU that is split into slices, each with a part of its SMs and of its memory."""

import re
from dataclasses import dataclass

from nsys_walls.roofline.hardware_file import Hardware

# "NVIDIA A100-SXM4-80GB MIG 3g.40gb", with "1c." before and "+me" after some
# (https://docs.nvidia.com/datacenter/tesla/mig-user-guide/mig-device-names.html).
_SUFFIX = re.compile(
    r"\s+MIG\s+(?P<profile>(?:\d+c\.)?\d+g\.(?P<memory>\d+)gb\S*)\s*$", re.IGNORECASE
)
_GIB = 2**30

# Memory is handed out in eighths (quarters on an A30): fractions of the profile tables of
# https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-mig-profiles.html
_MEMORY_SLICES = 8

# Fewer SMs than this part of the card's are a slice; the largest one, 7g of an A100, keeps 98
# of 108 and all of the memory.
_WHOLE_CARD_RATIO = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class MigSlice:
    """Which part of a card a device is.

    Attributes:
        label: Profile such as ``"3g.40gb"``; the count of SMs where the name tells no profile.
        compute_ratio: Its part of the card's SMs, or None if unknown.
        memory_ratio: Its part of the card's memory and bandwidth, or None if unknown.
    """

    label: str
    compute_ratio: float | None
    memory_ratio: float | None


def card_name(name: str) -> str:
    """Take the slice off a device's name.

    >>> card_name("NVIDIA A30 MIG 2g.12gb")
    'NVIDIA A30'
    """
    return _SUFFIX.sub("", name)


def slice_of(
    name: str | None, sm_count: int | None, memory_bytes: float | None, card: Hardware | None
) -> MigSlice | None:
    """Recognise a slice by its name, else by having clearly fewer SMs than the card.

    Args:
        name: The device's name.
        sm_count: Its SMs.
        memory_bytes: Its memory, bytes.
        card: The card that it is a part of, or None where the table lacks it.
    """
    suffix = _SUFFIX.search(name or "")
    compute_ratio = None
    if card and card.sm_count and sm_count:
        compute_ratio = min(1.0, sm_count / card.sm_count.value)
    if suffix:
        own_bytes = float(suffix["memory"]) * _GIB
        return MigSlice(
            label=suffix["profile"],
            compute_ratio=compute_ratio,
            memory_ratio=_memory_ratio(own_bytes, card),
        )
    if card and card.mig and compute_ratio is not None and compute_ratio < _WHOLE_CARD_RATIO:
        return MigSlice(
            label=f"{sm_count} SMs",
            compute_ratio=compute_ratio,
            memory_ratio=_memory_ratio(memory_bytes, card),
        )
    return None


def _memory_ratio(own_bytes: float | None, card: Hardware | None) -> float | None:
    if not own_bytes or card is None or card.memory_bytes is None:
        return None
    slices = round(own_bytes / card.memory_bytes.value * _MEMORY_SLICES)
    return min(max(slices, 1), _MEMORY_SLICES) / _MEMORY_SLICES
