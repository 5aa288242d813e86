"""How kernels and copies come again."""

from itertools import count

import pytest
from support.runs import store_run, trace_rows

from nsys_walls.store.recurrence import COPIES, Recurrence, find_recurrence
from nsys_walls.store.timeline import Timeline

A, B, C = 0, 1, 2


def launches(*kernels, ranges=None, stream=7):
    """Make launches one after the other, each in the range of the same place."""
    rows = trace_rows(
        [(place * 20, 10, kernel, 0, stream) for place, kernel in enumerate(kernels)],
        names=("a", "b", "c"),
    )
    for row, number in zip(rows["launches"], ranges or [None] * len(kernels), strict=True):
        row["range"] = number
    return rows


def named(*ranges):
    """Make ranges from (name, parent)."""
    return {
        "ranges": [
            {"range": number, "name": name, "parent": parent}
            for number, (name, parent) in enumerate(ranges)
        ]
    }


@pytest.fixture
def look(tmp_path):
    numbers = count()

    def find(rows, points=(A,)):
        run = store_run(tmp_path / str(next(numbers)), rows)
        known = {(0, kernel["kernel"]): kernel["kernel"] for kernel in rows["kernels"]}
        with Timeline(run, points=known, devices={(0, 0): 0}) as timeline:
            return find_recurrence(timeline, run, points)

    return find


def every(distance, times):
    return Recurrence(per_step=1, steps=times, distance=distance)


class TestDistance:
    def test_is_counted_in_launches_of_the_stream(self, look):
        assert look(launches(A, B, C, A, B, C, A)) == {A: every(3, 3)}
        assert look(launches(A, B, A, B, C, A, C, A, C, A), (A, C)) == {C: every(2, 3)}

    def test_needs_two_distances(self, look):
        assert look(launches(A, B, C, A)) == {}

    def test_bears_one_of_ten_that_differs(self, look):
        # ten distances, one of them 3
        assert look(launches(*[A, B] * 5, C, *[A, B] * 6)) == {A: every(2, 11)}
        # and five
        assert look(launches(*[A, B] * 2, C, *[A, B] * 3)) == {}

    def test_is_not_measured_across_streams(self, look):
        rows = launches(A, B, A, B, A, B)
        other = launches(C, A, C, A, C, A, stream=8)
        assert look(rows | {"launches": rows["launches"] + other["launches"]}) == {A: every(2, 6)}


class TestRanges:
    def test_that_differ_in_numbers_only_are_steps(self, look):
        rows = launches(A, A, B, A, A, B, ranges=[0, 0, 0, 1, 1, 1])
        assert look(rows | named(("step 1", None), ("step 2", None))) == {
            A: Recurrence(per_step=2, steps=2, range="step *")
        }

    def test_around_others_are_the_steps(self, look):
        # layers in steps; what holds most is told
        steps = [("step 1", None), ("step 2", None)]
        layers = [(f"layer.{n % 2}", n // 2) for n in range(4)]
        rows = launches(A, B, A, B, A, B, A, B, ranges=[2, 2, 3, 3, 4, 4, 5, 5])
        assert look(rows | named(*steps, *layers)) == {
            A: Recurrence(per_step=2, steps=2, range="step *")
        }

    def test_that_hold_nothing_else_say_nothing(self, look):
        rows = launches(A, A, A, ranges=[0, 1, 2])
        assert look(rows | named(("op", None), ("op", None), ("op", None))) == {A: every(1, 3)}

    def test_hold_what_their_inner_ranges_hold(self, look):
        rows = launches(A, B, A, B, ranges=[0, 2, 1, 3])
        inner = [("inner", 0), ("inner", 1)]
        assert look(rows | named(("decode", None), ("decode", None), *inner)) == {
            A: Recurrence(per_step=1, steps=2, range="decode")
        }

    def test_lose_the_counters_of_operators(self, look):
        rows = launches(A, B, A, B, ranges=[0, 0, 1, 1])
        assert look(rows | named(("block 1, op_id = 5", None), ("block 2, op_id = 17", None))) == {
            A: Recurrence(per_step=1, steps=2, range="block *")
        }

    def test_that_miss_much_of_a_kernel_are_not_its_steps(self, look):
        rows = launches(A, B, C, A, B, C, A, ranges=[0, 0, 0, 1, 1, 1, None])
        assert look(rows | named(("step", None), ("step", None))) == {A: every(3, 3)}

    def test_with_different_numbers_of_a_kernel_are_not_its_steps(self, look):
        rows = launches(A, B, A, A, B, ranges=[0, 0, 1, 1, 1])
        assert look(rows | named(("step", None), ("step", None))) == {}

    def test_that_come_once_are_no_steps(self, look):
        rows = launches(A, B, A, B, ranges=[0, 0, 0, 0])
        assert look(rows | named(("run", None))) == {}

    def test_inside_themselves_count_nothing_twice(self, look):
        rows = launches(A, B, A, B, ranges=[1, 1, 2, 2])
        assert look(rows | named(("step", None), ("step", 0), ("step", 0))) == {}


def copy(start_ns, number=None, operation="device_to_device"):
    return {
        "start_ns": start_ns, "duration_ns": 1, "gpu": 0, "process": 7, "stream": 7,
        "operation": operation, "range": number,
    }  # fmt: skip


def test_copies_within_a_gpu_come_again_too(look):
    rows = launches(B, B, ranges=[0, 1])
    rows["copies"] = [copy(5, 0), copy(6, 2), copy(25, 1), copy(26, 1)]
    rows["copies"] += [copy(30, 1, "host_to_device")]
    rows |= named(("step 1", None), ("step 2", None), ("x", 0), ("x", 1))
    assert look(rows, ()) == {COPIES: Recurrence(per_step=2, steps=2, range="step *")}


def test_copies_without_ranges_have_no_period(look):
    assert look({**launches(B, B), "copies": [copy(5), copy(25)]}, ()) == {}
