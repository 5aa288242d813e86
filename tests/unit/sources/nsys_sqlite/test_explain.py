"""Traces without kernels, and databases that are no traces."""

import sqlite3
from contextlib import closing

import pytest
from support.nsys_traces import call, copy, execute, kernel, nvtx, read_trace

from nsys_walls.errors import InputError


def error_of(path):
    with pytest.raises(InputError) as caught:
        read_trace(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path.name}: ")
    return caught.value


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ({"calls": [call(0, 1)]}, "CUDA was called, but no kernel was traced on the GPU"),
        ({"copies": [copy(0, 1, 1)]}, "a GPU is listed, but nothing ran on it that was traced"),
        ({"gpus": [], "nvtx": [nvtx(0, 1, "a")]}, "it holds no CUDA calls and no GPU"),
        ({"kernels": []}, "its table of kernels is empty: nothing ran on the GPU"),
        (
            {"kernels": [kernel(9, 1), kernel(None, 1)]},
            "none of the 2 rows of kernels has a usable name, start and end",
        ),
    ],
)
def test_why_there_are_no_kernels(trace, rows, reason):
    error = error_of(trace(**rows))
    assert error.slug == "no-kernels"
    assert reason in str(error)
    assert "`nsys profile -t cuda,nvtx PROGRAM`" in str(error)


def said(*diagnostics):
    return {"calls": [call(0, 1)], "diagnostics": diagnostics}


def test_the_most_telling_warning_is_quoted(trace):
    error = error_of(
        trace(
            **said(
                (1, "CUDA driver version 1 is fine."),  # information
                (4, "CUDA driver version 2 was loaded."),  # verbose
                (2, "No OpenGL events collected."),
                (2, "Not all CUDA events might have been collected."),
                (2, "Installed CUDA driver version (13.9) is\nnot  supported by this build."),
                (3, "CUPTI failed."),
            )
        )
    )
    quoted = 'warned: "Installed CUDA driver version (13.9) is not supported by this build."'
    assert quoted in str(error)
    assert "use a newer Nsight Systems and trace again" in str(error)
    assert "OpenGL" not in str(error)


def test_warnings_about_other_things_are_not_quoted(trace):
    assert "warned" not in str(error_of(trace(**said((2, "No OpenGL events collected.")))))


def test_paths_and_people_are_not_quoted(trace):
    text = "CUDA trace by ann@host.example of /home/ann/acme/train, C:\\Users\\ann\\x.exe failed"
    error = str(error_of(trace(**said((3, text)))))
    assert '"CUDA trace by … of … … failed"' in error
    assert "ann" not in error


def test_long_warnings_are_cut(trace):
    error = str(error_of(trace(**said((3, "CUDA " + "x" * 1000)))))
    quoted = error.partition('"')[2].partition('"')[0]
    assert len(quoted) == 200
    assert quoted.endswith("x…")


def test_kernels_without_a_needed_column(trace):
    path = trace(kernels=[kernel()])
    execute(path, "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX")
    error = error_of(path)
    assert error.slug == "unknown-schema"
    assert "table CUPTI_ACTIVITY_KIND_KERNEL has no column gridX" in str(error)


@pytest.mark.parametrize(
    ("create", "shown"),
    [
        ("CREATE TABLE bookmarks (a); CREATE TABLE history (a)", "(it holds bookmarks, history)"),
        (
            ";".join(f"CREATE TABLE t{i} (a)" for i in range(9)),
            "(it holds t0, t1, t2, t3, t4, ...)",
        ),
        # nvprof's own database has CUPTI tables, too, but other strings
        (
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (a); CREATE TABLE StringTable (a)",
            "StringTable",
        ),
        ("CREATE TABLE StringIds (id, value)", "(it holds StringIds)"),
        ("CREATE TABLE a (a); DROP TABLE a", "(it holds no tables)"),
    ],
)
def test_another_database_is_named_for_what_it_holds(tmp_path, create, shown):
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(create)
    error = error_of(path)
    assert error.slug == "not-an-nsys-export"
    assert shown in str(error)
    assert "nsys export --type sqlite" in str(error)
