import pytest
from support.findings import K, run_of

from nsys_walls.roofline.coverage import unknown_ratio, wall_ratio


def test_a_tenth_without_counters_is_too_much_to_look_past(tmp_path):
    known = K(name="a", time_ns=900, bandwidth=0.9)
    some = run_of(tmp_path / "some", known, K(name="b", time_ns=100, profiled=False))
    assert (wall_ratio(some, "bandwidth"), unknown_ratio(some)) == (0.9, pytest.approx(0.1))
    few = run_of(tmp_path / "few", known, K(name="b", time_ns=99, profiled=False))
    assert unknown_ratio(few) is None


def test_a_run_without_time_has_no_shares(tmp_path):
    assert wall_ratio(run_of(tmp_path), "unmeasured") == 0
    assert unknown_ratio(run_of(tmp_path / "2")) is None
