"""The report ``cuda_gpu_trace``: every kernel launch and every copy, with its shape."""

import re
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import Final

import pyarrow as pa

from nsys_walls.sources import Sink
from nsys_walls.sources.nsys_stats.printed import Printed
from nsys_walls.sources.nsys_stats.report import NOT_A_ROW, Report
from nsys_walls.store.schema import TABLES

_OTHER: Final = "operations that are neither kernels, copies nor sets"
_BATCH_ROWS: Final = 65_536

_SHAPE: Final = ("grdx", "grdy", "grdz", "blkx", "blky", "blkz")
_AXES: Final = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z")
_OF_KERNEL: Final = ("name", "device", *_SHAPE, "reg/trd", "stcsmem", "dymsmem")
_PRINTED: Final = ("start", "duration", "stcsmem", "dymsmem", "bytes", "throughput")

_LONG: Final = frozenset({"start", "duration", "corrid"})

_COPY = re.compile(r"\[CUDA (?:memcpy (?P<way>.+)|memset)\]")
_WAYS: Final = {
    **dict.fromkeys(("Host-to-Device", "HtoD"), "host_to_device"),
    **dict.fromkeys(("Device-to-Host", "DtoH"), "device_to_host"),
    **dict.fromkeys(("Device-to-Device", "DtoD"), "device_to_device"),
    **dict.fromkeys(("Peer-to-Peer", "PtoP"), "peer_to_peer"),
    **dict.fromkeys(("Host-to-Host", "HtoH"), "host_to_host"),
}
_MEMORIES: Final = {
    **{kind: kind for kind in ("pageable", "pinned", "device", "managed", "array")},
    "device static": "device",
    "managed static": "managed",
}
_DEVICE = re.compile(r"(?P<name>.*) \((?P<ordinal>\d{1,9})\)")


class _Rows:
    """Columns of a table that grow row by row."""

    def __init__(self, table: str, *columns: str) -> None:
        self.table = table
        self._schema = pa.schema([TABLES[table].field(column) for column in columns])
        self._columns: list[list[object]] = [[] for _ in columns]

    def add(self, *values: object) -> None:
        """Append a row."""
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)

    def flush(self, sink: Sink) -> None:
        """Pass the rows on and forget them."""
        if self._columns[0]:
            sink.write(self.table, pa.Table.from_arrays(self._columns, schema=self._schema))
        for column in self._columns:
            column.clear()


class _Layout:
    """Positions and factors of the columns of one report."""

    def __init__(self, report: Report) -> None:
        at = {name: column.at for name, column in report.columns.items()}
        self.width = report.width
        self.name = at["name"]
        self.kernel = itemgetter(*(at[name] for name in _OF_KERNEL if name in at))
        self._at = at
        self._numbers = {
            name: (position, report.factor(name), 64 if name in _LONG else 32)
            for name, position in at.items()
        }
        self.printed = [
            (at[name], name in {"start", "duration"} and report.factor(name) == 1)
            for name in _PRINTED
            if name in at
        ]

    def text(self, row: Sequence[str], name: str) -> str:
        """Take a cell; empty where the report has no such column."""
        return row[self._at[name]] if name in self._at else ""

    def whole(self, row: Sequence[str], name: str, printed: Printed) -> int | None:
        """Read a cell as a whole number of ns or things."""
        if name not in self._numbers:
            return None
        at, factor, bits = self._numbers[name]
        return printed.whole(row[at], factor, bits)

    def size(self, row: Sequence[str], name: str, printed: Printed) -> int | None:
        """Read a cell as bytes."""
        if name not in self._numbers:
            return None
        at, factor, _ = self._numbers[name]
        return printed.size(row[at], factor)


class Trace:
    """Takes the rows of the report and passes them on in batches.

    Attributes:
        launches: Number of kernel launches that were passed on.
    """

    def __init__(self, sink: Sink, printed: Printed, skipped: Counter[str]) -> None:
        self.launches = 0
        self._sink, self._printed, self._skipped = sink, printed, skipped
        self._layout: _Layout | None = None
        self._batch: list[Sequence[str]] = []
        self._kernel_ids: dict[tuple[str, ...], int] = {}
        self._name_ids: dict[str, int] = {}
        self._gpu_ids: dict[str, int] = {}
        self._launches = _Rows(
            "launches", "start_ns", "duration_ns", "kernel", "stream", "correlation"
        )
        self._copies = _Rows(
            "copies",
            *("start_ns", "duration_ns", "gpu", "stream", "correlation"),
            *("operation", "bytes", "source_memory", "target_memory"),
        )
        self._kernels = _Rows(
            "kernels",
            *("kernel", "name", "gpu", *_AXES),
            *("registers", "static_shared_bytes", "dynamic_shared_bytes"),
        )
        self._names = _Rows("names", "name", "full", "mangled")
        self._devices = _Rows("devices", "gpu", "ordinal", "name")

    def begin(self, report: Report) -> None:
        """Take the rows that follow as rows under this header."""
        self._flush()
        self._layout = _Layout(report)

    def add(self, row: Sequence[str]) -> None:
        """Take one row."""
        layout = self._layout
        if layout is None or len(row) < layout.width:
            self._skipped[NOT_A_ROW] += 1
            return
        for at, is_whole in layout.printed:
            self._printed.style.see(row[at], is_whole=is_whole)
        self._batch.append(row)
        if len(self._batch) == _BATCH_ROWS:
            self._flush()

    def finish(self) -> None:
        """Pass on what is left, and the tables that the rows refer to."""
        self._flush()
        for rows in (self._kernels, self._names, self._devices):
            rows.flush(self._sink)

    def _flush(self) -> None:
        """Read the numbers of the batch, now that their style is known."""
        if self._layout is not None:
            for row in self._batch:
                try:
                    self._sort(self._layout, row)
                except ValueError:
                    self._skipped[NOT_A_ROW] += 1
        self._batch.clear()
        self._launches.flush(self._sink)
        self._copies.flush(self._sink)

    def _sort(self, layout: _Layout, row: Sequence[str]) -> None:
        """Store a row as launch or copy.

        Raises:
            ValueError: A number can't be read.
        """
        name = row[layout.name]
        start_ns, duration_ns, stream, correlation = (
            layout.whole(row, column, self._printed)
            for column in ("start", "duration", "strm", "corrid")
        )
        copy = _COPY.fullmatch(name)
        if start_ns is None or duration_ns is None:
            self._skipped[NOT_A_ROW] += 1
        elif copy:
            self._copies.add(
                start_ns,
                duration_ns,
                self._gpu(layout.text(row, "device")),
                stream,
                correlation,
                _WAYS.get(copy["way"], "other") if copy["way"] else "memset",
                layout.size(row, "bytes", self._printed),
                *self._memories(layout, row, is_set=not copy["way"]),
            )
        elif name.startswith("[CUDA "):
            self._skipped[_OTHER] += 1
        else:
            self._launches.add(
                start_ns, duration_ns, self._kernel(layout, row), stream, correlation
            )
            self.launches += 1

    @staticmethod
    def _memories(
        layout: _Layout, row: Sequence[str], *, is_set: bool
    ) -> tuple[str | None, str | None]:
        """Read the kinds of memory; that of a set stands in the source's column."""
        source, target = (
            _MEMORIES.get(layout.text(row, column).casefold())
            for column in ("srcmemkd", "dstmemkd")
        )
        return (None, target or source) if is_set else (source, target)

    def _kernel(self, layout: _Layout, row: Sequence[str]) -> int:
        """Number the kernel of a row; its cells are read once."""
        key = layout.kernel(row)
        kernel = self._kernel_ids.get(key)
        if kernel is None:
            numbers = [layout.whole(row, column, self._printed) for column in (*_SHAPE, "reg/trd")]
            sizes = [layout.size(row, column, self._printed) for column in ("stcsmem", "dymsmem")]
            name, gpu = self._name(row[layout.name]), self._gpu(layout.text(row, "device"))
            kernel = self._kernel_ids[key] = len(self._kernel_ids)
            self._kernels.add(kernel, name, gpu, *numbers, *sizes)
        return kernel

    def _name(self, name: str) -> int:
        number = self._name_ids.get(name)
        if number is None:
            number = self._name_ids[name] = len(self._name_ids)
            self._names.add(number, name, name if name.startswith("_Z") else None)
        return number

    def _gpu(self, device: str) -> int:
        """Number a device, printed as ``NVIDIA A100-SXM4-80GB (0)``."""
        number = self._gpu_ids.get(device)
        if number is None:
            number = self._gpu_ids[device] = len(self._gpu_ids)
            match = _DEVICE.fullmatch(device)
            name, ordinal = (match["name"], int(match["ordinal"])) if match else (device, None)
            self._devices.add(number, ordinal, name or None)
        return number
