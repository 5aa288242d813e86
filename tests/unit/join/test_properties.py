"""What holds for every join, whatever is traced and profiled."""

import random
import re
from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.join.match import join
from nsys_walls.join.names import closeness, forms_of

# One row a kernel: complete, simplified by ncu, function name alone.
KERNELS = [
    ("void a::norm<(int)4>(T1 *, int)", "void norm<4>(T1 *, int)", "norm"),
    ("void a::norm<(bool)4>(T1 *, int)", "void norm<4>(T1 *, int)", "norm"),
    ("void b::norm<(int)4>(T1 *, int)", "void norm<4>(T1 *, int)", "norm"),
    ("a::fill(float *)", "fill(float *)", "fill"),
    ("a::fill(int *)", "fill(int *)", "fill"),
    ("sgemm_64x64", "sgemm_64x64", "sgemm_64x64"),
]
SHAPES = [None, (1, 1, 1), (2, 1, 1)]
DEVICES = st.sampled_from([(0, "8.0"), (1, "8.0"), (2, "9.0"), (3, None)])

traced_rows = st.lists(
    st.tuples(
        st.sampled_from(KERNELS),
        DEVICES,
        st.sampled_from(SHAPES),
        st.sampled_from([0, 1024, 4096]),
        st.integers(1, 3),
        st.booleans(),
    ),
    max_size=8,
)
profile_rows = st.lists(
    st.tuples(
        st.sampled_from(KERNELS),
        st.integers(0, 2),
        st.one_of(DEVICES, st.just((None, None)), st.just((None, "9.0"))),
        st.sampled_from(SHAPES),
        st.sampled_from([None, 0, 1020, 1024]),
        st.sampled_from([10.0, 11.0, 50.0]),
    ),
    max_size=8,
)


def _bytes_of(values):
    return values.get("dram__bytes.sum")


def _kernels(traced, rows):
    return [
        traced(
            names[0], id=number, device=device, part=part, grid=grid, min_ns=5,
            dynamic_shared_bytes=shared, launches=launches, max_ns=9 if steady else 7,
        )
        for number, (names, (device, part), grid, shared, launches, steady) in enumerate(rows)
    ]  # fmt: skip


def _profiles(profile, rows):
    return [
        profile(
            names[printing], nbytes, device=device, part=part, grid=grid, launch_id=number,
            dynamic_shared_bytes=shared,
        )
        for number, (names, printing, (device, part), grid, shared, nbytes) in enumerate(rows)
    ]  # fmt: skip


@given(traced_rows, profile_rows, st.randoms(use_true_random=False))
def test_the_order_of_both_sides_does_not_matter(
    traced, profile, kernels, profiles, shuffling: random.Random
):
    kernels, profiles = _kernels(traced, kernels), _profiles(profile, profiles)
    first = join(kernels, profiles, _bytes_of)
    other_kernels, other_profiles = list(kernels), list(profiles)
    shuffling.shuffle(other_kernels)
    shuffling.shuffle(other_profiles)
    second = join(other_kernels, other_profiles, _bytes_of)
    by_id = {row.id: found for row, found in zip(other_kernels, second.joined, strict=True)}
    assert [by_id[kernel.id] for kernel in kernels] == list(first.joined)
    ids = [Counter(row.launch_id for row in result.unmatched) for result in (first, second)]
    assert ids[0] == ids[1]


@given(traced_rows, profile_rows)
def test_rates_only_come_from_the_very_kernel(traced, profile, kernels, profiles):
    kernels = _kernels(traced, kernels)
    # every profile has a value of its own, so that it can be recognised in the result
    profiles = [
        replace(row, values=row.values | {f"own{row.launch_id}": 1.0})
        for row in _profiles(profile, profiles)
    ]
    by_mark = {f"own{row.launch_id}": row for row in profiles}
    result = join(kernels, profiles, _bytes_of)
    used = set()
    for kernel, found in zip(kernels, result.joined, strict=True):
        marks = [by_mark[name] for name in found.values or () if name in by_mark]
        used |= {row.launch_id for row in marks}
        assert (found.values is None) == (found.level == "none") or found.level == "ambiguous"
        assert bool(found.per_launch) == (found.level == "launch")
        if found.level in {"launch", "shape", "name"}:
            assert len(marks) == found.profiled_launches
        for row in marks:
            assert closeness(forms_of(row.name), forms_of(kernel.full)) is not None
            assert None in {row.part, kernel.part} or row.part == kernel.part
            assert None in {row.grid, kernel.grid} or row.grid == kernel.grid
            if row.device not in {None, kernel.device}:
                assert found.level in {"shape", "ambiguous"}
                assert row.part == kernel.part is not None
    assert not used & {row.launch_id for row in result.unmatched}


@given(traced_rows, profile_rows)
def test_counters_are_never_those_of_two_kernels(traced, profile, kernels, profiles):
    kernels = _kernels(traced, kernels)
    for row in _profiles(profile, profiles):
        joined = join(kernels, [row], _bytes_of).joined
        rated = [
            kernel.full
            for kernel, found in zip(kernels, joined, strict=True)
            if found.level in {"launch", "shape", "name"}
        ]
        assert len(set(rated)) <= 1


@given(traced_rows, profile_rows, st.data())
def test_spaces_in_names_do_not_matter(traced, profile, kernels, profiles, data):
    kernels, profiles = _kernels(traced, kernels), _profiles(profile, profiles)
    spaced = [
        replace(
            row, name=re.sub(r"([,*(])", data.draw(st.sampled_from([r"\1 ", r" \1"])), row.name)
        )
        for row in profiles
    ]
    first, second = (join(kernels, rows, _bytes_of) for rows in (profiles, spaced))
    levels = [[(row.level, row.values) for row in result.joined] for result in (first, second)]
    assert levels[0] == levels[1]


@given(traced_rows, st.sets(st.integers(0, 7)))
def test_losing_details_never_makes_a_wrong_join(traced, profile, kernels, chosen):
    # profiles of some of the traced kernels, printed completely, then simplified
    kernels = _kernels(traced, kernels)
    full = [
        profile(
            row.full, 100.0 + row.id, device=row.device, part=row.part, grid=row.grid,
            launch_id=row.id, dynamic_shared_bytes=row.dynamic_shared_bytes,
        )
        for row in kernels
        if row.id in chosen
    ]  # fmt: skip
    before = join(kernels, full, _bytes_of).joined
    for printing in (1, 2):
        short = {names[0]: names[printing] for names in KERNELS}
        after = join(kernels, [replace(row, name=short[row.name]) for row in full], _bytes_of)
        for one, other in zip(before, after.joined, strict=True):
            assert other.level == "ambiguous" or other.values == one.values
