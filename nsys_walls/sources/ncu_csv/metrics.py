"""Which metrics of a file are read, under which name, and how their values are scaled."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from nsys_walls.counters.table import MetricTable
from nsys_walls.sources.ncu_csv.units import exponent, is_whole

DYNAMIC_SHARED: Final = "launch__shared_mem_per_block_dynamic"
DEVICE_NAME: Final = "device__attribute_display_name"
CAPABILITY: Final = tuple(f"device__attribute_compute_capability_{x}" for x in ("major", "minor"))
GRID: Final = tuple(f"launch__grid_dim_{axis}" for axis in "xyz")
BLOCK: Final = tuple(f"launch__block_dim_{axis}" for axis in "xyz")

#: Metrics that describe the launch; they become columns, not counters.
_FACTS: Final = frozenset({DYNAMIC_SHARED, DEVICE_NAME, *CAPABILITY, *GRID, *BLOCK})
_FACT_LABELS: Final = {"Dynamic Shared Memory Per Block": DYNAMIC_SHARED}
# Also inside a label: `--print-metric-name label-name` prints both
_INTERNAL_NAME = re.compile(r"\b[a-z0-9]\w*__\w+(?:\.\w+)*")
_NAME_WITH_UNIT = re.compile(r"(?P<name>\S+) \[(?P<unit>[^\]]*)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric as a file prints it.

    Attributes:
        name: ncu's internal name, or the label where it has none.
        unit: Unit as printed.
        exponent: Power of ten to the base unit; None where the unit is unknown.
        is_whole: Whether its values have no fractions in this unit.
        is_counter: Whether its values are stored.
        is_fact: Whether it describes the launch.
    """

    name: str
    unit: str
    exponent: int | None
    is_whole: bool
    is_counter: bool
    is_fact: bool


class Metrics:
    """Finds metrics by what a page calls them; remembers what it found."""

    def __init__(self, table: MetricTable) -> None:
        self._table = table
        self._found: dict[tuple[str | None, str, str], Metric] = {}

    def find(self, section: str | None, label: str, unit: str) -> Metric:
        """Find the metric of a label or internal name, in a section of the details page."""
        key = (section, label, unit)
        metric = self._found.get(key)
        if metric is None:
            metric = self._found[key] = self._make(section, label, unit.strip())
        return metric

    def columns(self, names: Iterable[str], units: Iterable[str]) -> list[Metric | None]:
        """Find the metrics of the columns of a raw page; None where a column is no metric.

        Args:
            names: Column names; ``"metric [unit]"`` is understood too.
            units: Units, in the same order.
        """
        metrics: list[Metric | None] = []
        for name, unit in zip(names, units, strict=True):
            match = _NAME_WITH_UNIT.fullmatch(name)
            bare, own_unit = (match["name"], match["unit"]) if match else (name, unit)
            metrics.append(self.find(None, bare, own_unit) if "__" in bare else None)
        return metrics

    def _make(self, section: str | None, label: str, unit: str) -> Metric:
        internal = _INTERNAL_NAME.search(label)
        if internal:
            name = internal[0]
            is_counter = self._table.wants(name)
        else:
            stored = self._table.from_label(section, label, unit)
            name = stored or _FACT_LABELS.get(label, label)
            is_counter = stored is not None
        return Metric(
            name=name,
            unit=unit,
            exponent=exponent(unit),
            is_whole=is_whole(name, unit),
            is_counter=is_counter,
            is_fact=name in _FACTS,
        )
