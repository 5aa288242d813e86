"""Read a whole trace: the order of the steps, and what the user is told about it."""

from collections.abc import Callable

import pyarrow as pa

from nsys_walls.errors import InputError, Notice
from nsys_walls.sources import Request, Sink, Skipped, SourceInfo
from nsys_walls.sources.torch_trace.calls import Callers, call_table
from nsys_walls.sources.torch_trace.collect import Collected, Collector
from nsys_walls.sources.torch_trace.content import Content, opened
from nsys_walls.sources.torch_trace.events import Fields, Malformed, Readable, parse_events
from nsys_walls.sources.torch_trace.gpus import device_table
from nsys_walls.sources.torch_trace.mend import Mended
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

# Rows that are passed on at once.
_ROWS = 131_072

_EXPORT = "`prof.export_chrome_trace()`"


def read_trace(request: Request, sink: Sink) -> SourceInfo:
    """Read a trace into the sink.

    Raises:
        InputError: It is damaged, or holds no launch.
    """
    header: Fields = {}
    collected = _collected(request, header)
    if not len(collected.launches):
        raise _no_kernels(request.path.name, collected)
    writing = _Writing(collected, sink)
    writing.write(device_table(collected.gpus.keys(), header, content_digest(request.path)))
    ...
