"""The levels of the join, one class each, and the rules about devices and names."""

import csv

import pytest

from nsys_walls.join.match import join
from nsys_walls.join.profiles import merge

OTHER = (8, 1, 1)


@pytest.fixture
def joined(bytes_of):
    """Join, and return what each kernel found."""
    return lambda kernels, profiles: join(kernels, profiles, bytes_of).joined


@pytest.fixture
def one(joined):
    """Join one kernel."""
    return lambda kernel, *profiles: joined([kernel], profiles)[0]


def test_nothing_to_join(bytes_of):
    result = join([], [], bytes_of)
    assert (result.joined, result.unmatched) == ((), ())


def test_lists_in_another_order_and_with_other_members(traced, profile, bytes_of):
    kernels = [traced("a(float *)"), traced("b(float *)"), traced("c(float *)")]
    profiles = [profile("once(float *)"), profile("c(float *)", 30.0), profile("a(float *)", 10.0)]
    result = join(kernels, profiles, bytes_of)
    assert [row.level for row in result.joined] == ["shape", "none", "shape"]
    assert [bytes_of(row.values or {}) for row in result.joined] == [10.0, None, 30.0]
    assert str(result.joined[1].reason) == "no profiled launch has this name: profile it with ncu"
    assert [row.name for row in result.unmatched] == ["once(float *)"]


class TestLaunch:
    def test_all_launches_pair_by_order(self, traced, profile, one):
        # ID order, not file order
        profiles = [profile(nbytes=float(number), launch_id=number) for number in (2, 0, 1)]
        found = one(traced(launches=3), *profiles)
        assert found.level == "launch"
        assert [row["dram__bytes.sum"] for row in found.per_launch] == [0.0, 1.0, 2.0]
        assert str(found.reason) == "all 3 launches of this shape were profiled, in this order"
        assert found.profiled_launches == 3
        assert found.values == {"dram__bytes.sum": 1.0}

    @pytest.mark.parametrize(
        "facts",
        [
            [{"launch_id": 0}],
            [{"launch_id": 0}, {"launch_id": 0}],
            [{"launch_id": 0}, {"launch_id": None}],
            [{"launch_id": 0}, {"launch_id": 1, "process": 8}],
            [{"process": None}, {"launch_id": 1, "process": None, "source": 1}],
            [{"launch_id": 0}, {"launch_id": 1, "launches": 5}],
            [{"launch_id": 0}, {"launch_id": 1}, {"launch_id": 2}],
        ],
        ids=["one", "equal IDs", "no ID", "processes", "files", "summary", "more than traced"],
    )
    def test_order_or_count_not_known(self, traced, profile, one, facts):
        found = one(traced(launches=2), *(profile(**row) for row in facts))
        assert found.level == "shape"
        assert found.per_launch == ()

    def test_one_launch_is_no_order(self, traced, profile, one):
        assert one(traced(launches=1), profile()).level == "shape"

    def test_files_of_one_process_share_their_ids(self, traced, profile, one):
        profiles = [profile(launch_id=number, source=number) for number in (0, 1)]
        assert one(traced(launches=2), *profiles).level == "launch"
        unknown = [profile(launch_id=number, process=None) for number in (0, 1)]
        assert one(traced(launches=2), *unknown).level == "launch"

    def test_without_shapes_name_and_count_agree(self, traced, profile, one):
        old = [profile(nbytes=size, launch_id=number, grid=None, block=None)
               for number, size in enumerate((5.0, 500.0))]  # fmt: skip
        found = one(traced(launches=2), *old)
        assert found.level == "launch"
        assert [row["dram__bytes.sum"] for row in found.per_launch] == [5.0, 500.0]
        shapes = [profile(launch_id=0), profile(launch_id=1, grid=OTHER)]
        assert one(traced(launches=2, grid=None, min_ns=1, max_ns=99), *shapes).level == "launch"

    def test_a_name_on_two_devices_has_no_one_order(self, traced, profile, joined):
        kernels = [traced(launches=2, device=device) for device in (0, 1)]
        old = [profile(launch_id=number, grid=None, device=None) for number in (0, 1)]
        assert [row.level for row in joined(kernels, old)] == ["name", "name"]
        new = [profile(launch_id=number, device=None) for number in (0, 1)]
        assert [row.level for row in joined(kernels, new)] == ["shape", "shape"]

    def test_a_summary_has_no_order(self, traced, profile, one):
        kernel = traced(launches=2, grid=None, block=None, from_summary=True)
        found = one(kernel, profile(launch_id=0), profile(launch_id=1))
        assert found.level == "name"


class TestShape:
    def test_one_name_at_two_shapes_is_two_kernels(self, traced, profile, joined):
        kernels = [traced(grid=(4, 1, 1), launches=9), traced(grid=OTHER, launches=9)]
        profiles = [profile(nbytes=8.0, grid=OTHER), profile(nbytes=4.0, grid=(4, 1, 1))]
        found = joined(kernels, profiles)
        assert [row.level for row in found] == ["shape", "shape"]
        assert [row.values["dram__bytes.sum"] for row in found] == [4.0, 8.0]
        assert str(found[0].reason) == "1 profiled launch of this shape"

    def test_block_counts_too(self, traced, profile, one):
        assert one(traced(), profile(block=(64, 1, 1))).level == "none"

    @pytest.mark.parametrize(
        ("printed", "expected"), [(16_380, 16_384), (16_384, 16_384), (16_640, 16_640)]
    )
    def test_shared_memory_tells_kernels_apart(self, traced, profile, joined, printed, expected):
        # 16.38 Kbyte is 16 384 in automatic units
        sizes = [16_384, 16_640]
        kernels = [traced(dynamic_shared_bytes=size, launches=5) for size in sizes]
        found = joined(kernels, [profile(dynamic_shared_bytes=printed)])
        levels = {size: row.level for size, row in zip(sizes, found, strict=True)}
        assert levels.pop(expected) == "shape"
        assert set(levels.values()) == {"none"}

    def test_unknown_shared_memory_fits_if_there_is_one(self, traced, profile, joined):
        small, large = traced(dynamic_shared_bytes=0), traced(dynamic_shared_bytes=9000)
        assert joined([large], [profile()])[0].level == "shape"
        found = joined([small, large], [profile()])
        assert [row.level for row in found] == ["ambiguous", "ambiguous"]
        assert "launch__shared_mem_per_block_dynamic" in str(found[0].reason)
        # what is known goes first
        both = joined([small, large], [profile(), profile(nbytes=1.0, dynamic_shared_bytes=0)])
        assert both[0].level == "shape"
        assert both[0].values == {"dram__bytes.sum": 1.0}

    def test_summaries_count_all_their_launches(self, traced, profile, one):
        found = one(traced(launches=14), profile(launches=14, launch_id=None))
        assert (found.level, found.profiled_launches) == ("shape", 14)

    def test_a_bare_function_name_is_decided_by_shape(self, traced, profile, joined):
        kernels = [
            traced("void norm<float>(const T1 *, T1 *)", grid=(4, 1, 1)),
            traced("void norm<__half>(const T1 *, T1 *)", grid=OTHER),
        ]
        profiles = [profile("norm", 11.0, grid=(4, 1, 1)), profile("norm", 22.0, grid=OTHER)]
        found = joined(kernels, profiles)
        assert [row.level for row in found] == ["shape", "shape"]
        assert [row.values["dram__bytes.sum"] for row in found] == [11.0, 22.0]


class TestName:
    def test_old_headers_and_one_traced_shape(self, traced, profile, one):
        found = one(traced(launches=9), profile(grid=None, block=None))
        assert found.level == "name"
        assert (
            str(found.reason)
            == "the counters have no launch shape, the trace has one under this name"
        )

    @pytest.mark.parametrize(
        ("amounts", "level"),
        [([100.0, 104.0, 110.0], "name"), ([100.0, 100.0, 111.0], "ambiguous"),
         ([None, None], "ambiguous"), ([None], "name"), ([0.0, 0.0], "name"),
         ([0.0, 0.0, 9.0], "ambiguous")],
    )  # fmt: skip
    def test_old_headers_must_not_mix_shapes(self, traced, profile, one, amounts, level):
        # (110 - 100) / 104 is 9.6 %, (111 - 100) / 100 is 11 %
        profiles = [profile(nbytes=amount, grid=None) for amount in amounts]
        assert one(traced(launches=9), *profiles).level == level

    def test_a_summary_row_of_an_old_header_counts_as_several(self, traced, profile, one):
        found = one(traced(launches=9), profile(grid=None, launches=5, launch_id=None))
        assert found.level == "ambiguous"

    def test_mixed_bytes_are_said(self, traced, profile, one):
        profiles = [profile(nbytes=size, grid=None) for size in (100.0, 300.0)]
        found = one(traced(launches=9), *profiles)
        assert str(found.reason) == (
            "2 profiled launches without launch shape share this name and their DRAM bytes "
            "differ by 100 %: profile with an ncu that prints grid and block"
        )
        assert found.values is None

    @pytest.mark.parametrize(
        ("facts", "level"),
        [
            ({"min_ns": 1000, "max_ns": 1500}, "name"),
            ({"min_ns": 1000, "max_ns": 1501}, "ambiguous"),
            ({"min_ns": None, "max_ns": 1500}, "ambiguous"),
            ({"min_ns": 0, "max_ns": 0}, "ambiguous"),
            ({"min_ns": 900, "max_ns": None}, "ambiguous"),
            ({"min_ns": None, "max_ns": None, "launches": 1}, "name"),
        ],
        ids=str,
    )
    def test_a_summary_must_be_steady(self, traced, profile, one, facts, level):
        kernel = {"grid": None, "block": None, "from_summary": True, "launches": 7}
        assert one(traced(**(kernel | facts)), profile()).level == level

    def test_unsteady_times_are_said(self, traced, profile, one):
        kernel = {"grid": None, "launches": 20, "min_ns": 100, "max_ns": 3800}
        found = one(traced(from_summary=True, **kernel), profile())
        assert str(found.reason) == (
            "20 launches share this name in the summary and their times differ 38.0-fold, "
            "so it mixes shapes: export cuda_gpu_trace or SQLite"
        )
        assert found.values == {"dram__bytes.sum": 640.0}
        assert "a trace without launch shapes" in str(one(traced(**kernel), profile()).reason)
        unknown = one(traced(**(kernel | {"max_ns": None})), profile())
        assert "differ by an unknown factor" in str(unknown.reason)

    def test_a_summary_is_of_all_devices(self, traced, profile, one):
        kernel = traced(grid=None, launches=3, from_summary=True)
        found = one(kernel, profile(device=1))
        assert found.level == "name"
        assert str(found.reason) == (
            "the trace has no launch shapes, but steady times under this name (max/min 1.00)"
        )

    def test_several_profiled_shapes_are_not_one(self, traced, profile, one):
        kernel = traced(grid=None, launches=9)
        found = one(kernel, profile(), profile(grid=OTHER))
        assert found.level == "ambiguous"
        assert str(found.reason) == (
            "counters of 2 launch shapes fit, the trace has no shapes: "
            "export cuda_gpu_trace or SQLite"
        )
        assert one(kernel, profile(), profile(launch_id=1)).level == "name"

    def test_only_shared_memory_differs(self, traced, profile, joined):
        kernel = traced(dynamic_shared_bytes=4096, launches=5)
        (found,) = joined([kernel], [profile(dynamic_shared_bytes=512)])
        assert found.level == "name"
        assert str(found.reason) == "one launch shape on both sides, but for dynamic shared memory"
        several = [profile(dynamic_shared_bytes=512), profile(dynamic_shared_bytes=600)]
        (found,) = joined([kernel], several)
        assert found.level == "none"
        assert (
            str(found.reason) == "profiled with other dynamic shared memory only: profile this one"
        )


class TestAmbiguous:
    def test_one_function_name_and_shape_for_two_instances(self, traced, profile, bytes_of):
        kernels = [traced("void norm<float>(T1 *)"), traced("void norm<__half>(T1 *)")]
        profiles = [profile("norm", 70.0), profile("norm", 35.0, launch_id=1)]
        result = join(kernels, profiles, bytes_of)
        assert [row.level for row in result.joined] == ["ambiguous", "ambiguous"]
        # neither of them moves the mean of both
        assert [row.values for row in result.joined] == [None, None]
        assert str(result.joined[0].reason) == (
            "its counters fit 2 traced kernels (void norm<__half>(T1 *), void norm<float>(T1 *)): "
            "collect with ncu --print-kernel-base demangled --rename-kernels 0"
        )
        assert result.unmatched == ()

    def test_casts_that_were_not_printed(self, traced, profile, joined):
        kernels = [traced("void k<(int)1>(T1 *)"), traced("void k<(bool)1>(T1 *)")]
        found = joined(kernels, [profile("void k<1>(T1 *)")])
        assert [row.level for row in found] == ["ambiguous", "ambiguous"]
        found = joined(kernels, [profile("void k<(bool)1>(T1 *)")])
        assert [row.level for row in found] == ["none", "shape"]
        # with only one of them traced, nothing else could have been meant
        assert joined(kernels[:1], [profile("void k<1>(T1 *)")])[0].level == "shape"
        assert joined(kernels[:1], [profile("void k<(bool)1>(T1 *)")])[0].level == "none"

    def test_namespaces_that_were_not_printed(self, traced, profile, joined):
        kernels = [traced("a::k(float *)"), traced("b::k(float *)")]
        found = joined(kernels, [profile("k(float *)")])
        assert [row.level for row in found] == ["ambiguous", "ambiguous"]
        found = joined(kernels, [profile("k(float *)", 5.0), profile("a::k(float *)", 9.0)])
        assert [row.level for row in found] == ["shape", "ambiguous"]
        assert found[0].values == {"dram__bytes.sum": 9.0}

    def test_counters_of_two_kernels_fit_one(self, traced, profile, one):
        kernel = traced("k", grid=None, launches=5)
        found = one(kernel, profile("a::k(int)"), profile("b::k(int)"))
        assert found.level == "ambiguous"
        assert str(found.reason) == (
            "counters of different kernels fit this name (a::k(int), b::k(int)): "
            "trace with full names"
        )
        assert one(traced("k"), profile("a::k(int)"), profile("b::k(int)")).level == "ambiguous"

    def test_old_headers_and_several_traced_shapes(self, traced, profile, joined):
        kernels = [traced(), traced(grid=OTHER)]
        found = joined(kernels, [profile(grid=None)])
        assert [row.level for row in found] == ["ambiguous", "ambiguous"]
        assert str(found[0].reason) == (
            "the counters have no launch shape, the trace has 2 under this name: "
            "profile with an ncu that prints grid and block"
        )

    def test_two_names_in_a_summary(self, traced, profile, joined):
        kernels = [traced(name, grid=None) for name in ("void k<float>(T1 *)", "void k<int>(T1 *)")]
        found = joined(kernels, [profile("k")])
        assert [row.level for row in found] == ["ambiguous", "ambiguous"]
        assert "its counters fit 2 traced kernels" in str(found[0].reason)

    def test_long_names_are_cut_and_counted(self, traced, profile, joined):
        kernels = [traced(f"void k<{letter * 90}>(T1 *)") for letter in "abcde"]
        reason = str(joined(kernels, [profile("k")])[0].reason)
        assert "fit 5 traced kernels" in reason
        assert "… and 2 more): collect" in reason
        assert len(reason) < 350


class TestNone:
    def test_another_launch_shape(self, traced, profile, bytes_of):
        result = join([traced()], [profile(grid=(8, 2, 1))], bytes_of)
        (found,) = result.joined
        assert (found.level, found.values) == ("none", None)
        assert str(found.reason) == (
            "profiled at another launch shape only (grid 8×2×1, block 128×1×1): profile this one"
        )
        assert len(result.unmatched) == 1

    def test_several_other_shapes(self, traced, profile, one):
        found = one(traced(), profile(grid=(16, 1, 1)), profile(grid=(8, 1, 1)))
        assert "(grid 8×1×1, block 128×1×1 and 1 more)" in str(found.reason)

    def test_a_collective(self, traced, profile, one):
        kernel = traced("ncclDevKernel_AllReduce(Args)", is_communication=True)
        found = one(kernel, profile())
        assert found.level == "none"
        assert str(found.reason) == "collectives are not profiled: ncu can't replay one rank alone"
        assert one(kernel, profile("ncclDevKernel_AllReduce(Args)")).level == "shape"

    def test_a_closer_kernel_has_that_name(self, traced, profile, joined):
        kernels = [traced("k"), traced("void k<float>(T1 *)")]
        found = joined(kernels, [profile("k")])
        assert [row.level for row in found] == ["shape", "none"]
        assert str(found[1].reason) == "no profiled launch has this name: profile it with ncu"


class TestDevices:
    def test_own_device_first(self, traced, profile, joined):
        kernels = [traced(device=0, launches=5), traced(device=1, launches=5)]
        profiles = [profile(nbytes=10.0, device=0), profile(nbytes=20.0, device=1)]
        found = joined(kernels, profiles)
        assert [row.values["dram__bytes.sum"] for row in found] == [10.0, 20.0]

    def test_an_equal_part_borrows_at_shape(self, traced, profile, joined):
        kernels = [traced(device=0, launches=2), traced(device=1, launches=2)]
        profiles = [profile(launch_id=number, device=0) for number in (0, 1)]
        found = joined(kernels, profiles)
        assert [row.level for row in found] == ["launch", "shape"]
        assert str(found[1].reason) == (
            "2 profiled launches of this shape, on device 0, an equal part"
        )
        # alone, too, it is borrowed: never by order
        assert joined(kernels[1:], profiles)[0].level == "shape"

    @pytest.mark.parametrize(("own", "theirs"), [("8.0", None), (None, "8.0"), (None, None)])
    def test_an_unknown_part_does_not_borrow(self, traced, profile, one, own, theirs):
        found = one(traced(device=1, part=own), profile(device=0, part=theirs))
        assert found.level == "none"
        assert str(found.reason) == (
            "profiled on another device only, and not at this shape: profile this one"
        )

    def test_another_part_never(self, traced, profile, joined):
        for device in (0, 1, None):
            (found,) = joined([traced(part="9.0")], [profile(device=device, part="8.0")])
            assert found.level == "none"
            assert str(found.reason) == (
                "profiled on another part only (8.0), whose counters never fit"
            )

    def test_borrowing_needs_shapes(self, traced, profile, one):
        assert one(traced(device=1), profile(device=0, grid=None)).level == "none"
        assert one(traced(device=1, grid=None), profile(device=0)).level == "none"

    def test_only_the_very_kernel_borrows(self, traced, profile, joined):
        kernels = [traced("a::k(int)", device=0), traced("b::k(int)", device=1),
                   traced("a::k(int)", device=1)]  # fmt: skip
        found = joined(kernels, [profile("k(int)", device=0)])
        assert [row.level for row in found] == ["shape", "none", "shape"]

    def test_the_name_on_the_own_device_decides_whose_it_is(self, traced, profile, joined):
        # k(int) without namespace: device 0 ran a::k only, so these are not counters of b::k
        kernels = [traced("a::k(int)", device=0, grid=OTHER), traced("b::k(int)", device=1)]
        found = joined(kernels, [profile("k(int)", device=0)])
        assert [row.level for row in found] == ["none", "none"]
        assert joined(kernels[1:], [profile("k(int)", device=0)])[0].level == "shape"

    def test_a_profile_without_device_is_not_of_two_kernels(self, traced, profile, joined):
        kernels = [traced(f"{letter}::k(int)", device=device, grid=None, launches=3)
                   for device, letter in enumerate("ab")]  # fmt: skip
        found = joined(kernels, [profile("k(int)", device=None)])
        assert [row.level for row in found] == ["ambiguous", "ambiguous"]
        found = joined(kernels, [profile("a::k(int)", device=None)])
        assert [row.level for row in found] == ["name", "none"]

    def test_counters_without_device_on_different_parts(self, traced, profile, joined):
        kernels = [traced(device=0, part="8.0"), traced(device=1, part="9.0")]
        for facts in ({}, {"grid": None}):
            found = joined(kernels, [profile(device=None, part=None, **facts)])
            assert [row.level for row in found] == ["ambiguous", "ambiguous"]
            assert "different parts" in str(found[0].reason)
        known = joined(kernels, [profile(device=None, part="9.0")])
        assert [row.level for row in known] == ["none", "shape"]

    def test_counters_of_two_parts(self, traced, profile, one):
        found = one(traced(part=None), profile(part="8.0"), profile(part="9.0"))
        assert found.level == "ambiguous"
        assert str(found.reason) == "counters of different parts fit (8.0, 9.0)"


class TestNames:
    def test_mangled_counters(self, traced, profile, joined):
        mangled = "_ZN4core4fillIfEEvPT_"
        with_mangled = traced("void core::fill<float>(T1 *)", mangled=mangled)
        without = traced("void core::fill<float>(T1 *)")
        for kernel in (with_mangled, without):
            assert joined([kernel], [profile(mangled)])[0].level == "shape"
            assert joined([kernel], [profile("_ZN4core4fillIiEEvPT_")])[0].level == "none"

    def test_mangled_counters_that_can_not_be_read(self, traced, profile, joined):
        mangled = "_ZN4core4fillIXsrT_EEEvv"
        known = traced("void core::fill<(int)3>()", mangled=mangled)
        assert joined([known], [profile(mangled)])[0].level == "shape"
        other = traced("void core::fill<(int)3>()", mangled="_ZN4core4fillIXmlT_EEEvv")
        assert joined([other], [profile(mangled)])[0].level == "none"
        # without mangled names in the trace, the path is all there is to go by
        path = traced("void core::fill<(int)3>()")
        assert joined([path], [profile(mangled)])[0].level == "shape"

    def test_the_short_name_of_a_name_that_can_not_be_read(self, traced, profile, one):
        assert one(traced("odd)name", short="odd"), profile("odd")).level == "shape"

    def test_a_base_name_in_the_trace(self, traced, profile, one):
        assert one(traced("fill"), profile("void core::fill<float>(T1 *)")).level == "shape"


def _read(path, source, profile):
    """Read a details page of the real pair, as far as this test needs it."""
    scales = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "us": 1e3, "ns": 1}
    values, row = {}, {}
    for row in csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()):
        if row["Metric Value"] not in {"", "n/a"} and "__" in row["Metric Name"]:
            number = float(row["Metric Value"].replace(",", ""))
            values[row["Metric Name"]] = number * scales.get(row["Metric Unit"], 1)
    axes = [
        tuple(map(int, row[name].strip("()").split(","))) for name in ("Grid Size", "Block Size")
    ]
    return profile(
        row["Kernel Name"], source=source, process=int(row["Process ID"]), part=row["CC"],
        grid=axes[0], block=axes[1], values=values,
    )  # fmt: skip


def test_the_real_pair(real, traced, profile):
    folder = real("ncu/pair-rtx5090-llm")
    text = (folder / "nsys_cuda_gpu_kern_sum.csv").read_text(encoding="utf-8-sig")
    kernels = [
        traced(
            row["Name"], part=None, grid=None, block=None, dynamic_shared_bytes=None,
            launches=int(row["Instances"]), time_ns=int(row["Total Time (ns)"]),
            min_ns=int(row["Min (ns)"]), max_ns=int(row["Max (ns)"]), from_summary=True,
        )
        for row in csv.DictReader(text.splitlines())
    ]  # fmt: skip
    files = sorted(folder.glob("k*.csv"))
    profiles = merge([_read(path, source, profile) for source, path in enumerate(files)])
    assert len(files) == 45
    assert len(profiles) == 20
    assert not {kernel.full for kernel in kernels} & {row.name for row in profiles}
    joined = join(kernels, profiles, lambda values: values.get("dram__bytes_read.sum"))
    assert joined.unmatched == ()
    levels = [row.level for row in joined.joined]
    # the file lists kernels by falling time, and these 20 were profiled
    assert [number for number, level in enumerate(levels) if level == "name"] == [12, 15]
    assert levels.count("ambiguous") == 18
    assert "none" not in levels[:20]
    assert set(levels[20:]) == {"none"}
    for row in joined.joined[:20]:
        assert row.profiled_launches == 1
        assert row.level == "name" or "export cuda_gpu_trace or SQLite" in str(row.reason)
