import json
import os
import subprocess
import sys

import pytest
from support.runs import counter_row, store_run, trace_rows

from nsys_walls.cli import main


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Type a command in an empty folder; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NSYS_WALLS_STORE", raising=False)

    def typed(*words):
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        return stop.value.code or 0, *capsys.readouterr()

    return typed


@pytest.fixture
def stored(tmp_path):
    rows = trace_rows([(0, 4, 0, 0, 7), (10, 4, 0, 0, 7)])
    rows = {**rows, "devices": [{"gpu": 0, "ordinal": 0, "name": "Tesla T4"}]}
    return store_run(tmp_path / ".nsys-walls", rows, {"counters": [counter_row()]}, run="bert")


def test_help_names_every_command_and_option(run):
    code, out, _ = run("--help")
    assert code == 0
    for command in ("ingest", "report", "runs", "hw", "demo"):
        assert f"\n  {command}" in out
        assert run(command, "--help")[0] == 0
    _, out, _ = run("report", "--help")
    for option in ("--hw", "--output", "--format", "--bandwidth", "--peak", "--near",
                   "--balance-factor", "--store"):  # fmt: skip
        assert option in out


def test_version(run):
    assert run("--version")[:2] == (0, "nsys-walls 0.1.0\n")


def test_help_stays_quick_by_importing_late():
    code = (
        "import sys\nfrom nsys_walls.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'pandas', 'plotly', 'pyarrow', 'adbc_driver_sqlite', 'duckdb', 'sqlalchemy'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("stored")
class TestReport:
    def test_writes_html_named_after_the_run_and_says_so(self, run, tmp_path):
        code, out, err = run("report")
        assert (code, err) == (0, "")
        assert out.splitlines()[-1] == "report: reports/bert.html"
        page = (tmp_path / "reports" / "bert.html").read_text("utf-8")
        assert page.startswith("<!doctype html>")

    @pytest.mark.parametrize(
        ("words", "file"),
        [
            (["--format", "md"], "reports/bert.md"),
            (["--format", "json"], "reports/bert.json"),
            (["--format", "text"], "reports/bert.txt"),
            (["--format", "csv"], "reports/bert.csv"),
            (["-o", "out/x.json"], "out/x.json"),
            (["-o", "x.html", "--format", "json"], "x.html"),
        ],
    )
    def test_other_formats(self, run, tmp_path, words, file):
        assert run("report", "bert", *words)[0] == 0
        assert (tmp_path / file).stat().st_size > 0

    def test_data_goes_to_stdout_only_when_asked(self, run, tmp_path):
        code, out, _ = run("report", "-o", "-", "--format", "json")
        assert code == 0
        assert json.loads(out)["run"]["name"] == "bert"
        assert not (tmp_path / "reports").exists()

    def test_walls_may_be_typed(self, run):
        words = ["--bandwidth", "1TB/s", "--peak", "fp32=10TFLOP/s", "--near", "20%"]
        _, out, _ = run("report", "-o", "-", "--format", "json", *words)
        document = json.loads(out)
        (device,) = document["devices"]
        assert (device["bandwidth_bytes_per_s"], device["bandwidth_from"]) == (1e12, "option")
        assert device["peak_flop_per_s"]["fp32"] == 1e13
        # 1000 bytes need 1 ns of 4: 25 %, above the 20 % that were typed
        assert document["kernels"][0]["wall"] == "bandwidth"

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            (["--format", "pdf"], "no format is called 'pdf'"),
            (["--bandwidth", "fast"], "'fast' is not a number with a unit"),
            (["--bandwidth", "5TFLOP/s"], "expected B/s"),
            (["--peak", "312TFLOP/s"], "has no '='"),
            (["--near", "much"], "could not convert"),
            (["--near", "0"], "at most 100%"),
            (["--near", "200%"], "at most 100%"),
            (["--balance-factor", "nan"], "not a share"),
            (["--balance-factor", "-1"], "not a share"),
            (["--bandwidth", "0"], "more than 0 B/s"),
            (["--peak", "fp32=0"], "more than 0 FLOP/s"),
            (["-o", "."], "is a folder"),
            (["-o", ""], "is a folder"),
            (["--bandwidth", "1e400"], "of a size that can be"),
            (["--bandwidth", "1e-300"], "of a size that can be"),
            (["--peak", "fp32=1e400"], "of a size that can be"),
            (["--hw", "b9000"], "b9000"),
        ],
    )
    def test_values_that_mean_nothing_are_usage_errors(self, run, words, found):
        code, out, err = run("report", *words)
        assert (code, out) == (2, "")
        (line,) = err.splitlines()
        assert found in line

    def test_warnings_go_to_stderr_on_one_line_each(self, run, tmp_path):
        rows = trace_rows([(0, 4, 0, 0, 7)], names=("evil\x1b[31m\nname",))
        store_run(tmp_path / ".nsys-walls", rows, run="x")
        code, out, err = run("report", "x", "--hw", "t4", "-o", "-", "--format", "csv")
        assert code == 0
        assert "warning" not in out
        assert all(line.startswith("warning: ") for line in err.splitlines())
        assert "\x1b" not in err

    def test_a_pipe_is_written_to_and_a_link_is_followed(self, run, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        reader = subprocess.Popen(["cat", "pipe"], cwd=tmp_path, stdout=subprocess.PIPE)
        assert run("report", "-o", "pipe", "--format", "csv")[0] == 0
        assert reader.communicate()[0].startswith(b"id,name,")
        assert (tmp_path / "pipe").is_fifo()
        (tmp_path / "link.csv").symlink_to("target.csv")
        assert run("report", "-o", "link.csv")[0] == 0
        assert (tmp_path / "link.csv").is_symlink()
        assert (tmp_path / "target.csv").read_text("utf-8").startswith("id,name,")
        assert not list(tmp_path.glob(".nsys-walls-*"))

    def test_a_report_is_not_left_half_written(self, run, tmp_path):
        (tmp_path / "reports").write_text("a file in the way", "utf-8")
        code, _, err = run("report")
        assert code == 1
        assert "reports" in err
        assert len(err.splitlines()) == 1


def test_a_missing_run_is_one_line(run):
    code, out, err = run("report")
    assert (code, out) == (1, "")
    assert err == (
        "nsys-walls: no run is stored in .nsys-walls: begin with `nsys-walls ingest "
        "trace.sqlite`. [no-run]\n"
    )


@pytest.mark.usefixtures("stored")
def test_runs_are_listed_and_removed(run, tmp_path):
    store_run(tmp_path / ".nsys-walls", trace_rows([(0, 4, 0, 0, 7)]), run="gpt")
    code, out, _ = run("runs")
    assert code == 0
    assert [line for line in out.splitlines() if not line.startswith(" ")] == ["bert", "gpt"]
    assert run("runs", "--remove", "gpt")[:2] == (0, "removed gpt\n")
    assert "gpt" not in run("runs")[1]
    assert run("runs", "--remove", "gpt")[0] == 1


def test_no_runs(run):
    assert run("runs") == (0, "no run is stored in .nsys-walls\n", "")


@pytest.mark.usefixtures("stored")
def test_a_damaged_run_does_not_hide_the_others(run, tmp_path):
    folder = tmp_path / ".nsys-walls" / "runs" / "old"
    folder.mkdir()
    (folder / "manifest.json").write_text("{", "utf-8")
    code, out, _ = run("runs")
    assert code == 0
    assert "bert" in out
    assert "old: run old: its manifest can't be read" in out


def test_ingest_refuses_what_it_can_not_read_and_writes_nothing(run, tmp_path):
    code, out, err = run("ingest", "does_not_exist.sqlite")
    assert (code, out) == (1, "")
    assert "not found" in err
    assert err.rstrip().endswith("[not-found]")
    assert list(tmp_path.iterdir()) == []


def test_ingest_then_report_as_typed(run, tmp_path):
    rows = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    rows += '"0","saxpy(int)","dram__bytes.sum","Mbyte","1.5"\n'
    rows += '"0","saxpy(int)","gpu__time_duration.sum","us","10"\n'
    (tmp_path / "counters.csv").write_text(rows, "utf-8")
    code, out, _ = run("ingest", "counters.csv")
    assert code == 0
    assert "counters.csv: ncu-csv, 1 rows" in out
    code, out, _ = run("report", "--hw", "a100", "-o", "-", "--format", "json")
    (kernel,) = json.loads(out)["kernels"]
    assert (kernel["dram_bytes"], kernel["ncu_ns"]) == (1_500_000, 10_000)


def test_demo_needs_no_input(run, tmp_path):
    code, out, err = run("demo", "-o", "demo.json")
    assert (code, err) == (0, "")
    document = json.loads((tmp_path / "demo.json").read_text("utf-8"))
    assert document["devices"][0]["hardware"] == "t4"
    assert document["totals"]["measured_time_ratio"] > 0.95
    assert [path.name for path in tmp_path.iterdir()] == ["demo.json"]
    assert "report: demo.json" in out


def test_progress_is_shown_on_a_terminal_only(run, tmp_path, monkeypatch):
    rows = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    rows += '"0","saxpy(int)","dram__bytes.sum","byte","1"\n'
    (tmp_path / "counters.csv").write_text(rows, "utf-8")
    assert run("ingest", "counters.csv")[2] == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    code, out, _ = run("ingest", "counters.csv", "--run", "again")
    assert code == 0
    assert "run again: report it" in out


def test_what_was_left_out_and_warned_of_is_told(run, tmp_path):
    rows = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    rows += '"0","saxpy(int)","gpu__time_duration.sum","us","1.5"\n'
    rows += '"0","saxpy(int)","dram__bytes.sum","byte","n/a"\n'
    (tmp_path / "counters.csv").write_text(rows, "utf-8")
    _, out, _ = run("ingest", "counters.csv")
    assert "left out: 1 " in out


@pytest.mark.usefixtures("stored")
def test_a_reader_that_goes_away_is_no_fault(tmp_path):
    command = f"{sys.executable} -m nsys_walls report -o - --format json | head -c 1"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("{", "")
