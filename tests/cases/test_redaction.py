"""Reports without names do not depend on what ranges, files and runs are called."""

from dataclasses import astuple, dataclass

import pytest
from support.findings import finding
from support.nsys_traces import SCHEMAS, call, kernel, nvtx, sync
from support.pipeline import Desk, parse_strictly, profiled, ranges, with_calls

TRANSPOSE, SCALE, SHIFT = "transpose_tiled_kernel(float *)", "scale(float *)", "shift(float *)"
GEMM = "ampere_sgemm_128x64_nn"
READ, WRITE = "dram__bytes_read.sum", "dram__bytes_write.sum"
#: At 1,555.2 GB/s these bytes take 5 µs.
TENSOR = 7_776_000
STEPS, STEP_NS = 6, 700_000

#: 1,555.2 GB/s, and FP32 as an A100 has it.
HARDWARE = """name = "Mine"
compute_capability = "9.0"
bandwidth_bytes_per_s = 1555.2e9
peak_flop_per_s.fp32 = 19.5e12
"""


@dataclass(frozen=True)
class Names:
    """What a program and its files are called; ``step`` has a number behind it."""

    run: str
    trace: str
    copy: str
    export: str
    counters: str
    hardware: str
    step: str
    whole: str
    attention: str
    mlp: str
    wait: str


#: Words that reports use themselves, and names of a few letters.
COMMON = Names(
    run="kernel", trace="the.sqlite", copy="1.sqlite", export="of.sqlite", counters="file.csv",
    hardware="GPU.toml", step="range", whole="the", attention="attention", mlp="mlp", wait="1",
)  # fmt: skip
#: Words that nobody uses.
RARE = Names(
    run="ZQXrun", trace="ZQXtrace.sqlite", copy="ZQXcopy.sqlite", export="ZQXexport.sqlite",
    counters="ZQXcounters.csv", hardware="ZQXhardware.toml", step="ZQXstep", whole="ZQXwhole",
    attention="ZQXattention", mlp="ZQXmlp", wait="ZQXwait",
)  # fmt: skip


def _trace(names):
    """Trace steps: a transpose, scale and shift, a GEMM, and a wait for the host."""
    kernels, syncs, waits = [], [], []
    ranges = [nvtx(900_000, 1_000_000 + STEPS * STEP_NS, names.whole)]
    for step in range(STEPS):
        first = 1_000_000 + step * STEP_NS
        places = ((TRANSPOSE, 20_000), (SCALE, 20_000), (SHIFT, 12_500), (GEMM, 40_000))
        start = first
        for name, duration_ns in places:
            kernels.append(kernel(start, start + duration_ns, name))
            start += duration_ns + 5_000
        host = first - 25_000
        ranges += [
            nvtx(host, host + 650_000, f"{names.step} {step}"),
            # launched 20 µs ahead: the calls are 25, 50 and 67.5 µs behind the first one
            nvtx(host + 200, host + 50_000, names.attention),
            nvtx(host + 51_000, host + 120_000, names.mlp),
            nvtx(host + 130_000, host + 600_000, names.wait),
        ]
        # what the next step waits for
        waits.append(call(host + 140_000, 900 + step, host + 590_000,
                          name="cudaStreamSynchronize_v3020"))  # fmt: skip
        syncs.append(sync(host + 140_000, host + 590_000, 1, correlationId=900 + step))
    made = with_calls(kernels)
    return {**made, "calls": [*made["calls"], *waits], "syncs": syncs, "nvtx": ranges}


def desk_with(folder, names):
    """Read the same run from files of other names, some of them twice."""
    folder.mkdir()
    desk = Desk(folder)
    desk.text(names.hardware, HARDWARE)
    rows = _trace(names)
    trace, copied = (desk.trace(name, **rows) for name in (names.trace, names.copy))
    export = desk.trace(names.export, schema=SCHEMAS[-2], **rows)
    work = {TRANSPOSE: (1, 1, 0), SCALE: (2, 1, 0), SHIFT: (1, 1, 0), GEMM: (1, 1, 195_000_000)}
    counters = desk.counters(
        *(
            profiled(name, {READ: read * TENSOR, WRITE: written * TENSOR, "fp32": (0, 0, fma)})
            for name, (read, written, fma) in work.items()
        ),
        name=names.counters,
    )
    desk.ingest(trace, copied, export, counters, "--run", names.run)
    return desk


@pytest.fixture(scope="module")
def desks(tmp_path_factory):
    """Give the run with common names, and the same with rare ones."""
    folder = tmp_path_factory.mktemp("names")
    return [desk_with(folder / label, names) for label, names in (("a", COMMON), ("b", RARE))]


#: What is looked at of the run, with the names of each.
VIEWS = {
    "all": lambda _names: (),
    "a range": lambda names: ("--hw", names.hardware, "--nvtx", names.whole),
    "patterns": lambda names: ("--nvtx", f"{names.step} [12]", "--nvtx", f"{names.mlp}*"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("output_format", "view"),
    [*(("json", view) for view in VIEWS),
     *((output_format, "a range") for output_format in ("md", "text", "csv", "html"))],
)  # fmt: skip
def test_a_report_without_names_does_not_depend_on_them(desks, output_format, view, lang):
    common, rare = (
        desk.type("report", "--redact-names", "--format", output_format, "--lang", lang, "-o", "-",
                  *VIEWS[view](names))
        for desk, names in zip(desks, (COMMON, RARE), strict=True)
    )  # fmt: skip
    assert (common.code, common.err) == (0, rare.err)
    # what differs is not listed: of two pages that takes minutes
    assert (common.out == rare.out) is True


def document(desk, *options):
    done = desk.type("report", "--format", "json", "-o", "-", *options)
    assert done.code == 0, done.err
    return parse_strictly(done.out)


#: Names of the run with rare names, the heaviest range first; files in the order of the run, then
#: that of the GPU, then those that only warnings name.
REPLACED = {
    "--hw ZQXhardware.toml": "--hw 'file 3'",
    "--nvtx ZQXwhole": "--nvtx 'range 1'",
    "ZQXwhole": "range 1",
    "ZQXmlp": "range 2",
    "ZQXattention": "range 3",
    "ZQXstep *": "range 4 *",
    **{f"ZQXstep {step}": f"range {4 + step}" for step in range(STEPS)},
    "ZQXtrace.sqlite": "file 1",
    "ZQXcounters.csv": "file 2",
    "ZQXhardware.toml": "file 3",
    "ZQXhardware": "file 3",
    "ZQXcopy.sqlite": "file 4",
    "ZQXexport.sqlite": "file 5",
    "ZQXrun": "run",
}


def replaced(value):
    """Replace what is no word of a report anywhere in a document."""
    if isinstance(value, dict):
        return {key: replaced(one) for key, one in value.items()}
    if isinstance(value, list):
        return [replaced(one) for one in value]
    if isinstance(value, str):
        for name, by in REPLACED.items():
            value = value.replace(name, by)
    return value


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_only_names_are_replaced(desks, lang):
    options = ("--lang", lang, *VIEWS["a range"](RARE))
    whole = document(desks[1], *options)
    # every kind of name is in the sentences of this run, or in what they rest on
    said = repr([whole[key] for key in ("findings", "warnings", "devices")])
    assert [name for name in REPLACED if name not in said] == [
        "ZQXmlp", "ZQXattention", *(f"ZQXstep {step}" for step in range(STEPS)), "ZQXcounters.csv",
    ]  # fmt: skip
    assert document(desks[1], *options, "--redact-names") == replaced(whole)


def test_sentences_keep_words_that_are_names_too(desks):
    made = document(desks[0], "--redact-names")
    assert "in the order that attention wants" in finding(made, "NW201")["advice"]
    assert "Every NVTX range `range 4 *` holds one" in finding(made, "NW201")["message"]
    assert finding(made, "NW201")["evidence"]["step"] == "range 4 *"
    assert "the NVTX range `range 1`" in finding(made, "NW501")["message"]
    assert "`nsys-walls whatif run --class gemm=85%`" in finding(made, "NW301")["advice"]
    assert {row["range"] for row in made["kernels"]} == {"range 2", "range 3"}


def test_a_pattern_that_was_typed_is_named_by_the_first_range_that_it_fits(desks):
    made = document(desks[0], "--redact-names", *VIEWS["patterns"](COMMON))
    # all of steps 1 and 2, and the MLP of the others: 395 µs in all, 315 µs in the MLP
    times = ranges(made)
    assert (times["range 1"], times["range 2"], times["range 3"]) == (395_000, 315_000, 92_500)
    assert made["selection"]["nvtx"] == ["range 3 *", "range 2 *"]


def test_a_name_has_no_number_twice(desks):
    made = document(desks[1], "--redact-names")
    names = [row["name"] for row in made["ranges"]]
    assert len(names) == len(set(names)) == 3 + STEPS
    assert {row["name"] for row in made["range_tree"]} == set(names)
    assert [row["file"] for row in made["run"]["sources"]] == ["file 1", "file 2"]
    assert len(astuple(RARE)) == len(set(astuple(RARE)))
