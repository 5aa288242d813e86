from pathlib import Path

import pytest
from support.ncu_files import LONG, ListSink, csv_text, row
from support.profilers import NCU_REPORT, only_path

from nsys_walls.errors import InputError
from nsys_walls.sources import Request, Sample, detect
from nsys_walls.sources.ncu_rep import READER


def sample(name, head, *, compressed=False):
    return Sample(path=Path(name), head=head, compressed=compressed)


@pytest.mark.parametrize(
    "name", ["k.ncu-rep", "k", "k.csv", "k.nsys-rep", "k.nsight-cuprof-report"]
)
def test_a_report_is_known_by_its_first_bytes(name):
    assert (READER.kind, READER.is_trace) == ("ncu-rep", False)
    assert detect(sample(name, NCU_REPORT)) is READER


@pytest.mark.parametrize("head", [b"", b"NVR", b"NVR 1\n", b" NVR\0", b"SQLite format 3\0"])
def test_other_content_is_none_whatever_its_name(head):
    assert not READER.recognises(sample("k.ncu-rep", head))


def test_a_compressed_one_is_none():
    assert not READER.recognises(sample("k.ncu-rep", NCU_REPORT, compressed=True))


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "k.csv"
    path.write_bytes(NCU_REPORT)
    return path


def test_the_rows_are_those_of_the_csv(tmp_path, monkeypatch, report):
    export = tmp_path / "export.csv"
    rows = [row("dram__bytes.sum", "Kbyte", value, ID=str(n)) for n, value in enumerate("12")]
    export.write_text(csv_text(LONG, *rows), "utf-8")
    only_path(monkeypatch, tmp_path / "bin").ncu(export)
    sink = ListSink()
    info = READER.read(Request(path=report), sink)
    assert (info.kind, info.rows) == ("ncu-rep", 2)
    values = [dict(launch["values"]) for launch in sink.rows["counters"]]
    assert values == [{"dram__bytes.sum": 1000}, {"dram__bytes.sum": 2000}]


def test_a_report_named_as_its_export_is_not_overwritten(tmp_path, monkeypatch, report):
    only_path(monkeypatch, tmp_path / "bin")
    with pytest.raises(InputError, match=r"base > k\.csv\.csv` where .* ingest k\.csv\.csv"):
        READER.read(Request(path=report), ListSink())
