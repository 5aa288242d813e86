"""Sort the events of a trace into columns of numbers, and texts that stand there once."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from nsys_walls.sources.torch_trace.columns import Codes, Columns
from nsys_walls.sources.torch_trace.events import Fields
from nsys_walls.sources.torch_trace.numbers import MISSING, nanoseconds, whole
from nsys_walls.sources.torch_trace.rules import rules

_NO_SPAN: Final = "marks, flows and metadata"
_NO_TIME: Final = "without a usable time"
_BACKWARD: Final = "that end before they start"
_NO_NAME: Final = "without a name"

#: What the kinds of events are called where they are counted.
_KINDS: Final = {
    "launch": "launches",
    "copy": "copies",
    "set": "sets",
    "call": "CUDA calls",
    "range": "ranges",
    "sync": "synchronisations",
}

_NOTHING: Final[Fields] = {}

#: Three sizes of a grid or a block, None where the trace has none.
Shape = tuple[int | None, int | None, int | None]

#: Takes an event: its name, itself, its arguments, its start and its duration in ns.
_Take = Callable[[str, Fields, Fields, int, int], None]


class Collected:
    """What a trace holds, in the order of its events; times are ns.

    Attributes:
        launches: Columns start, duration, kernel, stream, correlation, graph_node.
        copies: Columns start, duration, gpu, stream, correlation, bytes, name.
        calls: Columns start, duration, thread, correlation, name.
        ranges: Columns start, duration, thread, name, operator: a number that grows as the
            operators of a process begin.
        syncs: Columns start, duration, ordinal, stream, correlation, name.
        kernels: A tuple each: name, gpu, grid, block, registers.
        kernel_names: Their names.
        copy_names: Pairs of kind (copy or set) and name.
        call_names: Names of calls.
        range_names: Names of ranges.
        sync_names: Names of synchronisations.
        threads: Pairs of process and thread, as the trace has them.
        gpus: CUDA ordinals of the GPUs that something ran on.
        first_ns: Start of the first event of the trace.
        whole_microseconds: Launches whose times have no decimals.
        autograd_events: Events of the autograd profiler.
        left_out: Numbers of events that are not here, by reason.
        unusable: Launches among them.
    """

    def __init__(self) -> None:
        self.launches = Columns(
            "start", "duration", "kernel", "stream", "correlation", "graph_node"
        )
        self.copies = Columns(
            "start", "duration", "gpu", "stream", "correlation", "bytes", "name"
        )
        self.calls = Columns("start", "duration", "thread", "correlation", "name")
        self.ranges = Columns("start", "duration", "thread", "name", "operator")
        self.syncs = Columns("start", "duration", "ordinal", "stream", "correlation", "name")
        self.kernels, self.kernel_names, self.gpus = Codes(), Codes(), Codes()
        self.copy_names, self.call_names, self.sync_names = Codes(), Codes(), Codes()
        self.range_names, self.threads = Codes(), Codes()
        self.first_ns = 2**62
        self.whole_microseconds = self.autograd_events = self.unusable = 0
        self.left_out: Counter[str] = Counter()


class Collector:
    """Takes events, one at a time.

    Attributes:
        collected: What they held.
    """

    def __init__(self) -> None:
        self.collected = Collected()
        self._args: Mapping[str, Any] = rules()["args"]
        self._other: Mapping[str, str] = rules()["categories"]["left_out"]
        self._autograd = frozenset(rules()["autograd_profiler"]["pids"])
        self._known_kernels: dict[object, int] = {}
        takers: dict[str, _Take] = {
            "launch": self._launch,
            "copy": lambda *event: self._copy("copy", *event),
            "set": lambda *event: self._copy("set", *event),
            "call": self._call,
            "range": self._range,
            "sync": self._sync,
        }
        self._by_category = {
            category: (kind, take)
            for kind, take in takers.items()
            for category in rules()["categories"][kind]
        }

    def take(self, event: Fields) -> None:
        """Take an event."""
        collected = self.collected
        if event.get("ph") != "X":
            collected.left_out[_NO_SPAN] += 1
            return
        start, duration = nanoseconds(event.get("ts")), nanoseconds(event.get("dur"))
        category = event.get("cat")
        kind, take = (type(category) is str and self._by_category.get(category)) or (None, None)
        # what could not be timed has a time and a duration of 0
        if start is None or duration is None or not (start or duration):
            why = _NO_TIME
        elif take is None:
            collected.first_ns = min(collected.first_ns, start)
            ...
