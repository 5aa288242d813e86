"""Processes and threads."""

import numpy as np

from nsys_walls.sources.torch_trace.threads import Threads


def test_threads_of_one_process_share_its_number():
    threads = Threads([(7, 1), (8, 1), (7, 2)])
    assert threads.process.tolist() == [0, 1, 0]
    assert threads.only_process is None
    columns = threads.columns(np.array([2, 1, 1]))
    assert columns["process"].to_pylist() == [7, 8, 8]
    assert columns["thread"].to_pylist() == [2, 1, 1]


def test_the_only_process_is_known_by_its_number():
    assert Threads([(7, 1), (7, 2)]).only_process == 7
    assert Threads([("rank 0", 1)]).only_process is None
    assert Threads([]).only_process is None


def test_texts_that_a_tool_put_in_place_of_numbers_stay_out():
    columns = Threads([("host-a", None)]).columns(np.array([0]))
    assert [columns[name].to_pylist() for name in ("process", "thread")] == [[None], [None]]
