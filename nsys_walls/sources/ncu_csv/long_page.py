"""The details page, ``--metrics`` and per-kernel summaries: a row per launch and metric."""

from collections.abc import Hashable, Sequence
from typing import Final

from nsys_walls.sources.ncu_csv.header import Header
from nsys_walls.sources.ncu_csv.launches import CUT_OFF, NOT_A_ROW, Identity, Launch, Profile
from nsys_walls.sources.ncu_csv.metrics import Metric, Metrics

_RULES: Final = "rule rows"


class LongPage:
    """Reads the rows under one header.

    Rows belong to one launch where ID, process, kernel, shape and device agree, so that
    several processes may use the same IDs. A summary has no IDs: its rows stand for all
    launches of a shape, and its average is the value.
    """

    def __init__(self, header: Header, metrics: Metrics, profile: Profile) -> None:
        self._metrics, self._profile = metrics, profile
        self._identity = Identity(header)
        columns = header.columns
        self._section, self._unit = columns.get("section name"), columns.get("metric unit")
        self._label = columns["metric name"]
        self._value = columns["average" if header.page == "summary" else "metric value"]
        # Of whole numbers the extremes are whole, the average is not
        extremes = [columns[name] for name in ("minimum", "maximum") if name in columns]
        self._whole = extremes if header.page == "summary" else [self._value]
        self._width = max(self._identity.width, self._label + 1, self._value + 1)
        self._launches: dict[Hashable, Launch] = {}

    def read(self, row: Sequence[str]) -> None:
        """Take one row."""
        launch = self._launch(row) if len(row) >= self._width else None
        if launch is None:
            is_cut = self._identity.width <= len(row) < self._width
            self._profile.skipped[CUT_OFF if is_cut else NOT_A_ROW] += 1
        elif not row[self._label]:
            self._profile.skipped[_RULES] += 1
        else:
            section = None if self._section is None else row[self._section]
            unit = "" if self._unit is None else row[self._unit]
            self._put(row, launch, self._metrics.find(section, row[self._label], unit))

    def _put(self, row: Sequence[str], launch: Launch, metric: Metric) -> None:
        for at in self._whole:
            self._profile.style.see(row[at], is_whole=metric.is_whole)
        if self._value not in self._whole:
            self._profile.style.see(row[self._value])
        self._profile.put(launch, metric, row[self._value])

    def _launch(self, row: Sequence[str]) -> Launch | None:
        """Find or make the launch of a row; None where it is no row of ncu's."""
        key = self._identity.key(row)
        launch = self._launches.get(key)
        if launch is None:
            launch = self._identity.launch(row)
            if launch is not None:
                self._launches[key] = launch
                self._profile.launches.append(launch)
        return launch
