"""What a reader does with the charts: look closer, hide, add, take back, go to another GPU."""

import math

import pytest
from browser.test_links import area, bright, click_bubble, drag, drawn, fragment, middle, spread
from support.documents import device, kernel, report, unmeasured

pytestmark = pytest.mark.browser


def two_gpus():
    """GPU 0: 9 ms in one kernel; GPU 1: 5 ms in two; GPU 2: 1 ms in one."""
    places = [("a", 0, 9), ("b", 1, 3), ("c", 1, 2), ("d", 2, 1)]
    return report(
        kernels=[
            kernel(name=name, device=gpu, time_ns=time * 1_000_000, median_ns=40_000.0,
                   **{"class": "copy" if name in "bcd" else "gemm"})
            for name, gpu, time in places
        ],
        devices=[device(device=gpu) for gpu in range(3)],
    )  # fmt: skip


def gpu_shown(opened):
    """Number of the GPU that the choice above the charts shows."""
    chosen = opened.page.get_by_label("Charts of").evaluate("node => node.selectedOptions[0].text")
    return int(chosen.partition(":")[0].removeprefix("GPU "))


def test_a_link_to_a_kernel_of_another_gpu_shows_the_charts_of_that_gpu(open_report):
    opened = open_report(two_gpus(), fragment="kernel=2")

    assert drawn(opened, "plane") == drawn(opened, "roofline") == {1, 2}
    assert bright(opened, "plane") == bright(opened, "roofline") == {2}
    assert gpu_shown(opened) == 1
    assert set(fragment(opened).split("&")) == {"kernel=2", "gpu=1"}
    opened.page.evaluate("location.hash = 'kernel=3'")
    opened.page.wait_for_function("() => location.hash.includes('gpu=2')")
    assert bright(opened, "plane") == {3}
    assert gpu_shown(opened) == 2


def test_a_row_of_another_gpu_takes_the_charts_along_and_back(open_report):
    opened = open_report(two_gpus())
    rows = opened.page.locator(".tabulator-row[data-id] .name")
    assert gpu_shown(opened) == 0

    rows.nth(1).click()
    assert gpu_shown(opened) == 1
    assert bright(opened, "plane") == {1}
    rows.nth(0).click()  # the busiest GPU, which needs no place in the address
    assert gpu_shown(opened) == 0
    assert bright(opened, "plane") == {0}
    assert fragment(opened) == "kernel=0"


def test_several_of_other_gpus_show_the_gpu_with_most_of_their_time(open_report):
    opened = open_report(two_gpus(), fragment="show=class:copy")  # 5 ms on GPU 1, 1 ms on GPU 2
    assert gpu_shown(opened) == 1
    assert bright(opened, "plane") == {1, 2}
    opened.page.evaluate("location.hash = 'show=ids:1-3&gpu=2'")  # the sender looked at this one
    opened.page.wait_for_function("() => location.hash.includes('gpu=2')")
    assert gpu_shown(opened) == 2
    assert bright(opened, "plane") == {3}


def test_a_gpu_that_a_link_or_the_reader_chooses_stays(open_report):
    opened = open_report(two_gpus(), fragment="kernel=0&gpu=1")
    assert gpu_shown(opened) == 1
    opened.page.get_by_label("Charts of").select_option(index=2)
    assert gpu_shown(opened) == 2
    assert drawn(opened, "plane") == {3}


def test_a_click_with_shift_adds_a_kernel_or_takes_it_out(open_report):
    opened = open_report(spread())
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    click_bubble(opened, "plane", 0)
    assert fragment(opened) == "kernel=0"

    page.keyboard.down("Shift")
    click_bubble(opened, "plane", 2)
    assert bright(opened, "plane") == {0, 2}
    assert fragment(opened) == "show=ids:0.2"
    click_bubble(opened, "roofline", 3)
    assert bright(opened, "plane") == {0, 2, 3}
    click_bubble(opened, "plane", 0)
    assert bright(opened, "plane") == {2, 3}
    page.keyboard.up("Shift")
    click_bubble(opened, "plane", 1)  # one alone, the others are dim but not forgotten
    assert bright(opened, "plane") == {1}
    page.keyboard.down("Shift")
    click_bubble(opened, "plane", 2)
    assert bright(opened, "plane") == {1, 2, 3}
    for number in (1, 2, 3):
        click_bubble(opened, "plane", number)
    page.keyboard.up("Shift")
    assert bright(opened, "plane") is None
    assert fragment(opened) == ""


def test_a_click_with_shift_adds_while_drags_zoom(open_report):
    opened = open_report(spread(), fragment="kernel=0")
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    choose_mode(opened, "plane", "Drag to zoom")
    page.keyboard.down("Shift")
    click_bubble(opened, "plane", 2)
    page.keyboard.up("Shift")
    assert fragment(opened) == "show=ids:0.2"


@pytest.mark.parametrize("mode", ["Drag to select", "Drag to zoom"])
def test_a_right_click_singles_nothing_out(open_report, mode):
    opened = open_report(spread())
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    choose_mode(opened, "plane", mode)

    for button in ("right", "middle"):
        page.mouse.move(*middle(opened, "plane", 1))
        page.locator("#plane .hovertext").wait_for()
        page.mouse.click(*middle(opened, "plane", 1), button=button)
        page.wait_for_timeout(50)
        assert fragment(opened) == ""
    page.wait_for_timeout(500)  # no double-click with the next
    click_bubble(opened, "plane", 1)
    assert fragment(opened) == "kernel=1"


def test_escape_ends_a_drag_and_keeps_what_was_selected(open_report):
    opened = open_report(spread(), fragment="show=ids:1")
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    left, top, right, bottom = area(opened, "plane", "xy")
    page.locator("#plane").focus()

    page.mouse.move(left + 2, top + 2)
    page.mouse.down()
    page.mouse.move(right - 2, bottom - 2, steps=4)
    assert page.locator(".enclosed").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".enclosed").count() == 0
    page.mouse.move(right - 40, bottom - 40)
    page.mouse.up()
    assert page.locator(".enclosed").count() == 0
    assert fragment(opened) == "show=ids:1"
    page.keyboard.press("Escape")  # without a drag it lets go of the selection
    assert fragment(opened) == ""
    drag(opened, (left + 2, top + 2), (right - 2, bottom - 2))
    assert bright(opened, "plane") == {0, 1}


def choose_mode(opened, chart, mode):
    """Choose in the bar above a chart what a drag does."""
    opened.page.locator(f"#{chart}").hover(position={"x": 100, "y": 60})
    opened.page.locator(f"#{chart} [data-title='{mode}']").click()


def ranges(opened, chart):
    """Ends of both main axes."""
    layout = opened.layout(chart)
    return layout["xaxis"]["range"] + layout["yaxis"]["range"]


def mode_of(opened, chart):
    return opened.layout(chart)["dragmode"]


def zoom_in(opened, chart):
    """Zoom into the middle of a chart's main area with the pointer; its ranges then."""
    choose_mode(opened, chart, "Drag to zoom")
    left, top, right, bottom = area(opened, chart, "xy")
    across, down = (right - left) / 4, (bottom - top) / 4
    drag(opened, (left + across, top + down), (right - across, bottom - down))
    return ranges(opened, chart)


def test_zoom_and_mode_outlive_what_redraws_the_charts(open_report):
    opened = open_report(spread())
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    first = {chart: ranges(opened, chart) for chart in ("plane", "roofline")}
    zoomed = {chart: zoom_in(opened, chart) for chart in first}
    choose_mode(opened, "roofline", "Drag to select freely")

    def stays():
        assert {chart: ranges(opened, chart) for chart in zoomed} == {
            chart: pytest.approx(ends) for chart, ends in zoomed.items()
        }
        assert (mode_of(opened, "plane"), mode_of(opened, "roofline")) == ("zoom", "lasso")

    # half of each axis
    assert zoomed["plane"][1] - zoomed["plane"][0] == pytest.approx(
        (first["plane"][1] - first["plane"][0]) / 2, rel=0.02
    )
    page.get_by_label("Colour by").select_option("class")
    stays()
    page.get_by_text("Compute walls drawn").click()
    page.get_by_role("button", name="FP16 tensor").click()
    stays()
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => document.getElementById('plane').layout.font.color === '#9ba7b7'")
    stays()
    page.set_viewport_size({"width": 900, "height": 1000})
    page.wait_for_function("() => document.getElementById('plane').layout.width > 800")
    stays()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    stays()
    # and the view that a reset goes back to is still the first one
    page.locator("#plane").hover(position={"x": 100, "y": 60})
    page.locator("#plane [data-title='Reset the view']").click()
    assert ranges(opened, "plane") == pytest.approx(first["plane"], abs=0.02)
    assert ranges(opened, "roofline") == pytest.approx(zoomed["roofline"])
    page.get_by_label("Colour by").select_option("wall")
    assert ranges(opened, "plane") == pytest.approx(first["plane"], abs=0.02)


def test_another_gpu_is_seen_whole_in_the_mode_chosen(open_report):
    opened = open_report(two_gpus())
    opened.page.locator("#plane").scroll_into_view_if_needed()
    first = ranges(opened, "plane")
    assert zoom_in(opened, "plane") != pytest.approx(first)

    opened.page.get_by_label("Charts of").select_option(index=1)
    assert ranges(opened, "plane") == pytest.approx(first, abs=0.02)
    assert mode_of(opened, "plane") == "zoom"
    opened.page.get_by_label("Charts of").select_option(index=0)
    assert ranges(opened, "plane") == pytest.approx(first)


def test_a_mode_outlives_a_gpu_without_a_chart(open_report):
    given = report(
        kernels=[kernel(time_ns=9_000_000), unmeasured(name="u", device=1)],
        devices=[device(), device(device=1)],
    )
    opened = open_report(given)
    choose_mode(opened, "plane", "Drag to move")
    choice = opened.page.get_by_label("Charts of")
    choice.select_option(index=1)
    assert opened.page.locator("#plane .empty").count() == 1
    choice.select_option(index=0)
    assert mode_of(opened, "plane") == "pan"
    assert not opened.said


@pytest.mark.parametrize("mode", ["Drag to select", "Drag to select freely"])
def test_a_double_click_lets_go_of_selection_and_zoom(open_report, mode):
    opened = open_report(spread())
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    first = ranges(opened, "plane")
    zoom_in(opened, "plane")
    page.evaluate("location.hash = 'kernel=1'")
    page.locator(".picked").wait_for()
    choose_mode(opened, "plane", mode)
    left, top, *_ = area(opened, "plane", "xy")

    page.mouse.dblclick(left + 30, top + 30)

    assert ranges(opened, "plane") == pytest.approx(first)
    assert bright(opened, "plane") is None
    assert fragment(opened) == ""
    # once more: the first ranges are still what they were
    zoom_in(opened, "plane")
    choose_mode(opened, "plane", mode)
    page.mouse.dblclick(left + 30, top + 30)
    assert ranges(opened, "plane") == pytest.approx(first)


def test_plotly_says_nothing_of_its_own(open_report):
    opened = open_report(spread())
    opened.page.locator("#plane").scroll_into_view_if_needed()
    zoom_in(opened, "plane")
    assert opened.page.locator(".plotly-notifier").count() == 0


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_the_bar_of_a_chart_and_its_names_hide_each_other_nowhere(open_report, varied, width):
    opened = open_report(varied, viewport={"width": width, "height": 1000})
    for chart in ("plane", "roofline"):
        opened.page.locator(f"#{chart}").hover(position={"x": 100, "y": 60})
        bar = opened.page.locator(f"#{chart} .modebar").bounding_box()
        names = opened.page.locator(f"#{chart} .annotation-text-g text").evaluate_all(
            "nodes => nodes.map(node => node.getBoundingClientRect().top)"
        )
        sub = opened.page.locator(f"figure:has(#{chart}) > .sub").first.bounding_box()
        assert bar["height"] > 10
        assert bar["y"] + bar["height"] <= min(names) + 1
        assert bar["y"] >= sub["y"] + sub["height"]


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_the_names_of_both_walls_stand_side_by_side(open_report, width):
    opened = open_report(spread(), viewport={"width": width, "height": 1000})
    boxes = opened.page.locator("#plane .annotation-text-g text").evaluate_all(
        """nodes => nodes.filter(node => /wall/.test(node.textContent)
            && !/under/.test(node.textContent)).map(node => {
            const box = node.getBoundingClientRect(); return [box.left, box.right]; })"""
    )
    (_, compute_end), (bandwidth_start, bandwidth_end) = sorted(boxes)
    assert compute_end < bandwidth_start
    assert bandwidth_end < width


def hidden_chips(opened):
    return opened.page.locator(".legend .chip:not([aria-pressed])")


def show_all(opened):
    return opened.page.locator(".legend").get_by_role("button", name="Show all")


def grouped():
    """Five kernels at the bandwidth wall, one at the compute wall, each with its own class."""
    names = ["gemm", "norm", "softmax", "copy", "reduce", "attention"]
    return report(
        kernels=[
            kernel(name=name, time_ns=(9 - place) * 1_000_000, median_ns=40_000.0,
                   **{"class": name}, **({"flop": 2.6e8} if name == "attention" else {}))
            for place, name in enumerate(names)
        ]
    )  # fmt: skip


def test_what_another_colouring_hides_has_a_chip_that_gives_it_back(open_report):
    opened = open_report(grouped())
    page = opened.page
    page.get_by_role("group", name="Walls shown").get_by_text("bandwidth wall").click()
    assert drawn(opened, "plane") == {5}
    assert hidden_chips(opened).count() == 0  # its own chip is struck through
    assert show_all(opened).count() == 1

    page.get_by_label("Colour by").select_option("class")
    assert hidden_chips(opened).all_text_contents() == ["hidden: bandwidth wall ×"]
    assert drawn(opened, "plane") == {5}
    hidden_chips(opened).click()
    assert drawn(opened, "plane") == {0, 1, 2, 3, 4, 5}
    assert hidden_chips(opened).count() == show_all(opened).count() == 0
    assert fragment(opened) == "colour=class"


def test_many_hidden_groups_share_a_chip_and_a_link_has_them_too(open_report):
    hidden = "&".join(f"hidden=class:{name}" for name in ("gemm", "norm", "softmax", "copy"))
    opened = open_report(grouped(), fragment=f"{hidden}&hidden=wall:compute&hidden=class:none")
    assert hidden_chips(opened).all_text_contents() == ["hidden: 4 classes ×"]
    assert drawn(opened, "plane") == {4}

    hidden_chips(opened).focus()
    opened.page.keyboard.press("Enter")
    assert drawn(opened, "plane") == {0, 1, 2, 3, 4}
    # the keyboard goes on at what is left to give back
    assert opened.page.evaluate("document.activeElement.textContent") == "Show all"
    opened.page.keyboard.press("Enter")
    assert drawn(opened, "plane") == {0, 1, 2, 3, 4, 5}
    assert opened.page.evaluate("document.activeElement.textContent") == "bandwidth wall"
    assert fragment(opened) == ""


def test_a_class_among_the_others_that_is_hidden_alone_has_a_chip(open_report):
    kernels = [
        kernel(name=f"k{place}", time_ns=(20 - place) * 1000, **{"class": f"c{place}"})
        for place in range(11)
    ]
    opened = open_report(report(kernels=kernels), fragment="colour=class&hidden=class:c9")
    assert hidden_chips(opened).all_text_contents() == ["hidden: c9 ×"]
    opened.page.get_by_role("group", name="Classes shown").get_by_text("3 others").click()
    assert hidden_chips(opened).count() == 0  # now the chip of all three is struck through


def test_show_all_widens_the_slider_too(open_report):
    opened = open_report(grouped(), fragment="time=5500000-&hidden=class:norm")  # of 9 to 6 ms
    thumbs = [opened.page.locator(".slider input").nth(place) for place in (0, 1)]
    assert drawn(opened, "plane") == {0, 2, 3}
    assert thumbs[0].input_value() != "0"
    thumbs[0].focus()

    show_all(opened).evaluate("node => node.click()")  # some browsers leave the focus where it was
    assert drawn(opened, "plane") == {0, 1, 2, 3, 4, 5}
    assert [thumb.input_value() for thumb in thumbs] == ["0", "1000"]
    assert fragment(opened) == ""
    assert show_all(opened).count() == 0
    # a range that comes back from an address moves the thumbs, whoever set it first
    thumbs[0].press("PageUp")
    address, place = fragment(opened), thumbs[0].input_value()
    assert place == "100"
    show_all(opened).click()
    opened.page.evaluate("address => { location.hash = address; }", address)
    show_all(opened).wait_for()
    assert thumbs[0].input_value() == place


def test_a_thumb_of_the_slider_stops_at_the_other_one(open_report):
    """Kernels of 4, 3, 2 and 1 ms."""
    opened = open_report(spread())
    page = opened.page
    low, high = (
        page.get_by_label(f"{which} total time of a kernel") for which in ("Shortest", "Longest")
    )

    def stand():
        texts = [thumb.get_attribute("aria-valuetext") for thumb in (low, high)]
        return [low.input_value(), high.input_value()], texts

    low.focus()
    low.press("End")
    assert drawn(opened, "plane") == {0}
    assert stand() == (["1000", "1000"], ["4.00 ms", "4.00 ms"])
    high.focus()
    high.press("Home")
    assert stand() == (["1000", "1000"], ["4.00 ms", "4.00 ms"])
    assert drawn(opened, "plane") == {0}
    # the pointer gets hold of the one that can still move
    box = low.bounding_box()
    drag(
        opened,
        (box["x"] + box["width"] - 6, box["y"] + box["height"] / 2),
        (box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2),
    )
    assert int(low.input_value()) == pytest.approx(600, abs=20)
    assert high.input_value() == "1000"
    assert drawn(opened, "plane") == {0, 1}  # 4 to the power of 0.6 is 2.3 ms
    low.press("Home")
    high.focus()
    high.press("Home")
    assert stand() == (["0", "0"], ["1.00 ms", "1.00 ms"])
    assert drawn(opened, "plane") == {3}
    low.focus()
    low.press("End")
    assert low.input_value() == "0"
    drag(
        opened,
        (box["x"] + 6, box["y"] + box["height"] / 2),
        (box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2),
    )
    assert int(high.input_value()) > 850
    assert low.input_value() == "0"


def test_marks_of_caches_are_explained_while_they_are_drawn(open_report):
    kernels = [
        kernel(name="both", l2_bytes=14.4e6, l1_bytes=28.8e6),
        kernel(name="one", l2_bytes=14.4e6, time_ns=9),
        kernel(name="none", time_ns=8),
    ]
    opened = open_report(report(kernels=kernels))
    page = opened.page
    l2, l1 = "intensity by L2 traffic", "intensity by L1 traffic"

    def explained():
        return page.locator(".marks [data-cache]:visible").all_inner_texts()

    assert explained() == []
    page.get_by_label("L2 and L1 intensities").check()
    assert [text.strip() for text in explained()] == [l2, l1]
    page.get_by_label("Colour by").select_option("class")
    assert len(explained()) == 2
    page.get_by_label("L2 and L1 intensities").uncheck()
    assert explained() == []
    page.locator(".tabulator-row[data-id] .name").nth(1).click()
    assert [text.strip() for text in explained()] == [l2]
    page.locator(".tabulator-row[data-id] .name").nth(2).click()
    assert explained() == []


def test_the_scale_has_round_numbers_and_the_balance_point(open_report):
    """On tensor cores 65 TFLOP/s ÷ 320 GB/s are 203 FLOP/byte."""
    kernels = [kernel(flop=1.82e9, precision="fp16_tensor", dram_bytes=6.4e6)]
    opened = open_report(report(kernels=kernels))

    found = opened.page.locator(".scale text").evaluate_all(
        "nodes => nodes.map(node => [node.textContent, Number(node.getAttribute('x'))])"
    )
    assert [text for text, _ in found] == ["balance point 203", "0", "1", "10", "100", "1,000"]
    at = dict(found)
    decade = at["10"] - at["1"]
    assert at["100"] - at["10"] == pytest.approx(decade)
    assert at["balance point 203"] - at["100"] == pytest.approx(decade * math.log10(2.03125))
    line = opened.page.locator(".scale .balance")
    assert float(line.get_attribute("x1")) == pytest.approx(at["balance point 203"])


def test_without_one_balance_point_the_scale_is_in_parts_of_it(open_report):
    gpu = device(balance_flop_per_byte={})
    opened = open_report(report(kernels=[kernel()], devices=[gpu]))
    labels = opened.page.locator(".scale text").all_text_contents()
    assert labels == ["balance point", "0", "1.0 %", "10 %", "100 %", "1,000 %"]


def test_a_quick_click_means_the_bubble_under_the_pointer(open_report):
    opened = open_report(spread())
    page = opened.page
    page.locator("#plane").scroll_into_view_if_needed()
    page.mouse.move(*middle(opened, "plane", 0))
    page.locator("#plane .hovertext").wait_for()

    click_bubble(opened, "plane", 1)  # before plotly has noticed that the pointer moved
    assert fragment(opened) == "kernel=1"
    left, top, *_ = area(opened, "plane", "xy")
    page.mouse.click(left + 30, top + 30)  # on none
    assert fragment(opened) == "kernel=1"
