"""What can't be understood as typed is one line with a slug, and exit code 2."""

import pytest
from support.nsys_traces import kernel, nvtx
from support.pipeline import Desk

from nsys_walls.roofline.walls import WallOptions


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["frob"], "No such command 'frob'; see `nsys-walls --help`."),
        (["ingest"], "Missing argument"),
        (["report", "--jobs"], "No such option: --jobs; see `nsys-walls report --help`."),
        (["ingest", "--jobs", "0", "x"], "--jobs"),
        (["report", "--device", "x"], "--device"),
    ],
)
def test_usage_errors_are_one_line(desk, words, told):
    done = desk.type(*words)
    assert (done.code, done.slugs, done.out) == (2, ["usage"], "")
    assert told in done.err


def test_nothing_typed_is_the_help(desk):
    done = desk.type()
    assert done.code == 2
    assert "ingest" in done.out + done.err


@pytest.fixture
def traced(desk):
    desk.ingest(desk.trace(name="secret-run.sqlite", kernels=[kernel()],
                           nvtx=[nvtx(0, 1_000, "secret-range")]))  # fmt: skip
    return desk


def test_a_language_that_is_none_is_refused(traced):
    done = traced.type("report", "--lang", "tlh")
    assert (done.code, done.slugs) == (2, ["option-value"])
    assert "there are: en, zh" in done.err


def test_a_report_can_be_in_chinese_and_without_names(traced):
    done = traced.type("report", "--lang", "zh", "--redact-names", "--format", "md", "-o", "-")
    assert done.code == 0
    assert "GPU 时间" in done.out
    assert "secret" not in done.out


def test_a_window_of_two_kinds_of_edges_is_judged_on_the_trace(traced):
    assert traced.type("report", "--window", "0s:100%", "--format", "csv", "-o", "-").code == 0
    done = traced.type("report", "--window", "1h:")
    assert (done.code, done.slugs) == (2, ["option-value"])


def test_options_are_written_as_typed():
    options = WallOptions(
        hw="/home/someone/my-gpu.toml", bandwidth_bytes_per_s=2.039e12,
        peak_flop_per_s={"fp32": 1.95e13}, near_ratio=0.7, balance_factor=0.25,
    )  # fmt: skip
    assert options.as_typed() == [
        "--hw", "my-gpu.toml", "--bandwidth", "2.039e+12B/s", "--peak", "fp32=1.95e+13FLOP/s",
        "--near", "0.7", "--balance-factor", "0.25",
    ]  # fmt: skip
    assert WallOptions().as_typed() == []
