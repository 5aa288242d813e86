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
    return opened.page.locator(".tabulator-row[data-id] .name").all_text_contents()


def fragment(opened):
    return opened.page.url.partition("#")[2]


def middle(opened, chart, number):
    """Where the middle of a kernel's bubble is drawn, in pixels of the window."""
    return opened.page.evaluate(
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


def click_bubble(opened, chart, number):
    """Click where a kernel's bubble is drawn."""
    opened.page.mouse.click(*middle(opened, chart, number))


def drag(opened, *places):
    """Drag from place to place, in pixels of the window."""
    opened.page.mouse.move(*places[0])
    opened.page.mouse.down()
    for place in places[1:]:
        opened.page.mouse.move(*place, steps=4)
    opened.page.mouse.up()


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

    opened.page.locator("[role=row].open").wait_for()
    assert fragment(opened) == "kernel=1"
    again = restored(opened, open_report, given)
    for one in (opened, again):
        assert one.page.locator("[role=row].open .name").text_content() == "norm"
        assert bright(one, "plane") == bright(one, "roofline") == {1}
        assert "norm" in one.page.locator(".picked").inner_text()
    # whoever follows the link sees the row at once
    box = again.page.locator("[role=row].open").bounding_box()
    assert 0 <= box["y"] <= 1000
    opened.page.mouse.move(5, 5)
    click_bubble(opened, chart, 1)
    opened.page.locator("[role=row].open").wait_for(state="detached")
    assert fragment(opened) == ""


def area(opened, chart, subplot):
    """Left, top, right and bottom of an area of a chart, in pixels of the window."""
    handle = opened.page.locator(f"#{chart} .nsewdrag[data-subplot='{subplot}']")
    box = handle.bounding_box()
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


def test_a_box_sums_up_what_is_in_it(open_report):
    given = four()
    opened = open_report(given)
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    left, top, right, bottom = area(opened, "plane", "xy")

    drag(opened, (left + 2, top + 2), (right - 2, bottom - 2))

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


@pytest.mark.parametrize("is_upwards", [False, True])
def test_a_box_takes_all_areas_of_the_plane_that_it_covers(open_report, is_upwards):
    opened = open_report(four())
    opened.page.locator("#plane").scroll_into_view_if_needed()
    left, top, right, _ = area(opened, "plane", "xy")
    _, _, _, bottom = area(opened, "plane", "xy2")
    corners = [(left + 2, top + 2), (right - 2, bottom - 2)]

    drag(opened, *(reversed(corners) if is_upwards else corners))

    # gemm and norm in the plane, the copy in the strip; the tail is in the strip below that
    assert bright(opened, "plane") == {0, 1, 2}
    assert bright(opened, "roofline") == {0, 1, 2}
    assert names(opened) == ["gemm", "norm", "copy"]
    assert fragment(opened) == "show=ids:0-2"


@pytest.mark.parametrize("is_from_lane", [False, True])
def test_a_box_takes_a_lane_of_the_roofline_with_its_main_area(open_report, is_from_lane):
    opened = open_report(four())
    opened.page.locator("#roofline").scroll_into_view_if_needed()
    lane, top, _, _ = area(opened, "roofline", "x2y2")
    _, _, right, bottom = area(opened, "roofline", "xy")
    corners = [(lane + 2, top + 2), (right - 2, bottom - 2)]

    drag(opened, *(corners if is_from_lane else reversed(corners)))

    assert bright(opened, "plane") == {0, 1, 2}  # the tail has no place here


def spread():
    """Kernels whose bubbles stand well apart; shares of the bandwidth and of the compute wall."""
    shares = {
        "gemm": (0.5, 0.7), "norm": (0.75, 0.3), "add": (0.75, 0.01), "fill": (0.1, 0.01),
    }  # fmt: skip
    return report(
        kernels=[
            kernel(name=name, bandwidth_ratio=bandwidth, compute_ratio=compute,
                   time_ns=(4 - place) * 1_000_000, median_ns=40_000.0)
            for place, (name, (bandwidth, compute)) in enumerate(shares.items())
        ]
    )  # fmt: skip


def test_a_box_takes_what_has_its_middle_inside_and_nothing_else(open_report):
    opened = open_report(spread())
    opened.page.locator("#plane").scroll_into_view_if_needed()
    (norm_x, norm_y), (add_x, add_y) = middle(opened, "plane", 1), middle(opened, "plane", 2)

    # a column around 75 % of the bandwidth wall, from the norm down to the strip
    drag(opened, (norm_x - 30, norm_y - 3), (add_x + 30, add_y + 3))
    assert bright(opened, "plane") == {1, 2}
    drag(opened, (norm_x - 30, norm_y + 3), (add_x + 30, add_y + 3))  # now below its middle
    assert bright(opened, "plane") == {2}


def test_shift_adds_to_what_is_singled_out(open_report):
    given = spread()
    opened = open_report(given)
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()

    def box(number):
        x, y = middle(opened, "plane", number)
        drag(opened, (x - 30, y - 30), (x + 30, y + 30))

    box(0)
    assert bright(opened, "plane") == {0}
    page.keyboard.down("Shift")
    box(3)
    page.keyboard.up("Shift")
    assert bright(opened, "plane") == {0, 3}
    assert fragment(opened) == "show=ids:0.3"
    assert names(restored(opened, open_report, given)) == ["gemm", "fill"]
    box(1)  # without it, anew
    assert bright(opened, "plane") == {1}
    click_bubble(opened, "plane", 2)
    page.keyboard.down("Shift")
    box(0)  # beside the single one, too
    page.keyboard.up("Shift")
    assert bright(opened, "plane") == {0, 1, 2}


def test_a_lasso_crosses_areas_too(open_report):
    opened = open_report(spread())
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    page.locator("#plane").hover()
    page.locator("#plane [data-title='Drag to select freely']").click()
    (gemm, fill) = (middle(opened, "plane", number) for number in (0, 3))

    # a slanted band around the line from the gemm to the fill; the box around it has no more
    drag(
        opened,
        (gemm[0] - 20, gemm[1] - 20), (gemm[0] + 20, gemm[1] - 20),
        (fill[0] + 20, fill[1] + 20), (fill[0] - 20, fill[1] + 20),
    )  # fmt: skip
    assert bright(opened, "plane") == {0, 3}
    # a triangle whose box holds the gemm, the triangle itself does not
    norm, add = middle(opened, "plane", 1), middle(opened, "plane", 2)
    drag(
        opened,
        (norm[0] + 20, gemm[1] - 20),
        (add[0] + 20, add[1] + 20),
        (gemm[0] - 20, add[1] + 20),
    )
    assert bright(opened, "plane") == {1, 2}


def test_the_outline_is_what_is_taken_and_says_its_sum(open_report):
    opened = open_report(four())
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    left, top, right, _ = area(opened, "plane", "xy")
    _, _, _, bottom = area(opened, "plane", "xy2")

    page.mouse.move(left + 2, top + 2)
    page.mouse.down()
    page.mouse.move(right - 2, bottom - 2, steps=4)
    outline = page.locator("#plane .enclosed polygon").bounding_box()
    assert outline == pytest.approx(
        {"x": left + 2, "y": top + 2, "width": right - left - 4, "height": bottom - top - 4}, abs=1
    )
    # 14 of 15 ms
    assert page.locator("#plane .enclosed text").text_content() == (
        "3 kernels · 14.0 ms · 93 % of kernel time"
    )
    page.mouse.move(right + 2000, bottom - 2)  # out of the chart: it ends at the edge
    frame = page.locator("#plane").bounding_box()
    outline = page.locator("#plane .enclosed polygon").bounding_box()
    assert outline["x"] + outline["width"] == pytest.approx(frame["x"] + frame["width"], abs=1)
    page.mouse.up()
    assert page.locator(".enclosed").count() == 0
    assert bright(opened, "plane") == {0, 1, 2}
    page.mouse.dblclick(left + 40, top + 40)
    assert bright(opened, "plane") is None
    assert fragment(opened) == ""


def test_a_box_takes_only_what_is_drawn(open_report):
    opened = open_report(spread(), fragment="time=1000000-3500000")  # without the gemm
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    left, top, right, _ = area(opened, "plane", "xy")
    _, _, _, bottom = area(opened, "plane", "xy2")
    corners = [(left + 2, top + 2), (right - 2, bottom - 2)]

    drag(opened, *corners)
    assert "show=ids:1-3" in fragment(opened)
    # up to 60 % of the bandwidth wall in view: without the norm and the add at 75 %
    page.evaluate("Plotly.relayout('plane', {'xaxis.range': [0, 0.6]})")
    drag(opened, *corners)
    assert "show=ids:3" in fragment(opened).split("&")


def test_zoom_and_pan_stay_with_plotly(open_report):
    opened = open_report(four())
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    page.locator("#plane").hover()
    page.locator("#plane [data-title='Drag to zoom']").click()
    left, top, right, bottom = area(opened, "plane", "xy")
    before = opened.layout("plane")["xaxis"]["range"]
    third = (right - left) / 3

    drag(opened, (left + third, top + 20), (right - third, bottom - 20))

    after = opened.layout("plane")["xaxis"]["range"]
    assert after[1] - after[0] == pytest.approx((before[1] - before[0]) / 3, rel=0.02)
    assert bright(opened, "plane") is None
    page.mouse.dblclick(left + 40, top + 40)
    page.wait_for_function(
        "end => Math.abs(document.getElementById('plane').layout.xaxis.range[1] - end) < 1e-6",
        arg=before[1],
    )
    page.wait_for_timeout(400)  # so that plotly takes the next for a single click
    click_bubble(opened, "plane", 1)
    assert fragment(opened) == "kernel=1"


def test_a_selection_that_no_link_can_hold_says_so(open_report):
    given = report(kernels=[kernel(name=f"k{place}") for place in range(2000)])
    # every second of 2,000: 5 + 45 + 450 + 500 ids of 1 to 4 digits, with points 4,449 characters
    ids = ".".join(map(str, range(0, 2000, 2)))
    opened = open_report(given, fragment=f"show=ids:{ids}")
    picked = opened.page.locator(".picked")

    assert "1,000 kernels" in picked.inner_text()
    assert "too many for a link" in picked.inner_text()
    assert picked.get_by_role("button", name="Copy link").count() == 0
    assert fragment(opened) == ""  # no address of something else
    picked.get_by_role("button", name="Show all").click()
    opened.page.evaluate("location.hash = 'show=ids:0-1999'")  # more kernels, a short link
    picked.get_by_role("button", name="Copy link").wait_for()
    assert "2,000 kernels" in picked.inner_text()


def range_node(number, parent, depth, name, time, launched):
    return {
        "node": number, "parent": parent, "depth": depth, "name": name, "launches": 1,
        "time_ns": time, "self_time_ns": 0, "time_ratio": 0.5,
        "time_by_wall_ns": {"bandwidth": time}, "kernels": launched,
    }  # fmt: skip


def test_a_range_singles_out_the_kernels_of_all_ranges_inside(open_report):
    """A step with a layer, and one without its softmax: both ran a layer and an embedding."""
    ranges = {"gemm": "layer", "softmax": "softmax", "lookup": "embed", "first": None}
    kernels = [
        kernel(name=name, range=inside, time_ns=(9 - place) * 1_000_000, median_ns=40_000.0)
        for place, (name, inside) in enumerate(ranges.items())
    ]
    tree = [
        range_node(0, None, 0, "step 0", 24_000_000, [0, 1, 2]),
        range_node(1, 0, 1, "layer", 17_000_000, [0, 1]),
        range_node(2, 1, 2, "softmax", 8_000_000, [1]),
        range_node(3, 0, 1, "embed", 7_000_000, [2]),
        range_node(4, None, 0, "step 1", 5_000_000, [0, 2]),
        range_node(5, 4, 1, "layer", 4_000_000, [0]),
    ]
    names_only = [*tree[:4], range_node(4, None, 0, "(outside)", 6_000_000, [])]
    given = report(kernels=kernels, ranges=names_only, range_tree=tree, range_nodes=6)
    opened = open_report(given)
    section = opened.page.locator("#ranges")

    def show(row):
        opened.page.locator("#ranges tbody tr").nth(row).locator(".link").click()
        return names(opened)

    assert show(0) == ["gemm", "softmax", "lookup"]
    assert show(1) == ["gemm", "softmax"]
    assert bright(opened, "plane") == {0, 1}
    said = opened.page.locator(".picked").inner_text().replace("\u00a0", " ")
    # 9 + 8 ms in all, 17 ms of it in this node
    assert "launched in range layer" in said
    assert "2 kernels · 17.0 ms in it" in said
    assert "17.0 ms with all their launches" in said
    assert fragment(opened) == "show=range:1"
    assert names(restored(opened, open_report, given)) == ["gemm", "softmax"]
    assert show(2) == ["softmax"]
    opened.page.evaluate("location.hash = 'show=range:4'")
    opened.page.get_by_text("2 of 4 kernels").wait_for()
    assert names(opened) == ["gemm", "lookup"]
    section.get_by_role("button", name="By name").click()
    assert show(1) == ["gemm", "softmax"]
    assert fragment(opened) == "show=name:layer"
    assert names(restored(opened, open_report, given)) == ["gemm", "softmax"]
    assert show(4) == ["first"]  # outside of all ranges
    assert fragment(opened) == "show=name:(outside)"
    assert not opened.said


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
    assert (
        again.page.locator("[role=columnheader]:not([aria-sort=none])").text_content() == "Launches"
    )
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
    assert opened.page.locator("[role=columnheader]").all_text_contents() == [
        "Kernel",
        "Time",
        "FLOP",
    ]
    assert opened.page.get_by_label("Colour by").input_value() == "class"
    assert {wall["name"] for wall in opened.walls("roofline")} == {"fp32", "bandwidth"}
    assert not opened.said


WRONG = [
    "kernel=99", "kernel=x", "show=finding:3", "show=__proto__:1", "show=ids:a-b", "show=range:7",
    "show=name:nope", "time=x-y", "sort=nope", "columns=", "colour=red", "gpu=9", "roofs=<b>",
    "toString=1", "hidden=<img src=x onerror=alert(1)>", "words=%3Cscript%3E",
    "show=class:constructor",
]  # fmt: skip


def test_an_address_that_means_nothing_here_does_no_harm(open_report):
    opened = open_report(four(), fragment="&".join(WRONG))
    page = opened.page

    for wrong in WRONG:
        page.evaluate("fragment => { location.hash = fragment; }", wrong)
        page.wait_for_function("() => document.querySelectorAll('[role=columnheader]').length > 0")
        assert not page.locator("#trouble").is_visible(), wrong
        assert page.locator("img, b:has(b)").count() == 0, wrong
    assert not opened.said


def test_an_address_typed_into_the_open_page_is_followed(open_report):
    opened = open_report(four())
    opened.page.evaluate("location.hash = 'kernel=2'")
    opened.page.locator("[role=row].open").wait_for()
    assert opened.page.locator("[role=row].open .name").text_content() == "copy"
    opened.page.evaluate("location.hash = 'method'")  # an anchor of the page: nothing changes
    assert opened.page.locator("[role=row].open").count() == 1
    opened.page.go_back()
    opened.page.evaluate("location.hash = ''")
    opened.page.locator("[role=row].open").wait_for(state="detached")


def test_a_link_can_be_copied(open_report):
    opened = open_report(four())
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.page.locator(".tabulator-row[data-id] .name").first.click()
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
    assert page.locator("[role=row].open .name").text_content() == "norm"
    page.keyboard.press("Escape")
    assert page.locator("[role=row].open").count() == 0


def test_places_of_the_page_leave_the_address_as_it_is(open_report):
    given = four()
    opened = open_report(given, fragment="kernel=1&colour=class")
    page = opened.page

    page.get_by_role("link", name="How to read this").click()
    assert fragment(opened) == "kernel=1&colour=class"
    assert page.locator("#method").bounding_box()["y"] < 200
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert fragment(opened) == "kernel=1&colour=class"
    assert page.evaluate("document.activeElement.id") == "kernels"


@pytest.mark.parametrize(
    "unknown",
    ["show=class:nosuch", "show=level:zz", "show=ids:900-999", "show=range:", "time=5-1",
     "kernel=", "kernel=77", "sort=nosuch", "colour=taste", "show=toString:1"],
)  # fmt: skip
def test_what_a_link_names_and_this_report_lacks_is_ignored(open_report, unknown):
    opened = open_report(four(), fragment=unknown)
    assert len(names(opened)) == 4
    assert not opened.page.locator(".picked").is_visible()
    assert not opened.said
