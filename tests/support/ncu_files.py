"""Nsight Compute CSVs of every kind, made of rows with made-up numbers."""

import csv
import io
from dataclasses import dataclass

from nsys_walls.sources import Request, Sample, SourceInfo
from nsys_walls.sources.ncu_csv import READER
from nsys_walls.textfile import read_head

PROCESS = ("ID", "Process ID", "Process Name", "Host Name")
LAUNCH = ("Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC")
METRIC = ("Section Name", "Metric Name", "Metric Unit", "Metric Value")
RULE = ("Rule Name", "Rule Type", "Rule Description")
LONG = (*PROCESS, *LAUNCH, *METRIC)
BEFORE_2022 = (*PROCESS, "Kernel Name", "Kernel Time", "Context", "Stream", *METRIC)
SUMMARY = (
    *("Process ID", "Process Name", "Host Name", "Kernel Name", "Block Size", "Grid Size"),
    *("Device", "CC", "Invocations", "Section Name", "Metric Name", "Metric Unit"),
    *("Minimum", "Maximum", "Average"),
)
COMMAND_LINE = "Command line profiler metrics"


def csv_text(*rows, quoting=csv.QUOTE_ALL, delimiter=",", end="\n"):
    """Write rows as ncu does: everything in quotes."""
    file = io.StringIO(newline="")
    csv.writer(file, quoting=quoting, delimiter=delimiter, lineterminator=end).writerows(rows)
    return file.getvalue()


def row(metric, unit, value, /, columns=LONG, **launch):
    """Make a row of a long page; ``launch`` replaces cells, by column name with underscores."""
    cells = {
        "ID": "0",
        "Process ID": "977",
        "Process Name": "secret-app",
        "Host Name": "secret-host",
        "Kernel Name": "scale(float *, int)",
        "Kernel Time": "2021-Mar-04 10:11:12",
        "Context": "1",
        "Stream": "7",
        "Block Size": "(128, 1, 1)",
        "Grid Size": "(640, 2, 1)",
        "Device": "0",
        "CC": "8.6",
        "Invocations": "1",
        "Section Name": COMMAND_LINE,
        "Metric Name": metric,
        "Metric Unit": unit,
        "Metric Value": value,
        **{name.replace("_", " "): text for name, text in launch.items()},
    }
    return [cells.get(column, "") for column in columns]


class ListSink:
    """Keeps the rows that a reader writes."""

    def __init__(self):
        self.rows = {}

    def write(self, table, rows):
        self.rows.setdefault(table, []).extend(rows.to_pylist())


@dataclass
class Read:
    """What a reader made of a file."""

    info: SourceInfo
    launches: list[dict]

    @property
    def values(self):
        """Counters of each launch."""
        return [dict(launch["values"]) for launch in self.launches]

    @property
    def skipped(self):
        return {item.reason: item.rows for item in self.info.skipped}

    @property
    def codes(self):
        return {notice.code for notice in self.info.warnings}


def read_file(path):
    """Check that a file is recognised, and read it."""
    head, compressed = read_head(path)
    assert READER.recognises(Sample(path=path, head=head, compressed=compressed))
    sink = ListSink()
    info = READER.read(Request(path=path), sink)
    assert set(sink.rows) == {"counters"}
    assert info.rows == len(sink.rows["counters"])
    return Read(info, sink.rows["counters"])
