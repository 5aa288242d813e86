"""Compare ``nsys-walls ingest`` of a PyTorch trace with ``json.load``, as whole processes.

    python tests/benchmark/torch_trace.py --megabytes 300 --times 3
    python tests/benchmark/torch_trace.py --trace some.pt.trace.json

``json.load`` only parses, and keeps all of the trace in memory; ``ingest`` also sorts, nests and
stores it. The runs alternate; the trace is in the page cache. Memory is the peak resident set of
each process.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests/, as pytest does

from benchmark.ingest import Run, measure
from benchmark.make_trace import LAYER

JSON_LOAD = """
import json
import sys

trace, target = sys.argv[1:]
with open(trace, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
with open(target, "w") as file:
    file.write(str(len(events)))
"""

_HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42297524224,
      "computeMajor": 8, "computeMinor": 0, "warpSize": 32, "numSms": 108
    }
  ],
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1735689600000000000,
  "traceEvents": ["""

# What one operator leaves in a trace: itself, its call, its kernel, and the flow between them.
_EVENTS = """
  {{
    "ph": "X", "cat": "cpu_op", "name": "{op}", "pid": 4242, "tid": 4242,
    "ts": {op_us}, "dur": {op_dur},
    "args": {{
      "External id": {number},"Record function id": 0, "Ev Idx": {number}
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242,
    "ts": {call_us}, "dur": 3.917,
    "args": {{
      "External id": {number},
      "cbid": 211, "correlation": {number}
    }}
  }},
  {{
    "ph": "s", "id": {number}, "pid": 4242, "tid": 4242, "ts": {call_us},
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "{kernel}", "pid": 0, "tid": 7,
    "ts": {start_us}, "dur": {duration_us},
    "args": {{
      "External id": {number},
      "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": {number},
      "registers per thread": 64,
      "shared memory": {shared},
      "blocks per SM": 9.481482,
      "warps per SM": 37.925926,
      "grid": [{blocks}, 1, 1],
      "block": [{threads}, 1, 1],
      "est. achieved occupancy %": 59
    }}
  }},
  {{
    "ph": "f", "id": {number}, "pid": 0, "tid": 7, "ts": {start_us},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},"""

_TAIL = """
  {
    "name": "Record Window End", "ph": "i", "s": "g",
    "pid": "", "tid": "", "ts": 5000000000.000
  }
  ],
  "traceName": "trace.json"
}
"""

_STEP = 10_000


def make_torch_trace(path: Path, megabytes: float, seed: int = 20260101) -> Path:
    """Write a trace of at least that size, as PyTorch prints it."""
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD)
        for events in _operators(np.random.default_rng(seed)):
            file.write(events)
            if file.tell() + len(_TAIL) >= megabytes * 1e6:
                break
        file.write(_TAIL)
    return path


def _operators(rng: np.random.Generator) -> Iterator[str]:
    number, start = 0, 5_000_000_000_000_000  # ns since the base, as in the spring
    while True:
        noise = rng.lognormal(0, 0.07, _STEP).tolist()
        for factor in noise:
            kernel, blocks, threads, shared, typical = LAYER[number % len(LAYER)]
            number += 1
            duration = int(typical * factor)
            called = start - 20_000
            yield _EVENTS.format(
                op=f"aten::op_{number % len(LAYER)}",
                op_us=_us(called - 4000),
                op_dur=_us(9000),
                call_us=_us(called),
                start_us=_us(start),
                duration_us=_us(duration),
                number=number,
                kernel=kernel,
                blocks=blocks,
                threads=threads,
                shared=shared,
            )
            start += max(duration, 10_000) + 1300


def _us(time_ns: int) -> str:
    return f"{time_ns // 1000}.{time_ns % 1000:03}"


def compare(trace: Path, folder: Path, times: int) -> dict[str, list[Run]]:
    """Run both programs in turns."""
    store, count = folder / "store", folder / "count"
    ingest = [sys.executable, "-m", "nsys_walls", "ingest", str(trace), "--store", str(store)]
    load = [sys.executable, "-c", JSON_LOAD, str(trace), str(count)]
    runs: dict[str, list[Run]] = {"nsys-walls ingest": [], "json.load": []}
    for _ in range(times):
        runs["nsys-walls ingest"].append(measure(ingest, store))
        runs["json.load"].append(measure(load, count))
    return runs


def table(runs: dict[str, list[Run]], megabytes: float) -> list[str]:
    """Make lines of median times, rates, peak memory, and the ratio of both."""
    lines = [f"{'':20}{'median s':>9}{'MB/s':>8}{'peak MB':>9}"]
    medians = {name: statistics.median(run.seconds for run in runs[name]) for name in runs}
    peaks = {name: max(run.peak_mb for run in runs[name]) for name in runs}
    for name, seconds in medians.items():
        lines.append(f"{name:20}{seconds:9.2f}{megabytes / seconds:8.1f}{peaks[name]:9.0f}")
    (one, two), (less, more) = medians.values(), peaks.values()
    return [*lines, f"ratio of MB/s {two / one:.2f}, of memory {less / more:.2f}"]


def _made(path: Path, megabytes: float) -> Path:
    # in a process of its own: a child's peak memory counts from its parent's
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(make_torch_trace, path, megabytes).result()


def main() -> None:
    """Make a trace, or take one, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=300, help="size of the trace to make")
    parser.add_argument("--trace", type=Path, help="a trace to read instead, not compressed")
    parser.add_argument("--times", type=int, default=3, help="runs of each program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nsys-walls-benchmark-") as name:
        folder = Path(name)
        trace = options.trace or _made(folder / "trace.json", options.megabytes)
        megabytes = trace.stat().st_size / 1e6
        title = f"{trace.name}: {megabytes:,.0f} MB, {options.times} runs each"
        lines = [title, *table(compare(trace, folder, options.times), megabytes)]
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
