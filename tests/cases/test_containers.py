"""Nsight Systems exports in a folder: one file a table, as Parquet or as Arrow."""

import hashlib
import os

import pytest
from support.arrow_dirs import CONTAINERS, report_of, tables_of, write_folder, write_table
from support.nsys_traces import (
    A100,
    SECRETS,
    call,
    copy,
    execute,
    fill,
    global_pid,
    global_tid,
    graph,
    kernel,
    nvtx,
)
from support.pipeline import Desk, profiled, series, with_calls

from nsys_walls.store.dataset import open_run
from nsys_walls.store.schema import TABLES

KINDS = {"parquetdir": "nsys-parquet", "arrowdir": "nsys-arrow", "arrow stream": "nsys-arrow"}

# The same run in every container --------------------------------------------------------

OTHER = A100 | {"uuid": "a1000000-0000-4000-8000-000000000002", "id": 1, "cuda_ordinal": 1}


def with_ranges():
    """Ranges of both kinds, named in both places, one of them in a domain of its own."""
    launches = [
        row
        for pid, start in ((10, 1_000_000), (11, 1_100_000))
        for row in series("gemm<float>(float *)", [40_000] * 3, start=start,
                          globalPid=global_pid(pid))
    ]  # fmt: skip
    traced = with_calls(launches, thread=global_tid(10))
    traced["calls"] += [call(5, 1, name="cudaMalloc"), call(7, 999)]
    return traced | {
        "nvtx": [
            nvtx(0, None, "loader", kind=75, thread=global_tid(10), domainId=3),
            nvtx(900_000, 1_060_000, registered="forward", thread=global_tid(10)),
            nvtx(950_000, 1_030_000, "layer.0 Schicht ä", thread=global_tid(10), domainId=3),
            nvtx(960_000, 2_000_000, "step", kind=60, thread=global_tid(10),
                 endGlobalTid=global_tid(10, 12)),
            nvtx(1_000_000, None, "still open", thread=global_tid(10)),
            nvtx(1_000_000, None, "mark", kind=34, thread=global_tid(10)),
        ],
    }  # fmt: skip


def with_transfers():
    """Copies, a set, and kernels without calls."""
    return {
        "kernels": series("saxpy(int, float *)", [9_000, 11_000, 10_000]),
        "copies": [
            copy(0, 5_000, 1 << 20),
            copy(10_000, 30_000, 1 << 22, kind=2, srcKind=2, dstKind=1),
            copy(40_000, 41_000, 512, kind=8, srcKind=None),
            copy(50_000, 51_000, 512, kind=99),
        ],
        "fills": [fill(60_000, 61_000, 4096)],
    }


def with_graphs():
    """A graph traced as one row, beside kernels of graph nodes."""
    return {
        "kernels": series("node(float *)", [7_000] * 4, graphNodeId=5),
        "graphs": [graph(5_000_000, 6_000_000, graphId=17)],
    }


def with_processes():
    """Two processes, each with one GPU that it calls 0."""
    rows = [
        kernel(start, globalPid=global_pid(pid), demangledName=f"work{shape}(int)", gridX=shape)
        for pid, start in ((10, 0), (11, 4_000))
        for shape in (1, 300, 70_000)
    ]
    uuids = [A100["uuid"], OTHER["uuid"]]
    return {
        "kernels": rows,
        "gpus": (A100, OTHER),
        "cuda_devices": [(gpu, 0, pid, uuids[gpu]) for gpu, pid in ((0, 10), (1, 11))],
    }


def with_bad_rows():
    """Rows that are left out, each for a reason."""
    return {
        "kernels": [
            *series("fine(int)", [1_000] * 3),
            kernel(start=None, end=5),
            kernel(start=9, end=4),
            kernel(start=50, streamId=2**40, graphNodeId=-(2**62)),
        ]
    }


TRACES = (with_ranges, with_transfers, with_graphs, with_processes, with_bad_rows)


def stored(desk):
    """Read all tables of run "r" but for the names of its sources."""
    run = open_run(desk.folder / ".nsys-walls", "r")
    return {name: run.read(name).to_pylist() for name in TABLES}


@pytest.fixture
def desks(tmp_path):
    """Give two empty folders to type commands in."""
    pair = Desk(tmp_path / "file"), Desk(tmp_path / "folder")
    for one in pair:
        one.folder.mkdir()
    return pair


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("trace", TRACES)
def test_the_report_does_not_depend_on_the_container(desks, trace, container):
    path = desks[0].trace(**trace())
    folder = desks[1].folder / path.name  # reports name their files
    write_folder(path, container, folder=folder, narrow=container != "arrow stream", rows_at_once=2)
    expected, said, sources = report_of(desks[0], path)
    found, also_said, also_sources = report_of(desks[1], folder)
    assert found == expected
    assert also_said == said
    assert stored(desks[1]) == stored(desks[0])
    assert also_sources == [sources[0] | {"kind": KINDS[container]}]


@pytest.mark.parametrize("schema", ["2.9.1", "3.7.2", "3.16.1", "3.20.2", "3.99.0"])
def test_every_schema_reads_as_its_sqlite_export(desks, schema):
    path = desks[0].trace(schema=schema, **with_ranges(), copies=with_transfers()["copies"])
    folder = write_folder(path, folder=desks[1].folder / path.name)
    assert report_of(desks[1], folder)[:2] == report_of(desks[0], path)[:2]


@pytest.mark.parametrize("container", CONTAINERS)
def test_names_in_any_encoding_are_those_of_the_sqlite_export(desks, container):
    path = desks[0].trace(kernels=series("named(int)", [5_000] * 2))
    execute(path, "UPDATE StringIds SET value = CAST(x'636166E928696E7429' AS TEXT)")
    folder = write_folder(path, container, folder=desks[1].folder / path.name)
    assert report_of(desks[1], folder)[:2] == report_of(desks[0], path)[:2]


# What a folder is called ----------------------------------------------------------------


@pytest.fixture
def trace(desk):
    """Trace three launches."""
    return desk.trace("step.sqlite", kernels=series("saxpy(int)", [9_000] * 3))


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_run_is_named_after_the_report_of_the_folder(desk, trace, container):
    done = desk.ingest(write_folder(trace, container))
    name = "step" + CONTAINERS[container]
    assert done.out.splitlines()[0] == f"{name}: {KINDS[container]}, 3 rows"
    assert desk.runs() == ["step"]


def test_a_folder_may_have_any_name_and_any_case(desk, trace):
    folder = write_folder(trace, folder=desk.folder / "tables of monday")
    for path in list(folder.iterdir()):
        path.rename(folder / path.name.upper())
    assert desk.report(folder)["totals"]["launches"] == 3
    assert desk.runs() == ["tables-of-monday"]


def test_the_folder_one_is_in_has_its_name(desk, trace):
    folder = write_folder(trace)
    inside = Desk(folder)
    done = inside.type("ingest", ".", "--store", desk.folder / ".nsys-walls")
    assert done.code == 0, done.err
    assert desk.runs() == ["step"]
    assert [source["file"] for source in desk.document()["run"]["sources"]] == ["step_pqtdir"]


def test_links_lead_to_the_tables(desk, trace):
    folder = write_folder(trace)
    elsewhere = desk.folder / "linked"
    elsewhere.mkdir()
    for path in folder.iterdir():
        (elsewhere / path.name).symlink_to(path)
    (desk.folder / "latest").symlink_to(elsewhere)
    assert desk.report(desk.folder / "latest")["totals"]["launches"] == 3
    assert desk.runs() == ["latest"]


# Again, together, beside ----------------------------------------------------------------


def test_an_export_that_is_ingested_again_or_copied_counts_once(desk, trace):
    folder = write_folder(trace)
    again = write_folder(trace, folder=desk.folder / "copied")
    desk.ingest(folder, again, "--run", "r")
    desk.ingest(again, "--run", "r")
    desk.ingest(folder, "--run", "r")
    assert desk.document()["totals"]["launches"] == 3


def test_an_export_that_was_written_again_replaces_what_it_was(desk, trace):
    folder = write_folder(trace)
    desk.ingest(folder)
    kernels = tables_of(trace)["CUPTI_ACTIVITY_KIND_KERNEL"]
    write_table(folder, "CUPTI_ACTIVITY_KIND_KERNEL", kernels.slice(1))
    desk.ingest(folder)
    assert desk.document()["totals"]["launches"] == 2


def test_counters_are_joined_to_a_folder(desk, trace):
    counters = profiled("saxpy(int)", {"dram": 1 << 20, "fp32": (0, 0, 1000)})
    document = desk.report(desk.counters(counters), write_folder(trace))
    (row,) = document["kernels"]
    assert (row["match"]["level"], row["dram_bytes"], row["flop"]) == ("shape", 1 << 20, 2000)


def test_nothing_is_written_to_the_folder_and_nothing_private_is_kept(desk, trace, monkeypatch):
    folder = write_folder(trace)
    temporary = desk.folder / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    def state():
        return [(path.name, path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).digest())
                for path in sorted(folder.iterdir())]  # fmt: skip

    before = state()
    desk.ingest(folder)
    assert state() == before
    assert list(temporary.iterdir()) == []
    text = desk.render("json") + desk.render("text") + repr(stored_texts(desk))
    for secret in SECRETS:
        assert secret not in text


def stored_texts(desk):
    """Collect what is in the store of the last run."""
    run = desk.folder / ".nsys-walls" / "runs" / "step"
    tables = [desk.stored(name) for name in TABLES]
    return (run / "manifest.json").read_text("utf-8"), tables


# What is no export ----------------------------------------------------------------------


def refused(desk, path, slug):
    """Ingest what can't be: one line that says why, and no run."""
    done = desk.type("ingest", path)
    assert (done.code, done.out, done.slugs) == (1, "", [slug]), done
    assert desk.runs() == []
    return done.err


@pytest.mark.parametrize(("container", "what"), [("parquetdir", "parquet"), ("arrowdir", "arrow")])
def test_one_file_of_an_export_asks_for_its_folder(desk, trace, container, what):
    folder = write_folder(trace, container)
    said = refused(desk, folder / f"CUPTI_ACTIVITY_KIND_KERNEL.{what}", "unknown-format")
    assert f"is one table of an export: give its folder, `nsys-walls ingest {folder}`" in said


def test_a_table_far_from_its_export_says_what_is_expected(desk, trace):
    alone = desk.folder / "alone"
    alone.mkdir()
    kernels = tables_of(trace)["CUPTI_ACTIVITY_KIND_KERNEL"]
    for container, what in (("parquetdir", "a Parquet file"), ("arrowdir", "an Arrow file"),
                            ("arrow stream", "an Arrow stream")):  # fmt: skip
        path = write_table(alone, "kernels", kernels, container)
        said = refused(desk, path, "unknown-format")
        assert f"is {what}: expected a folder that `nsys export --type parquetdir`" in said


def test_the_folder_around_an_export_names_it(desk, trace):
    around = desk.folder / "my runs"
    around.mkdir()
    inner = write_folder(trace, folder=around / "step_pqtdir")
    said = refused(desk, around, "not-a-file")
    assert f"holds an export: `nsys-walls ingest '{inner}'`" in said
    write_folder(trace, folder=around / "other_pqtdir")
    said = refused(desk, around, "not-a-file")
    assert "holds 2 exports: give those of one run (other_pqtdir, step_pqtdir)" in said


def test_a_folder_without_an_export_says_what_it_holds(desk):
    folder = desk.folder / "data"
    folder.mkdir()
    assert "is an empty folder; expected files" in refused(desk, folder, "not-a-file")
    for name in "abcdef":
        (folder / f"{name}.txt").touch()
    (folder / "nested").mkdir()
    said = refused(desk, folder, "not-a-file")
    assert "it holds a.txt, b.txt, c.txt, d.txt, e.txt, ...); expected files, or a folder" in said


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_a_pipe_is_not_waited_for(desk):
    os.mkfifo(desk.folder / "pipe.parquet")
    assert "a device or a pipe" in refused(desk, desk.folder / "pipe.parquet", "not-a-file")
    assert "it holds pipe.parquet" in refused(desk, desk.folder, "not-a-file")


# What is damaged ------------------------------------------------------------------------

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "is a Git LFS pointer"),
        (b"<!doctype html>", "is no Parquet and no Arrow file"),
        (b"PAR1" + b"\0" * 100, "can't be read"),
        (b"ARROW1\0\0" + b"x" * 100, "can't be read"),
        (b"\xff\xff\xff\xff" + b"\x10" * 100, "can't be read"),
    ],
)
def test_a_damaged_table_is_named(desk, trace, content, words):
    folder = write_folder(trace)
    (folder / f"{KERNELS}.parquet").write_bytes(content)
    said = refused(desk, folder, "damaged-file")
    assert f"step_pqtdir: damaged: {KERNELS}.parquet {words}" in said
    assert "`nsys export --type parquetdir --force-overwrite true REPORT.nsys-rep`" in said


@pytest.mark.parametrize("container", ["parquetdir", "arrowdir"])
def test_a_table_that_was_cut_short_is_named(desk, trace, container):
    folder = write_folder(trace, container)
    (path,) = folder.glob(f"{KERNELS}.*")
    path.write_bytes(path.read_bytes()[:-30])
    said = refused(desk, folder, "damaged-file")
    assert f"{path.name} can't be read" in said
    assert f"--type {container} " in said


def test_tables_that_nobody_asked_for_are_not_opened(desk, trace):
    folder = write_folder(trace)
    (folder / "PROCESSES.parquet").write_bytes(b"garbage")
    (folder / "readme.txt").write_text("no table", "utf-8")
    (folder / "._StringIds.parquet").write_bytes(b"what a Mac leaves behind")
    assert desk.report(folder)["totals"]["launches"] == 3


def test_a_link_to_nothing_is_named(desk, trace):
    folder = write_folder(trace)
    (folder / f"{KERNELS}.parquet").unlink()
    (folder / f"{KERNELS}.parquet").symlink_to("gone")
    said = refused(desk, folder, "unreadable")
    assert f"{KERNELS}.parquet can't be read: No such file or directory" in said


def test_two_files_of_one_table_are_not_chosen_from(desk, trace):
    folder = write_folder(trace)
    write_table(folder, KERNELS, tables_of(trace)[KERNELS], "arrowdir")
    said = refused(desk, folder, "unknown-format")
    assert f"two files of one table, {KERNELS}.arrow and {KERNELS}.parquet" in said


def test_two_strings_of_one_number_are_not_chosen_from(desk, trace):
    folder = write_folder(trace)
    strings = tables_of(trace)["StringIds"]
    write_table(folder, "StringIds", strings.take([0, 0, *range(len(strings))]))
    said = refused(desk, folder, "damaged-file")
    assert "StringIds.parquet has two rows of one id" in said


def test_an_export_without_its_strings_is_not_guessed_at(desk, trace):
    folder = write_folder(trace)
    (folder / "StringIds.parquet").unlink()
    said = refused(desk, folder, "not-an-nsys-export")
    assert "step_pqtdir: a folder of tables, but no whole export (it holds " in said
    assert "expected StringIds" in said


def test_a_table_without_its_columns_is_as_in_a_sqlite_export(desk, trace):
    folder = write_folder(trace)
    kernels = tables_of(trace)[KERNELS]
    write_table(folder, KERNELS, kernels.drop_columns(["streamId"]))
    said = refused(desk, folder, "unknown-schema")
    assert f"step_pqtdir: table {KERNELS} has no column streamId" in said
    write_table(folder, KERNELS, kernels.select(["contextId"]))
    assert "has no column start, end" in refused(desk, folder, "unknown-schema")


def test_a_trace_without_kernels_says_so_by_the_name_of_the_folder(desk):
    folder = write_folder(desk.trace("idle.sqlite", kernels=[]))
    said = refused(desk, folder, "no-kernels")
    assert "idle_pqtdir: no kernels: its table of kernels is empty" in said


def test_no_room_for_the_copy_is_one_line(desk, trace, monkeypatch):
    folder = write_folder(trace)
    monkeypatch.setattr(
        "nsys_walls.sources.nsys_arrow.copy._PRAGMAS", ("PRAGMA max_page_count = 2",)
    )
    said = refused(desk, folder, "no-room")
    assert "step_pqtdir: its tables can't be copied to a temporary file: database or disk" in said
    assert "TMPDIR" in said
    monkeypatch.setattr("tempfile.tempdir", str(desk.folder / "gone"))
    said = refused(desk, folder, "no-room")
    assert "can't be copied to a temporary file: No such file or directory; make room" in said


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_trace_and_its_export_in_another_container_count_once(desk, container):
    path = desk.trace(name="run.sqlite", kernels=series("gemm(float *)", [9_000, 11_000]))
    folder = write_folder(path, container, folder=desk.folder / "run_export")
    done = desk.ingest(path, folder)
    assert done.slugs == ["same-launches"]
    assert "run_export holds the same launches as run.sqlite" in done.err
    assert desk.document()["totals"]["launches"] == 2
    # later, it takes the other's place
    assert desk.ingest(folder, "--run", "run").slugs == []
    document = desk.document()
    assert [source["file"] for source in document["run"]["sources"]] == ["run_export"]
    assert document["totals"]["launches"] == 2
