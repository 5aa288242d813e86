import pytest
from support.runs import ROUND_WALLS, analyse_rows, counter_row, store_run, trace_rows

from nsys_walls.errors import UsageError
from nsys_walls.roofline.analysis import analyse
from nsys_walls.roofline.run_devices import number_devices
from nsys_walls.roofline.walls import WallOptions


def devices(*rows):
    return {"devices": [{"gpu": gpu, **row} for gpu, row in enumerate(rows)]}


class TestDevices:
    def test_keep_their_ordinals(self, tmp_path):
        run = store_run(tmp_path, devices({"ordinal": 3}, {"ordinal": 1}))
        assert list(number_devices(run).by_gpu.values()) == [3, 1]

    def test_that_share_an_ordinal_get_the_next_free_number(self, tmp_path):
        run = store_run(
            tmp_path,
            devices({"ordinal": 0, "identity": "a"}, {"ordinal": 0, "identity": "b"},
                    {"ordinal": 1, "identity": "c"}),
        )  # fmt: skip
        assert list(number_devices(run).by_gpu.values()) == [0, 2, 1]

    def test_of_two_files_that_are_one_gpu_get_one_number(self, tmp_path):
        row = {"ordinal": 0, "identity": "a"}
        run = store_run(tmp_path, devices(row), devices(row))
        assert set(number_devices(run).by_gpu.values()) == {0}

    def test_without_a_trace_come_from_the_counters(self, tmp_path):
        rows = [counter_row(ordinal=1, device_name="NVIDIA A10"), counter_row(1, ordinal=1)]
        found = number_devices(store_run(tmp_path, {"counters": rows}))
        assert list(found.facts) == [1]
        assert (found.facts[1].name, found.part(1), found.part(5)) == ("NVIDIA A10", "8.0", None)

    def test_of_two_chips_under_one_ordinal_are_two(self, tmp_path):
        rows = [counter_row(), counter_row(1, compute_capability="9.0", dram_bytes=9000.0)]
        found = analyse_rows(tmp_path, {"counters": rows})
        assert {kernel.key.device: kernel.work.dram_bytes for kernel in found.kernels} == {
            0: 1000, 1: 9000,
        }  # fmt: skip
        assert [device.walls.facts.compute_capability for device in found.devices] == ["8.0", "9.0"]

    def test_counters_without_a_chip_belong_to_the_first_of_their_ordinal(self, tmp_path):
        rows = [counter_row(compute_capability=None), counter_row(1)]
        run = store_run(tmp_path, {"counters": rows})
        found = number_devices(run)
        assert (found.of_counters(0, None), found.of_counters(0, "8.0")) == (0, 0)


def test_a_kernel_with_counters_is_placed_by_its_median(tmp_path):
    # 1000 bytes need 1 ns of 4 ns: 25 % of the bandwidth wall; 1000 FLOP need 0.1 ns: 2.5 %
    rows = trace_rows([(0, 4, 0, 0, 7), (10, 4, 0, 0, 7), (20, 100, 0, 0, 7)])
    found = analyse_rows(tmp_path, rows, {"counters": [counter_row()]})
    (kernel,) = found.kernels
    assert (kernel.match.level, kernel.wall) == ("shape", "neither")
    assert kernel.placement.bandwidth_ratio == pytest.approx(0.25)
    assert kernel.placement.compute_ratio == pytest.approx(0.025)
    assert kernel.bytes_per_s == pytest.approx(250e9)
    # floor 1 ns: 3 + 3 + 99
    assert kernel.recoverable_ns == pytest.approx(105)
    assert kernel.ncu_time_ratio == pytest.approx(25)
    assert found.measured_time_ratio == 1


def test_where_every_launch_was_profiled_each_has_its_own_floor(tmp_path):
    # floors 1, 2 and 9 ns under launches of 4, 4 and 10 ns: 3 + 2 + 1
    rows = trace_rows([(0, 4, 0, 0, 7), (10, 4, 0, 0, 7), (20, 10, 0, 0, 7)])
    counters = [counter_row(i, dram_bytes=b) for i, b in enumerate((1000, 2000, 9000))]
    (kernel,) = analyse_rows(tmp_path, rows, {"counters": counters}).kernels
    assert kernel.match.level == "launch"
    assert kernel.recoverable_ns == pytest.approx(6)
    # the point itself shows the median of the counters
    assert kernel.work.dram_bytes == 2000
    assert kernel.match.spread_ratio == pytest.approx(4)


def test_collectives_keep_their_time_and_have_no_place(tmp_path):
    rows = trace_rows([(0, 4, 0, 0, 7), (5, 6, 1, 0, 7)], names=("k", "ncclDevKernel_AllReduce_X"))
    found = analyse_rows(tmp_path, rows, {"counters": [counter_row()]})
    waiting = found.kernels[0]
    assert (waiting.wall, waiting.placement, waiting.time_ns) == ("communication", None, 6)
    assert found.measured_time_ratio == pytest.approx(0.4)


def test_summaries_join_by_name_only(tmp_path):
    summary = {"name": "k", "launches": 4, "total_ns": 16, "mean_ns": 4.0, "min_ns": 4, "max_ns": 5}
    found = analyse_rows(tmp_path, {"summaries": [summary]}, {"counters": [counter_row()]})
    (kernel,) = found.kernels
    assert (kernel.match.level, kernel.key.grid) == ("name", None)
    # no median is printed by old versions: the mean serves, and that is said
    assert kernel.placement.bandwidth_ratio == pytest.approx(0.25)
    assert "mean duration" in str(kernel.notes[0])
    assert kernel.recoverable_ns == pytest.approx(16 - 4 * 1)
    assert found.devices[0].time is None


def test_summaries_beside_launches_would_count_twice(tmp_path):
    summary = {"name": "k", "launches": 1, "total_ns": 4}
    rows = {**trace_rows([(0, 4, 0, 0, 7)]), "summaries": [summary]}
    found = analyse_rows(tmp_path, rows)
    assert found.kernel_ns == 4
    assert "summary-not-used" in {notice.code for notice in found.warnings}


class TestCountersOnly:
    def test_a_shape_is_a_point_with_ncu_time(self, tmp_path):
        rows = [
            counter_row(0, ncu_ns=100.0),
            counter_row(1, ncu_ns=300.0),
            counter_row(2, grid_x=9),
        ]
        found = analyse_rows(tmp_path, {"counters": rows})
        assert not found.has_trace
        first, second = found.kernels
        assert (first.times.launches, first.times.time_ns, first.times.median_ns) == (2, 400, 200)
        assert second.times.launches == 1
        assert "counters only" in str(first.match.reason)

    def test_launches_without_shapes_are_never_averaged(self, tmp_path):
        shapeless = dict.fromkeys(("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"))
        rows = [counter_row(i, dram_bytes=10.0**i, **shapeless) for i in range(3)]
        found = analyse_rows(tmp_path, {"counters": rows})
        assert sorted(kernel.work.dram_bytes for kernel in found.kernels) == [1, 10, 100]

    def test_a_summary_of_many_launches_weighs_as_many(self, tmp_path):
        rows = [counter_row(0, ncu_ns=100.0, launches=5), counter_row(1, ncu_ns=900.0)]
        (kernel,) = analyse_rows(tmp_path, {"counters": rows}).kernels
        assert (kernel.times.launches, kernel.times.median_ns) == (6, 100)

    def test_launches_without_any_time_have_none(self, tmp_path):
        row = counter_row(values={"gpu__time_duration.sum": 0.0})
        row = {**row, "values": [(k, v) for k, v in row["values"] if not k.startswith("gpu__")]}
        found = analyse_rows(tmp_path, {"counters": [row]})
        (kernel,) = found.kernels
        assert (kernel.times.time_ns, kernel.placement, kernel.wall) == (None, None, "unmeasured")
        assert found.measured_time_ratio is None


def test_nothing_known_of_the_gpu_asks_for_it(tmp_path):
    run = store_run(tmp_path, trace_rows([(0, 4, 0, 0, 7)]))
    with pytest.raises(UsageError, match="name it with `--hw`") as caught:
        analyse(run, WallOptions())
    assert (caught.value.slug, caught.value.exit_code) == ("no-hardware", 2)


def test_precisions_without_a_peak_are_named(tmp_path):
    rows = trace_rows([(0, 4, 0, 0, 7)])
    walls = WallOptions(bandwidth_bytes_per_s=1e12, peak_flop_per_s={"fp64": 1e12})
    (kernel,) = analyse_rows(tmp_path, rows, {"counters": [counter_row()]}, options=walls).kernels
    assert kernel.placement.compute_ratio is None
    assert any("no fp32 peak is known" in note for note in map(str, kernel.notes))


def test_nested_ranges_count_inside_and_out(tmp_path):
    rows = trace_rows([(0, 10, 0, 0, 7), (20, 20, 0, 0, 7), (50, 5, 0, 0, 7), (60, 3, 0, 0, 7)])
    for launch, number in zip(rows["launches"], (0, 1, 2, None), strict=True):
        launch["range"] = number
    names = [(None, "step, op_id = 1"), (0, "layer"), (1, "layer"), (None, "step, op_id = 2")]
    rows = {
        **rows,
        "ranges": [{"range": i, "parent": p, "name": n} for i, (p, n) in enumerate(names)],
    }
    totals = {total.name: total for total in analyse_rows(tmp_path, rows).ranges.by_name}
    assert set(totals) == {"step", "layer", "(outside)"}
    assert (totals["step"].time_ns, totals["step"].self_time_ns) == (35, 10)
    # a range nested in one of its own name counts once
    assert (totals["layer"].time_ns, totals["layer"].self_time_ns) == (25, 25)
    assert totals["(outside)"].launches == 1
    assert totals["step"].time_by_wall_ns == {"unmeasured": 35}


def test_walls_are_those_of_each_device(tmp_path):
    rows = trace_rows([(0, 4, 0, 0, 7), (0, 4, 0, 1, 7)], gpus=2)
    found = analyse_rows(tmp_path, rows, options=ROUND_WALLS)
    assert [device.launches for device in found.devices] == [1, 1]
    assert [device.time.busy_ns for device in found.devices] == [4, 4]
    assert found.busy_ns == 8


def test_names_stand_in_for_each_other_and_shapes_may_be_partly_unknown(tmp_path):
    rows = trace_rows([(0, 4, 0, 0, 7)])
    rows["names"][0].update(full=None, short=None, mangled="_Z1kv")
    rows["kernels"][0].update(grid_z=None)
    (kernel,) = analyse_rows(tmp_path, rows).kernels
    assert (kernel.key.full_name, kernel.key.grid) == ("_Z1kv", None)


def test_without_ncu_time_its_own_rate_is_not_told(tmp_path):
    row = counter_row(dram_bytes=8000.0)
    row = {**row, "values": [(k, v) for k, v in row["values"] if not k.startswith("gpu__")]}
    (kernel,) = analyse_rows(tmp_path, trace_rows([(0, 4, 0, 0, 7)]), {"counters": [row]}).kernels
    assert "above the bandwidth wall" in str(kernel.notes[0])
    assert "its own rate" not in str(kernel.notes[0])
