"""The table: all kernels, sorted, searched, opened; names as text."""

import csv

import pytest
from support.documents import kernel, report, unmeasured

pytestmark = pytest.mark.browser

HOSTILE = (
    "void pack<Tile<float, 4>, </script><b id=x>>(T1 *, T2 *)",
    "<img src=x onerror=alert(1)>",
)


def names(opened):
    return opened.page.locator(".tabulator-row[data-id] .name").all_text_contents()


def head(opened, title):
    return opened.page.locator(".tabulator-col").filter(
        has=opened.page.get_by_text(title, exact=True)
    )


def heads(opened):
    return opened.page.locator(".tabulator-col:visible").all_text_contents()


def numbered(number, name="k"):
    """Kernels with numbers in their names, the heaviest first."""
    return [kernel(name=f"{name}{place}", time_ns=10**9 - place) for place in range(number)]


def two_of_four():
    """A report with a finding about two of its kernels."""
    finding = {
        "code": "NW101", "title": "Small ones", "message": "", "kernels": [1, 2],
        "time_ratio": 0.3, "saving_ns": None, "speedup_bound": None, "end_to_end_bound": None,
        "blockers": [], "advice": "", "evidence": {}, "key": None,
    }  # fmt: skip
    kernels = numbered(4)
    return report(kernels=kernels, findings=[finding])


def row(opened, name):
    return opened.page.locator(".tabulator-row[data-id]").filter(has_text=name)


def test_holds_every_kernel_by_time(varied_page, varied):
    opened = varied_page

    assert names(opened) == [one["name"] for one in varied.document["kernels"]]
    status = opened.page.locator("#kernels [role=status]").text_content()
    assert status == "9 kernels · 4.44 ms · 100 % of kernel time"


def test_sorts_by_any_column_with_missing_numbers_last(open_report):
    kernels = [
        kernel(name="a", launches=5, time_ns=500_000),
        unmeasured(name="b", launches=7, time_ns=400_000),
        kernel(name="c", launches=6, time_ns=300_000),
    ]
    opened = open_report(report(kernels=kernels))

    def sort(title):
        opened.page.get_by_role("button", name=title, exact=True).click()
        return "".join(names(opened))

    assert sort("Launches") == "bca"
    assert sort("Launches") == "acb"
    # 9.6 MB in 100 µs, in 50 µs, not measured
    assert sort("Bandwidth") == "cab"
    assert sort("Bandwidth") == "acb"
    assert sort("Kernel") == "abc"
    heads = opened.page.locator("[role=columnheader]:not([aria-sort=none])")
    assert heads.count() == 1
    assert heads.get_attribute("aria-sort") == "ascending"


def test_searches_names_classes_and_walls(open_report, varied):
    opened = open_report(varied)
    search = opened.page.get_by_label("Search kernels")

    search.fill("GEMM")
    assert names(opened) == ["gemm_big"]
    status = opened.page.locator("#kernels [role=status]").text_content()
    assert status == "1 of 9 kernels · 900 µs · 20 % of kernel time"
    chosen = [trace["selected"] for trace in opened.bubbles("plane") if trace["selected"]]
    assert len(chosen) == 1  # the charts follow
    search.fill("bandwidth wall norm")
    assert names(opened) == ["layer_norm", "add", "transpose", "flop_not_counted"]
    search.fill("no such kernel")
    assert names(opened) == []
    assert opened.page.locator(".tabulator-placeholder").inner_text() == "no kernel"
    search.fill("")
    assert len(names(opened)) == 9


def test_walls_can_be_left_out(open_report, varied):
    opened = open_report(varied)
    chip = opened.page.get_by_role("group", name="Walls shown").get_by_text("bandwidth wall")

    chip.click()
    assert names(opened) == ["gemm_big", "registers", "bytes_not_counted", "not_profiled", "fill"]
    chip.click()
    assert len(names(opened)) == 9


def test_a_row_opens_to_all_that_is_known(open_report):
    full = f"void {'deeply::' * 60}kernel<float, 4>(float *)"
    given = report(
        kernels=[
            kernel(name="short<float>", full_name=full, notes=["FP16 counted as packed"],
                   ncu_ns=72_000.0, ncu_time_ratio=1.8, match={"reason": "one shape fits"}),
            kernel(name="other", time_ns=100),
        ]
    )  # fmt: skip
    opened = open_report(given)

    row(opened, "short<float>").locator(".tabulator-cell").nth(4).click()

    detail = opened.page.locator(".detail")
    assert detail.locator(".full-name").text_content() == full
    text = detail.inner_text()
    for expected in ("FP16 counted as packed", "one shape fits", "1.80\u00a0×", "72.0\u00a0µs"):
        assert expected in text
    row(opened, "other").locator(".tabulator-cell").nth(4).click()
    assert opened.page.locator(".detail").count() == 1
    assert opened.page.locator("[role=row].open .name").text_content() == "other"


def test_the_full_name_can_be_copied(open_report):
    opened = open_report(report(kernels=[kernel(name="k", full_name="void k<a>()")]))
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.page.locator(".tabulator-row[data-id] .name").click()

    opened.page.get_by_role("button", name="Copy full name").click()

    opened.page.get_by_role("button", name="Copied").wait_for()
    assert opened.page.evaluate("navigator.clipboard.readText()") == "void k<a>()"


def test_without_a_clipboard_the_name_is_selected(open_report):
    gone = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
    opened = open_report(report(kernels=[kernel(name="k", full_name="void k<a>()")]), script=gone)
    opened.page.locator(".tabulator-row[data-id] .name").click()

    opened.page.get_by_role("button", name="Copy full name").click()

    assert opened.page.evaluate("getSelection().toString()") == "void k<a>()"


def test_rows_open_by_keyboard(open_report):
    opened = open_report(report())
    name = opened.page.locator(".tabulator-row[data-id] .name")
    opened.page.get_by_label("Search kernels").focus()

    while not name.evaluate("button => button === document.activeElement"):
        opened.page.keyboard.press("Tab")
    outline = name.evaluate("button => getComputedStyle(button).outlineStyle")
    opened.page.keyboard.press("Enter")

    assert outline == "solid"
    assert name.get_attribute("aria-expanded") == "true"
    assert opened.page.locator(".detail").count() == 1


def test_not_measured_is_a_dash_and_never_a_zero(open_report):
    opened = open_report(report(kernels=[kernel(name="k"), unmeasured(name="u", time_ns=1)]))

    cells = row(opened, "u").locator(".tabulator-cell .none")
    assert cells.all_text_contents() == ["–not measured"] * 4 + ["none"]
    assert cells.nth(1).get_attribute("title") == "not measured"
    assert row(opened, "k").locator(".none").count() == 0


def test_a_measured_zero_is_a_zero(open_report):
    opened = open_report(report(kernels=[kernel(name="copy", flop=0.0, precision=None)]))

    assert row(opened, "copy").locator(".ratio").nth(1).text_content() == "0\u00a0%"


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_everywhere(open_report, name):
    ranges = [
        {"name": name, "launches": 1, "time_ns": 1, "self_time_ns": 1, "time_ratio": 0.1,
         "time_by_wall_ns": {"bandwidth": 1}}
    ]  # fmt: skip
    finding = {
        "code": "NW101", "title": name, "message": name, "kernels": [0], "time_ratio": 0.1,
        "saving_ns": 1.0, "speedup_bound": 1.01, "end_to_end_bound": None, "blockers": [name],
        "advice": name, "evidence": {"where": name}, "key": name,
    }  # fmt: skip
    given = report(
        kernels=[kernel(name=name, full_name=name, notes=[name], match={"reason": name})],
        ranges=ranges,
        findings=[finding],
        warnings=[{"code": "w", "message": name}],
        headline=name,
        advice=name,
    )
    opened = open_report(given)
    page = opened.page
    page.locator(".tabulator-row[data-id] .name").click()

    assert page.locator(".tabulator-row[data-id] .name").text_content() == name
    assert page.locator(".full-name").text_content() == name
    assert page.locator("#ranges td .cut").text_content() == name
    assert page.locator("h1").text_content() == name
    assert page.locator("article h3").text_content() == name
    assert page.locator("#x, img").count() == 0
    assert not opened.said


def test_control_and_direction_characters_are_made_visible(open_report):
    name = "safe\u202e\x1b[31m\nname"
    opened = open_report(report(kernels=[kernel(name=name, full_name=name)]))

    assert names(opened) == ["safe\\u202e\\x1b[31m\\nname"]


def test_a_name_of_83_000_characters(open_report):
    name = "Tile<float, " * 7000
    opened = open_report(report(kernels=[kernel(name=name, full_name=name)]))
    opened.page.locator(".tabulator-row[data-id] .name").click()

    assert opened.page.locator(".full-name").text_content() == name
    assert "83,600 more" in names(opened)[0]
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 1440
    assert "Tile<float" in opened.bubbles("plane")[0]["hover"][0].replace("&lt;", "<")
    assert len(opened.bubbles("plane")[0]["hover"][0]) < 1500


def test_a_long_range_name_is_cut_in_its_middle(open_report):
    inner = "phase " + "x" * 83_000 + " end"
    given = report(kernels=[kernel(name="k", range=inner), kernel(name="l", range="short")])
    opened = open_report(given, fragment="columns=name,time_ns,range")

    cell = row(opened, "k").locator(".tabulator-cell").nth(2)
    head_part, tail = cell.locator(".head").bounding_box(), cell.locator(".tail").bounding_box()
    box = cell.bounding_box()
    assert box["width"] == 240
    assert head_part["width"] > 100
    assert tail["x"] + tail["width"] <= box["x"] + box["width"]
    assert cell.inner_text().replace("\n", "").endswith("x end")


def test_of_five_thousand_kernels_only_rows_near_the_window_are_in_the_page(open_report):
    kernels = numbered(5000, "kernel_")
    opened = open_report(report(kernels=kernels))
    page = opened.page
    rows = page.locator(".tabulator-row[data-id]")

    assert rows.count() < 100
    assert names(opened)[0] == "kernel_0"
    height = page.locator(".tabulator-tableholder").evaluate("box => box.scrollHeight")
    assert height == pytest.approx(5000 * 32, rel=0.01)
    page.locator(".tabulator-tableholder").evaluate("box => { box.scrollTop = box.scrollHeight; }")
    row(opened, "kernel_4999").wait_for(state="visible")
    assert rows.count() < 100
    page.locator(".tabulator-tableholder").evaluate("box => { box.scrollTop = 2500 * 32; }")
    row(opened, "kernel_2510").locator(".name").click()
    assert page.locator("[role=row].open .name").text_content() == "kernel_2510"
    page.locator(".tabulator-tableholder").evaluate("box => { box.scrollTop = 0; }")
    row(opened, "kernel_0").first.wait_for(state="visible")
    page.locator(".picked").get_by_role("button", name="Its row").click()
    assert page.locator("[role=row].open .name").is_visible()
    assert page.locator(".detail").count() == 1
    page.get_by_label("Search kernels").fill("kernel_4987")
    assert names(opened) == ["kernel_4987"]
    assert sum(len(trace["ids"]) for trace in opened.bubbles("plane")) == 5000
    assert not opened.said


def test_a_search_from_deep_in_the_table_finds_the_first_rows(open_report):
    kernels = numbered(5000, "kernel_")
    page = open_report(report(kernels=kernels)).page
    holder = page.locator(".tabulator-tableholder")
    holder.evaluate("box => { box.scrollTop = box.scrollHeight; }")
    page.locator(".tabulator-row").filter(has_text="kernel_4999").wait_for(state="visible")

    page.get_by_label("Search kernels").fill("kernel_1")

    # 1, 10-19, 100-199, 1000-1999
    page.get_by_text("1,111 of 5,000 kernels").wait_for()
    assert page.locator(".tabulator").get_attribute("aria-rowcount") == "1112"
    holder.evaluate("box => { box.scrollTop = 0; }")
    first = page.locator('.tabulator-row[aria-rowindex="2"] .name')
    first.wait_for(state="visible")
    assert first.text_content() == "kernel_1"


def test_heads_sort_by_keyboard_and_say_so(open_report):
    kernels = [kernel(name="b", time_ns=2), kernel(name="a", time_ns=1)]
    opened = open_report(report(kernels=kernels))
    kernel_head = head(opened, "Kernel")

    kernel_head.get_by_role("button").focus()
    opened.page.keyboard.press("Enter")
    assert names(opened) == ["a", "b"]
    assert kernel_head.get_attribute("aria-sort") == "ascending"
    opened.page.keyboard.press("Space")
    assert names(opened) == ["b", "a"]
    assert kernel_head.get_attribute("aria-sort") == "descending"
    assert opened.page.url.endswith("#sort=-name")


def test_a_row_stays_open_when_order_columns_or_window_change(open_report):
    kernels = numbered(400)
    opened = open_report(report(kernels=kernels), fragment="kernel=399")
    page = opened.page

    def is_seen():
        row = page.locator("[role=row].open")
        row.wait_for()
        return (
            row.count() == 1
            and row.locator(".name").text_content() == "k399"
            and row.locator(".detail").count() == 1
        )

    assert is_seen()
    head(opened, "Time").get_by_role("button").click()
    assert is_seen()
    assert names(opened)[0] == "k399"  # at the top again
    page.get_by_text("Columns").click()
    page.get_by_label("DRAM", exact=True).check()
    assert names(opened)[0] == "k399"  # still by time, the shortest first
    assert is_seen()
    page.set_viewport_size({"width": 900, "height": 700})
    page.wait_for_timeout(400)
    assert is_seen()
    assert page.evaluate("document.documentElement.scrollWidth") == 900


def test_the_window_stays_at_its_rows_when_the_room_changes(open_report):
    kernels = numbered(5000, "kernel_")
    page = open_report(report(kernels=kernels)).page
    holder = page.locator(".tabulator-tableholder")
    holder.evaluate("box => { box.scrollTop = 2500 * 32; }")
    page.locator(".tabulator-row").filter(has_text="kernel_2505").wait_for(state="visible")

    page.set_viewport_size({"width": 1000, "height": 800})
    page.wait_for_timeout(400)

    assert holder.evaluate("box => box.scrollTop") == 2500 * 32
    row = page.locator(".tabulator-row").filter(has_text="kernel_2505")
    row.wait_for(state="visible")
    frame, box = holder.bounding_box(), row.bounding_box()
    assert frame["y"] <= box["y"] <= frame["y"] + frame["height"]


def test_sorted_by_a_column_that_is_not_shown(open_report):
    kernels = [kernel(name="few", flop=10.0, time_ns=9), unmeasured(name="none", time_ns=8),
               kernel(name="many", flop=20.0, time_ns=7)]  # fmt: skip
    opened = open_report(report(kernels=kernels), fragment="sort=-flop&columns=name,launches")

    assert names(opened) == ["many", "few", "none"]
    assert heads(opened) == ["Kernel", "Launches"]
    opened.page.evaluate("location.hash = 'sort=flop&columns=name,launches'")
    opened.page.wait_for_function(
        "() => document.querySelector('.tabulator-row .name').textContent === 'few'"
    )
    assert names(opened) == ["few", "many", "none"]
    assert not opened.said


def test_columns_have_the_width_of_their_texts_and_can_be_drawn_wider(open_report, varied):
    opened = open_report(varied)
    page = opened.page
    cut = page.locator(".tabulator-cell:not(.name-column)").evaluate_all(
        "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).length"
    )
    assert cut == 0
    launches = head(opened, "Launches")
    launches.scroll_into_view_if_needed()
    before = launches.bounding_box()
    edge = before["x"] + before["width"]
    page.mouse.move(edge, before["y"] + 10)
    page.mouse.down()
    page.mouse.move(edge + 60, before["y"] + 10, steps=3)
    page.mouse.up()
    drawn = launches.bounding_box()["width"]
    assert drawn == pytest.approx(before["width"] + 60, abs=3)
    page.set_viewport_size({"width": 1300, "height": 900})
    page.wait_for_timeout(400)
    page.get_by_text("Columns").click()
    page.get_by_label("Class", exact=True).uncheck()
    assert launches.bounding_box()["width"] == drawn  # stays as the reader wants it
    assert not opened.said


def test_a_short_table_is_whole_and_a_long_one_has_its_own_window(open_report):
    def heights(number):
        kernels = numbered(number)
        page = open_report(report(kernels=kernels)).page
        return page.locator(".tabulator-tableholder").evaluate(
            "box => [box.clientHeight, box.scrollHeight]"
        )

    seen, whole = heights(50)
    assert seen == whole
    assert whole == pytest.approx(50 * 32, abs=2)
    seen, whole = heights(51)
    assert whole == pytest.approx(51 * 32, abs=2)
    assert seen < 0.78 * 1000


def test_columns_out_of_sight_are_shaded_at_the_edge(open_report, varied):
    page = open_report(varied, viewport={"width": 800, "height": 1000}).page
    table = page.locator(".tabulator")
    assert "more-at-right" in table.get_attribute("class")
    # both walls are in sight without scrolling
    edge = table.bounding_box()["x"] + table.bounding_box()["width"]
    for title in ("Bandwidth", "Compute"):
        box = page.locator(".tabulator-col").filter(has_text=title).bounding_box()
        assert box["x"] + box["width"] <= edge
    page.locator(".tabulator-tableholder").evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    page.wait_for_function(
        "() => !document.querySelector('.tabulator').classList.contains('more-at-right')"
    )


def test_nothing_of_the_table_lies_over_the_bar_at_the_foot(open_report):
    kernels = numbered(40)
    page = open_report(report(kernels=kernels), fragment="kernel=0").page
    page.locator(".tabulator").scroll_into_view_if_needed()
    page.locator('.tabulator-row[data-id="30"]').scroll_into_view_if_needed()
    on_top = page.evaluate(
        """() => { const box = document.querySelector('.picked').getBoundingClientRect();
            return [0.02, 0.2, 0.5, 0.98].map(part => document.elementFromPoint(
                box.left + part * box.width, box.top + box.height / 2
            ).closest('.picked') !== null); }"""
    )
    assert on_top == [True] * 4


def test_its_row_is_found_whatever_hides_it(open_report, varied):
    number = next(row["id"] for row in varied.document["kernels"] if row["name"] == "fill")
    opened = open_report(
        varied, fragment=f"kernel={number}&words=gemm&hidden=wall:latency&hidden=class:norm"
    )
    assert "fill" not in names(opened)
    opened.page.get_by_role("button", name="Its row").click()

    opened.page.locator("[role=row].open").wait_for()
    assert "fill" in names(opened)
    assert opened.page.evaluate("document.activeElement.textContent") == "fill"


def test_keys_open_a_row_whatever_is_selected(open_report, varied):
    opened = open_report(varied)
    opened.page.locator(".tabulator-row .name").first.focus()
    opened.page.evaluate("getSelection().selectAllChildren(document.querySelector('.tabulator'))")
    opened.page.keyboard.press("Enter")

    assert opened.page.locator(".detail").count() == 1
    # the pointer, which may have selected a text to copy, opens none
    opened.page.locator(".tabulator-row .name").nth(1).dispatch_event("click", {"detail": 1})
    assert opened.page.locator("[role=row].open .name").text_content() == names(opened)[0]


def test_the_keyboard_goes_on_where_the_page_has_gone(open_report):
    page = open_report(two_of_four()).page
    page.locator("#findings .worth button").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "kernels"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "search"
    page.locator(".picked").get_by_role("button", name="Show all").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "kernels"  # not the top of the page


def test_columns_can_be_chosen(open_report):
    opened = open_report(report(kernels=[kernel(dram_bytes=9.6e6)]))
    page = opened.page
    heads = page.locator("[role=columnheader]")

    assert heads.all_text_contents() == [
        "Kernel", "Class", "Wall", "Time", "Share", "Bandwidth", "Compute", "FLOP/B",
        "Recoverable", "Launches", "Median", "Counters",
    ]  # fmt: skip
    page.get_by_text("Columns").click()
    page.get_by_label("DRAM", exact=True).check()
    page.get_by_label("Class", exact=True).uncheck()
    titles = heads.all_text_contents()
    assert "DRAM" in titles
    assert "Class" not in titles
    assert (
        page.locator(".tabulator-row[data-id] > .tabulator-cell")
        .nth(titles.index("DRAM"))
        .inner_text()
        == "9.60\u00a0MB"
    )
    page.get_by_role("button", name="the usual ones").click()
    assert heads.count() == 12


def test_the_rows_shown_are_copied_as_csv_without_formulas(open_report):
    kernels = [
        kernel(name="=HYPERLINK(0)", full_name='say "hi", all', time_ns=500_000, launches=5),
        unmeasured(name="plain", time_ns=400_000),
        kernel(name="other", time_ns=300_000, **{"class": "gemm"}),
    ]
    opened = open_report(report(kernels=kernels))
    page = opened.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("Search kernels").fill("norm")  # not "other"

    page.get_by_role("button", name="Copy as CSV").click()
    page.get_by_role("button", name="Copied").wait_for()

    text = page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n")
    lines = list(csv.DictReader(text.splitlines()))
    assert [line["name"] for line in lines] == ["'=HYPERLINK(0)", "plain"]
    assert lines[0]["full_name"] == 'say "hi", all'
    assert lines[0]["time_ns"] == "500000"  # base units, as in the document
    assert lines[1]["bandwidth_ratio"] == ""


def test_kernels_of_a_finding_are_shown_alone(open_report):
    opened = open_report(two_of_four())

    opened.page.get_by_role("button", name="show 2 kernels").click()
    assert names(opened) == ["k1", "k2"]
    opened.page.get_by_role("button", name="NW101 Small ones ×").click()
    assert len(names(opened)) == 4
