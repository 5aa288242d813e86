"""Chains of kernels in a supposition: how much fusing them can save."""

import pytest
from support.runs import analyse_rows, counter_row, trace_rows

from nsys_walls.errors import UsageError
from nsys_walls.findings import Finding
from nsys_walls.texts import text
from nsys_walls.whatif import Chain, suppose
from nsys_walls.whatif.chains import DeviceChain, Member, chains_of
from nsys_walls.whatif.changes import parse_change
from nsys_walls.whatif.document import whatif_document
from nsys_walls.whatif.text import whatif_lines

NAMES = ("norm", "add", "gemm")


@pytest.fixture
def analysis(tmp_path):
    """Run 400 ns of a norm, 100 ns of an addition and 500 ns of a GEMM, all half as fast."""
    times = (400, 100, 500)
    rows = trace_rows([(1000 * i, time, i, 0, 7) for i, time in enumerate(times)], names=NAMES)
    counters = [
        counter_row(i, name=name, dram_bytes=500.0 * time, flop=0.0)
        for i, (name, time) in enumerate(zip(NAMES, times, strict=True))
    ]
    return analyse_rows(tmp_path, rows, {"counters": counters})


def ids(analysis, *names):
    return tuple(kernel.id for kernel in analysis.kernels if kernel.name in names)


def test_a_fused_chain_saves_what_it_promises(analysis):
    chains = {"c1": Chain(saved_ns=150.0, kernels=ids(analysis, "norm", "add"))}
    answer = suppose(analysis, [], chains=chains, fused=["c1"])
    assert (answer.busy.before_ns, answer.busy.after_ns) == (1000, pytest.approx(850))
    assert answer.speedup_bound == pytest.approx(1000 / 850)
    assert answer.typed == ("--fuse c1",)
    lines = "\n".join(whatif_lines(answer, "run"))
    assert "chain c1 fused saves at most 150 ns." in lines


def test_a_blocked_chain_saves_nothing_and_says_why(analysis):
    chain = Chain(saved_ns=150.0, kernels=ids(analysis, "norm", "add"), blockers=("a copy", "b"))
    answer = suppose(analysis, [], chains={"c1": chain}, fused=["c1"])
    assert answer.busy.saved_ratio == 0
    lines = "\n".join(whatif_lines(answer, "run"))
    assert "chain c1 is blocked and saves nothing: a copy; b." in lines
    (row,) = whatif_document(answer, "run")["chains"]
    assert row == {"id": "c1", "kernels": [1, 2], "saved_ns": 0, "blockers": ["a copy", "b"]}


def test_a_chain_saves_no_more_than_its_kernels_still_take(analysis):
    chains = {"c1": Chain(saved_ns=450.0, kernels=ids(analysis, "norm", "add"))}
    # the norm at its wall takes 200 ns, with the addition 300
    answer = suppose(
        analysis, [parse_change("kernel", "norm=100%")], chains=chains, fused=["c1", "c1"]
    )
    (effect,) = answer.chains
    assert effect.saved_ns == pytest.approx(300)
    assert answer.busy.after_ns == pytest.approx(500)


def test_two_chains_do_not_save_the_same_time_twice(analysis):
    chains = {
        "c1": Chain(saved_ns=90.0, kernels=ids(analysis, "add")),
        "c2": Chain(saved_ns=90.0, kernels=ids(analysis, "add")),
    }
    answer = suppose(analysis, [], chains=chains, fused=["c1", "c2"])
    assert [row.saved_ns for row in answer.chains] == pytest.approx([90, 10])
    assert answer.busy.after_ns == pytest.approx(900)


def on_one_device(analysis, *, saved_ns, floor_ns, saved_ratio=0.5):
    """Make a chain of all launches of the norm and the addition, 500 ns."""
    kernels = {kernel.name: kernel for kernel in analysis.kernels}
    chained = [kernels["norm"], kernels["add"]]
    members = tuple(
        Member(kernel=kernel.id, share=1.0, time_ns=kernel.time_ns, saved_ratio=saved_ratio)
        for kernel in chained
    )
    device = DeviceChain(saved_ns=saved_ns, floor_ns=floor_ns, members=members)
    return Chain(
        saved_ns=saved_ns, kernels=tuple(kernel.id for kernel in chained), devices=(device,)
    )


@pytest.mark.parametrize(
    ("change", "floor_ns", "saved_ns"),
    [
        # half of 500 ns
        (None, 100.0, 250),
        # the norm at 200 ns: half of 300 ns, or down to the floor
        ("norm=2x", 100.0, 150),
        ("norm=2x", 220.0, 80),
        ("norm=2x", 400.0, 0),
    ],
)
def test_a_chain_scales_with_its_kernels_and_stays_above_its_floor(
    analysis, change, floor_ns, saved_ns
):
    chains = {"c1": on_one_device(analysis, saved_ns=250.0, floor_ns=floor_ns)}
    changes = [parse_change("kernel", change)] if change else []
    answer = suppose(analysis, changes, chains=chains, fused=["c1"])
    (effect,) = answer.chains
    assert effect.saved_ns == pytest.approx(saved_ns)
    before = 800 if change else 1000
    assert answer.busy.after_ns == pytest.approx(before - saved_ns)


def test_chains_that_share_a_kernel_do_not_save_its_time_twice(analysis):
    chains = {
        name: on_one_device(analysis, saved_ns=400.0, floor_ns=0.0, saved_ratio=0.8)
        for name in ("c1", "c2")
    }
    answer = suppose(analysis, [], chains=chains, fused=["c1", "c2"])
    assert [row.saved_ns for row in answer.chains] == pytest.approx([400, 100])
    assert answer.busy.after_ns == pytest.approx(500)


def test_an_unknown_chain_is_refused_with_those_there_are(analysis):
    chains = {"c1": Chain(saved_ns=1.0, kernels=(0,)), "c2": Chain(saved_ns=1.0, kernels=(0,))}
    with pytest.raises(UsageError, match="there are: c1, c2") as raised:
        suppose(analysis, [], chains=chains, fused=["c3"])
    assert raised.value.slug == "no-such-chain"


def finding(code, key, **given):
    words = dict.fromkeys(("title", "message", "advice"), text("NW101.title"))
    return Finding(code=code, key=key, kernels=(1, 2), time_ratio=0.5, **words, **given)


def test_chains_come_from_the_findings_of_their_rule():
    found = [
        finding("NW202", "c1", saving_ns=10.0, blockers=(text("NW101.advice"),)),
        finding("NW202", "c2"),
        finding("NW202", None, saving_ns=10.0),
        finding("NW101", "c3", saving_ns=10.0),
    ]
    assert chains_of(found) == {
        "c1": Chain(saved_ns=10.0, kernels=(1, 2), blockers=(str(text("NW101.advice")),)),
        "c2": Chain(saved_ns=0.0, kernels=(1, 2)),
    }


def test_changes_are_shown_as_they_could_be_typed():
    assert parse_change("class", "gemm=0.85").typed == "--class gemm=85%"
    assert parse_change("kernel", "a=b=2.5X").typed == "--kernel a=b=2.5x"
    assert parse_change("wall", "bandwidth=100%").typed == "--wall bandwidth=100%"


def test_a_long_name_keeps_its_column(tmp_path):
    name = "k" * 70
    rows = trace_rows([(0, 100, 0, 0, 7)], names=(name,))
    long = analyse_rows(tmp_path / "long", rows)
    lines = list(whatif_lines(suppose(long, [parse_change("kernel", "k=2x")]), "run"))
    (row,) = [line for line in lines if line.startswith("kkk")]
    assert len(row) == 77
    assert "…" in row
