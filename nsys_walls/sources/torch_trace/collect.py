"""Sort the events of a trace into columns of numbers, and texts that stand there once."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nsys_walls.sources.torch_trace.columns import Codes, Columns
from nsys_walls.sources.torch_trace.events import Fields
from nsys_walls.sources.torch_trace.numbers import MISSING, nanoseconds, number, whole
from nsys_walls.sources.torch_trace.rules import rules

_NO_SPAN: Final = "marks, flows and metadata"

#: What the kinds of events are called where they are counted.
_KINDS: Final = {
    "launch": "launches",
    "copy": "copies",
    "set": "sets",
    "call": "CUDA calls",
    "range": "ranges",
    "sync": "synchronisations",
}

#: Sizes of a grid or a block, None where the trace has none.
Shape = tuple[int | None, ...]

#: What tells kernels apart: name, GPU, grid, block and registers.
Kernel = tuple[int, int, Shape, Shape, int | None]

#: Process and thread: numbers of the operating system, or what a tool put in their place.
Thread = tuple[int | str | None, int | str | None]

_NO_SHAPE: Final[Shape] = (None, None, None)

#: Takes an event: itself, its name, its arguments, its start and its duration in ns.
_Take = Callable[[Fields, str, Fields, int, int], None]

_UNKNOWN: Final[tuple[str | None, _Take | None]] = (None, None)


class Collected:
    """What a trace holds, in the order of its events; times are ns.

    Attributes:
        launches: Columns start, duration, kernel, stream, correlation, graph_node.
        copies: Columns start, duration, gpu, stream, correlation, bytes, name.
        calls: Columns start, duration, thread, correlation, name.
        ranges: Columns start, duration, thread, name, operator: a number that grows as the
            operators of a process begin.
        syncs: Columns start, duration, ordinal, stream, correlation, name.
        kernels: Kernels that were launched.
        kernel_names: Their names.
        copy_names: Pairs of kind (copy or set) and name.
        call_names: Names of calls.
        range_names: Names of ranges.
        sync_names: Names of synchronisations.
        threads: Threads of calls and ranges.
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
        self.copies = Columns("start", "duration", "gpu", "stream", "correlation", "bytes", "name")
        self.calls = Columns("start", "duration", "thread", "correlation", "name")
        self.ranges = Columns("start", "duration", "thread", "name", "operator")
        self.syncs = Columns("start", "duration", "ordinal", "stream", "correlation", "name")
        self.kernels: Codes[Kernel] = Codes()
        self.kernel_names: Codes[str] = Codes()
        self.copy_names: Codes[tuple[str, str]] = Codes()
        self.call_names: Codes[str] = Codes()
        self.range_names: Codes[str] = Codes()
        self.sync_names: Codes[str] = Codes()
        self.threads: Codes[Thread] = Codes()
        self.gpus: Codes[int | None] = Codes()
        self.first_ns = 2**62
        self.whole_microseconds = self.autograd_events = self.unusable = 0
        self.left_out: Counter[str] = Counter()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keys:
    """Keys of arguments, see ``torch_trace.toml``."""

    device: Sequence[str]
    stream: str
    correlation: str
    bytes: str
    grid: str
    block: str
    registers: str
    graph_node: str
    operator: str


class Collector:
    """Takes events, one at a time.

    Attributes:
        collected: What they held.
        taken: How many it took.
    """

    def __init__(self) -> None:
        self.collected, self.taken = Collected(), 0
        self._keys = _Keys(**rules()["args"])
        self._reasons: Mapping[str, str] = rules()["categories"]["left_out"]
        self._autograd: Sequence[str] = rules()["autograd_profiler"]["pids"]
        self._known_kernels: dict[object, int] = {}
        self._known_threads: dict[object, int] = {}
        takers: dict[str, _Take] = {
            "launch": self._launch,
            "copy": self._copy,
            "set": self._set,
            "call": self._call,
            "range": self._range,
            "sync": self._sync,
        }
        self._takers = {
            category: (kind, take)
            for kind, take in takers.items()
            for category in rules()["categories"][kind]
        }

    def take(self, event: Fields) -> None:
        """Take an event."""
        self.taken += 1
        if event.get("ph") != "X":
            self.collected.left_out[_NO_SPAN] += 1
            return
        category = event.get("cat")
        kind, take = self._takers.get(category, _UNKNOWN) if type(category) is str else _UNKNOWN
        start, duration = nanoseconds(event.get("ts")), nanoseconds(event.get("dur"))
        name, args = event.get("name"), event.get("args")
        if start is None or duration is None or not (start or duration):
            # what the driver could not time begins at 0 and lasts 0
            self._leave_out(event, kind, "without a usable time")
            return
        self.collected.first_ns = min(self.collected.first_ns, start)
        if take is None or duration < 0:
            self._leave_out(event, kind, "that end before they start")
        elif type(name) is not str or not name:
            self._leave_out(event, kind, "without a name")
        else:
            take(event, name, args if type(args) is dict else {}, start, duration)

    def _leave_out(self, event: Fields, kind: str | None, why: str) -> None:
        """Count an event that is not kept."""
        if kind is not None:
            reason = f"{_KINDS[kind]} {why}"
        elif event.get("pid") in self._autograd:
            self.collected.autograd_events += 1
            reason = "events of the autograd profiler"
        else:
            reason = self._reasons.get(str(event.get("cat")), "other events")
        self.collected.left_out[reason] += 1
        self.collected.unusable += kind == "launch"

    def _launch(self, event: Fields, name: str, args: Fields, start: int, duration: int) -> None:
        collected, keys = self.collected, self._keys
        stream, correlation = self._place(event, args)
        kernel = self._kernel(name, self._ordinal(event, args), args)
        node = number(args.get(keys.graph_node)) or MISSING
        collected.launches.add((start, duration, kernel, stream, correlation, node))
        if type(event["ts"]) is int and type(event["dur"]) is int:
            collected.whole_microseconds += 1

    def _kernel(self, name: str, ordinal: int | None, args: Fields) -> int:
        """Number the kernel of a launch; what describes it is read once."""
        keys = self._keys
        grid, block, registers = args.get(keys.grid), args.get(keys.block), args.get(keys.registers)
        try:
            seen = (name, ordinal, tuple(grid or ()), tuple(block or ()), registers)
            if seen in self._known_kernels:
                return self._known_kernels[seen]
        except TypeError:  # what stands there are no sizes
            seen = None
        collected = self.collected
        kernel = collected.kernels.code(
            (
                collected.kernel_names.code(name),
                collected.gpus.code(ordinal),
                _shape(grid),
                _shape(block),
                whole(registers, 32),
            )
        )
        if seen is not None:
            self._known_kernels[seen] = kernel
        return kernel

    def _copy(self, event: Fields, name: str, args: Fields, start: int, duration: int) -> None:
        self._transfer(("copy", name), event, args, (start, duration))

    def _set(self, event: Fields, name: str, args: Fields, start: int, duration: int) -> None:
        self._transfer(("set", name), event, args, (start, duration))

    def _transfer(
        self, name: tuple[str, str], event: Fields, args: Fields, time: tuple[int, int]
    ) -> None:
        collected = self.collected
        gpu = collected.gpus.code(self._ordinal(event, args))
        size = number(args.get(self._keys.bytes))
        place = self._place(event, args)
        collected.copies.add((*time, gpu, *place, size, collected.copy_names.code(name)))

    def _call(self, event: Fields, name: str, args: Fields, start: int, duration: int) -> None:
        collected = self.collected
        correlation = number(args.get(self._keys.correlation))
        code = collected.call_names.code(name)
        collected.calls.add((start, duration, self._thread(event), correlation, code))

    def _range(self, event: Fields, name: str, args: Fields, start: int, duration: int) -> None:
        collected = self.collected
        operator = number(args.get(self._keys.operator))
        code = collected.range_names.code(name)
        collected.ranges.add((start, duration, self._thread(event), code, operator))

    def _sync(self, event: Fields, name: str, args: Fields, start: int, duration: int) -> None:
        collected = self.collected
        ordinal = number(self._ordinal(event, args))
        code = collected.sync_names.code(name)
        collected.syncs.add((start, duration, ordinal, *self._place(event, args), code))

    def _place(self, event: Fields, args: Fields) -> tuple[int, int]:
        """Read stream and correlation; the stream is the event's line in the viewer, too."""
        keys = self._keys
        stream = args.get(keys.stream, event.get("tid"))
        return number(stream), number(args.get(keys.correlation))

    def _ordinal(self, event: Fields, args: Fields) -> int | None:
        """Read the CUDA ordinal; the event's process in the viewer is the GPU, too."""
        for key in self._keys.device:
            if key in args:
                return whole(args[key], 32)
        return whole(event.get("pid"), 32)

    def _thread(self, event: Fields) -> int:
        """Number the thread of an event on the host."""
        pid, tid = event.get("pid"), event.get("tid")
        try:
            return self._known_threads[pid, tid]
        except (KeyError, TypeError):
            thread = self.collected.threads.code((_identity(pid), _identity(tid)))
        if type(pid) is int and type(tid) is int:
            self._known_threads[pid, tid] = thread
        return thread


def _shape(sizes: Any) -> Shape:
    if type(sizes) is not list or len(sizes) != len(_NO_SHAPE):
        return _NO_SHAPE
    shape = tuple(whole(size, 32) for size in sizes)
    return _NO_SHAPE if None in shape else shape


def _identity(value: Any) -> int | str | None:
    """Read the number of a process or thread, or what a tool put in its place."""
    found = whole(value)
    return value if found is None and type(value) is str else found
