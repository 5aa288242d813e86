"""Every rule on every real trace: it speaks from data, or says why it can't, or has looked."""

import pytest
from real.test_from_files import WITH_KERNELS
from support.pipeline import Desk

from nsys_walls.findings import all_rules
from nsys_walls.roofline.coverage import SMALLEST_RATIO

CODES = {rule.code for rule in all_rules()}
#: Need bytes or FLOP, which no real trace has: they may say nothing, and must say so.
OF_COUNTERS = {"NW101", "NW202", "NW301", "NW401", "NW402", "NW403", "NW701"}
#: Look at launches, copies and API calls alone, all of which a trace has: silence is an answer.
OF_LAUNCHES = {"NW501", "NW502", "NW901", "NW902"}
#: Need bytes or FLOP of kernels of these classes; where they are next to none, silence.
OF_NAMES = {"NW201": {"copy"}, "NW601": {"gemm", "conv"}}


@pytest.fixture(scope="module", params=WITH_KERNELS)
def document(request, real, tmp_path_factory):
    """Report a real trace, which has no counters."""
    desk = Desk(tmp_path_factory.mktemp("findings"))
    return desk.report(real(f"nsys/{request.param}.sqlite"), options=("--hw", "a100"))


def test_each_rule_finds_abstains_or_has_looked(document):
    assert document["totals"]["measured_time_ratio"] == 0
    found = {row["code"] for row in document["findings"]}
    abstained = {row["code"] for row in document["abstained"]}
    classes = {row["class"] for row in document["classes"] if row["time_ratio"] >= SMALLEST_RATIO}
    without = {code for code, names in OF_NAMES.items() if not classes & names}
    assert CODES - found - abstained <= OF_LAUNCHES | without


def test_nothing_is_found_that_needs_counters(document):
    found = {row["code"] for row in document["findings"]}
    assert not found & (OF_COUNTERS | {"NW601"})
    assert {row["code"] for row in document["abstained"]} >= OF_COUNTERS
    # what copies alone is seen in the trace, what kernels move is not
    assert {row["key"] for row in document["findings"] if row["code"] == "NW201"} <= {"copies"}


def test_time_without_counters_comes_first_and_leads_to_a_plan(document):
    first = document["findings"][0]
    assert first["code"] == "NW801"
    assert f"`nsys-walls plan {document['run']['name']} --hw a100`" in first["advice"]


def test_no_reason_is_empty_and_each_saving_is_within_the_run(document):
    assert all(row["reason"] for row in document["abstained"])
    for row in document["findings"]:
        assert row["saving_ns"] is None or 0 <= row["saving_ns"] <= document["totals"]["span_ns"]
