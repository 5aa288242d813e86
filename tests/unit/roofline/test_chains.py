"""What one kernel in place of several would spare."""

from dataclasses import replace

import pytest
from support.runs import analyse_rows, counter_row, trace_rows

from nsys_walls.roofline.chains import Chains

# At 1,000 bytes a ns, 10 FLOP of FP32 take 1 ns.
READ, WRITE = "dram__bytes_read.sum", "dram__bytes_write.sum"
GEMM = "ampere_sgemm_128x64_nn"


def profiled(names, **sides):
    """Make the counters of kernels from (read, written) in kB, or (read, written, FLOP)."""
    rows = []
    for number, (name, (read, written, *flop)) in enumerate(sides.items()):
        values = {READ: 1000.0 * read, WRITE: 1000.0 * written}
        row = counter_row(
            number, name=names.get(name, name), values=values, flop=float(*flop or [0]),
            dram_bytes=1000.0 * (read + written),
        )  # fmt: skip
        rows.append(row)
    return {"counters": rows}


@pytest.fixture
def chains(tmp_path):
    """Find chains in kernels that run in turn: name, ns and what they read, write and compute."""

    def find(*kernels, times=4, apart=1, host=(), full=None):
        names, full = [name for name, *_ in kernels], full or {}
        launches, start = [], 0
        for _ in range(times):
            for number, (_, time_ns, *_) in enumerate(kernels):
                launches.append((start, time_ns, number, 0, 7))
                start += time_ns + apart
            start += 1_000_000  # longer than a launch takes, so that the next round is apart
        rows = trace_rows(launches, names=[full.get(name, name) for name in names])
        counted = profiled(full, **{name: sides for name, _, *sides in kernels if len(sides) > 1})
        return analyse_rows(tmp_path, rows | dict(host), counted).around.chains

    return find


def test_traffic_is_worth_what_it_takes_at_the_rate_that_kernels_reach(chains):
    # at 75 and 80 % of the wall: a third of 40 ns, and all of the second one's reads, half of 25 ns
    found = chains(("a", 40, 20, 10), ("b", 25, 10, 10))
    (chain,) = found.free
    assert (chain.kernels, chain.ids) == ((0, 1), (0, 1))
    assert (chain.occurrences, chain.launches_saved) == (4, 4)
    (one,) = chain.devices
    assert one.fused.passed_bytes == (10_000,)
    assert one.fused.not_moved_bytes == chain.not_moved_bytes_each == 20_000
    assert chain.not_moved_bytes == 80_000
    # 20 kB at 1 kB a ns; 30 kB are left
    assert one.fused.at_wall_ns == pytest.approx(20)
    assert (one.fused.floor_ns, chain.floor_ns) == (pytest.approx(30), pytest.approx(120))
    assert one.fused.saving_ns == pytest.approx(40 / 3 + 12.5)
    assert chain.saving_ns == pytest.approx(4 * (40 / 3 + 12.5))
    assert (chain.time_ns, chain.no_wall_ns) == (260, 0)


def test_the_smaller_of_write_and_read_passes_on_over_each_link(chains):
    (chain,) = chains(("a", 40, 20, 10), ("b", 40, 12, 16), ("c", 60, 40, 8)).free
    (one,) = chain.devices
    # min(10, 12) and min(16, 40) kB
    assert one.fused.passed_bytes == (10_000, 16_000)
    # a 10 of 30, b 10 + 16 of 28, c 16 of 48 kB
    assert one.fused.saving_ns == pytest.approx(40 * 10 / 30 + 40 * 26 / 28 + 60 * 16 / 48)


def test_a_fused_kernel_stays_above_its_floor(chains):
    # above the wall: 30 + 20 ns of traffic in 32 ns, so 20 of 50 kB leave 30 ns of floor
    (chain,) = chains(("a", 20, 20, 10), ("b", 12, 10, 10)).free
    assert chain.devices[0].fused.saving_ns == pytest.approx(2)


def test_what_a_gemm_writes_is_worth_no_more_than_at_the_wall(chains):
    # 100 ns, 80 of them of FLOP; it writes 10 of 20 kB, which take 10 ns at the wall
    found = chains(("gemm", 100, 10, 10, 800_000), ("b", 25, 10, 10), full={"gemm": GEMM})
    (chain,) = found.free
    assert chain.kernels == (0, 1)
    assert chain.devices[0].fused.saving_ns == pytest.approx(10 + 12.5)


def test_an_epilogue_may_save_all_of_a_kernel_that_stands_before_no_wall(chains):
    # b reaches 50 % of the wall and does nothing else: a launch that an epilogue does away with
    found = chains(("gemm", 100, 10, 10, 800_000), ("b", 40, 10, 10), full={"gemm": GEMM})
    (chain,) = found.free
    assert chain.devices[0].fused.saving_ns == pytest.approx(10 + 40)
    assert chain.no_wall_ns == 4 * 40


def test_kernels_before_no_wall_save_their_time_down_to_the_floor_of_the_fused_one(chains):
    # 50 kB less 20 kB: 30 of 200 ns remain
    (chain,) = chains(("a", 100, 20, 10), ("b", 100, 10, 10)).free
    assert chain.saving_ns == pytest.approx(4 * 170)
    assert (chain.no_wall_ns, chain.floor_ns) == (800, pytest.approx(120))


def test_work_of_different_pipes_overlaps_in_the_floor(chains):
    # FP32 of both: 20 + 15 ns, more than 30 kB
    (chain,) = chains(("a", 40, 20, 10, 200_000), ("b", 25, 10, 10, 150_000)).free
    (one,) = chain.devices
    assert one.fused.floor_ns == pytest.approx(35)
    first, second = one.fused.parts
    other = replace(one.fused, parts=(first, replace(second, pipe="tensor")))
    assert other.floor_ns == pytest.approx(30)


def test_the_same_chain_on_two_devices_is_one(tmp_path):
    # a 40 ns and b 25 ns, once on GPU 0 and twice on GPU 1
    rounds = [(0, 0), (0, 1), (1_000_000, 1)]
    launches = [
        launch for start, gpu in rounds
        for launch in ((start, 40, 0, gpu, 7), (start + 41, 25, 1, gpu, 7))
    ]  # fmt: skip
    rows = trace_rows(launches, names=("a", "b"), gpus=2)
    counted = [
        row | {"ordinal": gpu, "profile": 2 * gpu + number, "launch_id": 2 * gpu + number}
        for gpu in (0, 1)
        for number, row in enumerate(profiled({}, a=(20, 10), b=(10, 10))["counters"])
    ]
    analysis = analyse_rows(tmp_path, rows, {"counters": counted})
    (chain,) = analysis.around.chains.free
    device = {kernel.id: kernel.key.device for kernel in analysis.kernels}
    assert [[device[number] for number in one.kernels] for one in chain.devices] == [[1, 1], [0, 0]]
    assert sorted(chain.ids) == [0, 1, 2, 3]
    assert [one.occurrences for one in chain.devices] == [2, 1]
    assert (chain.occurrences, chain.launches_saved, chain.time_ns) == (3, 3, 195)
    assert (chain.not_moved_bytes_each, chain.not_moved_bytes) == (20_000, 60_000)
    assert chain.saving_ns == pytest.approx(3 * (40 / 3 + 12.5))
    assert analysis.around.chains.by_id == {"C1": chain}


def test_a_gemm_is_no_link_in_the_middle(chains):
    found = chains(
        ("a", 40, 10, 10), ("gemm", 100, 10, 10, 800_000), ("b", 30, 10, 10), full={"gemm": GEMM}
    )
    (chain,) = found.free
    # by falling time: the GEMM is 0, b is 2
    assert chain.kernels == (0, 2)


def test_kernels_of_compute_side_or_without_counters_end_a_chain(chains):
    found = chains(("a", 40, 10, 10), ("busy", 100, 10, 10, 800_000))
    assert found.free == found.blocked == ()
    assert chains(("a", 40, 10, 10), ("unknown", 40)).free == ()


def test_what_is_blocked_is_apart(chains):
    copies = [
        {"start_ns": 26 + round_ * (51 + 1 + 1_000_000), "duration_ns": 0, "gpu": 0,
         "process": 7, "stream": 7, "operation": "memset"}
        for round_ in range(2)
    ]  # fmt: skip
    found = chains(("a", 25, 10, 10), ("b", 25, 10, 10), host={"copies": copies})
    # from one round to the next there is a gap
    (chain,), (gap, copied) = found.free, found.blocked
    assert (gap.blocker, [pair.kernels for pair in gap.pairs]) == ("gap", [(1, 0)])
    assert (gap.saving_ns, gap.not_moved_bytes) == (pytest.approx(75), 60_000)
    (pair,) = copied.pairs
    assert (chain.occurrences, pair.occurrences, pair.blockers) == (2, 4, {"copy": 2})
    # half of each
    assert chain.saving_ns == pytest.approx(50)
    assert pair.saving_ns == pytest.approx(50)
    assert pair.time_ns == copied.time_ns == 100
    assert found.blocked_by_id == {"C2": gap, "C3": copied}


def test_pairs_that_the_same_thing_keeps_apart_are_one_group(chains):
    # a, b and c 200 µs apart: three pairs, of which each kernel is in two
    far = 200_000
    rows = [(name, 25, 10, 10) for name in "abc"]
    found = chains(*rows, times=3, apart=far)
    assert found.free == ()
    (gap,) = found.blocked
    assert [pair.kernels for pair in gap.pairs] == [(0, 1), (1, 2), (2, 0)]
    assert [pair.blocked for pair in gap.pairs] == [3, 3, 2]
    # half of both kernels of each pair, which is all of the time but for the ends
    assert gap.saving_ns == pytest.approx(8 * 25)
    assert gap.time_ns == 9 * 25


def test_without_any_kernel_that_may_follow_nothing_is_looked_for(chains):
    assert chains(("gemm", 100, 10, 10, 800_000), full={"gemm": GEMM}) == Chains()


def test_savings_below_half_a_percent_are_left_out(chains):
    # 26 of 9,065 ns each time
    found = chains(("a", 40, 20, 10), ("b", 25, 10, 10), ("rest", 9000))
    assert found.free == ()


def test_without_calls_the_host_is_not_seen(chains):
    assert not chains(("a", 60, 20, 10), ("b", 50, 10, 10)).sees_host
