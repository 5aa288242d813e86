"""What the reader chooses: in the address, in both charts, in the table, and back again."""

import pytest
from support.documents import kernel, report, unmeasured

pytestmark = pytest.mark.browser


def four():
    """Four kernels of 8, 4, 2 and 1 ms; the last has no counters."""
    return report(
        kernels=[
            kernel(name="gemm", time_ns=8_000_000, median_ns=40_000.0, **{"class": "gemm"}),
            kernel(name="norm", time_ns=4_000_000, median_ns=40_000.0),
            kernel(name="copy", time_ns=2_000_000, median_ns=40_000.0, flop=0.0, precision=None,
                   **{"class": "copy"}),
            unmeasured(name="tail", time_ns=1_000_000),
        ]
    )  # fmt: skip


def names(opened):
    return opened.page.locator("tr[data-id] .name").all_text_contents()


def fragment(opened):
    return opened.page.url.partition("#")[2]


def click_bubble(opened, chart, number):
    """Click where a kernel's bubble is drawn."""
    place = opened.page.evaluate(
        """([name, id]) => { const chart = document.getElementById(name);
            const trace = chart.data.findIndex(one => one.meta === 'kernels'
                && one.customdata.includes(id));
            const at = chart.data[trace].customdata.indexOf(id);
            const group = chart.querySelectorAll('.scatterlayer .trace')
                [[...chart.querySelectorAll('.scatterlayer .trace')].findIndex(
                    node => node.__data__[0].trace.index === trace)];
            const box = group.querySelectorAll('.points path')[at].getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }""",
        [chart, number],
    )
    opened.page.mouse.click(*place)


def bright(opened, chart):
    """Ids that stand out in a chart; None where all do."""
    traces = opened.bubbles(chart)
    if all(trace["selected"] is None for trace in traces):
        return None
    return {trace["ids"][at] for trace in traces for at in trace["selected"]}


def drawn(opened, chart):
    """Ids that are drawn at all."""
    return {
        number
        for trace in opened.bubbles(chart)
        for number, x in zip(trace["ids"], trace["x"], strict=True)
        if x is not None
    }


def restored(opened, open_report, given):
    """Open the same report at the address that the reader has reached."""
    return open_report(given, fragment=fragment(opened))


@pytest.mark.parametrize("chart", ["plane", "roofline"])
def test_a_click_on_a_point_singles_it_out_and_its_address_does_the_same(open_report, chart):
    given = four()
    opened = open_report(given)
    opened.page.locator(f"#{chart}").scroll_into_view_if_needed()

    click_bubble(opened, chart, 1)

    opened.page.locator("tr.open").wait_for()
    assert fragment(opened) == "kernel=1"
    again = restored(opened, open_report, given)
    for one in (opened, again):
        assert one.page.locator("tr.open .name").text_content() == "norm"
        assert bright(one, "plane") == bright(one, "roofline") == {1}
        assert "norm" in one.page.locator(".picked").inner_text()
    # whoever follows the link sees the row at once
    box = again.page.locator("tr.open").bounding_box()
    assert 0 <= box["y"] <= 1000
    opened.page.mouse.move(5, 5)
    click_bubble(opened, chart, 1)
    opened.page.locator("tr.open").wait_for(state="detached")
    assert fragment(opened) == ""


def test_a_box_sums_up_what_is_in_it(open_report):
    given = four()
    opened = open_report(given)
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    drag = page.locator("#plane .nsewdrag[data-subplot='xy']").bounding_box()

    page.mouse.move(drag["x"] + 2, drag["y"] + 2)
    page.mouse.down()
    page.mouse.move(drag["x"] + 100, drag["y"] + 100, steps=3)
    page.mouse.move(drag["x"] + drag["width"] - 2, drag["y"] + drag["height"] - 2, steps=3)
    page.mouse.up()

    page.locator(".picked").wait_for()
    # the norm and the gemm are in the plane, the copy in the strip below
    assert "2 kernels · 12.0 ms · 80 % of kernel time" in page.locator(".picked").inner_text()
    assert names(opened) == ["gemm", "norm"]
    assert fragment(opened) == "show=ids:0-1"
    again = restored(opened, open_report, given)
    assert names(again) == ["gemm", "norm"]
    assert bright(again, "roofline") == {0, 1}
    page.locator(".picked").get_by_role("button", name="Show all").click()
    assert len(names(opened)) == 4
    assert fragment(opened) == ""


def test_search_sort_and_groups_are_in_the_address(open_report):
    given = four()
    opened = open_report(given)
    page = opened.page

    page.get_by_label("Search kernels").fill("wall norm")
    page.get_by_role("button", name="Launches", exact=True).click()
    page.get_by_role("group", name="Walls shown").get_by_text("not measured").click()
    assert set(fragment(opened).split("&")) == {
        "words=wall+norm", "sort=-launches", "hidden=wall:unmeasured",
    }  # fmt: skip

    again = restored(opened, open_report, given)
    assert names(again) == names(opened) == ["norm"]
    assert again.page.get_by_label("Search kernels").input_value() == "wall norm"
    assert again.page.locator("th[aria-sort]").text_content() == "Launches"
    assert drawn(again, "plane") == {0, 1, 2}
    chip = again.page.get_by_role("group", name="Walls shown").get_by_text("not measured")
    assert chip.get_attribute("aria-pressed") == "false"


def test_groups_that_are_left_out_are_not_drawn(open_report):
    opened = open_report(four())
    assert drawn(opened, "plane") == {0, 1, 2, 3}
    opened.page.get_by_label("Colour by").select_option("class")
    chips = opened.page.get_by_role("group", name="Classes shown")
    chips.get_by_text("copy").click()
    assert drawn(opened, "plane") == {0, 1, 3}
    assert drawn(opened, "roofline") == {0, 1}
    assert names(opened) == ["gemm", "norm", "tail"]
    chips.get_by_text("copy").click()
    assert drawn(opened, "plane") == {0, 1, 2, 3}


def slide(opened, label, key, times):
    thumb = opened.page.get_by_label(label)
    thumb.focus()
    for _ in range(times):
        thumb.press(key)


def test_the_slider_keeps_the_heavy_end_or_the_long_tail(open_report):
    given = four()
    opened = open_report(given)

    slide(opened, "Shortest total time of a kernel", "ArrowRight", 1)
    assert names(opened) == ["gemm", "norm", "copy"]  # the shortest of all is gone
    slide(opened, "Shortest total time of a kernel", "Home", 1)
    assert len(names(opened)) == 4
    slide(opened, "Longest total time of a kernel", "PageDown", 4)  # 400 of 1,000: below 4 ms
    assert names(opened) == ["copy", "tail"]
    assert drawn(opened, "plane") == {2, 3}
    assert drawn(opened, "roofline") == {2}
    assert "1.00 ms – 3." in opened.page.locator(".slider output").inner_text()
    again = restored(opened, open_report, given)
    assert names(again) == ["copy", "tail"]
    assert again.page.get_by_label("Longest total time of a kernel").input_value() == "600"


def test_a_class_of_the_bars_singles_out_its_kernels(open_report):
    opened = open_report(four())
    opened.page.locator("#classes").get_by_role("button", name="norm").click()
    assert names(opened) == ["norm", "tail"]
    assert bright(opened, "plane") == {1, 3}
    assert fragment(opened) == "show=class:norm"


def test_columns_colours_and_gpu_come_back_too(open_report):
    given = four()
    opened = open_report(
        given, fragment="columns=time_ns,flop,nonsense&colour=class&caches=1&roofs=fp32,nope"
    )
    assert opened.page.locator(".kernels th").all_text_contents() == ["Kernel", "Time", "FLOP"]
    assert opened.page.get_by_label("Colour by").input_value() == "class"
    assert {wall["name"] for wall in opened.walls("roofline")} == {"fp32", "bandwidth"}
    assert not opened.said


WRONG = [
    "kernel=99", "kernel=x", "show=finding:3", "show=__proto__:1", "show=ids:a-b", "show=range:7",
    "time=x-y", "sort=nope", "columns=", "colour=red", "gpu=9", "roofs=<b>", "toString=1",
    "hidden=<img src=x onerror=alert(1)>", "words=%3Cscript%3E", "show=class:constructor",
]  # fmt: skip


def test_an_address_that_means_nothing_here_does_no_harm(open_report):
    opened = open_report(four(), fragment="&".join(WRONG))
    page = opened.page

    for wrong in WRONG:
        page.evaluate("fragment => { location.hash = fragment; }", wrong)
        page.wait_for_function("() => document.querySelectorAll('.kernels th').length > 0")
        assert not page.locator("#trouble").is_visible(), wrong
        assert page.locator("img, b:has(b)").count() == 0, wrong
    assert not opened.said


def test_an_address_typed_into_the_open_page_is_followed(open_report):
    opened = open_report(four())
    opened.page.evaluate("location.hash = 'kernel=2'")
    opened.page.locator("tr.open").wait_for()
    assert opened.page.locator("tr.open .name").text_content() == "copy"
    opened.page.evaluate("location.hash = 'method'")  # an anchor of the page: nothing changes
    assert opened.page.locator("tr.open").count() == 1
    opened.page.go_back()
    opened.page.evaluate("location.hash = ''")
    opened.page.locator("tr.open").wait_for(state="detached")


def test_a_link_can_be_copied(open_report):
    opened = open_report(four())
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.page.locator("tr[data-id] .name").first.click()
    opened.page.locator(".picked").get_by_role("button", name="Copy link").click()
    opened.page.locator(".picked").get_by_role("button", name="Copied").wait_for()
    assert opened.page.evaluate("navigator.clipboard.readText()") == opened.page.url
    assert opened.page.url.endswith("#kernel=0")


def test_charts_are_walked_by_keyboard(open_report):
    opened = open_report(four())
    page = opened.page
    page.locator("#plane").focus()

    page.keyboard.press("ArrowRight")
    said = page.locator("#plane-title").locator("xpath=ancestor::figure").locator("[aria-live]")
    assert said.text_content().startswith("gemm. gemm · ")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert said.text_content().startswith("copy. ")
    page.locator("#plane .hovertext").wait_for()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.locator("tr.open .name").text_content() == "norm"
    page.keyboard.press("Escape")
    assert page.locator("tr.open").count() == 0
