"""Read a whole trace: the order of the steps, and what the user is told about it."""

import numpy as np
import pyarrow as pa

from nsys_walls.errors import InputError, Notice
from nsys_walls.sources import Request, Sink, Skipped, SourceInfo
from nsys_walls.sources.torch_trace.calls import Callers, call_table
from nsys_walls.sources.torch_trace.collect import Collected, Collector
from nsys_walls.sources.torch_trace.columns import Columns
from nsys_walls.sources.torch_trace.content import Checked, Content, opened
from nsys_walls.sources.torch_trace.events import Fields, Malformed, Readable, parse_events
from nsys_walls.sources.torch_trace.gpus import device_table
from nsys_walls.sources.torch_trace.mend import Mended
from nsys_walls.sources.torch_trace.numbers import whole
from nsys_walls.sources.torch_trace.ranges import nested, outer_first, range_table
from nsys_walls.sources.torch_trace.rules import rules
from nsys_walls.sources.torch_trace.threads import Threads
from nsys_walls.sources.torch_trace.work import (
    copy_table,
    kernel_table,
    launch_table,
    name_table,
    sync_table,
)
from nsys_walls.store.digest import content_digest
from nsys_walls.texts import text
from nsys_walls.traces.arrow import integers

# Rows that are passed on at once.
_ROWS = 131_072

_EXPORT = "`prof.export_chrome_trace()`"
_PROFILE = "`torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])`"


def read_trace(request: Request, sink: Sink) -> SourceInfo:
    """Read a trace into the sink.

    Raises:
        InputError: It is damaged, or holds no launch.
    """
    collected, header = _collected(request)
    launches = len(collected.launches)
    if not launches:
        raise _no_kernels(request.path.name, collected)
    writing = _Writing(collected, sink)
    writing.run()
    devices = device_table(list(collected.gpus), header, content_digest(request.path))
    sink.write("devices", devices)
    schema = whole(header.get(rules()["document"]["schema"]))
    return SourceInfo(
        kind="torch-trace",
        schema_version=None if schema is None else str(schema),
        rows=launches,
        skipped=tuple(Skipped(why, rows) for why, rows in collected.left_out.items()),
        warnings=tuple(writing.warnings),
    )


def _collected(request: Request) -> tuple[Collected, Fields]:
    """Read a trace into memory, mended where it is no JSON; gives what stands beside it, too."""
    name = request.path.name
    taken = 0
    for is_mended in (False, True):
        collector = Collector()
        header: Fields = {}
        with opened(request.path, request.progress) as content:
            readable: Readable = Mended(content) if is_mended else Checked(content)
            try:
                for event in parse_events(readable, rules()["document"]["events"], header):
                    collector.take(event)
            except Malformed:
                taken = collector.taken
                if content.at_end:
                    raise _cut_off(name, taken, content) from None
            else:
                return collector.collected, header
    msg = (
        f"{name}: damaged: no JSON after {taken:,} events; expected what {_EXPORT} "
        "writes: export it again, or delete the event at fault."
    )
    raise InputError("damaged-file", msg)


def _cut_off(name: str, events: int, content: Content) -> InputError:
    what = "its gzip data is damaged or cut off" if content.is_damaged else "it ends early"
    msg = (
        f"{name}: damaged: {what}, after {events:,} events; the copy is not whole, or the profiler "
        f"was stopped while it wrote: copy it again, or export it again with {_EXPORT}."
    )
    return InputError("damaged-file", msg)


def _no_kernels(name: str, collected: Collected) -> InputError:
    """Make the error of a trace without a usable launch."""
    todo = f"profile with {_PROFILE}"
    if collected.unusable:
        what = f"none of {collected.unusable:,} kernels has a usable name and time"
        todo = f"export it again with {_EXPORT}"
    elif collected.autograd_events:
        what = "the autograd profiler wrote times of operators only"
        todo += f" and export with {_EXPORT}"
    elif len(collected.calls):
        what = "CUDA was called, but no kernel was recorded on the GPU"
        todo = "profile after some steps of warm-up, with no other profiler at work"
    else:
        what = "PyTorch profiled the CPU only"
    return InputError("no-kernels", f"{name}: no kernels: {what}. To get them, {todo}.")


class _Writing:
    """A trace in memory on its way to the sink; what was written is forgotten.

    Attributes:
        warnings: What the user should know.
    """

    def __init__(self, collected: Collected, sink: Sink) -> None:
        self.warnings: list[Notice] = []
        self._collected, self._sink = collected, sink
        self._threads = Threads(list(collected.threads))

    def run(self) -> None:
        """Write all tables but the devices."""
        collected, process = self._collected, self._threads.only_process
        callers = self._callers() if len(collected.ranges) else None
        if len(collected.calls):
            self._write("calls", call_table(collected, self._threads), collected.calls)
        launches, without_call = launch_table(collected, callers)
        self._warn_of_launches(len(launches), without_call)
        self._write("launches", launches, collected.launches)
        self._write("kernels", kernel_table(collected, process))
        self._write("names", name_table(collected))
        if len(collected.copies):
            self._write("copies", copy_table(collected, callers, process), collected.copies)
        if len(collected.syncs):
            self._write("syncs", sync_table(collected, process), collected.syncs)

    def _callers(self) -> Callers:
        """Write the ranges, and find the calls in them."""
        collected = self._collected
        order = outer_first(collected)
        nesting = nested(collected, order)
        rows = range_table(collected, order, nesting, self._threads)
        self._write("ranges", rows, collected.ranges)
        if nesting.overlaps:
            said = text(
                "source.overlapping_operators", overlaps=nesting.overlaps, ranges=len(order)
            )
            self.warnings.append(Notice("overlapping-ranges", said))
        return Callers(collected, self._threads, nesting)

    def _warn_of_launches(self, launches: int, without_call: int) -> None:
        if without_call:
            said = text(
                "source.launches_without_cuda_call", launches=without_call, of_launches=launches
            )
            self.warnings.append(Notice("launches-without-call", said))
        if self._collected.whole_microseconds == launches:
            self.warnings.append(Notice("whole-microseconds", text("source.whole_microseconds")))

    def _write(self, table: str, rows: pa.Table, written: Columns | None = None) -> None:
        for first in range(0, len(rows), _ROWS):
            part = rows.slice(first, _ROWS)
            # a copy: the store holds back a last part, which would hold all of the table
            self._sink.write(table, part.take(integers(np.arange(len(part)))))
        if written is not None:
            written.clear()
