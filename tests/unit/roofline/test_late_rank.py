"""The rank that waits least is the one that the others wait for."""

from nsys_walls.roofline.late_rank import computing_ns, spread_waiting, waiting_ns
from nsys_walls.roofline.ranks import Rank
from nsys_walls.store.collectives import RankCommunication
from nsys_walls.store.times import GpuTime


def rank(number, *, waits, kernels=1000, communicates=200):
    time = GpuTime(
        launches=1, span_ns=2000, kernel_ns=kernels, busy_ns=kernels, copy_ns=0, other_ns=0,
        graph_hidden_ns=0,
    )  # fmt: skip
    shared = None
    if communicates:
        shared = RankCommunication(time_ns=communicates, waiting_ns=waits)
    return Rank(rank=number, source=0, device=number, time=time, communication=shared)


def test_one_rank_is_late():
    # 40 is less than half of (100 + 120) / 2
    found = spread_waiting([rank(0, waits=100), rank(1, waits=40), rank(2, waits=120)])
    assert (found.last.rank, found.first.rank) == (1, 2)
    assert [other.rank for other in found.others] == [0, 2]
    assert found.is_one_late


def test_ranks_that_take_turns_are_not_late():
    assert not spread_waiting([rank(0, waits=100), rank(1, waits=50)]).is_one_late


def test_ranks_whose_waiting_is_not_known_are_left_out():
    known = rank(0, waits=5)
    silent = [rank(1, waits=None), rank(2, waits=0, communicates=0)]
    assert spread_waiting([known, *silent]) is None
    assert spread_waiting([known, *silent, rank(3, waits=9)]).others == (rank(3, waits=9),)
    assert [waiting_ns(one) for one in silent] == [0, 0]


def test_computing_is_all_kernels_but_communication():
    assert computing_ns(rank(0, waits=1)) == 800
    assert computing_ns(rank(0, waits=1, communicates=0)) == 1000
