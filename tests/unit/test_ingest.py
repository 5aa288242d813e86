import hashlib
from dataclasses import dataclass, field

import pytest
from support.runs import table

from nsys_walls import sources
from nsys_walls.errors import InputError, Notice, UsageError
from nsys_walls.ingest import default_run_name, ingest_files
from nsys_walls.sources import Skipped, SourceInfo
from nsys_walls.store.dataset import open_run, run_names
from nsys_walls.texts import text

ODD = Notice("odd", text("source.no_units"))


@dataclass
class LineReader:
    """Reads a made-up format: a first line with its name, then a start time a line."""

    kind: str
    is_trace: bool
    seen: list[int] = field(default_factory=list)

    def recognises(self, sample):
        return sample.head.startswith(self.kind.encode())

    def read(self, request, sink):
        rows = request.path.read_text("utf-8").splitlines()[1:]
        starts = []
        for row in rows:
            if row == "broken":
                raise InputError("damaged-file", f"{request.path.name}: damaged.")
            starts.append({"start_ns": int(row), "duration_ns": 1, "kernel": 0, "stream": 0})
        sink.write("launches", table("launches", starts))
        request.progress(len(rows), len(rows))
        self.seen.append(request.jobs)
        return SourceInfo(
            kind=self.kind,
            rows=len(rows),
            skipped=[Skipped("odd rows", 1), Skipped("odd rows", 2)],
            warnings=[ODD],
        )


@pytest.fixture(autouse=True)
def _readers(monkeypatch):
    readers = (LineReader("trace", is_trace=True), LineReader("counters", is_trace=False))
    monkeypatch.setattr(sources, "all_readers", lambda: readers)


@pytest.fixture
def put(tmp_path):
    def put(name, text):
        path = tmp_path / "in" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, "utf-8")
        return path

    return put


def starts(store, run):
    return open_run(store, run).read("launches")["start_ns"].to_pylist()


def test_a_run_is_named_after_its_first_trace(tmp_path, put):
    files = [put("c.csv", "counters\n1"), put("step.sqlite", "trace\n2"), put("x.db", "trace\n3")]
    manifest = ingest_files(files, store=tmp_path)
    assert manifest.run == "step"
    assert [source.file for source in manifest.sources] == ["c.csv", "step.sqlite", "x.db"]
    assert manifest.sources[0].skipped == {"odd rows": 3}
    assert manifest.sources[0].warnings == (ODD,)
    assert sorted(starts(tmp_path, "step")) == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "run"),
    [("a.sqlite", "a"), ("a.b.sqlite.gz", "a.b"), (".hidden.csv", "hidden"), ("übung.csv", "bung"),
     ("a_pqtdir", "a"), ("a.b_arwdir", "a.b"), ("a.nsys-rep_pqtdir", "a"), ("_pqtdir", "run"),
     ("???", "run"), ("x" * 300, "x" * 200)],
)  # fmt: skip
def test_run_names_from_files(tmp_path, name, run):
    assert default_run_name(tmp_path / name) == run


def test_one_bad_file_changes_nothing(tmp_path, put):
    ingest_files([put("a.sqlite", "trace\n1")], store=tmp_path)
    good, bad = put("b.sqlite", "trace\n2"), put("c.sqlite", "trace\n3\nbroken")
    with pytest.raises(InputError, match=r"c\.sqlite: damaged"):
        ingest_files([good, bad], store=tmp_path)
    with pytest.raises(InputError, match=r"c\.sqlite: damaged"):
        ingest_files([good, bad], store=tmp_path, run="a", force=True)
    assert run_names(tmp_path) == ["a"]
    assert starts(tmp_path, "a") == [1]


def test_ingesting_again_replaces(tmp_path, put):
    trace = put("a.sqlite", "trace\n1")
    ingest_files([trace], store=tmp_path)
    ingest_files([put("c.csv", "counters\n5")], store=tmp_path, run="a")
    put("a.sqlite", "trace\n7\n8")
    ingest_files([trace], store=tmp_path)
    assert sorted(starts(tmp_path, "a")) == [5, 7, 8]


def test_a_file_given_twice_or_copied_counts_once(tmp_path, put):
    trace, copy = put("a.sqlite", "trace\n1"), put("copy.sqlite", "trace\n1")
    ingest_files([trace, trace, copy], store=tmp_path)
    assert starts(tmp_path, "a") == [1]
    ingest_files([copy], store=tmp_path, run="a")
    assert starts(tmp_path, "a") == [1]


def test_another_file_of_the_same_name_is_not_mixed_in(tmp_path, put):
    ingest_files([put("a.sqlite", "trace\n1")], store=tmp_path)
    other = tmp_path / "elsewhere" / "a.sqlite"
    other.parent.mkdir()
    other.write_text("trace\n2", "utf-8")
    with pytest.raises(UsageError, match="was made from other files"):
        ingest_files([other], store=tmp_path)
    assert starts(tmp_path, "a") == [1]
    ingest_files([other], store=tmp_path, run="a")
    assert sorted(starts(tmp_path, "a")) == [1, 2]
    ingest_files([other], store=tmp_path, force=True)
    assert starts(tmp_path, "a") == [2]


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(InputError, match=r"nope\.sqlite: not found"):
        ingest_files([tmp_path / "nope.sqlite"], store=tmp_path / "store")
    with pytest.raises(InputError, match="is an empty folder"):
        ingest_files([tmp_path], store=tmp_path / "store")
    assert not (tmp_path / "store").exists()
    assert not (tmp_path / "nope.sqlite").exists()


def test_inputs_are_not_written_to_and_paths_are_not_kept(tmp_path, put):
    trace = put("a.sqlite", "trace\n1")
    before = hashlib.sha256(trace.read_bytes()).hexdigest()
    ingest_files([trace], store=tmp_path / "store")
    assert hashlib.sha256(trace.read_bytes()).hexdigest() == before
    assert [path.name for path in trace.parent.iterdir()] == ["a.sqlite"]
    manifest = (tmp_path / "store" / "runs" / "a" / "manifest.json").read_text("utf-8")
    assert str(tmp_path) not in manifest


def test_what_no_reader_knows_is_named_and_nothing_is_written(tmp_path, put):
    with pytest.raises(InputError, match=r"x\.csv is text without profiler rows"):
        ingest_files([put("x.csv", "hello")], store=tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_a_file_that_the_system_will_not_read_is_named(tmp_path, put, monkeypatch):
    def refuse(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("nsys_walls.ingest.read_head", refuse)
    with pytest.raises(InputError, match="can't be read: Permission denied"):
        ingest_files([put("a.sqlite", "trace\n1")], store=tmp_path / "store")


def test_a_folder_that_the_system_will_not_list_is_named(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.iterdir", refuse)
    with pytest.raises(InputError, match=f"^{tmp_path} can't be read: Permission denied") as caught:
        ingest_files([tmp_path], store=tmp_path / "store")
    assert caught.value.slug == "unreadable"


def test_a_link_that_leads_to_itself_is_one_error(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="not found"):
        ingest_files([tmp_path / "loop"], store=tmp_path / "store")


def test_a_name_in_another_encoding_is_kept_as_far_as_it_can_be(tmp_path, put):
    manifest = ingest_files([put("caf\udce9.sqlite", "trace\n1")], store=tmp_path / "store")
    assert manifest.sources[0].file == "caf?.sqlite"
    assert manifest.run == "caf-"


def test_a_foreign_run_is_refused_before_anything_is_read(tmp_path, put):
    ingest_files([put("a.sqlite", "trace\n1")], store=tmp_path)
    other = tmp_path / "elsewhere" / "a.sqlite"
    other.parent.mkdir()
    other.write_text("trace\nbroken", "utf-8")
    with pytest.raises(UsageError, match="was made from other files"):
        ingest_files([other], store=tmp_path)
