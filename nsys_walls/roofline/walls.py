"""The walls of one device: where its bandwidth and its peaks come from, and what is doubtful.

Bandwidth: ``--bandwidth``, the trace where plausible, the table, ncu. Peaks, each precision
for itself: ``--peak``, the table, ncu, the rates of the compute capability. Never the numbers
of another card.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from nsys_walls.errors import Notice, UsageError
from nsys_walls.roofline.card import Card, DeviceFacts, HardwareFrom, find_card
from nsys_walls.roofline.hardware import SAME_PART_RATIO
from nsys_walls.roofline.hardware_file import PRECISIONS, Hardware
from nsys_walls.roofline.model import Walls
from nsys_walls.roofline.rates import find_rates
from nsys_walls.texts import Text, text
from nsys_walls.units import percent, si

__all__ = ["CounterPeaks", "DeviceFacts", "DeviceWalls", "WallOptions", "resolve_walls"]

NumberFrom = Literal["option", "trace", "table", "ncu", "derived"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WallOptions:
    """What a user says of the walls.

    Attributes:
        hw: ``auto``, an id or alias of the hardware table, or the path of a TOML file.
        bandwidth_bytes_per_s: Bandwidth wall, byte/s, instead of any other.
        peak_flop_per_s: Compute walls by precision, FLOP/s, instead of any other.
        near_ratio: Part of a wall from which a kernel counts as standing at it.
        balance_factor: Practical balance point as a part of the theoretical one.
    """

    hw: str = "auto"
    bandwidth_bytes_per_s: float | None = None
    peak_flop_per_s: Mapping[str, float] = field(default_factory=dict)
    near_ratio: float = 0.6
    balance_factor: float = 0.5

    def as_typed(self) -> list[str]:
        """List the words of a command that give these options; none for the defaults."""
        words = []
        if self.hw != "auto":
            # of a file, where it lies is nobody's business
            words += ["--hw", self.hw.replace("\\", "/").rpartition("/")[2]]
        if self.bandwidth_bytes_per_s is not None:
            words += ["--bandwidth", f"{self.bandwidth_bytes_per_s:g}B/s"]
        for precision, flop_per_s in self.peak_flop_per_s.items():
            words += ["--peak", f"{precision}={flop_per_s:g}FLOP/s"]
        if self.near_ratio != WallOptions().near_ratio:
            words += ["--near", f"{self.near_ratio:g}"]
        if self.balance_factor != WallOptions().balance_factor:
            words += ["--balance-factor", f"{self.balance_factor:g}"]
        return words


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterPeaks:
    """Peaks that ncu computed on the device.

    Attributes:
        bandwidth_bytes_per_s: Byte/s; off by a factor of 2 on kernels of about 10 µs.
        peak_flop_per_s: FLOP/s by precision.
    """

    bandwidth_bytes_per_s: float | None
    peak_flop_per_s: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceWalls:
    """The walls of a device, each with its origin.

    Attributes:
        facts: What the input says of the device.
        hardware: The part of the table (or the user's file) that it is, or None.
        hardware_from: How the part was found; ``derived`` where there is none and peaks come
            from the compute capability.
        mig: Slice such as ``"3g.40gb"``, or None for a whole card.
        sm_count: SMs of the device, or of its part where the input does not say.
        walls: The walls, scaled to the slice.
        bandwidth_from: Origin of the bandwidth wall.
        peak_from: Origin of each peak, by precision.
        documents: Document and check date of each number that is from the table or derived,
            by precision or ``"bandwidth_bytes_per_s"``.
        warnings: What the user should know.
    """

    facts: DeviceFacts
    hardware: Hardware | None
    hardware_from: HardwareFrom | None
    mig: str | None
    sm_count: int | None
    walls: Walls
    bandwidth_from: NumberFrom | None
    peak_from: Mapping[str, NumberFrom]
    documents: Mapping[str, Text]
    warnings: tuple[Notice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Peaks:
    """Compute walls with their origins and documents, by precision."""

    flop_per_s: Mapping[str, float]
    origins: Mapping[str, NumberFrom]
    documents: Mapping[str, Text]


def resolve_walls(
    facts: DeviceFacts, options: WallOptions, counter_peaks: CounterPeaks | None = None
) -> DeviceWalls:
    """Find the walls of a device.

    Args:
        facts: What the input says of it.
        options: What the user says.
        counter_peaks: What ncu computed there, the last resort.

    Raises:
        UsageError: ``--hw`` or ``--peak`` names nothing that is known.
    """
    strange = sorted(options.peak_flop_per_s.keys() - set(PRECISIONS))
    if strange:
        msg = f"--peak {strange[0]!r} is no precision; expected one of {', '.join(PRECISIONS)}."
        raise UsageError("unknown-precision", msg)
    counters = counter_peaks or CounterPeaks(bandwidth_bytes_per_s=None, peak_flop_per_s={})
    card = find_card(facts, options.hw)
    bandwidth, bandwidth_from = _bandwidth(facts, options, card, counters)
    peaks = _peaks(facts, options, card, counters)
    documents = dict(peaks.documents)
    if bandwidth_from == "table" and card.hardware:
        number = card.hardware.bandwidth_bytes_per_s
        documents = {"bandwidth_bytes_per_s": number.document, **documents}
    derived = "derived" in peaks.origins.values()
    return DeviceWalls(
        facts=facts,
        hardware=card.hardware,
        hardware_from="derived" if derived else card.hardware_from,
        mig=card.mig.label if card.mig else None,
        sm_count=facts.sm_count or card.sm_count,
        walls=Walls(
            bandwidth_bytes_per_s=bandwidth,
            peak_flop_per_s=peaks.flop_per_s,
            near_ratio=options.near_ratio,
            balance_factor=options.balance_factor,
        ),
        bandwidth_from=bandwidth_from,
        peak_from=peaks.origins,
        documents=documents,
        warnings=(
            *card.warnings,
            *_mig_notices(facts, card),
            *_bandwidth_notices(facts, card, bandwidth_from),
            *_peak_notices(facts, card, peaks),
        ),
    )


def _bandwidth(
    facts: DeviceFacts, options: WallOptions, card: Card, counters: CounterPeaks
) -> tuple[float | None, NumberFrom | None]:
    if options.bandwidth_bytes_per_s is not None:
        return options.bandwidth_bytes_per_s, "option"
    if _is_plausible(facts, card):
        return facts.bandwidth_bytes_per_s, "trace"
    if card.bandwidth_bytes_per_s is not None:
        return card.bandwidth_bytes_per_s, "table"
    if counters.bandwidth_bytes_per_s is not None:
        return counters.bandwidth_bytes_per_s, "ncu"
    return None, None


def _is_plausible(facts: DeviceFacts, card: Card) -> bool:
    """Whether the trace's bandwidth can be the device's own: near the table's, or unchecked."""
    reported, published = facts.bandwidth_bytes_per_s, card.bandwidth_bytes_per_s
    if not reported:
        return False
    if published is None:
        return facts.discrete is not False
    return abs(reported / published - 1) <= SAME_PART_RATIO


def _peaks(facts: DeviceFacts, options: WallOptions, card: Card, counters: CounterPeaks) -> _Peaks:
    """Take every precision from the best origin that has it."""
    derived, rates_document = _derived(facts) if card.hardware is None else ({}, None)
    flop_per_s: dict[str, float] = {}
    origins: dict[str, NumberFrom] = {}
    documents: dict[str, Text] = {}
    found: dict[NumberFrom, Mapping[str, float]] = {
        "option": options.peak_flop_per_s,
        "table": card.peak_flop_per_s,
        "ncu": counters.peak_flop_per_s,
        "derived": derived,
    }
    for precision in PRECISIONS:
        origin = next((origin for origin, peaks in found.items() if precision in peaks), None)
        if origin is None:
            continue
        flop_per_s[precision], origins[precision] = found[origin][precision], origin
        if origin == "table" and card.hardware:
            documents[precision] = card.hardware.peak_flop_per_s[precision].document
        if origin == "derived" and rates_document:
            documents[precision] = rates_document
    return _Peaks(flop_per_s=flop_per_s, origins=origins, documents=documents)


def _derived(facts: DeviceFacts) -> tuple[Mapping[str, float], Text | None]:
    """Multiply SMs, clock and rates; for devices outside the table whose segment is known.

    What the table leaves out of one of its parts is left out on purpose.
    """
    rates = find_rates(facts.name, facts.chip, facts.compute_capability)
    if rates is None or not facts.sm_count or not facts.clock_hz:
        return {}, None
    clocks_per_s = facts.sm_count * facts.clock_hz
    peaks = {precision: clocks_per_s * flop for precision, flop in rates.flop_per_clock.items()}
    return peaks, text("document.rates", document=rates.document)


def _mig_notices(facts: DeviceFacts, card: Card) -> list[Notice]:
    if card.mig is None:
        return []
    said = text(
        "notice.mig_slice",
        device=str(facts.device),
        slice=card.mig.label,
        compute=_part(card.mig.compute_ratio),
        memory=_part(card.mig.memory_ratio),
    )
    return [Notice("mig-slice", said)]


def _part(ratio: float | None) -> Text:
    if ratio is None:
        return text("notice.unknown_part")
    return text("notice.part", share=percent(ratio))


def _bandwidth_notices(
    facts: DeviceFacts, card: Card, bandwidth_from: NumberFrom | None
) -> list[Notice]:
    reported, published = facts.bandwidth_bytes_per_s, card.bandwidth_bytes_per_s
    if not reported or bandwidth_from in {"trace", "option"} or card.contradicted or card.mig:
        return []
    said = text(
        "notice.implausible_bandwidth",
        device=str(facts.device),
        reported=si(reported, "B/s"),
        hardware=card.hardware.id if card.hardware else repr(facts.name),
        instead=text("notice.table_bandwidth", bandwidth=si(published, "B/s"))
        if published
        else text("notice.give_bandwidth"),
    )
    return [Notice("implausible-bandwidth", said)]


def _peak_notices(facts: DeviceFacts, card: Card, peaks: _Peaks) -> list[Notice]:
    if card.hardware or facts.name is None:
        return []
    device, name = str(facts.device), repr(facts.name)
    if "derived" in peaks.origins.values():
        said = text(
            "notice.derived_walls",
            device=device,
            name=name,
            sms=str(facts.sm_count),
            clock=si(facts.clock_hz or 0, "Hz"),
            compute_capability=str(facts.compute_capability),
        )
        return [Notice("derived-walls", said)]
    if peaks.flop_per_s:
        return []
    said = text("notice.unknown_hardware", device=device, name=name)
    return [Notice("unknown-hardware", said)]
