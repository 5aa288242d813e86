"""What is said where a selection fits nothing."""

import difflib

import pytest
from support.runs import ROUND_WALLS, store_run, trace_rows

from nsys_walls.errors import UsageError
from nsys_walls.roofline import selected
from nsys_walls.roofline.analysis import analyse
from nsys_walls.store.selection import Selection


def refused(tmp_path, names, asked):
    """Select ranges that are not there, and give what is said."""
    ranges = [{"range": i, "parent": None, "name": name} for i, name in enumerate(names)]
    run = store_run(tmp_path, {**trace_rows([(0, 4, 0, 0, 7)]), "ranges": ranges})
    with pytest.raises(UsageError) as caught:
        analyse(run, ROUND_WALLS, Selection(nvtx=(asked,)))
    assert caught.value.slug == "empty-selection"
    return str(caught.value)


def test_names_like_a_mistyped_one_come_first(tmp_path):
    said = refused(tmp_path, ["zzz", *"abcdefgh", "forward"], "forwart")
    assert "there are: forward, " in said
    assert "and 2 more" in said


def test_few_and_short_names_are_compared(tmp_path, monkeypatch):
    compared = []

    def spy(asked, names, **options):
        compared.append((asked, list(names)))
        return difflib.get_close_matches(asked, names, **options)

    monkeypatch.setattr(selected, "get_close_matches", spy)
    names = [f"{number} {'x' * 5_000}" for number in range(2_500)]
    said = refused(tmp_path, names, "y" * 1_000)
    ((asked, some),) = compared
    assert len(asked) == 200
    assert len(some) == 2_000
    assert {len(name) for name in some} == {200}
    assert "and 2,492 more" in said
