"""Report documents (schema 1) that agree with themselves, for tests of what reads them.

Numbers follow from work, traffic and time as a Tesla T4 would see them, unless a key is
given: then it stands as given, so that a test can also describe what cannot be.
"""

from nsys_walls.reports import DOCUMENT_SCHEMA, Report
from nsys_walls.roofline.model import WALLS

BANDWIDTH = 320e9
PEAKS = {"fp32": 8.1e12, "fp16": 16.2e12, "fp16_tensor": 65e12, "int8_tensor": 130e12}
NEAR, BALANCE_FACTOR = 0.6, 0.5


def kernel(**given):
    """Build one kernel; every key of the schema may be given, the rest follows."""
    time, launches = given.get("time_ns", 400_000), given.get("launches", 10)
    each, whole = (None, None) if time is None else (time / launches, time // launches)
    base = {
        "id": 0,
        "name": "vectorized_layer_norm_kernel",
        "class": "norm",
        "device": 0,
        "grid": [3072, 1, 1],
        "block": [256, 1, 1],
        "shared_memory_bytes": 0,
        "launches": launches,
        "time_ns": time,
        "time_ratio": 1.0,
        "median_ns": each,
        "mean_ns": each,
        "min_ns": whole,
        "max_ns": whole,
        "p95_ns": each,
        "flop": 7_200_000.0,
        "precision": "fp32",
        "flop_is": "exact",
        "not_collected": [],
        "int_op": None,
        "dram_bytes": 9_600_000.0,
        "l2_bytes": None,
        "l1_bytes": None,
        "ncu_ns": None,
        "ncu_time_ratio": None,
        "notes": [],
        "range": None,
        "sampled": None,
    } | given
    base["match"] = {
        "level": "shape",
        "reason": "same name, grid and block",
        "profiled_launches": 1,
        "spread_ratio": 0.0,
    } | given.get("match", {})
    return base | _derived(base) | given | {"match": base["match"]}


def unmeasured(**given):
    """Build one kernel without counters."""
    keys = ("flop", "dram_bytes", "precision", "flop_is")
    match = {"level": "none", "reason": "no counters for this name", "profiled_launches": 0}
    without = dict.fromkeys(keys) | {"match": match | {"spread_ratio": None}}
    return kernel(**(without | given))


def _derived(k):
    """What follows from flop, dram_bytes, precision and median_ns."""
    flop, size, median = k["flop"], k["dram_bytes"], k["median_ns"]
    precision = k["precision"]
    known = flop is not None and median
    per_s = flop / median * 1e9 if known else None
    bytes_per_s = size / median * 1e9 if size is not None and median else None
    bandwidth = None if bytes_per_s is None else bytes_per_s / BANDWIDTH
    peak = PEAKS.get(precision)
    compute = 0.0 if flop == 0 else per_s / peak if per_s is not None and peak else None
    ratios = [ratio for ratio in (bandwidth, compute) if ratio is not None]
    floor = max(ratios) * median if ratios else None
    side = None
    if len(ratios) == len(("bandwidth", "compute")) and size and any(ratios):
        side = "memory" if bandwidth > compute else "compute"
    return {
        "full_name": k["name"],
        "flop_by_precision": {precision: flop} if flop and precision else {},
        "intensity_flop_per_byte": flop / size if flop is not None and size else None,
        "intensity_note": "no DRAM traffic" if size == 0 else None,
        "flop_per_s": per_s,
        "bytes_per_s": bytes_per_s,
        "bandwidth_ratio": bandwidth,
        "compute_ratio": compute,
        "side": side,
        "near_balance": None if side is None else BALANCE_FACTOR <= compute / bandwidth <= 1,
        "wall": _wall(bandwidth, compute),
        "floor_ns": floor,
        "recoverable_ns": None if floor is None else max(0.0, median - floor) * k["launches"],
    }


def _wall(bandwidth, compute):
    if bandwidth is not None and bandwidth >= max(NEAR, compute or 0):
        return "bandwidth"
    if compute is not None and compute >= NEAR:
        return "compute"
    return "unmeasured" if bandwidth is None or compute is None else "neither"


def device(**given):
    """Build one GPU; totals are added by `document` unless given."""
    return {
        "device": 0,
        "name": "Tesla T4",
        "hardware": "t4",
        "hardware_from": "trace-name",
        "compute_capability": "7.5",
        "sm_count": 40,
        "mig": None,
        "bandwidth_bytes_per_s": BANDWIDTH,
        "bandwidth_from": "table",
        "peak_flop_per_s": dict(PEAKS),
        "peak_from": dict.fromkeys(PEAKS, "table"),
        "balance_flop_per_byte": {name: peak / BANDWIDTH for name, peak in PEAKS.items()},
        "balance_factor": BALANCE_FACTOR,
        "near_ratio": NEAR,
        "documents": dict.fromkeys(("bandwidth_bytes_per_s", *PEAKS), "NVIDIA T4 datasheet"),
    } | given


def document(kernels=None, devices=None, **given):
    """Build a whole document around kernels; other keys stand as given."""
    kernels = [kernel()] if kernels is None else kernels
    total = _time(kernels)
    rows = [
        row | {"id": place, "time_ratio": _time([row]) / total if total else 0.0}
        for place, row in enumerate(sorted(kernels, key=lambda row: -_time([row])))
    ]
    gpus = [
        {"totals": _device_totals(rows, gpu["device"])} | gpu
        for gpu in ([device()] if devices is None else devices)
    ]
    return {
        "schema": DOCUMENT_SCHEMA,
        "version": "0.1.0",
        "run": {"name": "bert-base-b8", "sources": [source()]},
        "devices": gpus,
        "totals": _totals(rows, gpus),
        "time_by_wall_ns": by_wall(rows),
        "classes": _classes(rows, total),
        "kernels": rows,
        "ranges": [],
        "findings": [],
        "abstained": [],
        "warnings": [],
        "selection": None,
        "range_tree": [],
        "range_nodes": 0,
        "copies": [],
        "idle": {"by_cause": [], "longest": []},
        "communication": [],
        "ranks": [],
        "rank_spread": {},
        "sampling": [],
    } | given


def source(**given):
    """Build one ingested file."""
    return {
        "kind": "nsys-sqlite",
        "file": "bert-base-b8.sqlite",
        "product_version": "2025.3.1.90",
        "schema_version": "3.20.4",
        "rows": 296,
        "skipped": 0,
    } | given


def report(
    headline="100 % of GPU time stands at the bandwidth wall.", advice="Fuse first.", **given
):
    """Build what renderers read."""
    return Report(document=document(**given), headline=headline, advice=advice)


def by_wall(rows):
    """Sum time by wall, every wall listed."""
    return {wall: _time([row for row in rows if row["wall"] == wall]) for wall in WALLS}


def _time(rows):
    return sum(row["time_ns"] or 0 for row in rows)


def _device_totals(rows, number):
    mine = [row for row in rows if row["device"] == number]
    busy = _time(mine)
    return {
        "launches": sum(row["launches"] for row in mine),
        "span_ns": busy + busy // 10,
        "kernel_ns": busy,
        "busy_ns": busy,
        "copy_ns": 0,
        "other_ns": 0,
        "idle_ns": busy // 10,
    }


def _totals(rows, gpus):
    sums = {
        key: sum(gpu["totals"][key] for gpu in gpus)
        for key in ("launches", "span_ns", "kernel_ns", "busy_ns", "copy_ns", "other_ns", "idle_ns")
    }
    good = {"launch", "shape", "name"}
    measured = [
        row
        for row in rows
        if row["match"]["level"] in good and None not in (row["flop"], row["dram_bytes"])
    ]
    waiting = [row for row in rows if row["wall"] == "communication"]
    return sums | {
        "kernels": len(rows),
        "communication_ns": _time(waiting),
        "wall_ns": max((gpu["totals"]["span_ns"] for gpu in gpus), default=None),
        "graph_hidden_ns": 0,
        "measured_time_ratio": _time(measured) / sums["kernel_ns"] if sums["kernel_ns"] else None,
    }


def _classes(rows, total):
    classes = []
    for name in sorted({row["class"] for row in rows}):
        mine = [row for row in rows if row["class"] == name]
        time = _time(mine)
        known = [row["recoverable_ns"] for row in mine if row["recoverable_ns"] is not None]
        classes.append({
            "class": name,
            "launches": sum(row["launches"] for row in mine),
            "time_ns": time,
            "time_ratio": time / total if total else 0.0,
            "recoverable_ns": sum(known) if known else None,
            "time_by_wall_ns": by_wall(mine),
        })  # fmt: skip
    return sorted(classes, key=lambda row: -row["time_ns"])
