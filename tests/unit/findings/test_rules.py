import importlib
import re

import pytest
from support.runs import analyse_rows, counter_row, trace_rows

from nsys_walls import findings

RULES = findings.all_rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_explains_itself(rule):
    doc = importlib.import_module(rule.check.__module__).__doc__
    assert doc.startswith(f"{rule.code}: ")
    for heading in ("Meaning", "Evidence", "Abstains", "Try"):
        assert re.search(rf"^{heading}:$", doc, re.MULTILINE), heading


def test_codes_are_unique_and_of_one_form():
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"NW\d{3}", code) for code in codes)


def test_the_bound_of_a_saving_is_amdahls():
    assert findings.speedup_bound(1000, 500) == 2
    assert findings.speedup_bound(1000, 1000) is None


def codes(analysis):
    """List the codes of what was found."""
    return [row.code for row in findings.find_all(analysis).found]


@pytest.fixture
def analysis(tmp_path):
    def build(times, *, counters=True):
        names = tuple(times)
        starts = [sum(list(times.values())[:i]) + i for i in range(len(names))]
        rows = trace_rows(
            [(start, times[name], i, 0, 7) for i, (name, start) in enumerate(zip(names, starts))],  # noqa: B905
            names=names,
        )
        # 800 bytes a ns is 80 % of the bandwidth wall; the GEMM works instead
        profiled = [
            counter_row(i, name=name, dram_bytes=1.0 if name == "gemm" else 800.0 * times[name],
                        flop=8000.0 * times[name] if name == "gemm" else 0.0)
            for i, name in enumerate(names)
        ]  # fmt: skip
        return analyse_rows(tmp_path, rows, {"counters": profiled} if counters else {})

    return build


def test_small_memory_kernels_that_outweigh_the_heaviest_are_found(analysis):
    # 4 x 150 = 600 ns of 1000 against 400; without them 400 remain: 2.5 times
    times = {"gemm": 400, "norm": 150, "softmax": 150, "add": 150, "copy": 150}
    (found,) = [row for row in findings.find_all(analysis(times)).found if row.code == "NW101"]
    assert (found.code, found.kernels, found.time_ratio) == ("NW101", (1, 2, 3, 4), 0.6)
    assert found.saving_ns == 600
    assert found.speedup_bound == pytest.approx(2.5)
    assert "60 % of kernel time" in str(found.message)
    assert "gemm, takes 40 %" in str(found.message)


@pytest.mark.parametrize(
    "times",
    [
        {"gemm": 400, "norm": 100, "softmax": 100, "add": 100, "copy": 100},  # equal is not more
        {"gemm": 100, "norm": 90, "softmax": 90},  # two, and none of them small
        {"gemm": 400, "norm": 350, "softmax": 350},  # not small
    ],
)
def test_small_memory_kernels_rule_is_silent(analysis, times):
    assert "NW101" not in codes(analysis(times))


def test_small_memory_kernels_rule_abstains_without_counters(analysis):
    times = {"gemm": 400, "norm": 150, "softmax": 150, "add": 150, "copy": 150}
    all_said = findings.find_all(analysis(times, counters=False))
    assert "NW101" not in [row.code for row in all_said.found]
    assert "NW101" in [row.code for row in all_said.abstained]


def test_no_rule_speaks_of_an_empty_run(tmp_path):
    assert findings.find_all(analyse_rows(tmp_path, {"summaries": []})) == findings.Findings()
