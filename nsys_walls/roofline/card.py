"""Which part a device is: the one that the user names, else the one that the trace names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from nsys_walls.errors import Notice
from nsys_walls.roofline.hardware import all_hardware, candidates, decide, named
from nsys_walls.roofline.hardware_file import Hardware
from nsys_walls.roofline.mig import MigSlice, card_name, slice_of
from nsys_walls.texts import text

HardwareFrom = Literal["option", "trace-name", "derived"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFacts:
    """What the input says of a GPU; None where it does not.

    Attributes:
        device: Number of the device in the run.
        name: Such as ``"NVIDIA A100-SXM4-80GB"``, with ``MIG 3g.40gb`` behind it in a slice.
        chip: Such as ``"GA100"``.
        compute_capability: ``major.minor``.
        sm_count: Its SMs (of the slice in MIG).
        clock_hz: Boost clock, Hz.
        bandwidth_bytes_per_s: Peak DRAM bandwidth, byte/s; may be that of the whole card in
            a MIG slice, and is wrong on integrated GPUs.
        memory_bytes: DRAM size, bytes.
        discrete: Whether it has memory of its own.
    """

    device: int
    name: str | None = None
    chip: str | None = None
    compute_capability: str | None = None
    sm_count: int | None = None
    clock_hz: float | None = None
    bandwidth_bytes_per_s: float | None = None
    memory_bytes: float | None = None
    discrete: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The part that a device is, or is a slice of.

    Attributes:
        hardware: The part of the table or of the user's file; None where it is unknown.
        hardware_from: How it was found.
        mig: The slice; None for a whole card.
        contradicted: Whether the input shows another part than the one asked for.
        warnings: What is doubtful about it.
    """

    hardware: Hardware | None = None
    hardware_from: HardwareFrom | None = None
    mig: MigSlice | None = None
    contradicted: bool = False
    warnings: tuple[Notice, ...] = ()

    @property
    def sm_count(self) -> int | None:
        """SMs of the whole card, or None."""
        count = self.hardware.sm_count if self.hardware else None
        return int(count.value) if count else None

    @property
    def bandwidth_bytes_per_s(self) -> float | None:
        """Published bandwidth of the device, byte/s; None where its part of it is unknown."""
        if self.hardware is None:
            return None
        ratio = self.mig.memory_ratio if self.mig else 1.0
        return None if ratio is None else self.hardware.bandwidth_bytes_per_s.value * ratio

    @property
    def peak_flop_per_s(self) -> Mapping[str, float]:
        """Published peaks of the device, FLOP/s; empty where its part of them is unknown."""
        ratio = self.mig.compute_ratio if self.mig else 1.0
        if self.hardware is None or ratio is None:
            return {}
        peaks = self.hardware.peak_flop_per_s
        return {precision: peak.value * ratio for precision, peak in peaks.items()}


def find_card(facts: DeviceFacts, hw: str) -> Card:
    """Find the part that a device is.

    Args:
        facts: What the input says of the device.
        hw: ``auto``, an id or alias of the hardware table, or the path of a TOML file.

    Raises:
        UsageError: ``hw`` names nothing that is known.
    """
    by_name = named(card_name(facts.name)) if facts.name else ()
    if hw == "auto":
        return _named_by_trace(facts, by_name)
    hardware, doubts = _decide(facts, candidates(hw))
    if _contradicts(facts, hardware, by_name):
        return Card(
            hardware=hardware,
            hardware_from="option",
            contradicted=True,
            warnings=(*doubts, _contradiction_notice(facts, hardware)),
        )
    return Card(
        hardware=hardware,
        hardware_from="option",
        mig=_slice(facts, hardware),
        warnings=doubts,
    )


def _named_by_trace(facts: DeviceFacts, by_name: tuple[Hardware, ...]) -> Card:
    if not by_name:
        return Card(mig=_slice(facts, None))
    hardware, doubts = _decide(facts, by_name)
    if _is_another_variant(facts, hardware):
        return Card(warnings=(_variant_notice(facts, hardware),))
    return Card(
        hardware=hardware,
        hardware_from="trace-name",
        mig=_slice(facts, hardware),
        warnings=doubts,
    )


def _decide(facts: DeviceFacts, parts: tuple[Hardware, ...]) -> tuple[Hardware, tuple[Notice, ...]]:
    name = card_name(facts.name) if facts.name else None
    # a slice's own memory and bandwidth would point to a smaller card
    whole = name == facts.name
    hardware, doubt = decide(
        parts,
        name=name,
        bandwidth_bytes_per_s=facts.bandwidth_bytes_per_s if whole else None,
        memory_bytes=facts.memory_bytes if whole else None,
    )
    return hardware, (doubt,) if doubt else ()


def _slice(facts: DeviceFacts, hardware: Hardware | None) -> MigSlice | None:
    return slice_of(facts.name, facts.sm_count, facts.memory_bytes, hardware)


def _is_another_variant(facts: DeviceFacts, hardware: Hardware) -> bool:
    """Whether the count of SMs shows another part that carries the same name.

    An RTX 3080 with 12 GB has 70 SMs instead of 68; every Jetson Orin is called "Orin".
    """
    if hardware.mig or not facts.sm_count or hardware.sm_count is None:
        return False
    return facts.sm_count != hardware.sm_count.value


def _variant_notice(facts: DeviceFacts, hardware: Hardware) -> Notice:
    said = text(
        "notice.hardware_variant",
        device=str(facts.device),
        name=repr(facts.name),
        sms=str(facts.sm_count),
        hardware=hardware.id,
    )
    return Notice("hardware-variant", said)


def _contradicts(facts: DeviceFacts, hardware: Hardware, by_name: tuple[Hardware, ...]) -> bool:
    """Whether the trace shows another part than the one asked for.

    A user's own file may describe any card, so only its compute capability can contradict.
    """
    if by_name and hardware in all_hardware():
        return hardware not in by_name
    known = facts.compute_capability, hardware.compute_capability
    return None not in known and known[0] != known[1]


def _contradiction_notice(facts: DeviceFacts, hardware: Hardware) -> Notice:
    number = str(facts.compute_capability)
    said = text(
        "notice.hardware_contradicts",
        device=str(facts.device),
        hardware=hardware.id,
        says=repr(facts.name)
        if facts.name
        else text("notice.compute_capability", compute_capability=number),
    )
    return Notice("hw-contradicts-trace", said)
