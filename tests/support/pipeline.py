"""The whole command line, from input files to a checked report.

A `Desk` is a folder to type commands in. What `Desk.document` returns has been parsed
strictly, checked against the published schema, and recomputed: sums add up, and every rate
and ratio follows from the work, the time and the walls beside it.
"""

import base64
import gzip
import json
import os
from collections import Counter, defaultdict
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from io import StringIO
from pathlib import Path
from unittest import mock

import jsonschema
import pytest
from support import ncu_files
from support.nsys_traces import build_trace, call, kernel

from nsys_walls.cli import main
from nsys_walls.store.dataset import open_run

RATED = {"launch", "shape", "name"}
MICROSECOND = 1000

_INSTRUCTION = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
#: Short names of counters, and the unit that ncu prints.
_COUNTERS = {
    "dram": ("dram__bytes.sum", "byte"),
    "ncu_ns": ("gpu__time_duration.sum", "nsecond"),
    **{
        op: (_INSTRUCTION.format(op), "inst")
        for op in ("fadd", "fmul", "ffma", "hadd", "hmul", "hfma", "dadd", "dmul", "dfma",
                   "integer")
    },
}  # fmt: skip


# Inputs ---------------------------------------------------------------------------------


def series(name, durations_ns, *, start=1_000_000, gap_ns=5 * MICROSECOND, **columns):
    """Launch a kernel again and again, each launch a gap after the one before.

    Args:
        name: Demangled name.
        durations_ns: Duration of each launch, ns.
        start: When the first one starts, ns.
        gap_ns: Time between two, ns.
        columns: Of the kernel table, see `support.nsys_traces.kernel`.
    """
    rows = []
    for duration_ns in durations_ns:
        rows.append(kernel(start, start + duration_ns, name, **columns))
        start += duration_ns + gap_ns
    return rows


def after(rows, gap_ns=5 * MICROSECOND):
    """Tell when a launch after these may start, ns."""
    return max(row["end"] for row in rows) + gap_ns


def shape(grid, block=(256, 1, 1)):
    """Columns of a launch shape."""
    axes = zip(("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"), (*grid, *block),
               strict=True)  # fmt: skip
    return dict(axes)


def with_calls(kernels, *, lead_ns=20 * MICROSECOND, **call_columns):
    """Number the launches, and make the API call of each, some time before it runs."""
    numbered = [row | {"correlationId": 100 + n} for n, row in enumerate(kernels)]
    calls = [call(row["start"] - lead_ns, row["correlationId"], **call_columns) for row in numbered]
    return {"kernels": numbered, "calls": calls}


def profiled(name, counters, *, grid=(128, 2, 1), block=(256, 1, 1), cc="8.0"):
    """List the rows of one profiled launch; values are printed as ncu prints them.

    Args:
        name: Kernel name as ncu gives it.
        counters: Values by short name (``dram``, ``ncu_ns``, ``ffma``, ...) or by metric;
            ``fp32`` is a triple of fadd, fmul and ffma.
        grid: Grid size.
        block: Block size.
        cc: Compute capability.
    """
    counters = dict(counters)
    counters |= zip(("fadd", "fmul", "ffma"), counters.pop("fp32", ()), strict=False)
    launch = {"Kernel_Name": name, "CC": cc, "Grid_Size": str(grid), "Block_Size": str(block)}
    return [
        ncu_files.row(*_COUNTERS.get(key, (key, "")), f"{value:,}", **launch)
        for key, value in counters.items()
    ]


def write_counters(path, *launches):
    """Write launches of `profiled` as a CSV of the ``--metrics`` page, numbered in order."""
    rows = [[str(number), *cells[1:]] for number, launch in enumerate(launches) for cells in launch]
    path.write_text(ncu_files.csv_text(ncu_files.LONG, *rows), "utf-8")
    return path


# Commands -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Typed:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def slugs(self):
        """Slugs of errors and warnings on stderr, in order."""
        return [line.rpartition("[")[2].rstrip("]") for line in self.err.splitlines()]


class Desk:
    """A folder to type commands in."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def trace(self, name="trace.sqlite", **options):
        """Make a trace in the folder, see `support.nsys_traces.build_trace`."""
        return build_trace(self.folder / name, **options)

    def counters(self, *launches, name="counters.csv"):
        """Make a CSV in the folder, see `write_counters`."""
        return write_counters(self.folder / name, *launches)

    def text(self, name, text):
        """Make a text file in the folder."""
        path = self.folder / name
        path.write_text(text, "utf-8")
        return path

    def type(self, *words):
        """Type a command; what it prints is kept."""
        out, err = StringIO(), StringIO()
        with mock.patch.dict(os.environ), chdir(self.folder):
            os.environ.pop("NSYS_WALLS_STORE", None)
            with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as stop:
                main([str(word) for word in words])
        return Typed(stop.value.code or 0, out.getvalue(), err.getvalue())

    def ingest(self, *paths):
        """Read files, which must work."""
        done = self.type("ingest", *paths)
        assert done.code == 0, done.err
        return done

    def document(self, *options):
        """Report the last run as JSON, and check the document."""
        done = self.type("report", "--format", "json", "-o", "-", *options)
        assert done.code == 0, done.err
        document = parse_strictly(done.out)
        check(document)
        assert done.slugs == [warning["code"] for warning in document["warnings"]]
        return document

    def report(self, *paths, options=()):
        """Read files and report them."""
        self.ingest(*paths)
        return self.document(*options)

    def render(self, output_format, *options):
        """Report the last run in another format; gives the text."""
        done = self.type("report", "--format", output_format, "-o", "-", *options)
        assert done.code == 0, done.err
        return done.out

    def page(self, *options):
        """Report the last run as HTML, written to a file."""
        done = self.type("report", *options)
        assert done.code == 0, done.err
        path = self.folder / done.out.splitlines()[-1].removeprefix("report: ")
        return Page(path)

    def stored(self, table):
        """Read a table of the last run from the store."""
        return open_run(self.folder / ".nsys-walls", None).read(table).to_pylist()

    def runs(self):
        """List what is in the store."""
        folder = self.folder / ".nsys-walls" / "runs"
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


# Reports --------------------------------------------------------------------------------


def by_name(document):
    """Index the kernels of a document by short name."""
    return {row["name"]: row for row in document["kernels"]}


def only(document):
    """Give the one kernel of a document."""
    (row,) = document["kernels"]
    return row


def warned(document, code):
    """Give the message of the one warning with this code."""
    (message,) = [row["message"] for row in document["warnings"] if row["code"] == code]
    return message


def ranges(document):
    """Index inclusive kernel time by range name."""
    return {row["name"]: row["time_ns"] for row in document["ranges"]}


def _no_constant(text):
    pytest.fail(f"{text} is not JSON")


def parse_strictly(text):
    """Parse JSON, which knows no NaN and no infinity."""
    return json.loads(text, parse_constant=_no_constant)


@cache
def _validator():
    schema = json.loads((files("nsys_walls") / "data" / "report-1.schema.json").read_text("utf-8"))
    return jsonschema.Draft202012Validator(schema)


def check(document):
    """Check a document against its schema, and recompute what follows from the rest of it."""
    _validator().validate(document)
    _check_kernels(document)
    _check_totals(document)
    _check_classes(document)
    _check_ranges(document)
    walls = {device["device"]: device for device in document["devices"]}
    for row in document["kernels"]:
        _check_rates(row, walls[row["device"]])


def _close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def _check_kernels(document):
    kernels, total = document["kernels"], document["totals"]["kernel_ns"]
    times = [row["time_ns"] or 0 for row in kernels]
    assert times == sorted(times, reverse=True)
    assert [row["id"] for row in kernels] == list(range(len(kernels)))
    assert len({row["name"] for row in kernels}) == len(kernels)
    assert sum(times) == total
    for row, time_ns in zip(kernels, times, strict=True):
        assert row["time_ratio"] == _close(time_ns / total if total else 0)
    for finding in document["findings"]:
        assert set(finding["kernels"]) <= set(range(len(kernels)))


def _check_totals(document):
    totals, kernels = document["totals"], document["kernels"]
    assert totals["kernels"] == len(kernels)
    summed = ("launches", "kernel_ns", "span_ns", "busy_ns", "copy_ns", "other_ns", "idle_ns")
    for device in document["devices"]:
        mine = [row for row in kernels if row["device"] == device["device"]]
        own = device["totals"]
        assert own["launches"] == sum(row["launches"] for row in mine)
        assert own["kernel_ns"] == sum(row["time_ns"] or 0 for row in mine)
        if own["span_ns"] is not None:
            parts = ("busy_ns", "copy_ns", "other_ns", "idle_ns")
            assert sum(own[part] for part in parts) == own["span_ns"]
            # graphs of one row are busy time, and no kernels
            hidden = document["totals"]["graph_hidden_ns"]
            assert own["busy_ns"] <= own["kernel_ns"] + hidden
    for key in summed:
        values = [device["totals"][key] for device in document["devices"]]
        known = [value for value in values if value is not None]
        assert totals[key] == (sum(known) if known else None)
    measured = sum(
        row["time_ns"] or 0
        for row in kernels
        if row["match"]["level"] in RATED and None not in (row["flop"], row["dram_bytes"])
    )
    expected = measured / totals["kernel_ns"] if totals["kernel_ns"] else None
    assert totals["measured_time_ratio"] == (None if expected is None else _close(expected))


def _check_classes(document):
    by_wall, by_class = Counter(), defaultdict(Counter)
    for row in document["kernels"]:
        by_wall[row["wall"]] += row["time_ns"] or 0
        by_class[row["class"]][row["wall"]] += row["time_ns"] or 0
    assert document["time_by_wall_ns"] == {
        wall: by_wall[wall] for wall in document["time_by_wall_ns"]
    }
    assert sum(document["time_by_wall_ns"].values()) == document["totals"]["kernel_ns"]
    assert document["totals"]["communication_ns"] == by_wall["communication"]
    assert {row["class"] for row in document["classes"]} == set(by_class)
    for row in document["classes"]:
        walls = by_class[row["class"]]
        assert row["time_by_wall_ns"] == {wall: walls[wall] for wall in row["time_by_wall_ns"]}
        assert row["time_ns"] == walls.total()
    launches = sum(row["launches"] for row in document["classes"])
    assert launches == document["totals"]["launches"]


def _check_ranges(document):
    """A launch has one innermost range, or none."""
    for row in document["ranges"]:
        assert row["self_time_ns"] <= row["time_ns"] == sum(row["time_by_wall_ns"].values())
    own = sum(row["self_time_ns"] for row in document["ranges"])
    assert own == (document["totals"]["kernel_ns"] if document["ranges"] else 0)


def _check_rates(row, device):
    """Recompute rates from work, time and walls; without a rated match there are none."""
    flop, size, time_ns = row["flop"], row["dram_bytes"], row["median_ns"] or row["mean_ns"]
    rated = row["match"]["level"] in RATED and row["wall"] != "communication" and time_ns
    if not rated:
        sampled = row["sampled"] or dict.fromkeys(("bytes_per_s", "bandwidth_ratio"))
        for key in ("flop_per_s", "compute_ratio", "floor_ns"):
            assert row[key] is None
        for key in ("bytes_per_s", "bandwidth_ratio"):
            assert row[key] == sampled[key]
        near = (sampled["bandwidth_ratio"] or 0) >= device["near_ratio"]
        assert row["wall"] in {"communication", "bandwidth" if near else "unmeasured"}
        return
    rates = {"flop_per_s": flop, "bytes_per_s": size}
    for key, amount in rates.items():
        assert row[key] == (None if amount is None else _close(amount / time_ns * 1e9))
    wall = device["bandwidth_bytes_per_s"]
    if size is not None and wall is not None:
        assert row["bandwidth_ratio"] == _close(size / time_ns * 1e9 / wall)
    if flop is not None and size:
        assert row["intensity_flop_per_byte"] == _close(flop / size)
    else:
        assert row["intensity_flop_per_byte"] is None
    single = [name for name, amount in row["flop_by_precision"].items() if amount]
    if len(single) == 1 and single[0] in device["peak_flop_per_s"]:
        peak = device["peak_flop_per_s"][single[0]]
        assert row["compute_ratio"] == _close(
            row["flop_by_precision"][single[0]] / time_ns * 1e9 / peak
        )
    known = [row[key] for key in ("bandwidth_ratio", "compute_ratio") if row[key] is not None]
    assert row["floor_ns"] == (_close(max(known) * time_ns) if known else None)


# HTML -----------------------------------------------------------------------------------


class Page(HTMLParser):
    """An HTML report, taken apart as a browser would before any script runs.

    Attributes:
        size: Bytes of the file.
        text: All of it.
        elements: Every start tag with its attributes, in order.
    """

    def __init__(self, path):
        super().__init__()
        self.size, self.text = path.stat().st_size, path.read_text("utf-8")
        self.elements, self._scripts, self._open = [], {}, None
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open = dict(attrs).get("id") if tag == "script" else None

    def handle_data(self, data):
        if self._open:
            self._scripts[self._open] = self._scripts.get(self._open, "") + data

    def handle_endtag(self, tag):
        if tag == "script":
            self._open = None

    @property
    def document(self):
        """The report inside, as its script will read it."""
        (encoding,) = [e["data-encoding"] for _, e in self.elements if e.get("id") == "document"]
        text = self._scripts["document"]
        if encoding == "gzip":
            text = gzip.decompress(base64.b64decode(text)).decode()
        return parse_strictly(text)

    @property
    def skeleton(self):
        """Tags with their ids and classes: what no name may change."""
        return [(tag, e.get("id"), e.get("class")) for tag, e in self.elements]
