"""What a page carries of the document: all of it where that fits, else its heavy end."""

import base64
import gzip
import json
import random

import pytest
from support.documents import document, kernel, report

from nsys_walls.reports.html import RENDERER
from nsys_walls.reports.page_data import MOST_KERNELS, embed, script_json

LARGEST_PAGE = 3_000_000


def carried(given, room=10**9):
    encoding, text = embed(given, room)
    if encoding == "gzip":
        text = gzip.decompress(base64.b64decode(text)).decode()
    return json.loads(text)


def noisy(number, name_length=60):
    """Kernels whose numbers and names have no pattern that a compressor could use."""
    chance = random.Random(1)  # noqa: S311  # the same file in every run
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:<>"
    return [
        kernel(
            name=f"k{place}",
            full_name="".join(chance.choices(letters, k=name_length)),
            time_ns=10**9 - place,
            flop=chance.uniform(1e5, 1e12),
            dram_bytes=chance.uniform(1e5, 1e9),
            l2_bytes=chance.uniform(1e5, 1e9),
            ncu_ns=chance.uniform(1e4, 1e6),
            p95_ns=chance.uniform(1e4, 1e6),
        )
        for place in range(number)
    ]


def test_a_document_that_fits_is_carried_as_it_is():
    given = document(kernels=noisy(3))
    assert carried(given) == given


def test_a_page_draws_the_heaviest_kernels_and_says_how_many_are_left():
    kernels = noisy(MOST_KERNELS + 20, name_length=5)
    tree = [{"name": "step", "kernels": [7, MOST_KERNELS - 1, MOST_KERNELS, MOST_KERNELS + 3]}]
    kept = carried(document(kernels=kernels, range_tree=tree))
    assert [row["name"] for row in kept["kernels"]] == [f"k{n}" for n in range(MOST_KERNELS)]
    assert kept["page"]["kernels"] == 20
    # a range names no kernel that is left out
    assert kept["range_tree"][0]["kernels"] == [7, MOST_KERNELS - 1]
    left = sum(10**9 - place for place in range(MOST_KERNELS, MOST_KERNELS + 20))
    assert kept["page"]["kernels_time_ns"] == left


def test_totals_are_those_of_the_run_whatever_is_left_out():
    given = document(kernels=noisy(300))
    kept = carried(given, room=1)
    assert kept["totals"] == given["totals"]
    assert len(kept["kernels"]) < 300
    assert kept["page"]["kernels"] == 300 - len(kept["kernels"])


def test_as_many_kernels_as_fit_are_kept():
    given = document(kernels=noisy(1500))
    whole = len(embed(given, 10**9)[1])
    room = round(0.45 * whole)  # four digits alone don't save that much
    encoding, text = embed(given, room)
    kept = json.loads(gzip.decompress(base64.b64decode(text))) if encoding == "gzip" else text
    assert 0.93 * room < len(text) <= room
    assert kept["page"]["names_longer_than"] is None  # none is that long: nothing was cut
    gone = given["kernels"][len(kept["kernels"]) :]
    assert len(gone) > 100
    assert kept["page"]["levels"] == {
        "shape": {"kernels": len(gone), "time_ns": sum(row["time_ns"] for row in gone)}
    }
    assert sum(row["kernels"] for row in kept["page"]["sides"].values()) == len(gone)


def test_numbers_are_rounded_before_names_are_cut():
    given = document(kernels=noisy(2000))
    whole = len(embed(given, 10**9)[1])
    kept = carried(given, room=whole - 1000)
    assert "page" not in kept
    assert kept["kernels"][0]["full_name"] == given["kernels"][0]["full_name"]
    flop = given["kernels"][0]["flop"]
    assert kept["kernels"][0]["flop"] != flop
    assert kept["kernels"][0]["flop"] == pytest.approx(flop, rel=1e-5)
    assert kept["kernels"][0]["time_ns"] == 10**9


def test_names_are_cut_in_the_middle_before_kernels_are_left_out():
    kernels = noisy(10, name_length=83_000)
    kept = carried(document(kernels=kernels), room=70_000)
    name = kernels[0]["full_name"]
    cut = kept["kernels"][0]["full_name"]
    assert kept["page"]["names_longer_than"] == 4000 == len(cut)
    assert (cut[:1000], cut[-1000:]) == (name[:1000], name[-1000:])
    assert len(kept["kernels"]) == 10


def test_other_long_lists_lose_their_light_end():
    row = {"name": "r", "launches": 1, "time_ns": 1, "self_time_ns": 1, "time_ratio": 0.0,
           "time_by_wall_ns": {}}  # fmt: skip
    cause = {"device": 0, "cause": "sync", "call": "c", "gaps": 1, "time_ns": 1,
             "median_ns": 1.0, "longest_ns": 1}  # fmt: skip
    source = {"kind": "ncu-csv", "file": "f", "product_version": None, "schema_version": None,
              "rows": 1, "skipped": 0}  # fmt: skip
    kept = carried(
        document(
            ranges=[row] * 1000,
            idle={"by_cause": [cause] * 1000, "longest": []},
            run={"name": "r", "sources": [source] * 1000},
        )
    )
    assert len(kept["ranges"]) == 300
    assert kept["page"]["ranges"] == 700
    assert len(kept["idle"]["by_cause"]) == 300
    assert len(kept["run"]["sources"]) == 500


def test_json_ends_no_script_element():
    text = script_json({"a": "</script><!--&\u2028"})
    assert not set(text) & set("<>&\u2028")
    assert json.loads(text) == {"a": "</script><!--&\u2028"}


@pytest.mark.parametrize(
    ("number", "name_length"),
    [(60, 60), (450, 60), (5000, 60), (8000, 300), (60, 83_000), (3000, 3000)],
)
def test_size_stays_fit_to_attach(number, name_length):
    page = RENDERER.render(report(kernels=noisy(number, name_length)))
    assert len(page.encode()) < LARGEST_PAGE
