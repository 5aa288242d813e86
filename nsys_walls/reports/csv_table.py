"""One line per kernel, for spreadsheets and data frames."""

import csv
import io

from nsys_walls.reports import Kernel, Report

_COLUMNS = (
    "id", "name", "full_name", "class", "device", "grid", "block", "shared_memory_bytes",
    "launches", "time_ns", "time_ratio", "median_ns", "mean_ns", "min_ns", "max_ns", "p95_ns",
    "match_level", "flop", "flop_is", "int_op", "dram_bytes", "l2_bytes", "l1_bytes", "ncu_ns",
    "intensity_flop_per_byte", "intensity_note", "flop_per_s", "bytes_per_s", "precision",
    "compute_ratio", "bandwidth_ratio", "side", "near_balance", "wall", "floor_ns",
    "recoverable_ns", "samples",
)  # fmt: skip

# Spreadsheets run a text that begins with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def _cell(kernel: Kernel, column: str) -> object:
    value: object = kernel.get(column)
    if column == "match_level":
        value = kernel["match"]["level"]
    if column == "samples" and kernel["sampled"] is not None:
        value = kernel["sampled"]["samples"]
    if isinstance(value, list):
        return "x".join(map(str, value))
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return "" if value is None else value


class CsvRenderer:
    """RFC 4180 with a header line; what was not measured is an empty cell."""

    name = "csv"
    suffix = ".csv"

    def render(self, report: Report) -> str:
        """Write the kernels, heaviest first."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(_COLUMNS)
        for kernel in report.document["kernels"]:
            writer.writerow([_cell(kernel, column) for column in _COLUMNS])
        return text.getvalue()


RENDERER = CsvRenderer()
