"""Peaks of GPUs that the hardware table lacks: SMs x clock x rate of the compute capability."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from nsys_walls.roofline.hardware import normalise
from nsys_walls.roofline.hardware_file import cite
from nsys_walls.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What one SM does in a clock.

    Attributes:
        compute_capability: ``major.minor``.
        segments: Market segments that have these rates: GeForce parts often run tensor
            operations at half rate.
        flop_per_clock: Dense FLOP per SM and clock by precision (one FMA is two).
        source: Title or address of the document.
        checked: Day on which the rates were last compared with it.
        second_hand: Whether the document could not be read, or does not print them all.
        chips: Chips that have these rates; empty for all of the segments.
    """

    compute_capability: str
    segments: tuple[str, ...]
    flop_per_clock: Mapping[str, int]
    source: str
    checked: date
    second_hand: bool = False
    chips: tuple[str, ...] = ()

    @property
    def document(self) -> Text:
        """Source and check date as one text."""
        return cite(self.source, self.checked, second_hand=self.second_hand)


@cache
def _table() -> tuple[Mapping[str, str], tuple[Rates, ...]]:
    path = files("nsys_walls").joinpath("data", "compute_capabilities.toml")
    raw = tomllib.loads(path.read_text("utf-8"))
    return raw["segments"], tuple(
        Rates(
            compute_capability=row["compute_capability"],
            segments=tuple(row["segments"]),
            flop_per_clock=row["flop_per_clock"],
            source=row["source"],
            checked=row["checked"],
            second_hand=row.get("second_hand", False),
            chips=tuple(row.get("chips", ())),
        )
        for row in raw["rates"]
    )


def all_rates() -> tuple[Rates, ...]:
    """Read the rates of every compute capability; of several rows that fit, the first counts."""
    return _table()[1]


def segment_of(name: str) -> str | None:
    """Tell a GPU's market segment by the first word of its name, or None.

    >>> segment_of("NVIDIA GeForce RTX 4060 Ti"), segment_of("NVIDIA Graphics Device")
    ('geforce', None)
    """
    return _table()[0].get(normalise(name).partition(" ")[0])


def find_rates(name: str | None, chip: str | None, compute_capability: str | None) -> Rates | None:
    """Find the rates of a device, or None where its name does not tell its segment.

    Args:
        name: The device's name, such as ``"NVIDIA GeForce RTX 4060 Ti"``.
        chip: The chip's name, such as ``"AD106"``.
        compute_capability: ``major.minor``.
    """
    segment = segment_of(name or "")
    for rates in all_rates():
        if (
            rates.compute_capability == compute_capability
            and segment in rates.segments
            and (not rates.chips or chip in rates.chips)
        ):
            return rates
    return None
