"""Samples of GPU metrics: what `nsys profile --gpu-metrics-devices` adds to a trace."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from nsys_walls.errors import Notice
from nsys_walls.sources import Sink, Skipped
from nsys_walls.sources.nsys_sqlite.chunks import Database
from nsys_walls.sources.nsys_sqlite.events import all_columns
from nsys_walls.sources.nsys_sqlite.gpus import Gpus
from nsys_walls.sources.nsys_sqlite.schema import Catalog, Found
from nsys_walls.texts import text
from nsys_walls.traces.arrow import Ints, integers, known, table, texts, values
from nsys_walls.traces.keys import coded

_COLUMNS = ("time", "type", "metric", "value")

# The GPU is in the lowest byte of a typeId; NVIDIA's own nsys_recipe.recipes.nvlink_sum joins
# it with TARGET_INFO_GPU.id like this. The bytes above are hardware and virtual machine.
_GPU_ID_MASK = 0xFF

_NO_NUMBER = "without a whole number as time or value"
_TOO_EARLY = "from before the trace began"
_NO_GPU = "of GPUs on which nothing ran"
_IMPOSSIBLE = "with a value that their metric can't have"
_REASONS = (_NO_NUMBER, _TOO_EARLY, _NO_GPU, _IMPOSSIBLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric that is wanted: a row of ``gpu_metrics.toml``.

    Attributes:
        metric: Its name in the store.
        names: Its names in traces, the best first.
        unit: Unit that may follow a name in brackets.
        lowest: Least value that it can have.
        highest: Greatest value that it can have.
        unsigned_bits: Bits of a number that exports store signed; None where they don't.
    """

    metric: str
    names: Sequence[str]
    unit: str
    lowest: int
    highest: int
    unsigned_bits: int | None = None

    def spellings(self) -> list[str]:
        """List how traces may write its name, the best first."""
        pairs = [(f"{name} [{self.unit}]", name) for name in self.names]
        return [spelling.casefold() for pair in pairs for spelling in pair]


@cache
def wanted_metrics() -> tuple[Metric, ...]:
    """Load ``gpu_metrics.toml``."""
    rows = files("nsys_walls").joinpath("data", "gpu_metrics.toml").read_text("utf-8")
    return tuple(Metric(**row) for row in tomllib.loads(rows)["metrics"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Series:
    """One metric of one GPU: the samples with this typeId and metricId."""

    key: tuple[int, int]
    metric: Metric
    gpu: int | None


#: Samples of each series that were dropped, by reason.
Dropped = Mapping[str, Ints]


def write_gpu_metrics(
    database: Database, catalog: Catalog, gpus: Gpus, sink: Sink
) -> tuple[list[Skipped], list[Notice]]:
    """Write the samples of all wanted metrics to ``gpu_metrics``.

    Args:
        database: The trace.
        catalog: Its tables.
        gpus: Its GPUs; those on which something ran must have their numbers.
        sink: Where to write.

    Returns:
        Samples of wanted metrics that were left out, by reason, and what to tell the user.
    """
    found, names = catalog.find("gpu_metric"), catalog.find("gpu_metric_name")
    if found is None:
        return [], []
    series = _wanted_series(database, names, gpus) if names else []
    if not series:
        return [], _if_sampled(database, found)
    samples = _Samples(series)
    for rows, dropped in _read(database, found, samples):
        sink.write("gpu_metrics", rows)
        samples.count(rows, dropped)
    return samples.skipped(), samples.warnings()


def _wanted_series(database: Database, names: Found, gpus: Gpus) -> list[_Series]:
    """Find the wanted metrics of each GPU; of several names for one, the best."""
    query = names.numbers(["type", "metric"], strict=True)
    query = query.add_columns(names.text("name").label("name"))
    ids_of: dict[int, dict[str, int]] = {}
    for row in database.rows(query):
        if None not in row.values():
            spelling = " ".join(row["name"].split()).casefold()
            ids_of.setdefault(row["type"], {}).setdefault(spelling, row["metric"])
    return [
        _Series(key=(kind, metric_id), metric=metric, gpu=gpus.number_listed(kind & _GPU_ID_MASK))
        for kind, ids in ids_of.items()
        for metric in wanted_metrics()
        for metric_id in [ids[spelling] for spelling in metric.spellings() if spelling in ids][:1]
    ]


def _if_sampled(database: Database, found: Found) -> list[Notice]:
    """Tell of samples none of which is wanted; an empty table is nothing to tell of."""
    query = sa.select(sa.literal(1).label("row")).select_from(found.table).limit(1)
    if not database.rows(query):
        return []
    return [Notice("samples-not-used", text("source.other_metrics"))]


def _read(
    database: Database, found: Found, samples: "_Samples"
) -> Iterator[tuple[pa.Table, Dropped]]:
    ids = sorted({series.key[1] for series in samples.series})

    def query(*, strict: bool) -> sa.Select[Any]:
        # most rows are of other metrics: leaving them to SQLite saves their way through Arrow
        return found.numbers(_COLUMNS, strict=strict).where(found.columns["metric"].in_(ids))

    return database.chunks(found, query(strict=False), samples.pick, strict=query(strict=True))


class _Samples:
    """Turns rows of the trace into rows of the store, and counts what became of them."""

    def __init__(self, series: Sequence[_Series]) -> None:
        self.series = series
        self._stored = 0
        self._dropped = {reason: self._counts(np.zeros(0, np.int64)) for reason in _REASONS}
        self._position: Mapping[tuple[int | None, ...], int] = {
            one.key: position for position, one in enumerate(series)
        }
        metrics = [one.metric for one in series]
        self._names = texts([metric.metric for metric in metrics])
        self._gpu = np.array([-1 if one.gpu is None else one.gpu for one in series], np.int64)
        self._lowest = np.array([metric.lowest for metric in metrics], np.int64)
        self._highest = np.array([metric.highest for metric in metrics], np.int64)
        bits = [metric.unsigned_bits for metric in metrics]
        self._wrap = np.array([0 if bit is None else 1 << bit for bit in bits], np.int64)

    def _counts(self, series: Ints) -> Ints:
        return np.bincount(series, minlength=len(self.series)).astype(np.int64)

    def pick(self, chunk: pa.Table) -> tuple[pa.Table, Dropped]:
        """Make rows of the store from a chunk, and say what was dropped."""
        columns = all_columns(chunk, _COLUMNS)
        series = self._series_of(columns)
        time, number = values(columns["time"]), values(columns["value"])
        number = np.where(number < 0, number + self._wrap[series], number)
        faults = {
            _NO_NUMBER: ~(known(columns["time"]) & known(columns["value"])),
            _TOO_EARLY: time < 0,
            _NO_GPU: self._gpu[series] < 0,
            _IMPOSSIBLE: (number < self._lowest[series]) | (number > self._highest[series]),
        }
        keep = series >= 0  # elsewhere the number is another metric, of another type of event
        dropped = {}
        for reason, fault in faults.items():
            dropped[reason] = self._counts(series[keep & fault])
            keep = keep & ~fault
        rows = {
            "timestamp_ns": integers(time[keep]),
            "gpu": integers(self._gpu[series[keep]]),
            "metric": self._names.take(integers(series[keep])),
            "value": integers(number[keep]),
        }
        return table(rows), dropped

    def _series_of(self, columns: Mapping[str, pa.Array]) -> Ints:
        keyed = coded([columns["type"], columns["metric"]])
        positions = np.array([self._position.get(key, -1) for key in keyed.keys], np.int64)
        return positions[keyed.codes]

    def count(self, rows: pa.Table, dropped: Dropped) -> None:
        """Remember what became of a chunk."""
        self._stored += rows.num_rows
        for reason, counts in dropped.items():
            self._dropped[reason] += counts

    def skipped(self) -> list[Skipped]:
        """Sum up what was dropped."""
        totals = {reason: int(counts.sum()) for reason, counts in self._dropped.items()}
        return [Skipped(f"GPU metric samples {why}", rows) for why, rows in totals.items() if rows]

    def warnings(self) -> list[Notice]:
        """Tell of samples that mean less than they seem to."""
        notices = []
        impossible = self._dropped[_IMPOSSIBLE]
        if impossible.any():
            metrics = {
                self.series[one].metric.metric for one in np.flatnonzero(impossible).tolist()
            }
            said = text(
                "source.impossible_samples",
                samples=int(impossible.sum()),
                metrics=", ".join(sorted(metrics)),
            )
            notices.append(Notice("impossible-samples", said))
        if self._dropped[_NO_GPU].any() and not self._stored:
            notices.append(Notice("samples-not-used", text("source.other_gpus")))
        return notices
