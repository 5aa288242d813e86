"""For everyone: what axe finds, the keyboard, paper, and the other language."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from support.documents import device, kernel, report

pytestmark = pytest.mark.browser

HEADLINE_ZH = "算子时间的 85 % 顶在带宽墙上，15 % 顶在算力墙上。"


@pytest.fixture(scope="module")
def full(varied):
    """A report in which every part of the page has something to say."""
    from browser.test_sections import copied, finding, gap, node, range_row

    document = varied.document
    rank = {"rank": 0, "device": 0, "source": 0, "launches": 1, "span_ns": 9_000_000,
            "kernel_ns": 4, "busy_ns": 4_000_000, "copy_ns": 10, "idle_ns": 5_000_000,
            "communication_ns": 9, "waiting_ns": None}  # fmt: skip
    parts = {
        "findings": [finding(), finding(blockers=["a copy is between"])],
        "abstained": [{"code": "NW105", "reason": "no API calls"}],
        "warnings": [{"code": "slow-launch", "message": "One took 3 ms."}] * 25,
        "copies": [copied(), copied(notes=["above the wall"], wall_ratio=1.2)],
        "idle": {"by_cause": [gap()], "longest": [{
            "device": 0, "start_ns": 1, "duration_ns": 20_000, "cause": "sync", "call": None,
            "kernel_before": 0, "kernel_after": None}]},
        "ranges": [range_row(place) for place in range(40)],
        "range_tree": [node(0, None, 0, kernels=[0]), node(1, 0, 1)], "range_nodes": 5,
        "ranks": [rank, rank | {"rank": 1}], "rank_spread": {"busy_ns": 0.1, "idle_ns": None},
        "communication": [{"class": "comm_allreduce", "kernels": [1], "ranks": 2, "launches": 6,
                           "time_ns": 4, "waiting_ns": 1, "slow": None}],
        "selection": {"nvtx": ["a.*"], "window": None, "devices": [], "streams": [],
                      "kernel": None},
        "sampling": [{"device": 0, "period_ns": 100_000, "samples": 9, "attributed": 4,
                      "shared": 1, "idle": 2, "partial": 2}],
    }  # fmt: skip
    kernels = [row | {"range": "mlp", "l2_bytes": row["dram_bytes"]} for row in document["kernels"]]
    idle = {"span_ns": 9_000_000, "idle_ns": 4_000_000}
    gpu = document["devices"][0]
    gpu = gpu | {"totals": gpu["totals"] | idle}
    totals = document["totals"] | idle
    return report(**document | parts | {"kernels": kernels, "devices": [gpu], "totals": totals})


def serious(opened):
    found = Axe().run(opened.page).response["violations"]
    return [
        (one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_report, full, scheme):
    opened = open_report(full, color_scheme=scheme)
    assert serious(opened) == []


@pytest.mark.parametrize("width", [1440, 800])
def test_axe_finds_nothing_serious_with_everything_open(open_report, full, width):
    opened = open_report(
        full, fragment="kernel=0", viewport={"width": width, "height": 1000}, color_scheme="dark"
    )
    opened.page.evaluate(
        "document.querySelectorAll('details').forEach(one => { one.open = true; })"
    )
    assert serious(opened) == []
    assert not opened.said


def test_every_control_is_reached_by_keyboard_and_seen(open_report, full):
    opened = open_report(full)
    page = opened.page
    reached = []
    for _ in range(150):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """() => { const node = document.activeElement; if (node === document.body) return null;
                const style = getComputedStyle(node);
                return [node.id || node.className || node.tagName, style.outlineStyle]; }"""
        )
        if found is None:
            break
        reached.append(found)
    names = " ".join(name for name, _ in reached)
    for control in ("skip", "SELECT", "chip", "small", "plane", "roofline", "name",
                    "twig", "SUMMARY", "link"):  # fmt: skip
        assert control in names, control
    assert all(outline != "none" for _, outline in reached)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prints_two_pages(open_report, full, language):
    opened = open_report(full.__class__(
        document=full.document, headline=HEADLINE_ZH, advice="x " * 120, language=language,
    ), color_scheme="dark")  # fmt: skip
    page = opened.page
    page.evaluate(
        """() => addEventListener('beforeprint', () => { window.printed =
            document.querySelectorAll('.paper tbody tr').length; })"""
    )

    paper = page.pdf(prefer_css_page_size=True, print_background=True)

    assert len(re.findall(rb"/Type /Page\b", paper)) == 2
    sizes = {tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[([^]]+)\]", paper)}
    assert all(width == pytest.approx(842, abs=2) for _, _, width, _ in sizes)  # A4 across
    assert page.evaluate("window.printed") == 9
    assert not opened.said


def test_walls_and_bubbles_stand_on_paper(open_report, full):
    opened = open_report(full)
    page = opened.page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    for chart in ("plane", "roofline"):
        lines = page.locator(f"#{chart} .js-line").evaluate_all(
            "lines => lines.map(line => line.getClientRects().length)"
        )
        assert lines
        assert all(lines)  # not one is left out by the style for paper
        bubbles = page.locator(f"#{chart} .points path")
        assert bubbles.count() >= 7
        frame = page.locator(f"#{chart}").bounding_box()
        for box in (bubbles.nth(place).bounding_box() for place in range(bubbles.count())):
            assert frame["x"] <= box["x"] <= frame["x"] + frame["width"]
            assert frame["y"] <= box["y"] <= frame["y"] + frame["height"]


def test_paper_holds_the_first_rows_and_says_so(open_report):
    kernels = [kernel(name=f"k{place}", time_ns=10**6 - place) for place in range(40)]
    opened = open_report(report(kernels=kernels))
    page = opened.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    names = page.locator(".paper .name-column").all_text_contents()
    assert names == ["Kernel", *(f"k{place}" for place in range(10))]
    assert "the first 10 of 40 kernels" in page.locator(".paper").text_content()
    assert not page.locator(".tabulator").is_visible()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".paper").text_content() == ""
    assert page.locator(".tabulator-row").count() == 40


def test_paper_says_what_is_singled_out(open_report):
    kernels = [kernel(name=f"k{place}", time_ns=900 - place) for place in range(4)]
    kernels.append(kernel(name="g", time_ns=1, **{"class": "gemm"}))
    page = open_report(report(kernels=kernels), fragment="show=class:norm&words=k1+").page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    said = page.locator(".paper").text_content()
    assert said.startswith("1 of 5 kernels singled out: class norm, k1")


@pytest.mark.parametrize("gpus", [1, 4])
def test_paper_cuts_nothing_that_it_shows(open_report, gpus):
    """Classes, idle causes and GPUs take rows of the table of kernels."""
    from browser.test_sections import gap

    idle = {"span_ns": 9_000_000, "idle_ns": 4_000_000}
    gpu = report().document["devices"][0]
    devices = [
        gpu | {"device": number, "totals": gpu["totals"] | idle | {"span_ns": 9_000_000 + number}}
        for number in range(gpus)
    ]
    kernels = [
        kernel(name=f"k{place}", time_ns=900 - place, **{"class": f"class {place % 7}"})
        for place in range(40)
    ]
    causes = [gap(call=f"call{place}") for place in range(7)]
    opened = open_report(
        report(kernels=kernels, devices=devices, idle={"by_cause": causes, "longest": []})
    )
    page = opened.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1047, "height": 718})  # 277 mm across, as on A4

    sheet = page.locator(".sheet").nth(1)
    assert sheet.evaluate("node => node.scrollHeight - node.clientHeight") <= 0


def test_the_page_is_chinese_where_its_report_is(open_report, full):
    opened = open_report(
        full.__class__(
            document=full.document, headline=HEADLINE_ZH, advice="先融合。", language="zh"
        )
    )
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")

    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert page.locator("mark.bandwidth").text_content() == "带宽墙"
    said = page.locator(
        "h2, h3:not(article h3), th:not(.device), [role=columnheader], summary"
    ).all_text_contents()
    english = [one for one in said if one and not re.search(r"[\u4e00-\u9fff]", one)]
    # what has no other name
    assert set(english) <= {"GPU", "FLOP/B", "rank"}
    assert "{" not in page.locator("body").inner_text()
    assert "undefined" not in page.locator("body").inner_text()
    hover = opened.bubbles("plane")[0]["hover"][0]
    assert "带宽" in hover
    assert not opened.said


def test_every_wall_colour_differs_for_colour_blind_eyes(open_report):
    """Simulated protanopia, deuteranopia and tritanopia keep the two walls far apart."""
    opened = open_report(report(devices=[device()]))
    client = opened.page.context.new_cdp_session(opened.page)
    opened.page.locator("#overview").evaluate(
        """node => node.append(...['bandwidth', 'compute'].map(wall => {
            const patch = document.createElement('div');
            patch.className = `patch wall-${wall}`;
            patch.style = 'width:20px;height:20px';
            return patch; }))"""
    )
    patches = opened.page.locator(".patch")
    for kind in ("protanopia", "deuteranopia", "tritanopia", "achromatopsia"):
        client.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
        one, other = (patches.nth(at).screenshot() for at in (0, 1))
        assert one != other, kind
