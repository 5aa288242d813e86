"""Runs whose kernels stand where a test wants them, and what a rule says of them.

Walls are round (`support.runs.ROUND_WALLS`): a launch of 1000 ns at the bandwidth wall moves
1,000,000 bytes, and one at the FP32 wall does 10,000,000 FLOP.
"""

from dataclasses import dataclass, field

from support.runs import FP32, ROUND_WALLS, analyse_rows, counter_row

from nsys_walls.counters.table import recommended_metrics
from nsys_walls.findings import Abstention, Finding

SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
MEMORY = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
BYTES, TIME = "dram__bytes.sum", "gpu__time_duration.sum"
FP16_OPS = "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum"
#: every counter of FLOP on compute capability 8.0, so that they are exact: all of them 0
ALL_FLOP = {
    name: 0.0
    for name in recommended_metrics("8.0")
    if "sass_thread_inst" in name or "ops_path" in name
}


@dataclass(frozen=True, kw_only=True)
class K:
    """One kernel of a run.

    Attributes:
        name: Its name, which says its class.
        time_ns: Duration of each launch, ns.
        launches: How many, one after the other.
        bandwidth: Part of the bandwidth wall that it reaches; None: bytes are not counted.
        compute: Part of the FP32 wall that it reaches; None: FLOP are not counted.
        values: Other counters; those of the two above are replaced by them, None takes one away.
        profiled: Whether it was profiled at all.
        shapeless: Whether its counters have no launch shape.
        grid: Blocks.
        block: Threads.
        start_ns: When its first launch starts; None: after all kernels before.
    """

    name: str
    time_ns: int
    launches: int = 1
    bandwidth: float | None = 0.0
    compute: float | None = 0.0
    values: dict = field(default_factory=dict)
    profiled: bool = True
    shapeless: bool = False
    grid: tuple = (1000, 1, 1)
    block: tuple = (256, 1, 1)
    start_ns: int | None = None


def run_of(folder, *kernels, options=ROUND_WALLS, device=None):
    """Analyse a run of these kernels on one GPU; by default one without a name."""
    shapes = [_axes(kernel) for kernel in kernels]
    chip = (device or {}).get("compute_capability", "8.0")
    rows = {
        "names": [{"name": n, "full": kernel.name} for n, kernel in enumerate(kernels)],
        "kernels": [
            {"kernel": n, "name": n, "gpu": 0, "process": 7, "dynamic_shared_bytes": 0, **shape}
            for n, shape in enumerate(shapes)
        ],
        "devices": [{"gpu": 0, "ordinal": 0, **(device or {})}],
        "launches": _launches(kernels),
    }
    profiled = [
        counter_row(n, name=kernel.name, compute_capability=chip,
                    **(dict.fromkeys(shape) if kernel.shapeless else shape))
        | {"values": _values(kernel)}
        for n, (kernel, shape) in enumerate(zip(kernels, shapes, strict=True))
        if kernel.profiled
    ]  # fmt: skip
    return analyse_rows(folder, rows, {"counters": profiled}, options=options)


def _axes(kernel):
    axes = zip(("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"),
               (*kernel.grid, *kernel.block), strict=True)  # fmt: skip
    return dict(axes)


def _launches(kernels):
    rows, end = [], 0
    for number, kernel in enumerate(kernels):
        start = end if kernel.start_ns is None else kernel.start_ns
        for _ in range(kernel.launches):
            rows.append({"start_ns": start, "duration_ns": kernel.time_ns, "kernel": number,
                         "stream": number})  # fmt: skip
            start += kernel.time_ns
        end = max(end, start)
    return rows


def _values(kernel):
    values = {TIME: kernel.time_ns + 100.0}
    if kernel.bandwidth is not None:
        values[BYTES] = 1000.0 * kernel.bandwidth * kernel.time_ns
    if kernel.compute is not None:
        work = 10_000.0 * kernel.compute * kernel.time_ns
        values |= {FP32.format("add"): work, FP32.format("mul"): 0.0, FP32.format("fma"): 0.0}
    return [
        (name, value) for name, value in {**values, **kernel.values}.items() if value is not None
    ]


def found(rule, analysis):
    """List what a rule found."""
    return [one for one in rule.check(analysis) if isinstance(one, Finding)]


def reasons(rule, analysis):
    """List why a rule could not look."""
    return [str(one.reason) for one in rule.check(analysis) if isinstance(one, Abstention)]


def finding(document, code, key=None):
    """Give the one finding of a report with this code (and key)."""
    (row,) = [
        row for row in document["findings"] if row["code"] == code and key in {None, row["key"]}
    ]
    return row


def abstained(document, code):
    """Give why the rule with this code could not look."""
    (reason,) = [row["reason"] for row in document["abstained"] if row["code"] == code]
    return reason
