"""JSON, CSV, Markdown and text: what every written report promises."""

import csv
import io
import json
import re
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from support.documents import device, kernel, report, unmeasured

from nsys_walls.reports import all_renderers
from nsys_walls.reports.markdown import escape
from nsys_walls.reports.wording import cut_middle, printable

SCHEMA = json.loads(files("nsys_walls").joinpath("data/report-1.schema.json").read_text("utf-8"))
HOSTILE = "void pack<Tile<float, 4>, </script><b id=x>>(T1 *) | `@a` \x1b[31m\u202eevil"


def rendered(name, *kernels, **keys):
    return all_renderers()[name].render(report(kernels=list(kernels), **keys))


def test_there_is_a_renderer_for_every_documented_format():
    assert set(all_renderers()) == {"html", "md", "json", "text", "csv"}


def test_json_is_strict_and_follows_its_schema():
    text = rendered("json", kernel(), unmeasured(id=1))
    jsonschema.validate(json.loads(text), SCHEMA)


def test_json_refuses_what_json_can_not_say():
    with pytest.raises(ValueError, match="Out of range float"):
        rendered("json", kernel(intensity_flop_per_byte=float("inf")))


def test_csv_has_a_line_per_kernel_and_no_formulas():
    names = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", 'a,b\n"c"']
    text = rendered("csv", *(kernel(id=i, name=name) for i, name in enumerate(names)))
    rows = list(csv.DictReader(io.StringIO(text)))
    # only what begins with a sign of a formula has a quote in front, and names stay as they are
    assert [row["name"] for row in rows] == [*(f"'{name}" for name in names[:-1]), names[-1]]
    assert rows[0]["grid"] == "3072x1x1"


def test_csv_leaves_what_was_not_measured_empty():
    (row,) = csv.DictReader(io.StringIO(rendered("csv", unmeasured())))
    assert row["flop"] == row["dram_bytes"] == row["bandwidth_ratio"] == ""


def test_markdown_keeps_hostile_names_as_text():
    text = rendered("md", kernel(name=HOSTILE))
    assert "<b" not in re.sub(r"\\[<>]", "", text)
    assert "\x1b" not in text
    assert "\u202e" not in text
    (line,) = (line for line in text.splitlines() if "pack" in line)
    # as many cells as the header has, so the name did not end its cell
    assert len(re.findall(r"(?<!\\)\|", line)) == 10


def test_markdown_stays_under_the_limit_of_a_comment():
    many = [kernel(id=i, name=f"{'k<' * 40_000}{i}") for i in range(1000)]
    text = rendered("md", *many)
    assert len(text) < 65_536
    assert "900 more kernels" in text


def test_text_fits_into_80_columns_and_shows_controls():
    text = rendered("text", kernel(name=HOSTILE), unmeasured(id=1, name="x" * 83_000))
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert "–" in text


def test_names_in_the_advice_are_text_too():
    made = report(kernels=[kernel()], advice=f"Begin with {HOSTILE}.")
    for name in ("text", "md"):
        assert "\x1b" not in all_renderers()[name].render(made)


def test_text_names_what_it_leaves_out():
    text = rendered("text", *(kernel(id=i) for i in range(25)))
    assert "and 5 more kernels with 20 % of the time" in text


@pytest.mark.parametrize("name", ["md", "text"])
def test_a_report_without_kernels_still_renders(name):
    assert "0 launches, 0 kernels" in rendered(name)


def test_escapes():
    assert printable("a\u2066b") == "a\\u2066b"
    assert escape("*a*") == r"\*a\*"
    assert cut_middle("abcdefgh", 5) == "ab…gh"
    assert cut_middle("abc", 3) == "abc"


FINDING = {
    "code": "NW101",
    "title": "small | kernels",
    "message": "They <b>add up</b>.",
    "kernels": [0],
    "time_ratio": 0.5,
    "saving_ns": 5.0,
    "speedup_bound": 2.0,
    "end_to_end_bound": 1.5,
    "blockers": ["an event wait"],
    "advice": "Fuse | them.",
    "evidence": {},
    "key": None,
}


def test_findings_and_warnings_are_written_everywhere():
    extra = {"findings": [FINDING], "warnings": [{"code": "odd", "message": "Odd `row`."}]}
    markdown = rendered("md", kernel(), **extra)
    assert "- **NW101 small \\| kernels.** They \\<b\\>add up" in markdown
    assert "Odd `row`. `odd`" in markdown
    text = rendered("text", kernel(), **extra)
    assert "NW101 small | kernels" in text
    assert "! Odd `row`. [odd]" in text
    assert "  At most 5.00 ns could be saved (1.50 times as fast end to end)." in text
    assert "  Blocked: an event wait." in text
    assert "  Fuse | them." in text


def test_where_no_span_is_known_a_saving_is_of_kernel_time():
    row = FINDING | {"end_to_end_bound": None}
    for name in ("text", "md"):
        text = rendered(name, kernel(), findings=[row]).replace("\\", "")
        assert "At most 5.00 ns could be saved (2.00 times as fast in kernel time)." in text
    nothing_left = FINDING | {"end_to_end_bound": None, "speedup_bound": None}
    text = rendered("text", kernel(), findings=[nothing_left])
    assert "  At most 5.00 ns could be saved.\n" in text


def test_commands_are_code_in_markdown_and_all_else_is_text():
    row = FINDING | {
        "message": "See `a*b | <i>@me`, not *this*.",
        "advice": "Run `nsys-walls plan`: it",
    }
    reason = "trace with `nsys profile -t cuda`."
    markdown = rendered("md", kernel(), findings=[row], advice="Type `x_y`.",
                        abstained=[{"code": "NW501", "reason": reason}])  # fmt: skip
    assert r"See `a*b | <i>@me`, not \*this\*." in markdown
    assert "Run `nsys-walls plan`: it" in markdown
    assert "\nType `x_y`.\n" in markdown
    assert "judge: trace with `nsys profile -t cuda`." in markdown


def test_backticks_of_names_are_no_code_in_markdown():
    names = ("`anonymous'::scale_kernel", "`nsys`")
    rows = [kernel(id=number, name=name) for number, name in enumerate(names)]
    message = "`anonymous'::scale_kernel is before `nsys`, see `ncu --kernel-name nsys`."
    spans = [{"name": "a``b`", "launches": 1, "time_ns": 1, "self_time_ns": 1, "time_ratio": 1.0,
              "time_by_wall_ns": {}}]  # fmt: skip
    advice = "Look at the range `a``b``, and at `one that is open."
    finding = FINDING | {"message": message, "advice": advice}
    markdown = rendered("md", *rows, ranges=spans, findings=[finding])
    scale = r"\`anonymous'::scale\_kernel"
    assert rf"{scale} is before \`nsys\`, see `ncu --kernel-name nsys`." in markdown
    assert r"Look at the range ``` a``b` ```, and at \`one that is open." in markdown


def test_many_findings_are_named_and_do_not_add_up():
    rows = [FINDING | {"title": f"claim {n}", "key": f"C{n}"} for n in range(8)]
    rows[7] |= {"saving_ns": None}
    text = rendered("text", kernel(), findings=rows)
    assert text.count("They <b>add up</b>.") == 5
    assert "3 more findings:" in text
    assert "  NW101 claim 5, at most 5.00 ns" in text
    assert text.count("it does not add up") == 1
    assert "  NW101 claim 7\n" in text
    markdown = rendered("md", kernel(), findings=[*rows, *rows])
    assert markdown.count("- **NW101") == 8
    assert len(markdown) < 65_536


def test_rules_that_could_not_look_are_named():
    text = rendered("text", kernel(), abstained=[{"code": "NW501", "reason": "no launches"}])
    assert "NW501 had too little data to judge: no launches" in text


def test_unknown_walls_are_said_and_not_invented():
    bare = device(
        bandwidth_bytes_per_s=None, peak_flop_per_s={}, balance_flop_per_byte={}, name=None,
        hardware=None,
    )  # fmt: skip
    text = rendered("text", kernel(), devices=[bare])
    assert "unknown GPU: DRAM bandwidth unknown, compute peak unknown" in text
    only_peak = device(bandwidth_bytes_per_s=None, balance_flop_per_byte={})
    assert "balance" not in rendered("text", kernel(), devices=[only_peak])
    no_span = {"launches": 1, "kernels": 1, "span_ns": None, "busy_ns": None}
    text = rendered("text", kernel(), totals={**no_span, "measured_time_ratio": None})
    assert "GPU time: busy" not in text


AROUND = {
    "selection": {"nvtx": ["decode*"], "window": "1s:", "devices": [0], "streams": [7],
                  "kernel": "gemm"},
    "totals": {
        "launches": 10, "kernels": 1, "span_ns": 1000, "kernel_ns": 500, "busy_ns": 500,
        "copy_ns": 100, "other_ns": 150, "idle_ns": 250, "measured_time_ratio": 1.0,
    },
    "idle": {
        "by_cause": [
            {"device": 0, "cause": "host", "call": "cudaStreamSynchronize", "gaps": 2,
             "time_ns": 200, "median_ns": 100.0, "longest_ns": 150},
            {"device": 0, "cause": "host", "call": None, "gaps": 1, "time_ns": 49,
             "median_ns": 49.0, "longest_ns": 49},
            {"device": 0, "cause": "queued", "call": None, "gaps": 1, "time_ns": 0,
             "median_ns": 0.0, "longest_ns": 0},
        ],
        "longest": [],
    },
    "copies": [
        {"device": 0, "operation": "host_to_device", "source_memory": "pageable",
         "target_memory": "device", "copies": 3, "bytes": 2400, "time_ns": 100, "hidden_ns": 0,
         "union_ns": 100, "exposed_ns": 100,
         "bytes_per_s": 24e9, "median_bytes_per_s": 24e9, "traffic_bytes": 2400, "wall": "pcie",
         "wall_bytes_per_s": 32e9, "wall_ratio": 0.75, "wall_from": "table", "notes": []},
        {"device": 0, "operation": None, "source_memory": None, "target_memory": None, "copies": 1,
         "bytes": None, "time_ns": 50, "hidden_ns": None,
         "union_ns": 50, "exposed_ns": None,
         "bytes_per_s": None,
         "median_bytes_per_s": None, "traffic_bytes": None, "wall": None,
         "wall_bytes_per_s": None, "wall_ratio": None, "wall_from": None, "notes": []},
    ],
    "communication": [
        {"class": "comm_allreduce", "kernels": [0], "ranks": 2, "launches": 4, "time_ns": 300,
         "waiting_ns": 120, "slow": None},
        {"class": "comm_p2p", "kernels": [0], "ranks": 1, "launches": 1, "time_ns": 10,
         "waiting_ns": None, "slow": None},
    ],
    "ranks": [
        {"rank": 0, "source": 0, "device": 0, "launches": 5, "span_ns": 500, "kernel_ns": 200,
         "busy_ns": 200, "copy_ns": 0, "idle_ns": 300, "communication_ns": 90, "waiting_ns": 60},
    ],
    "rank_spread": {"kernel_ns": 0.25, "busy_ns": 0.25, "copy_ns": None, "idle_ns": 0.5},
    "sampling": [{"device": 0, "period_ns": 100, "samples": 1200, "attributed": 900, "shared": 1,
                  "idle": 2, "partial": 297}],
    "range_tree": [
        {"node": 0, "parent": None, "depth": 0, "name": "step", "launches": 10, "time_ns": 500,
         "self_time_ns": 0, "time_ratio": 1.0, "time_by_wall_ns": {}},
        {"node": 1, "parent": 0, "depth": 1, "name": "l|ayer", "launches": 10, "time_ns": 500,
         "self_time_ns": 500, "time_ratio": 1.0, "time_by_wall_ns": {}},
    ],
    "range_nodes": 42,
}  # fmt: skip


def test_all_time_beside_kernels_is_told():
    text = rendered("text", kernel(), **AROUND)
    for line in (
        "Shown of this run: --nvtx decode* --window 1s: --device 0 --stream 7 --kernel",
        "GPU time: busy 50 %, copies 10 %, other work 15 %, idle 25 % of 1.00 µs",
        "idle 200 ns in 2 gaps: the host was busy after cudaStreamSynchronize",
        "idle 49.0 ns in 1 gap: the host launched late",
        "host to device (pageable): 3 times, 2.40 kB in 100 ns, 24.0 GB/s, 75 % of PCIe",
        "other copies: 1 time, 50.0 ns",
        "allreduce: 4 launches on 2 ranks, 300 ns, of which 120 ns waiting for the",
        "p2p: 1 launch, 10.0 ns",
        "rank 0 (GPU 0, bert-base-b8.sqlite): kernels 200 ns, busy 200 ns, idle 300 ns,",
        "spread over ranks: kernel time 25 %, idle time 50 %",
        "GPU 0: 1,200 samples, 900 while one kernel ran alone",
        "  l|ayer",
        "and 22 more ranges",
    ):
        assert line in text, line
    assert "queued" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_time_outside_of_all_ranges_is_told():
    outside = {"name": "(outside)", "launches": 4, "time_ns": 300, "self_time_ns": 300,
               "time_ratio": 0.6, "time_by_wall_ns": {}}  # fmt: skip
    text = rendered("text", kernel(), **AROUND | {"ranges": [outside]})
    assert re.search(r"\(outside\) +300 ns +60% +4\n", text)


def test_lines_of_several_gpus_say_which():
    two = [device(), device(device=1)]
    text = rendered("text", kernel(), devices=two, **AROUND)
    assert "  GPU 0: idle 200 ns in 2 gaps" in text
    many = AROUND["idle"]["by_cause"][:1] * 40
    text = rendered("text", kernel(), **AROUND | {"idle": {"by_cause": many, "longest": []}})
    assert "more lines of idle time and copies" in text


def test_markdown_tells_the_same():
    text = rendered("md", kernel(), **AROUND)
    assert r"Shown of this run: \-\-nvtx decode\*" in text
    assert "  - idle 200 ns in 2 gaps: the host was busy after cudaStreamSynchronize" in text
    assert "| &nbsp;&nbsp;l\\|ayer | 500 ns | 100 % | 10 |" in text


def test_a_sampled_bandwidth_is_marked():
    sampled = {
        "samples": 40, "period_ns": 1e5, "bytes_per_s": 250e9, "bandwidth_ratio": 0.78,
        "dram_read_ratio": 0.5, "dram_write_ratio": 0.28, "sm_active_ratio": None,
        "tensor_active_ratio": None, "tensor_includes_fp16": False, "clock_hz": None,
    }  # fmt: skip
    row = unmeasured(bandwidth_ratio=0.78, bytes_per_s=250e9, sampled=sampled)
    assert " ~78%" in rendered("text", row)
    assert next(csv.DictReader(io.StringIO(rendered("csv", row))))["samples"] == "40"
    jsonschema.validate(json.loads(rendered("json", row)), SCHEMA)


def test_reports_can_be_in_chinese():
    built = report(kernels=[kernel()], headline="标题", advice="建议", **AROUND)
    for name in ("text", "md"):
        said = all_renderers()[name].render(replace(built, language="zh"))
        assert "主机在 cudaStreamSynchronize 之后忙于其他事" in said
        assert not re.search(r"\b(idle|launches|kernel time)\b", said)
