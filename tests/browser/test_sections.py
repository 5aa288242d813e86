"""The parts around the charts: findings, GPU time, copies, ranks, ranges, how to read it."""

import re
from dataclasses import replace

import pytest
from support.documents import device, kernel, report, source, unmeasured

pytestmark = pytest.mark.browser


def text(opened, selector):
    return opened.page.locator(selector).inner_text().replace("\u00a0", " ")


def rows(opened, selector):
    """Rows of a table as lists of cells, without small explanations."""
    cells = opened.page.locator(f"{selector} tbody tr").evaluate_all(
        """rows => rows.map(row => [...row.cells].map(cell => {
            const copy = cell.cloneNode(true);
            copy.querySelectorAll('small, .unseen').forEach(node => node.remove());
            return copy.textContent.replaceAll('\u00a0', ' ').trim(); }))"""
    )
    return [[cell for cell in row if cell] for row in cells]


def finding(**given):
    return {
        "code": "NW102", "title": "Copies move 0.7 GB", "message": "They compute nothing.",
        "kernels": [0], "time_ratio": 0.2, "saving_ns": 9.5e5, "speedup_bound": 1.25,
        "end_to_end_bound": 1.125,
        "blockers": [], "advice": "Fuse the `nsys-walls` way.", "key": None,
        "evidence": {"moved_bytes": 7.3e8, "reached_ratio": 0.7, "bytes_per_100_steps": 7.3e10,
                     "fp16_tensor_peak_flop_per_s": 65e12, "copies": 1840, "hidden_ns": None,
                     "at_wall_ns_per_100_steps": 566_117_816, "step": None,
                     "operation": "host_to_device", "source_memory": "pageable",
                     "kernel_0_bandwidth_ratio": 1.2, "kernel_7_dram_bytes": 1e6,
                     "device_1_clock_hz": 1.98e9},
    } | given  # fmt: skip


def test_a_finding_says_what_to_try_and_on_what_it_rests(open_report):
    opened = open_report(report(kernels=[kernel(name="scale")], findings=[finding()]))
    card = opened.page.locator("article")

    assert "Try: Fuse the nsys-walls way." in card.inner_text()
    assert card.locator(".worth").inner_text().startswith("up to −950 µs")
    card.get_by_text("All of it, with numbers").click()
    facts = card.locator("dl").inner_text().replace("\u00a0", " ").split("\n")
    assert dict(zip(facts[::2], facts[1::2], strict=True)) == {
        "bytes read and written": "730 MB",
        "share of their walls that they reach": "70 %",
        "DRAM traffic in 100 steps": "73.0 GB",
        "compute wall, FP16 tensor": "65.0 TFLOP/s",
        "copies": "1,840",
        "time hidden under other kernels": "–",
        "time at the bandwidth wall in 100 steps": "566 ms",
        "direction": "host to device",
        "from": "pageable memory",
        "share of the bandwidth wall, scale": "120 %",
        "DRAM traffic of a launch, #7": "1.00 MB",
        "highest clock, GPU 1": "1.98 GHz",
    }
    assert "nsys-walls explain NW102" in card.inner_text()
    assert card.locator(".tag").count() == 0


def test_numbers_of_a_finding_have_names_in_chinese_too(open_report):
    opened = open_report(replace(report(findings=[finding()]), language="zh"))
    card = opened.page.locator("article")

    card.locator(".evidence summary").click()
    names = card.locator("dt").all_inner_texts()
    assert {"读写字节数", "达到各自墙的比例", "每次启动的显存访存，#7"} <= set(names)
    # "GPU", "FP16 tensor" and the kernel's name are no words of English
    assert all(re.search("[\u4e00-\u9fff]", name) for name in names)
    assert {"主机到设备", "可分页内存"} <= set(card.locator("dd").all_inner_texts())


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        # whatever it is of busy time
        ({"end_to_end_bound": 1.125, "speedup_bound": 1.25}, "≤ 1.13× end to end"),
        ({"end_to_end_bound": None, "speedup_bound": 1.25}, "≤ 1.25× in kernel time"),
        ({"end_to_end_bound": None, "speedup_bound": None}, ""),
    ],
)
def test_the_bound_of_a_finding_says_of_what_it_is(open_report, bounds, said):
    worth = open_report(report(findings=[finding(**bounds)])).page.locator(".worth")
    assert worth.locator("span").all_inner_texts() == ([said] if said else [])


def test_a_blocked_finding_and_rules_that_could_not_look_are_marked(open_report):
    opened = open_report(
        report(
            findings=[finding(blockers=["another stream waits", "a copy is between"])],
            abstained=[{"code": "NW105", "reason": "the trace has no API calls"}],
        )
    )
    card = opened.page.locator("article.blocked")

    assert card.locator(".tag").inner_text() == "blocked"
    assert "In the way: another stream waits; a copy is between" in card.inner_text()
    fold = opened.page.locator(".abstained details")
    assert fold.locator("summary").inner_text() == "1 rule had too little data to judge"
    fold.locator("summary").click()
    assert text(opened, ".abstained li") == "NW105 the trace has no API calls"


def test_beyond_three_cards_findings_are_lines_that_open(open_report):
    several = [finding(title=f"Finding {place}", message=f"m{place}.") for place in range(10)]
    opened = open_report(report(findings=several))
    section = opened.page.locator("#findings")

    assert section.locator("article h3").all_inner_texts() == [f"Finding {n}" for n in range(3)]
    shown = section.locator(".finding-line").locator("visible=true")
    assert shown.locator(".finding-line-title").all_inner_texts() == [
        f"Finding {n}" for n in range(3, 8)
    ]
    shown.first.locator("summary").first.click()
    assert "m3." in shown.first.inner_text()
    assert shown.first.get_by_role("button", name="show 1 kernel").is_visible()
    section.get_by_text("2 smaller findings").click()
    assert section.locator(".finding-line").locator("visible=true").count() == 7


def gap(**given):
    return {
        "device": 0, "cause": "sync", "call": "cudaStreamSynchronize", "gaps": 3,
        "time_ns": 30_000, "median_ns": 10_000.0, "longest_ns": 20_000,
    } | given  # fmt: skip


def test_the_time_of_a_gpu_is_one_bar_that_adds_up(open_report):
    totals = {"launches": 10, "span_ns": 1_000_000, "kernel_ns": 400_000, "busy_ns": 400_000,
              "copy_ns": 100_000, "other_ns": 50_000, "idle_ns": 450_000}  # fmt: skip
    opened = open_report(report(devices=[device(totals=totals)]))

    assert text(opened, ".gpu-bar .key").split("\n") == [
        "kernels 400 µs · 40 %",
        "copies alone 100 µs · 10 %",
        "other work 50.0 µs · 5.0 %",
        "idle 450 µs · 45 %",
    ]
    grown = opened.page.locator(".gpu-bar .bar i").evaluate_all(
        "parts => parts.map(part => Number(part.style.flexGrow))"
    )
    assert grown == [400_000, 100_000, 50_000, 450_000]
    label = opened.page.locator(".gpu-bar .bar").get_attribute("aria-label")
    assert label.startswith("kernels 400 µs, 40 %; copies alone")


def test_idle_time_is_told_by_cause_over_all_gpus(open_report):
    totals = {"launches": 10, "span_ns": 1_000_000, "kernel_ns": 400_000, "busy_ns": 400_000,
              "copy_ns": 0, "other_ns": 0, "idle_ns": 600_000}  # fmt: skip
    causes = [
        gap(device=0), gap(device=1, time_ns=10_000, longest_ns=5_000),
        gap(cause="host", call=None, time_ns=20_000), gap(cause="host", time_ns=9_000),
        gap(cause="queued", call=None, time_ns=8_000), gap(cause="unheard", time_ns=7_000),
    ]  # fmt: skip
    one = {"device": 0, "cause": "sync", "call": "cudaStreamSynchronize", "start_ns": 5_000,
           "duration_ns": 20_000, "kernel_before": 0, "kernel_after": 99}  # fmt: skip
    other = {"start_ns": 8_000, "duration_ns": 9_000, "kernel_before": None, "kernel_after": 0}
    gaps = [one, one | other]
    opened = open_report(
        report(
            kernels=[kernel(name="norm"), kernel(name="other", device=1)],
            devices=[device(totals=totals), device(device=1, totals=totals)],
            idle={"by_cause": causes, "longest": gaps},
        )
    )

    assert [row[:3] for row in rows(opened, "#gpu-time .idle")] == [
        ["The host waited in cudaStreamSynchronize", "6", "40.0 µs"],
        ["The host launched late", "3", "20.0 µs"],
        ["The host was busy after cudaStreamSynchronize", "3", "9.00 µs"],
        ["Launched, but not yet started", "3", "8.00 µs"],
        ["unheard", "3", "7.00 µs"],
    ]
    opened.page.get_by_text("The 2 longest gaps").click()
    shown = rows(opened, "#gpu-time details")
    assert shown[0] == [
        "20.0 µs", "first", "The host waited in cudaStreamSynchronize", "norm", "no kernel",
    ]  # fmt: skip
    assert shown[1][1] == "+ 3.00 µs"


def test_several_gpus_have_a_bar_each(open_report):
    gpus = [device(), device(device=1)]
    kernels = [kernel(time_ns=900_000), kernel(device=1, time_ns=300_000)]
    opened = open_report(report(kernels=kernels, devices=gpus))

    assert [row[0] for row in rows(opened, "#gpu-time .plain")] == ["0", "1"]
    assert "2 GPUs busy" in text(opened, "#overview")


def copied(**given):
    return {
        "device": 0, "operation": "host_to_device", "source_memory": "pageable",
        "target_memory": "device", "copies": 6, "bytes": 196_608, "time_ns": 40_000,
        "hidden_ns": 10_000,
         "union_ns": 40_000, "exposed_ns": 40_000,
         "bytes_per_s": 4.9e9, "median_bytes_per_s": 4.8e9,
        "traffic_bytes": 196_608, "wall": "pcie", "wall_bytes_per_s": 15.75e9, "wall_ratio": 0.31,
        "wall_from": "A list (https://example.org/x/links), checked", "notes": [],
    } | given  # fmt: skip


def test_copies_stand_against_their_links(open_report):
    opened = open_report(
        report(
            copies=[
                copied(),
                copied(operation=None, source_memory=None, wall=None, wall_bytes_per_s=None,
                       wall_ratio=None, wall_from=None, bytes=None, bytes_per_s=None,
                       hidden_ns=None, notes=["sizes are unknown"]),
            ]
        )
    )  # fmt: skip

    assert rows(opened, "#copies") == [
        ["host to device, pageable memory", "6", "197 kB", "40.0 µs", "25 %", "4.90 GB/s",
         "31 % PCIe"],
        ["other copies", "6", "–", "40.0 µs", "–", "–", "–"],
    ]  # fmt: skip
    assert "sizes are unknown" in text(opened, "#copies")
    links = opened.page.locator("#hardware a")
    assert links.get_attribute("href") == "https://example.org/x/links"
    assert "15.8 GB/s" in text(opened, "#hardware")


def test_collectives_and_ranks_show_who_waits(open_report):
    rank = {"source": 0, "launches": 10, "span_ns": 1_000_000, "kernel_ns": 600_000,
            "busy_ns": 600_000, "copy_ns": 0, "idle_ns": 400_000,
            "communication_ns": 200_000}  # fmt: skip
    opened = open_report(
        report(
            kernels=[kernel(name="norm"), kernel(name="ring", wall="communication",
                                                 **{"class": "comm_allreduce"})],
            communication=[{
                "class": "comm_allreduce", "kernels": [1], "ranks": 2, "launches": 66,
                "time_ns": 400_000, "waiting_ns": 100_000,
                "slow": {"kernel": 1, "launches": 1, "time_ns": 90_000, "median_ns": 2_000.0,
                         "max_ns": 90_000},
            }],
            ranks=[rank | {"rank": 0, "device": 0, "waiting_ns": 100_000},
                   rank | {"rank": 1, "device": 0, "waiting_ns": None}],
            rank_spread={"kernel_ns": 0.1, "busy_ns": 0.1, "copy_ns": None, "idle_ns": 0.25},
        )
    )  # fmt: skip

    collective, *ranks = rows(opened, "#ranks")
    assert collective == ["allreduce", "2", "66", "400 µs", "100 µs 25 %"]
    assert "1 launch took more than ten times the median of 2.00 µs" in text(opened, "#ranks")
    assert [row[:3] for row in ranks] == [["0", "0", "600 µs"], ["1", "0", "600 µs"]]
    assert [row[-1] for row in ranks] == ["100 µs", "–"]
    assert "kernels 10 %, idle 25 %" in text(opened, "#ranks")
    opened.page.locator("#ranks").get_by_role("button", name="allreduce").click()
    assert opened.page.locator(".tabulator-row[data-id] .name").all_text_contents() == ["ring"]


def node(number, parent, depth, **given):
    time = given.get("time_ns", 1000)
    return {
        "node": number, "parent": parent, "depth": depth, "name": f"range {number}",
        "launches": 1, "time_ns": time, "self_time_ns": 0, "time_ratio": 0.5,
        "time_by_wall_ns": {"bandwidth": time}, "kernels": [],
    } | given  # fmt: skip


def range_row(place):
    return {
        "name": f"step {place}", "launches": 1, "time_ns": 100 - place, "self_time_ns": 1,
        "time_ratio": 0.01, "time_by_wall_ns": {"bandwidth": 100 - place},
    }  # fmt: skip


def test_ranges_are_a_tree_that_opens_where_the_time_is(open_report):
    tree = [
        node(0, None, 0, time_ns=9000),
        *(node(number, 0, 1, time_ns=900 - number) for number in range(1, 13)),
        node(13, None, 0, time_ns=8000),
        *(node(number, 13, 1, time_ns=700 - number) for number in range(14, 28)),
    ]
    opened = open_report(report(ranges=[range_row(0)], range_tree=tree, range_nodes=99))
    page = opened.page

    assert page.locator(".tree tbody tr").count() == 2 + 12  # the heavier one is open
    assert "71 lighter nodes" in text(opened, "#ranges")
    second = page.locator(".twig").filter(has_text="range 13").first
    assert second.get_attribute("aria-expanded") == "false"
    second.focus()
    page.keyboard.press("Enter")
    assert page.locator(".tree tbody tr").count() == 2 + 12 + 14
    assert page.locator(":focus").get_attribute("aria-expanded") == "true"
    page.keyboard.press("Enter")
    assert page.locator(".tree tbody tr").count() == 2 + 12
    page.get_by_role("button", name="By name").click()
    assert rows(opened, "#ranges") == [["step 0", "100 ns", "1.0 %", "1.00 ns", "1"]]


def test_many_ranges_side_by_side_are_folded(open_report):
    tree = [node(number, None, 0, time_ns=1000 - number) for number in range(40)]
    opened = open_report(
        report(
            ranges=[range_row(place) for place in range(42)],
            range_tree=tree,
            range_nodes=40,
        )
    )
    page = opened.page

    assert page.locator(".tree tbody tr").count() == 15 + 1
    page.get_by_role("button", name="25 more ranges").click()
    assert page.locator(".tree tbody tr").count() == 40
    page.get_by_role("button", name="By name").click()
    assert page.locator("#ranges tbody tr").locator("visible=true").count() == 30
    page.get_by_text("12 more ranges").click()
    assert page.locator("#ranges tbody tr").locator("visible=true").count() == 42


def test_kernels_of_a_range_are_shown_where_the_document_names_them(open_report):
    tree = [node(0, None, 0, kernels=[1]), node(1, None, 0)]
    kernels = [kernel(name="a", time_ns=900), kernel(name="b", time_ns=800)]
    opened = open_report(
        report(kernels=kernels, ranges=[range_row(0)], range_tree=tree, range_nodes=2)
    )
    opened.page.locator("#ranges").get_by_role("button", name="show 1 kernel").click()
    assert opened.page.locator(".tabulator-row[data-id] .name").all_text_contents() == ["b"]
    assert "show=range:0" in opened.page.url


def test_how_to_read_it_has_the_numbers_of_this_run(open_report):
    # 7.2 MFLOP over 9.6 MB at 8.1 TFLOP/s ÷ 320 GB/s; a quarter of the time is not measured
    kernels = [
        kernel(name="norm", time_ns=3_000_000, median_ns=40_000.0),
        unmeasured(name="u", time_ns=1_000_000),
    ]
    opened = open_report(report(kernels=kernels))

    assert text(opened, ".steps li:nth-child(1) .figure") == "4.00 ms"
    assert text(opened, ".steps li:nth-child(2) .figure") == "7.20 MFLOP ÷ 9.60 MB = 0.75"
    assert text(opened, ".steps li:nth-child(3) .figure") == "8.10 TFLOP/s ÷ 320 GB/s = 25.3"
    assert "in practice about 12.7" in text(opened, ".steps li:nth-child(3)")
    assert text(opened, ".card.bandwidth .figure") == "75 %"
    assert text(opened, ".card.compute .figure") == "0 %"
    assert "not measured 25 %" in text(opened, ".others")
    labels = opened.page.locator(".scale text").all_text_contents()
    assert labels == ["balance point 25.3", "0", "0.1", "1", "10", "100"]


HOSTILE = "\x1b[31m\u202e\u2066</script><img src=x onerror=alert(1)>&lt;b&gt;\u200b\n\x07"


def test_nothing_that_a_program_wrote_becomes_markup_or_a_control_character(open_report):
    bad = HOSTILE
    opened = open_report(
        report(
            kernels=[
                kernel(name=bad, full_name=bad, notes=[bad], intensity_note=bad, range=bad,
                       match={"reason": bad}),
                unmeasured(name=f"other {bad}", time_ns=1, match={"reason": bad}),
            ],
            devices=[device(name=bad, mig=bad, compute_capability=bad,
                            documents={"bandwidth_bytes_per_s": bad, "fp32": f"{bad} https://a.b/{bad}"})],
            run={"name": bad, "sources": [source(file=bad, product_version=bad,
                                                 schema_version=bad)]},
            findings=[finding(title=bad, message=bad, advice=bad, blockers=[bad], key=bad,
                              evidence={"where": bad})] * 5,
            abstained=[{"code": "NW105", "reason": bad}],
            warnings=[{"code": "w", "message": bad}],
            idle={"by_cause": [gap(call=bad)], "longest": [{
                "device": 0, "start_ns": 1, "duration_ns": 20_000, "cause": "sync", "call": bad,
                "kernel_before": 0, "kernel_after": None}]},
            copies=[copied(notes=[bad], wall_from=bad)],
            ranges=[range_row(0) | {"name": bad}],
            range_tree=[node(0, None, 0, name=bad, kernels=[0])],
            range_nodes=1,
            selection={"nvtx": [bad], "window": bad, "devices": [], "streams": [], "kernel": bad},
            headline=bad,
            advice=bad,
        ),
        fragment="kernel=0&colour=range&columns=name,range",
    )  # fmt: skip
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.get_by_role("button", name="By name").click()
    page.locator("#plane").focus()
    page.keyboard.press("ArrowRight")

    written = page.evaluate(
        """() => { const texts = [document.title];
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
            while (walker.nextNode()) { const node = walker.currentNode;
                if (node.nodeType === 3 && !['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(
                    node.parentNode.tagName)) texts.push(node.data);
                if (node.nodeType === 1) for (const one of node.attributes) texts.push(one.value); }
            return texts; }"""
    )
    assert sum("\\x1b[31m\\u202e" in text for text in written) > 20
    hidden = re.compile("[\x00-\x09\x0b-\x1f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
    assert [text[:80] for text in written if hidden.search(text)] == []
    assert page.locator("img, #x").count() == 0
    assert not opened.said
    assert not page.locator("#trouble").is_visible()


def test_what_a_page_had_to_leave_out_is_said(open_report):
    kernels = [kernel(name=f"k{place}", time_ns=10**6 - place) for place in range(5010)]
    opened = open_report(report(kernels=kernels))

    said = text(opened, "#overview")
    assert "This page holds the 5,000 heaviest kernels; 10 more take 0.2 % of kernel time." in said
    assert "5,010 kernels in" in text(opened, ".steps li:nth-child(1)")


def test_every_hardware_number_has_its_source(open_report):
    opened = open_report(report())

    table = rows(opened, "#hardware")
    # a wall's name, its value, its balance point where it has one, its origin, its document
    assert table[0] == ["bandwidth wall", "320 GB/s", "hardware table", "NVIDIA T4 datasheet"]
    assert len(table) > 3
    assert all(row[-1] == "NVIDIA T4 datasheet" for row in table)


def test_sides_without_counters_are_not_measured_rather_than_empty(open_report):
    opened = open_report(report(kernels=[unmeasured(name="u", time_ns=1_000_000)]))

    for card in (".card.bandwidth", ".card.compute"):
        said = text(opened, card)
        assert "–" in said
        assert "Not measured" in said
        assert "0 %" not in said


def test_what_a_page_has_no_room_for_still_counts(open_report):
    page = {"kernels": 3000, "kernels_time_ns": 6_000_000, "ranges": 0, "names_longer_than": None,
            "levels": {"shape": {"kernels": 2900, "time_ns": 5_000_000},
                       "none": {"kernels": 100, "time_ns": 1_000_000}},
            "sides": {"memory": {"kernels": 2900, "time_ns": 5_000_000}}}  # fmt: skip
    kernels = [kernel(name="a", time_ns=3_000_000), unmeasured(name="b", time_ns=1_000_000)]
    given = report(kernels=kernels)
    totals = given.document["totals"] | {"kernel_ns": 10_000_000, "kernels": 3002}
    opened = open_report(report(**given.document | {"page": page, "totals": totals}))

    assert "counters matched 2,901 of 3,002 kernels" in text(opened, "#overview")
    assert ["shape", "same name, grid and block", "2,901", "8.00 ms", "80 %"] in rows(
        opened, "#coverage"
    )
    assert text(opened, ".card.bandwidth .figure") == "80 %"
    opened.page.get_by_label("Search kernels").fill("nothing")
    assert "0 of the 2 kernels on this page" in text(opened, "#kernels [role=status]")
