"""Take the names that a program and its files have out of an analysis; numbers stay as they are.

That is done before anything is said: sentences are made of what is left, so that no finished
text has to be searched for a name that could be any word of it.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import TypeVar

from nsys_walls.roofline.analysis import Analysis, DeviceAnalysis, Surroundings
from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.layout import Layout
from nsys_walls.roofline.range_forest import range_name
from nsys_walls.roofline.ranges import OTHER, OUTSIDE, RangeTotal, RangeTotals
from nsys_walls.roofline.waits import WaitTotal
from nsys_walls.store.manifest import Manifest
from nsys_walls.store.recurrence import Recurrence
from nsys_walls.texts import Text, Value

Total = TypeVar("Total", bound=RangeTotal)

_RUN = "run"
# Stands for a sentence that another version of this program wrote: what it names is not known.
_UNKNOWN = "…"
# These are not names that a program gave.
_LABELS = frozenset({"", OUTSIDE, OTHER})
# What texts call the names of files.
_FILES = frozenset({"file", "other_file"})
_NUMBER = re.compile(r"\d+", re.ASCII)


def redacted(analysis: Analysis) -> Analysis:
    """Replace the run's name, file names and NVTX names by numbered ones.

    Kernel names stay: they are what the report is about. Equal names get equal numbers, the
    heaviest range the lowest.
    """
    return _Redaction(analysis).analysis()


class _Names:
    """Numbers for the names of one kind, in the order in which they are met."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._numbered: dict[str, str] = {}
        self._patterns: dict[str, str] = {}

    def of(self, name: str) -> str:
        return self._numbered.setdefault(name, f"{self._kind} {len(self._numbered) + 1}")

    def like(self, pattern: str, fits: Callable[[str], bool]) -> str:
        """Replace a pattern by the first name that it fits, and a star; a name is no pattern."""
        if pattern not in self._patterns:
            known = self._numbered.get(pattern)
            first = next((name for name in self._numbered if fits(name)), pattern)
            self._patterns[pattern] = known or f"{self.of(first)} *"
        return self._patterns[pattern]


class _Redaction:
    """The replacements for one analysis: tables are met before what refers to them."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._ranges, self._files = _Names("range"), _Names("file")
        for total in (*analysis.ranges.by_name, *analysis.ranges.tree):
            self._range(total.name)
        for source in analysis.manifest.sources:
            self._files.of(source.file)
        # of a GPU that the user described in a file, that file's name is everywhere
        self._hw = analysis.options.hw
        self._hw_file = PurePath(self._hw.replace("\\", "/")).name
        if self._has_hw_file:
            self._hw = self._files.of(self._hw_file)

    @property
    def _has_hw_file(self) -> bool:
        return self._hw_file.casefold().endswith(".toml")

    def analysis(self) -> Analysis:
        found = self._analysis
        nvtx = tuple(self._selected(pattern) for pattern in found.selection.nvtx)
        return replace(
            found,
            manifest=self._manifest(found.manifest),
            options=replace(found.options, hw=self._hw),
            selection=replace(found.selection, nvtx=nvtx),
            devices=tuple(map(self._device, found.devices)),
            ranges=self._totals(found.ranges),
            around=self._around(found.around),
            warnings=tuple(
                replace(notice, text=self._text(notice.text)) for notice in found.warnings
            ),
        )

    def _manifest(self, manifest: Manifest) -> Manifest:
        sources = [replace(row, file=self._files.of(row.file)) for row in manifest.sources]
        return replace(manifest, run=_RUN, sources=tuple(sources))

    def _device(self, device: DeviceAnalysis) -> DeviceAnalysis:
        walls = device.walls
        documents = {key: self._text(cited) for key, cited in walls.documents.items()}
        hardware = walls.hardware
        if hardware is not None:
            hardware = replace(hardware, id=self._hardware(hardware.id))
        return replace(device, walls=replace(walls, hardware=hardware, documents=documents))

    def _hardware(self, name: str) -> str:
        """Replace the id of a part that has none but the name of its file."""
        is_file = self._has_hw_file and name == PurePath(self._hw_file).stem
        return self._hw if is_file else name

    def _around(self, around: Surroundings) -> Surroundings:
        waits, layout = around.waits, around.layout
        kernels = {kernel: self._recurrence(row) for kernel, row in layout.kernels.items()}
        copies = None if layout.copies is None else self._recurrence(layout.copies)
        return replace(
            around,
            copies=tuple(map(self._copy, around.copies)),
            waits=replace(waits, totals=tuple(map(self._wait, waits.totals))),
            layout=Layout(kernels=kernels, copies=copies),
        )

    def _copy(self, copy: CopyTotal) -> CopyTotal:
        if copy.link is None or copy.link.document is None:
            return copy
        return replace(copy, link=replace(copy.link, document=self._text(copy.link.document)))

    def _wait(self, total: WaitTotal) -> WaitTotal:
        if total.place is None:
            return total
        return replace(total, place=replace(total.place, name=self._range(total.place.name)))

    def _recurrence(self, found: Recurrence) -> Recurrence:
        if not found.range:
            return found
        pattern = range_name(found.range)
        alike = self._ranges.like(pattern, lambda name: _NUMBER.sub("*", name) == pattern)
        return replace(found, range=alike)

    def _totals(self, ranges: RangeTotals) -> RangeTotals:
        return replace(
            ranges,
            by_name=tuple(map(self._total, ranges.by_name)),
            tree=tuple(map(self._total, ranges.tree)),
            innermost={kernel: self._range(name) for kernel, name in ranges.innermost.items()},
        )

    def _total(self, total: Total) -> Total:
        return replace(total, name=self._range(total.name))

    def _range(self, name: str) -> str:
        return name if name in _LABELS else self._ranges.of(name)

    def _selected(self, pattern: str) -> str:
        if pattern in _LABELS:
            return pattern
        return self._ranges.like(pattern, lambda name: fnmatchcase(name, pattern))

    def _text(self, said: Text) -> Text:
        """Replace the names in a text, which are known by what a value is called."""
        values = {name: self._value(name, value) for name, value in said.values.items()}
        return Text(said.key, values)

    def _value(self, name: str, value: Value) -> Value:
        if isinstance(value, Text):
            return self._text(value)
        if not isinstance(value, str):
            return value
        if name in _FILES:
            return self._files.of(value)
        if name == "message":
            return _UNKNOWN
        return self._hardware(value) if name == "hardware" else value
