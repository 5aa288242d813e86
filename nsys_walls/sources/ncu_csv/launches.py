"""The profiled launches of a file: what the pages found, until all of it was seen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, NamedTuple

from nsys_walls.sources.ncu_csv.header import Header, shape
from nsys_walls.sources.ncu_csv.metrics import Metric
from nsys_walls.textfile import NumberStyle

Shape = tuple[int, int, int]

NOT_A_ROW: Final = "lines that are not CSV rows"
CUT_OFF: Final = "rows that are cut off"
UNUSED: Final = "metrics that are not used"
REPEATED: Final = "metrics printed again for the same launch"
NOT_MEASURED: Final = "values not measured (n/a)"
UNREADABLE: Final = "values that can't be read as numbers"
_MISSING: Final = frozenset({"", "n/a", "(!) n/a", "nan", "-nan", "inf", "+inf", "-inf", "-", "--"})


_SHAPES: Final = ("grid size", "block size")
_KEY: Final = ("kernel name", "id", "process id", "device", *_SHAPES)
_BESIDE: Final = ("kernel time", "cc", "invocations")
_INT64_DIGITS: Final = 18
_INT32_DIGITS: Final = 9


class Cell(NamedTuple):
    """A printed value; it is read when the decimal mark of the file is known."""

    text: str
    exponent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A profiled launch, or the launches of one shape in a summary.

    Attributes:
        launch_id: ncu's number of the launch in its process.
        process: Process id.
        ordinal: CUDA device ordinal.
        compute_capability: Such as ``"8.0"``.
        name: Kernel name as printed.
        grid: Blocks in x, y, z.
        block: Threads in x, y, z.
        launches: How many launches the values are averages of.
        counters: Values by metric name.
        facts: Values of the metrics that describe the launch.
    """

    launch_id: int | None
    process: int | None
    ordinal: int | None
    compute_capability: str | None
    name: str
    grid: Shape | None
    block: Shape | None
    launches: int
    counters: dict[str, Cell] = field(default_factory=dict)
    facts: dict[str, Cell] = field(default_factory=dict)


class Profile:
    """Everything that is read from one file.

    Attributes:
        launches: In file order.
        skipped: Number of rows or values that are not stored, by reason.
        style: How numbers are printed in this file.
        has_units: Whether all raw pages printed their units.
    """

    def __init__(self) -> None:
        self.launches: list[Launch] = []
        self.skipped: Counter[str] = Counter()
        self.style = NumberStyle()
        self.has_units = True

    def put(self, launch: Launch, metric: Metric, text: str) -> None:
        """Keep a printed value of a launch, or count why not; the style must have seen it."""
        if not (metric.is_counter or metric.is_fact):
            self.skipped[UNUSED] += 1
        elif text.strip().casefold() in _MISSING:
            self.skipped[NOT_MEASURED] += 1
        elif metric.exponent is None:
            self.skipped[f"unknown unit {metric.unit[:20]}"] += 1
        elif metric.name in launch.counters or metric.name in launch.facts:
            self.skipped[REPEATED] += 1
        else:
            # --print-metric-instances appends the parts of a sum: 16 (4; 4; 8)
            total = text.partition(" (")[0] if text[0].isdigit() else text
            cell = Cell(total, metric.exponent)
            if metric.is_counter:
                launch.counters[metric.name] = cell
            if metric.is_fact:
                launch.facts[metric.name] = cell


class Identity:
    """Reads from a row which launch it belongs to."""

    def __init__(self, header: Header) -> None:
        columns = header.columns
        self._at = {name: columns[name] for name in (*_KEY, *_BESIDE) if name in columns}
        #: Makes a key of a row that is equal for all rows of a launch.
        self.key = itemgetter(*(self._at[name] for name in _KEY if name in self._at))
        #: Number of cells that a row has at least.
        self.width = max(self._at.values()) + 1

    def launch(self, row: Sequence[str]) -> Launch | None:
        """Make the launch of a row; None where it is no row of ncu's after all."""
        shapes = {what: shape(self._text(row, what)) for what in _SHAPES}
        name = row[self._at["kernel name"]]
        has_shape = all(shapes[what] is not None for what in _SHAPES if what in self._at)
        has_time = "kernel time" not in self._at or ":" in self._text(row, "kernel time")
        if not (name and has_shape and has_time):
            return None
        return Launch(
            launch_id=_whole(self._text(row, "id")),
            process=_whole(self._text(row, "process id")),
            ordinal=_whole(self._text(row, "device"), _INT32_DIGITS),
            compute_capability=_capability(self._text(row, "cc")),
            name=name,
            grid=shapes["grid size"],
            block=shapes["block size"],
            launches=_whole(self._text(row, "invocations")) or 1,
        )

    def _text(self, row: Sequence[str], column: str) -> str:
        return row[self._at[column]].strip() if column in self._at else ""


def _whole(text: str, digits: int = _INT64_DIGITS) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= digits else None


def _capability(text: str) -> str | None:
    """Read a compute capability; a spreadsheet makes ``8`` of ``8.0``.

    >>> _capability("8.0"), _capability("12"), _capability("8,9"), _capability("")
    ('8.0', '12.0', '8.9', None)
    """
    major, _, minor = text.replace(",", ".").partition(".")
    return f"{major}.{minor or 0}" if major.isdecimal() else None
