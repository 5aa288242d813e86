"""Collectives of several ranks: waiting is what the others took longer than the last to come."""

import pytest
from support.runs import store_run, trace_rows

from nsys_walls.store.collectives import (
    RankCommunication,
    collective_times,
    find_collectives,
    rank_communication,
)
from nsys_walls.store.timeline import Timeline


@pytest.fixture
def collectives(tmp_path):
    """Give totals of launches (start, duration, kernel, gpu) and of ranks."""

    def build(*sources, names=1, gpus=2):
        rows = [
            trace_rows(
                [(start, took, kernel, gpu, 7) for start, took, kernel, gpu in launches],
                names=tuple("abc"[:names]),
                gpus=gpus,
            )
            for launches in sources
        ]
        run = store_run(tmp_path, *rows)
        numbers = [source.source for source in run.manifest.sources]
        points = {(n, kernel): kernel for n in numbers for kernel in range(names * gpus)}
        devices = {
            (n, gpu): gpu + place * gpus for place, n in enumerate(numbers) for gpu in range(gpus)
        }
        with Timeline(run, points=points, devices=devices) as times:
            find_collectives(times, {point: point % names for point in points.values()})
            return collective_times(times), rank_communication(times)

    return build


def test_waiting_is_time_above_the_fastest_rank(collectives):
    # first: 30 and 10, second: 5 and 5, third: 8 and 28 (order by start, not by row)
    found, ranks = collectives(
        [(0, 30, 0, 0), (200, 8, 0, 0), (100, 5, 0, 0), (20, 10, 0, 1), (105, 5, 0, 1),
         (180, 28, 0, 1)]
    )  # fmt: skip
    (row,) = found
    assert (row.ranks, row.launches, row.time_ns) == (2, 6, 86)
    assert row.waiting_ns == 20 + 0 + 20
    assert row.median_ns == 9
    assert ranks == {
        (0, 0, 7): RankCommunication(time_ns=43, waiting_ns=20),
        (0, 1, 7): RankCommunication(time_ns=43, waiting_ns=20),
    }


def test_ranks_of_several_files_meet_though_their_clocks_differ(collectives):
    found, ranks = collectives([(0, 30, 0, 0)], [(7_000_000, 10, 0, 0)], gpus=1)
    assert (found[0].ranks, found[0].waiting_ns) == (2, 20)
    assert ranks[0, 0, 7].waiting_ns == 20
    assert ranks[1, 1, 7].waiting_ns == 0


def test_with_one_rank_or_unequal_numbers_waiting_is_not_known(collectives):
    found, ranks = collectives([(0, 30, 0, 0), (50, 10, 0, 0)])
    assert (found[0].ranks, found[0].waiting_ns) == (1, None)
    assert list(ranks.values()) == [RankCommunication(time_ns=40, waiting_ns=None)]
    found, _ = collectives([(0, 30, 0, 0), (50, 10, 0, 0), (0, 30, 0, 1)])
    assert (found[0].ranks, found[0].waiting_ns) == (2, None)


def test_kernels_are_matched_each_for_itself(collectives):
    found, _ = collectives([(0, 30, 0, 0), (50, 9, 1, 0), (0, 10, 0, 1), (50, 4, 1, 1)], names=2)
    assert [(row.family, row.waiting_ns) for row in found] == [(0, 20), (1, 5)]


def test_a_launch_of_more_than_ten_medians_is_slow(collectives):
    launches = [(i * 1000, 15, 0, 0) for i in range(6)]
    found, _ = collectives([*launches, (9000, 150, 0, 0), (20_000, 7000, 0, 0)])
    assert (found[0].slow, found[0].slow_ns, found[0].max_ns) == (1, 7000, 7000)


def test_without_collectives_there_is_nothing(tmp_path):
    run = store_run(tmp_path, trace_rows([(0, 10, 0, 0, 7)]))
    with Timeline(run, points={(0, 0): 0}, devices={(0, 0): 0}) as times:
        find_collectives(times, {})
        assert collective_times(times) == ()
        assert rank_communication(times) == {}
