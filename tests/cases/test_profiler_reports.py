"""The profilers' own reports, exported by their own programs where these are at hand."""

import re
import subprocess
import tempfile

import pytest
from support.pipeline import only, profiled, series, shape
from support.profilers import NCU_REPORT, NSYS_REPORT, only_path

SAXPY = "saxpy(int, float *)"
NAMES = ["run", 'my run\'s "best" $1', "-x", "läuft;ja"]


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Give a PATH without programs, and a temporary folder that must be left empty."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield only_path(monkeypatch, tmp_path / "bin")
    assert list(temporary.iterdir()) == []


@pytest.fixture
def trace(desk):
    """Export a trace, in a folder of its own."""
    (desk.folder / "exported").mkdir()
    rows = series(SAXPY, [40_000, 41_000, 45_000], **shape((128, 2, 1)))
    return desk.trace("exported/run.sqlite", kernels=rows)


@pytest.fixture
def counters(desk):
    """Export counters, in a folder of their own."""
    (desk.folder / "printed").mkdir()
    launch = profiled(SAXPY, {"dram": 30_000_000, "fp32": (0, 0, 5_000_000)})
    return desk.counters(launch, name="printed/run.csv")


def put(desk, name, content):
    """Make a report in a folder of its own."""
    folder = desk.folder / "reports"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    return path


def without_sources(document):
    run = {key: value for key, value in document["run"].items() if key != "sources"}
    return document | {"run": run}


def typed(message):
    """Find the command in a message, and the file that it names as its result."""
    command, output = re.search(
        r"run `(.*)` where it is installed, and ingest (.*)\. \[", message
    ).groups()
    return command, output


@pytest.mark.parametrize("suffix", [".nsys-rep", ".qdrep", ".NSYS-REP"])
def test_a_report_of_nsys_is_reported_as_its_export_is(desk, programs, trace, suffix):
    exported = desk.report(trace)
    programs.nsys(trace)
    report = put(desk, f"run{suffix}", NSYS_REPORT)
    desk.ingest("--force", report)
    document = desk.document()
    assert without_sources(document) == without_sources(exported)
    (source,) = document["run"]["sources"]
    assert source == exported["run"]["sources"][0] | {"kind": "nsys-rep", "file": report.name}


def test_a_report_of_ncu_is_joined_as_its_csv_is(desk, programs, trace, counters):
    trace_and_csv = desk.report(trace, counters)
    programs.ncu(counters)
    desk.ingest("--force", trace, put(desk, "counters.ncu-rep", NCU_REPORT))
    document = desk.document()
    assert only(document)["match"]["level"] == "shape"
    assert without_sources(document) == without_sources(trace_and_csv)
    source = document["run"]["sources"][1]
    assert (source["kind"], source["file"], source["rows"]) == ("ncu-rep", "counters.ncu-rep", 1)


def test_two_reports_make_a_run_that_is_named_after_the_trace(desk, programs, trace, counters):
    programs.nsys(trace)
    programs.ncu(counters)
    desk.ingest(put(desk, "k.ncu-rep", NCU_REPORT), put(desk, "t.qdrep", NSYS_REPORT))
    assert desk.runs() == ["t"]
    desk.ingest(put(desk, "t.qdrep", NSYS_REPORT))
    assert desk.document()["totals"]["launches"] == 3


def test_a_report_of_ncu_alone_names_its_run(desk, programs, counters):
    programs.ncu(counters)
    desk.ingest(put(desk, "k.ncu-rep", NCU_REPORT))
    assert desk.runs() == ["k"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_reaches_the_program_as_it_is(desk, programs, trace, counters, name):
    programs.nsys(trace)
    programs.ncu(counters)
    for suffix, content in ((".nsys-rep", NSYS_REPORT), (".ncu-rep", NCU_REPORT)):
        (desk.folder / f"{name}{suffix}").write_bytes(content)
    desk.ingest("--run", "r", "--", f"{name}.nsys-rep", f"{name}.ncu-rep")
    assert [row["rows"] for row in desk.document()["run"]["sources"]] == [3, 1]


@pytest.mark.parametrize("name", [*NAMES, "reports/run"])
def test_without_nsys_the_command_is_given_and_works_as_printed(desk, programs, trace, name):
    put(desk, "run.nsys-rep", NSYS_REPORT)
    (desk.folder / f"{name}.nsys-rep").write_bytes(NSYS_REPORT)
    refused = desk.type("ingest", "--", f"{name}.nsys-rep")
    assert (refused.code, refused.slugs) == (1, ["needs-nsys"])
    assert desk.runs() == []
    command, output = typed(refused.err)
    programs.nsys(trace)
    subprocess.run(["/bin/sh", "-c", command], cwd=desk.folder, check=True)
    desk.ingest("--run", "r", "--", output)
    assert desk.document()["totals"]["launches"] == 3


@pytest.mark.parametrize("name", [*NAMES, "reports/run"])
def test_without_ncu_the_command_is_given_and_works_as_printed(desk, programs, counters, name):
    put(desk, "run.ncu-rep", NCU_REPORT)
    (desk.folder / f"{name}.ncu-rep").write_bytes(NCU_REPORT)
    refused = desk.type("ingest", "--", f"{name}.ncu-rep")
    assert (refused.code, refused.slugs) == (1, ["needs-ncu"])
    command, output = typed(refused.err)
    programs.ncu(counters)
    subprocess.run(["/bin/sh", "-c", command], cwd=desk.folder, check=True)
    done = desk.ingest("--run", "r", "--", output)
    assert "ncu-csv, 1 rows" in done.out


def test_the_commands_are_these(desk, programs):
    (desk.folder / "t.nsys-rep").write_bytes(NSYS_REPORT)
    (desk.folder / "k.ncu-rep").write_bytes(NCU_REPORT)
    assert not list(programs.folder.iterdir())
    assert desk.type("ingest", "t.nsys-rep").err == (
        "nsys-walls: t.nsys-rep is a report of Nsight Systems, which only nsys can read, and that "
        "is not on PATH: run `nsys export --type sqlite --output t.sqlite t.nsys-rep` where it "
        "is installed, and ingest t.sqlite. [needs-nsys]\n"
    )
    assert desk.type("ingest", "k.ncu-rep").err == (
        "nsys-walls: k.ncu-rep is a report of Nsight Compute, which only ncu can read, and that "
        "is not on PATH: run `ncu --import k.ncu-rep --csv --page raw --print-units base > k.csv` "
        "where it is installed, and ingest k.csv. [needs-ncu]\n"
    )


def test_nothing_is_written_beside_the_reports(desk, programs, trace, counters):
    programs.nsys(trace)
    programs.ncu(counters)
    reports = [put(desk, "t.nsys-rep", NSYS_REPORT), put(desk, "k.ncu-rep", NCU_REPORT)]
    before = {path.name: path.stat().st_mtime_ns for path in reports}
    desk.ingest(*reports)
    folder = desk.folder / "reports"
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert not list(desk.folder.glob("*.log"))


def test_where_a_report_was_is_not_kept(desk, programs, trace, counters):
    programs.nsys(trace)
    programs.ncu(counters)
    desk.ingest(put(desk, "t.nsys-rep", NSYS_REPORT), put(desk, "k.ncu-rep", NCU_REPORT))
    manifest = (desk.folder / ".nsys-walls" / "runs" / "t" / "manifest.json").read_text("utf-8")
    assert str(desk.folder) not in manifest
    assert "export" not in manifest


def test_a_report_that_is_too_new_for_nsys(desk, programs):
    programs.shell(
        "nsys",
        'echo "[1/1] [0%      ] export" >&2\n'
        'echo "Exportation error: Report was created in Nsight Systems version (2026.3.1), '
        'newer than your current version (2023.4.4)." >&2; exit 1',
    )
    (desk.folder / "t.nsys-rep").write_bytes(NSYS_REPORT)
    failed = desk.type("ingest", "t.nsys-rep")
    assert (failed.code, failed.slugs) == (1, ["export-failed"])
    assert failed.err.splitlines() == [failed.err.rstrip("\n")]
    assert 'said "Exportation error: Report was created in Nsight Systems version' in failed.err
    assert "use an nsys at least as new as the one that wrote the report" in failed.err
    assert "`nsys export --type sqlite --output t.sqlite t.nsys-rep`" in failed.err
    assert desk.runs() == []


def test_an_export_without_kernels_is_named_as_the_report(desk, programs):
    (desk.folder / "exported").mkdir()
    programs.nsys(desk.trace("exported/empty.sqlite", kernels=[]))
    failed = desk.type("ingest", put(desk, "t.nsys-rep", NSYS_REPORT))
    assert (failed.code, failed.slugs) == (1, ["no-kernels"])
    assert failed.err.startswith("nsys-walls: t.nsys-rep: no kernels")


def test_a_report_of_ncu_without_launches_is_named(desk, programs):
    programs.ncu(desk.text("empty.csv", '"ID","Kernel Name","Metric Name","Metric Value"\n'))
    failed = desk.type("ingest", put(desk, "k.ncu-rep", NCU_REPORT))
    assert (failed.code, failed.slugs) == (1, ["no-launches"])
    assert failed.err.startswith("nsys-walls: k.ncu-rep has no profiled launches: ncu printed none")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.nsys-rep", b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "Git LFS"),
        ("t.qdrep", b"<html>not here</html>", "HTML or XML"),
        ("t.nsys-rep", b"", "an empty file"),
        ("k.ncu-rep", b"\x01\x02\x00", "does not begin as one"),
    ],
)
def test_what_only_has_the_name_of_a_report_is_called_what_it_is(
    desk, programs, name, content, words
):
    assert not list(programs.folder.iterdir())
    failed = desk.type("ingest", put(desk, name, content))
    assert (failed.code, failed.slugs) == (1, ["unknown-format"])
    assert words in failed.err


def test_an_export_under_the_name_of_a_report_is_read_as_what_it_is(desk, programs):
    assert not list(programs.folder.iterdir())
    done = desk.ingest(desk.trace("t.nsys-rep", kernels=series(SAXPY, [40_000])))
    assert "t.nsys-rep: nsys-sqlite, 1 rows" in done.out
