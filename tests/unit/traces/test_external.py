import os
import signal
import tempfile
from pathlib import Path

import pytest
from support.profilers import only_path

from nsys_walls.errors import InputError
from nsys_walls.traces.external import Exporter, exported

WRITES = Exporter(
    program="nsys",
    product="Nsight Systems",
    arguments=("export", "--type", "sqlite", "--output", "{output}", "{report}"),
    suffix=".sqlite",
)
PRINTS = Exporter(
    program="ncu",
    product="Nsight Compute",
    arguments=("--import", "{report}"),
    suffix=".csv",
    is_printed=True,
)


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Give a PATH without programs, and a temporary folder that must be left empty."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield only_path(monkeypatch, tmp_path / "bin")
    assert list(temporary.iterdir()) == []


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "home of jdoe" / "t.rep"
    path.parent.mkdir()
    path.write_bytes(b"report")
    return path


def refusal(exporter, report):
    with pytest.raises(InputError) as caught, exported(exporter, report):
        pass
    assert "\n" not in str(caught.value)
    return caught.value.slug, str(caught.value)


def test_what_a_program_writes_is_there_until_it_was_read(programs, report):
    programs.shell("nsys", 'echo done; echo rows > "$out"')
    with exported(WRITES, report) as export:
        assert export.read_text("utf-8") == "rows\n"
        assert report.parent not in export.parents
    assert not export.parent.exists()
    assert [path.name for path in report.parent.iterdir()] == ["t.rep"]


def test_what_a_program_prints_is_there_without_its_messages(programs, report):
    programs.shell("ncu", "echo ==PROF== reading; echo rows; echo careful >&2")
    with exported(PRINTS, report) as export:
        assert export.read_text("utf-8") == "==PROF== reading\nrows\n"


def test_a_program_gets_a_full_path_and_no_input(programs, report, monkeypatch):
    monkeypatch.chdir(report.parent)
    programs.shell("ncu", 'pwd >&2; read line; printf "%s %s" "$1" "$2" ; echo "[$line]"')
    with exported(PRINTS, Path("t.rep")) as export:
        assert export.read_text("utf-8") == f"--import {report}[]\n"


def test_a_program_is_found_where_path_is_relative(programs, report, monkeypatch):
    programs.shell("ncu", "echo rows")
    monkeypatch.chdir(programs.folder.parent)
    monkeypatch.setenv("PATH", programs.folder.name)
    with exported(PRINTS, report) as export:
        assert export.read_text("utf-8") == "rows\n"


@pytest.mark.parametrize(
    ("body", "problem", "todo"),
    [
        ("exit 3", "it ended with status 3; ", "run `nsys export"),
        ("kill -9 $$", "it was killed by SIGKILL; ", "run `nsys export"),
        ("exit 0", "it wrote no file; ", "run `nsys export"),
        (': > "$out"', "it wrote nothing; ", "run `nsys export"),
        ('mkdir "$out"', "it wrote no file; ", "run `nsys export"),
        ("echo half > $out; exit 1", "it ended with status 1; ", "run `nsys export"),
        ("echo one >&2; echo two >&2", 'it wrote no file and said "two"; ', "run `nsys"),
        ("printf 'a\\n\\n b \\0\\r[1/1] [===27%% ] t\\r' >&2; exit 1", 'and said "b"; ', "run `"),
        ("echo an ERROR; echo last >&2; exit 1", 'and said "an ERROR"; ', "run `"),
        ("echo FAILED to >&2; echo Error 2 >&2; exit 1", 'and said "FAILED to"; ', "run `"),
        (
            "echo Exportation error: Section Table Reference magic number mismatch. >&2",
            'it wrote no file and said "Exportation error: Section Table Reference magic number',
            "is damaged, cut short or still being written: copy it again.",
        ),
        ("echo No space left on device >&2; exit 1", "status 1", "set TMPDIR to a folder"),
        ("echo error: newer version >&2; exit 1", "status 1", "use an nsys at least as new as"),
    ],
)
def test_why_there_is_no_export_and_what_to_do(programs, report, body, problem, todo):
    programs.shell("nsys", body)
    slug, message = refusal(WRITES, report)
    assert slug == "export-failed"
    assert message.startswith("t.rep: nsys did not export it: ")
    assert problem in message
    assert todo in message


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("exit 0", "it wrote nothing; "),
        ("echo", "it wrote nothing; "),
        ("echo ==WARNING== No kernels.", 'it wrote nothing and said "==WARNING== No kernels."; '),
        ("echo ==PROF== a; echo ==ERROR== b", 'it wrote nothing and said "==ERROR== b"; '),
        ("echo row of an error; exit 1", "it ended with status 1; "),
    ],
)
def test_messages_are_no_export(programs, report, body, problem):
    programs.shell("ncu", body)
    slug, message = refusal(PRINTS, report)
    assert slug == "export-failed"
    assert problem in message


def test_a_signal_without_a_name_has_its_number(programs, report):
    unnamed = max(signal.Signals) - 1
    assert unnamed not in list(signal.Signals)
    programs.shell("nsys", f"kill -{int(unnamed)} $$")
    assert f"killed by signal {int(unnamed)}; " in refusal(WRITES, report)[1]


def test_a_program_that_can_not_be_started(programs, report):
    programs.shell("nsys", "", first_line="#!/no/such/shell")
    slug, message = refusal(WRITES, report)
    assert slug == "export-failed"
    assert "nsys did not export it: it can't be started (No such file or directory); " in message


def test_a_file_that_may_not_be_run_is_no_program(programs, report):
    programs.shell("nsys", 'echo rows > "$out"')
    (programs.folder / "nsys").chmod(0o644)
    assert refusal(WRITES, report)[0] == "needs-nsys"


def test_paths_and_people_are_not_quoted(programs, report, monkeypatch):
    monkeypatch.chdir(report.parent)
    said = r"error: jdoe@box: {} or {} or '/srv/secret/t.rep' or C:\jdoe or some/secret, 2026.3.1"
    programs.python("nsys", f"sys.exit({said!r}.format(*sys.argv[5:]))")
    _, message = refusal(WRITES, Path("t.rep"))
    assert "said \"error: … … or t.rep or '…' or … or … 2026.3.1\"; " in message
    assert "jdoe" not in message
    assert "secret" not in message
    assert os.fspath(programs.folder.parent) not in message


def test_a_long_line_is_cut(programs, report):
    programs.shell("nsys", "echo error xxxxxxxxxx" + " xxxxxxxxxx" * 60 + " >&2; exit 1")
    _, message = refusal(WRITES, report)
    said = message.partition('said "')[2].partition('"')[0]
    assert (len(said), said[-1]) == (200, "…")


def test_the_end_of_a_long_log_is_read(programs, report):
    programs.python("nsys", r'sys.exit("a line\n" * 30_000 + "error at last")')
    assert 'said "error at last"' in refusal(WRITES, report)[1]
