"""Analyses without the names that a program and its files have."""

from dataclasses import replace

import pytest
from support.runs import analyse_rows, trace_rows

from nsys_walls.errors import Notice
from nsys_walls.reports.redact import redacted
from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.hardware import all_hardware
from nsys_walls.roofline.layout import Layout
from nsys_walls.roofline.links import LinkWall
from nsys_walls.roofline.ranges import RangeNode, RangeTotal, RangeTotals
from nsys_walls.roofline.waits import WaitPlace, Waits, WaitTotal
from nsys_walls.store.manifest import Manifest
from nsys_walls.store.recurrence import Recurrence
from nsys_walls.store.selection import Selection
from nsys_walls.store.waits import Wait
from nsys_walls.texts import text


@pytest.fixture
def analysis(tmp_path):
    """Analyse one launch, without any range."""
    return analyse_rows(tmp_path, trace_rows([(0, 4, 0, 0, 7)]))


def total(name, time_ns=5):
    return RangeTotal(name=name, launches=1, time_ns=time_ns, self_time_ns=5, time_by_wall_ns={})


def node(name):
    return RangeNode(
        name=name, launches=1, time_ns=5, self_time_ns=5, time_by_wall_ns={}, node=0, parent=None,
        depth=0,
    )  # fmt: skip


def with_ranges(analysis, *names, tree=(), innermost=()):
    totals = RangeTotals(
        by_name=tuple(map(total, names)),
        tree=tuple(map(node, tree)),
        nodes=len(tree),
        innermost=dict(innermost),
    )
    return replace(analysis, ranges=totals)


def wait_in(name):
    wait = Wait(
        waits_for="sync", gaps=1, time_ns=9, median_ns=9, longest_ns=9, in_call_ns=0
    )  # fmt: skip
    place = None if name is None else WaitPlace(name=name, time_ns=9)
    return WaitTotal(wait=wait, place=place)


def test_ranges_are_numbered_and_equal_names_are_equal(analysis):
    secret = with_ranges(analysis, "the", "a", tree=("a", "of"), innermost={0: "of"})
    found = redacted(secret).ranges
    assert [row.name for row in found.by_name] == ["range 1", "range 2"]
    assert [row.name for row in found.tree] == ["range 2", "range 3"]
    assert found.innermost == {0: "range 3"}


def test_what_reports_call_themselves_is_no_name(analysis):
    secret = with_ranges(analysis, "a", "", "(outside)", "(other ranges)")
    secret = replace(secret, selection=Selection(nvtx=("",)))
    found = redacted(secret)
    assert [row.name for row in found.ranges.by_name] == [
        "range 1", "", "(outside)", "(other ranges)",
    ]  # fmt: skip
    assert found.selection.nvtx == ("",)


@pytest.mark.parametrize(
    ("ranges", "pattern", "shown"),
    [
        (("outer", "step 7", "step 8"), "step *", "range 2 *"),
        (("outer", "step"), "step", "range 2"),
        (("aten::mm, sizes = [[2, 3]]",), "aten::mm, sizes = [[*, *]], input_op_ids = [(*,*)]",
         "range 1 *"),
        # none of them is among the heaviest ranges
        (("outer",), "step *", "range 2 *"),
    ],
)  # fmt: skip
def test_ranges_that_differ_in_numbers_are_named_by_the_heaviest(analysis, ranges, pattern, shown):
    secret = with_ranges(analysis, *ranges)
    step = Recurrence(per_step=1, steps=2, range=pattern)
    layout = Layout(kernels={0: step}, copies=step)
    found = redacted(replace(secret, around=replace(secret.around, layout=layout))).around.layout
    assert found.kernels[0].range == found.copies.range == shown


def test_launches_at_a_fixed_distance_have_no_name(analysis):
    step = Recurrence(per_step=1, steps=2, distance=5)
    around = replace(analysis.around, layout=Layout(kernels={0: step}))
    assert redacted(replace(analysis, around=around)).around.layout == around.layout


def test_a_typed_pattern_is_named_by_the_first_range_that_it_fits(analysis):
    secret = with_ranges(analysis, "attention", "attn", "decode [1]")
    typed = ("decode", "att*", "attn", "decode [1]")
    found = redacted(replace(secret, selection=Selection(nvtx=typed, kernel="gemm")))
    assert found.selection == Selection(
        nvtx=("range 4 *", "range 1 *", "range 2", "range 3"), kernel="gemm"
    )


def test_where_the_gpu_waits_is_numbered(analysis):
    secret = with_ranges(analysis, "the")
    waits = Waits(totals=tuple(map(wait_in, ("the", None, "elsewhere"))))
    found = redacted(replace(secret, around=replace(secret.around, waits=waits)))
    assert [row.place and row.place.name for row in found.around.waits.totals] == [
        "range 1", None, "range 2",
    ]  # fmt: skip


def test_files_and_the_run_are_numbered(analysis):
    rows = analysis.manifest.sources * 3
    rows = [replace(row, file=file) for row, file in zip(rows, ("a", "the", "a"), strict=True)]
    secret = replace(analysis, manifest=Manifest(run="kernel", sources=tuple(rows)))
    found = redacted(secret).manifest
    assert found.run == "run"
    assert [row.file for row in found.sources] == ["file 1", "file 2", "file 1"]


def test_warnings_keep_their_words_and_lose_their_files(analysis):
    (row,) = analysis.manifest.sources
    told = (
        Notice("same-launches", text("notice.same_file", file="is", other_file=row.file)),
        Notice("odd", text("notice.stored", message="secret.sqlite is odd")),
        Notice("graph-hidden", text("notice.graphs", time="5 ns")),
        Notice("x", text("notice.slow_launch", launches=7)),
    )
    found = redacted(replace(analysis, warnings=told)).warnings
    assert found[0].message == "file 2 is the same as file 1: it is counted once."
    assert (found[1].code, found[1].message) == ("odd", "…")
    assert found[2:] == told[2:]


def described(analysis, hw):
    """Let the user have described the GPU in a file."""
    (device,) = analysis.devices
    walls = device.walls
    cited = text("document.given", file="my gpu.toml")
    hardware = replace(all_hardware()[0], id="my gpu")
    walls = replace(walls, hardware=hardware, documents={"fp32": cited})
    link = LinkWall(kind="pcie", bytes_per_s=1e9, traffic_factor=1, document=cited)
    copy = CopyTotal(
        device=0, operation="host_to_device", source_memory=None, target_memory=None, copies=1,
        bytes=1, time_ns=1, union_ns=1, median_bytes_per_s=1e9, traffic_bytes=1, bytes_per_s=1e9,
        link=link, link_ratio=1.0, hidden_ns=0, exposed_ns=1, notes=(),
    )  # fmt: skip
    said = text("notice.hardware_contradicts", device="0", hardware="my gpu", says="'T4'")
    return replace(
        analysis,
        options=replace(analysis.options, hw=hw),
        devices=(replace(device, walls=walls),),
        around=replace(analysis.around, copies=(copy, replace(copy, link=None))),
        warnings=(Notice("hw-contradicts-trace", said),),
    )


@pytest.mark.parametrize("hw", ["/home/someone/my gpu.toml", "C:\\mine\\my gpu.toml"])
def test_the_file_of_a_gpu_is_a_file(analysis, hw):
    found = redacted(described(analysis, hw))
    assert found.options.as_typed()[:2] == ["--hw", "file 2"]
    (device,) = found.devices
    assert device.walls.hardware.id == "file 2"
    assert str(device.walls.documents["fp32"]) == "file 2"
    copy, other = found.around.copies
    assert (str(copy.link.document), other.link) == ("file 2", None)
    assert "--hw file 2 is used as asked" in found.warnings[0].message


def test_a_gpu_of_the_table_keeps_its_name(analysis):
    secret = described(analysis, "my gpu")
    found = redacted(secret)
    assert (found.options, found.warnings) == (secret.options, secret.warnings)
    assert found.devices[0].walls.hardware.id == "my gpu"
