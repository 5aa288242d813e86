"""The raw page: a row per launch, a column per metric, units in a row of their own."""

from collections.abc import Sequence

from nsys_walls.sources.ncu_csv.header import Header
from nsys_walls.sources.ncu_csv.launches import CUT_OFF, NOT_A_ROW, UNUSED, Identity, Profile
from nsys_walls.sources.ncu_csv.metrics import Metric, Metrics


class RawPage:
    """Reads the rows under one header; each row is a launch, the units row is none."""

    def __init__(self, header: Header, metrics: Metrics, profile: Profile) -> None:
        self._header, self._metrics, self._profile = header, metrics, profile
        self._identity = Identity(header)
        self._name = header.columns["kernel name"]
        self._used: list[tuple[int, Metric]] | None = None
        self._unused: list[tuple[int, Metric]] = []

    def read(self, row: Sequence[str]) -> None:
        """Take one row."""
        width = len(self._header.names)
        if len(row) < width:
            is_cut = len(row) >= self._identity.width
            self._profile.skipped[CUT_OFF if is_cut else NOT_A_ROW] += 1
        elif self._used is None and not row[self._name]:
            self._set_units(row[:width])
        else:
            self._launch(row)

    def _set_units(self, units: Sequence[str]) -> list[tuple[int, Metric]]:
        metrics = self._metrics.columns(self._header.names, units)
        found = [(at, metric) for at, metric in enumerate(metrics) if metric is not None]
        self._used = [item for item in found if item[1].is_counter or item[1].is_fact]
        self._unused = [item for item in found if item not in self._used]
        return self._used

    def _launch(self, row: Sequence[str]) -> None:
        launch = self._identity.launch(row)
        if launch is None:
            self._profile.skipped[NOT_A_ROW] += 1
            return
        used = self._used
        if used is None:
            used = self._set_units([""] * len(self._header.names))
            self._profile.has_units &= any("[" in name for name in self._header.names)
        self._profile.launches.append(launch)
        style = self._profile.style
        for at, metric in used:
            style.see(row[at], is_whole=metric.is_whole)
            self._profile.put(launch, metric, row[at])
        # Thousands of columns: the unused ones are looked at only while they may decide
        if not style.is_proved:
            for at, metric in self._unused:
                style.see(row[at], is_whole=metric.is_whole)
        self._profile.skipped[UNUSED] += len(self._unused)
