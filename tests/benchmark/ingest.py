"""Compare ``nsys-walls ingest`` with pandas on one trace, as whole processes, interleaved.

    python tests/benchmark/ingest.py --launches 1000000 --times 5
    python tests/benchmark/ingest.py --trace some.sqlite

pandas does what a script would: ``read_sql`` over the table of kernels with both names joined
as text, then ``to_parquet``. It reads neither copies, API calls nor ranges; ``ingest`` does.
Both start from a cold interpreter; the trace is in the page cache. Memory is the peak resident
set of each process.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests/, as pytest does

from benchmark.make_trace import make_trace

PANDAS = """
import sys
import pandas
import sqlalchemy

trace, target = sys.argv[1:]
query = '''
SELECT k.*, full.value AS full_text, short.value AS short_text
FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
JOIN StringIds AS full ON full.id = k.demangledName
JOIN StringIds AS short ON short.id = k.shortName
'''
pandas.read_sql(query, sqlalchemy.create_engine(f"sqlite:///{trace}")).to_parquet(target)
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One process.

    Attributes:
        seconds: From start to end.
        peak_mb: Peak resident set, MB.
        written_mb: Size of what it wrote, MB.
    """

    seconds: float
    peak_mb: float
    written_mb: float


def measure(command: list[str], target: Path) -> Run:
    """Run a program that writes to a target, and remove what it wrote."""
    start = time.perf_counter()
    # wait4 tells the memory of this one process; subprocess would not
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    process = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    if status:
        message = f"{command[:4]} ended with status {os.waitstatus_to_exitcode(status)}"
        raise SystemExit(message)
    written = [target] if target.is_file() else list(target.rglob("*.parquet"))
    size = sum(path.stat().st_size for path in written)
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    return Run(seconds, usage.ru_maxrss / 1000, size / 1e6)


def compare(trace: Path, folder: Path, times: int) -> dict[str, list[Run]]:
    """Run both programs in turns."""
    store, flat = folder / "store", folder / "flat.parquet"
    ingest = [sys.executable, "-m", "nsys_walls", "ingest", str(trace), "--store", str(store)]
    pandas = [sys.executable, "-c", PANDAS, str(trace), str(flat)]
    runs: dict[str, list[Run]] = {"nsys-walls ingest": [], "pandas": []}
    for _ in range(times):
        runs["nsys-walls ingest"].append(measure(ingest, store))
        runs["pandas"].append(measure(pandas, flat))
    return runs


def table(runs: dict[str, list[Run]]) -> list[str]:
    """Make lines of medians, the range of times, and the ratio."""
    lines = [f"{'':20}{'median s':>9}  {'min..max':<14}{'peak MB':>8}{'Parquet MB':>12}"]
    medians = {}
    for name, several in runs.items():
        seconds = [run.seconds for run in several]
        medians[name] = statistics.median(seconds)
        spread = f"{min(seconds):.2f}..{max(seconds):.2f}"
        peak, written = max(run.peak_mb for run in several), several[0].written_mb
        lines.append(f"{name:20}{medians[name]:9.2f}  {spread:<14}{peak:8.0f}{written:12.1f}")
    return [*lines, f"ratio {medians['pandas'] / medians['nsys-walls ingest']:.1f}"]


def _made(path: Path, launches: int) -> Path:
    # in a process of its own: a child's peak memory counts from its parent's
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(make_trace, path, launches).result()


def main() -> None:
    """Make a trace, or take one, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=1_000_000, help="of the trace to make")
    parser.add_argument("--trace", type=Path, help="an export to read instead")
    parser.add_argument("--times", type=int, default=5, help="runs of each program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nsys-walls-benchmark-") as name:
        folder = Path(name)
        trace = options.trace or _made(folder / "trace.sqlite", options.launches)
        title = f"{trace.name}: {trace.stat().st_size / 1e6:,.0f} MB, {options.times} runs each"
        lines = [title, *table(compare(trace, folder, options.times))]
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
