"""Which launch a sample of GPU metrics belongs to."""

from contextlib import closing
from itertools import pairwise
from statistics import mean, median_low

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsys_walls.store.sampling import DeviceSamples, SampleTotals, attribute_samples

VIEWS = {
    "launches": "source INT, device INT, point INT, start_ns BIGINT, end_ns BIGINT",
    "copies": "source INT, device INT, start_ns BIGINT, end_ns BIGINT",
    "gpus": "source INT, gpu INT, device INT",
    "stored_gpu_metrics": "source INT, timestamp_ns BIGINT, gpu INT, metric TEXT, value BIGINT",
}
ONE_GPU = [(0, 0, 0)]


@pytest.fixture(scope="module")
def connection():
    with closing(duckdb.connect(config={"threads": 1})) as connection:
        yield connection


def attribute(connection, *, launches=(), copies=(), gpus=ONE_GPU, samples=(), **options):
    """Attribute (source, time, gpu, metric, value) samples to launches of VIEWS' columns."""
    rows = {"launches": launches, "copies": copies, "gpus": gpus, "stored_gpu_metrics": samples}
    for name, columns in VIEWS.items():
        connection.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
        marks = ", ".join("?" * len(columns.split(",")))
        if rows[name]:
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows[name])  # noqa: S608
    return attribute_samples(connection, **options)


def every(period, until, value=50, metric="dram_read", *, source=0, gpu=0):
    """Sample one metric from 0 on; ``value`` may be a function of the time."""
    value_at = value if callable(value) else lambda _: value
    return [(source, time, gpu, metric, value_at(time)) for time in range(0, until, period)]


def test_only_samples_with_a_whole_period_on_both_sides_count(connection):
    # 15..58 holds the samples 20, 30, 40, 50; around 20 and 50 a period sticks out (10, 60)
    found = attribute(
        connection, launches=[(0, 0, 7, 15, 58)], samples=every(10, 100, lambda time: time)
    )
    assert found.points == (SampleTotals(point=7, samples=2, means={"dram_read": 35}),)
    assert found.devices == (
        # idle: 0 (-10..10), 70 (60..80) to 90; shared: none; partial: 10, 20, 50, 60
        DeviceSamples(device=0, period_ns=10, samples=10, attributed=2, shared=0, idle=4),
    )
    assert found.devices[0].partial == 4


def test_a_launch_that_begins_and_ends_with_the_periods_keeps_them(connection):
    found = attribute(connection, launches=[(0, 0, 7, 10, 40)], samples=every(10, 60))
    assert [total.samples for total in found.points] == [2]


def test_a_launch_of_three_periods_always_has_a_sample(connection):
    for start in range(10, 20):
        launches = [(0, 0, 7, start, start + 30)]
        found = attribute(connection, launches=launches, samples=every(10, 100))
        assert [total.samples for total in found.points] == [1 + (start == 10)]


def test_launches_of_one_point_add_up_and_every_metric_has_its_mean(connection):
    samples = [
        *every(10, 200, lambda time: 20 if time < 100 else 80),
        *every(10, 200, 5, "dram_write"),
        *[row for row in every(10, 200, 1, "tensor_active") if row[1] >= 100],
    ]
    launches = [(0, 0, 3, 0, 40), (0, 0, 4, 50, 90), (0, 0, 3, 100, 190)]
    found = attribute(connection, launches=launches, samples=samples)
    # point 3: samples 10, 20, 30 of 20 % and 110 to 180 of 80 %: (3 * 20 + 8 * 80) / 11
    assert found.points == (
        SampleTotals(
            point=3,
            samples=11,
            means={"dram_read": 700 / 11, "dram_write": 5, "tensor_active": 1},
        ),
        SampleTotals(point=4, samples=3, means={"dram_read": 20, "dram_write": 5}),
    )


@pytest.mark.parametrize(
    "other",
    [
        {"launches": [(0, 0, 8, 31, 34)]},  # within: it has ended when the next sample is taken
        {"launches": [(0, 0, None, 31, 34)]},
        {"copies": [(0, 0, 31, 34)]},
        {"copies": [(0, 0, 33, 33)]},
    ],
)
def test_samples_that_something_else_shares_belong_to_nobody(connection, other):
    launches = [(0, 0, 7, 0, 100), *other.get("launches", [])]
    found = attribute(
        connection,
        launches=launches,
        copies=other.get("copies", []),
        samples=every(10, 101, lambda time: time),
    )
    # of 10 to 90, those at 30 and 40 have it in their time
    assert found.points == (SampleTotals(point=7, samples=7, means={"dram_read": (450 - 70) / 7}),)
    assert found.devices[0].shared == 2


def test_what_only_touches_the_time_of_a_sample_does_not_share_it(connection):
    found = attribute(
        connection,
        launches=[(0, 0, 7, 0, 40), (0, 0, 8, 40, 80)],
        copies=[(0, 0, 80, 90)],
        samples=every(10, 90),
    )
    assert [(total.point, total.samples) for total in found.points] == [(7, 3), (8, 3)]


def test_a_long_launch_is_found_behind_short_ones_that_began_later(connection):
    launches = [(0, 0, 7, 0, 200), *((0, 0, 8, start, start + 1) for start in range(1, 30, 2))]
    found = attribute(connection, launches=launches, samples=every(10, 200))
    # 40 to 190; those up to 30 have short ones in their time
    assert [(total.point, total.samples) for total in found.points] == [(7, 16)]


def test_two_launches_at_once_share_all_their_samples(connection):
    launches = [(0, 0, 7, 0, 100), (0, 0, 7, 0, 100)]
    found = attribute(connection, launches=launches, samples=every(10, 101))
    assert found.points == ()
    assert found.devices[0].shared == 11


def test_work_that_nobody_asks_about_is_never_an_owner(connection):
    found = attribute(
        connection,
        launches=[(0, 0, None, 0, 55)],
        copies=[(0, 0, 60, 110)],
        samples=every(10, 111),
    )
    assert found.points == ()
    assert (found.devices[0].attributed, found.devices[0].shared) == (0, 1)  # 60 has both


def test_devices_and_sources_are_apart(connection):
    # gpu 0 of both sources is device 0; the second source has a clock of its own and half the rate
    gpus = [(0, 0, 0), (0, 1, 1), (1, 0, 0)]
    launches = [(0, 0, 7, 0, 100), (0, 1, 8, 20, 50), (1, 0, 7, 500, 600)]
    samples = [
        *every(10, 101, 10),
        *every(10, 101, 20, gpu=1),
        *every(20, 1000, 40, source=1),
    ]
    found = attribute(connection, launches=launches, gpus=gpus, samples=samples)
    # point 7: 10 to 90 of the first source, 520 to 580 of the second
    assert found.points == (
        SampleTotals(point=7, samples=13, means={"dram_read": (9 * 10 + 4 * 40) / 13}),
        SampleTotals(point=8, samples=2, means={"dram_read": 20}),
    )
    assert [(one.device, one.period_ns, one.samples) for one in found.devices] == [
        (0, 20, 11 + 50), (1, 10, 11),
    ]  # fmt: skip


def test_the_period_is_the_usual_distance_where_samples_are_missing(connection):
    samples = [row for row in every(10, 200) if not 50 < row[1] < 120]
    found = attribute(connection, launches=[(0, 0, 7, 0, 200)], samples=samples)
    assert found.devices[0].period_ns == 10
    assert found.devices[0].attributed == 5 + 8  # 10 to 50, 120 to 190


def test_one_sample_has_no_period(connection):
    found = attribute(connection, launches=[(0, 0, 7, 0, 100)], samples=every(10, 1))
    assert found.points == ()
    assert found.devices == (
        DeviceSamples(device=0, period_ns=None, samples=1, attributed=0, shared=0, idle=0),
    )
    assert found.devices[0].partial == 1


def test_nothing_ran_or_nothing_was_sampled(connection):
    found = attribute(connection, samples=every(10, 30))
    assert (found.points, found.devices[0].idle) == ((), 3)
    found = attribute(connection, launches=[(0, 0, 7, 0, 100)])
    assert (found.points, found.devices) == ((), ())


def test_work_may_come_from_elsewhere(connection):
    work = "SELECT 0 AS source, 0 AS device, 0 AS start_ns, 50 AS end_ns, 9 AS point"
    found = attribute(connection, samples=every(10, 100), work=work)
    assert [(total.point, total.samples) for total in found.points] == [(9, 4)]


def test_no_table_is_left_behind(connection):
    attribute(connection, samples=every(10, 30))
    names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
    assert sorted(names) == sorted(VIEWS)
    connection.execute("DROP TABLE copies")
    with pytest.raises(duckdb.CatalogException):
        attribute_samples(connection)
    names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
    assert sorted(names) == sorted(VIEWS.keys() - {"copies"})


def brute_force(work, samples):
    """Look at every sample and every interval; gives points and the counts of each device."""
    points, devices = {}, {}
    by_gpu = {}
    for source, time, gpu, _, value in samples:
        by_gpu.setdefault((source, gpu), {}).setdefault(time, []).append(value)
    for (source, gpu), values in by_gpu.items():
        times = sorted(values)
        steps = [after - before for before, after in pairwise(times)]
        counts = devices.setdefault(gpu, [0, 0, 0, 0])
        for time in times:
            counts[0] += 1
            if not steps:
                continue
            low, high = time - median_low(steps), time + median_low(steps)
            mine = [(start, end, point) for where, device, point, start, end in work
                    if (where, device) == (source, gpu) and start < high and end > low]  # fmt: skip
            counts[2] += len(mine) > 1
            counts[3] += not mine
            if len(mine) == 1 and mine[0][0] <= low and mine[0][1] >= high:
                counts[1] += mine[0][2] is not None
                points.setdefault(mine[0][2], []).append(values[time])
    points.pop(None, None)
    return points, devices


places = st.tuples(st.integers(0, 1), st.integers(0, 1))
intervals = st.tuples(st.integers(0, 100), st.one_of(st.integers(0, 12), st.integers(0, 90)))
launched = st.lists(st.tuples(places, intervals, st.sampled_from([0, 1, None])), max_size=14)
copied = st.lists(st.tuples(places, intervals), max_size=4)
# mostly regular, as samples are, on top of a few at any time
sampled = st.lists(
    st.tuples(places, st.integers(0, 6), st.integers(1, 7), st.integers(0, 20)), max_size=3
)
strays = st.lists(st.tuples(places, st.integers(0, 120)), max_size=3)


@settings(max_examples=60, deadline=None)
@given(launched, copied, sampled, strays)
def test_like_looking_at_every_launch(connection, launched, copied, sampled, strays):
    launches = [(*place, point, start, start + length)
                for place, (start, length), point in launched]  # fmt: skip
    copies = [(*place, start, start + length) for place, (start, length) in copied]
    times = {(place, first + step * i) for place, first, step, n in sampled for i in range(n)}
    times |= set(strays)
    samples = [(source, time, gpu, "dram_read", time % 101) for (source, gpu), time in times]
    gpus = [(source, gpu, gpu) for source in (0, 1) for gpu in (0, 1)]
    found = attribute(connection, launches=launches, copies=copies, gpus=gpus, samples=samples)
    work = launches + [(source, device, None, *when) for source, device, *when in copies]
    points, devices = brute_force(work, samples)
    assert {total.point: (total.samples, total.means) for total in found.points} == {
        point: (len(values), {"dram_read": pytest.approx(mean(v for (v,) in values))})
        for point, values in points.items()
    }
    assert {
        one.device: [one.samples, one.attributed, one.shared, one.idle] for one in found.devices
    } == devices
