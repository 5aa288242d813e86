"""The two charts: every kernel has its place, every wall is in view, names stay text."""

import json
import math

import pytest
from support.documents import device, kernel, report, unmeasured

pytestmark = pytest.mark.browser

PLANE = {
    "gemm_big": ("x", "y"),
    "layer_norm": ("x", "y"),
    "registers": ("x", "y"),
    "add": ("x", "y2"),  # under 2 % of the compute wall: the strip below
    "transpose": ("x", "y2"),
    "fill": ("x", "y2"),
    "flop_not_counted": ("x", "y3"),  # its own strip
    "bytes_not_counted": ("x2", "y"),  # the strip at the left
    "not_profiled": ("x", "y4"),  # the strip at the foot
}
ROOFLINE = {
    "gemm_big": ("x", "y"),
    "layer_norm": ("x", "y"),
    "add": ("x", "y"),
    "transpose": ("x2", "y2"),  # the lane at intensity 0
    "fill": ("x2", "y2"),
    "registers": ("x3", "y"),  # no DRAM traffic: no intensity
    "bytes_not_counted": ("x4", "y"),
}
HOSTILE = (
    "void pack<Tile<float, 4>, </script><b id=x>>(T1 *, T2 *)",
    "<img src=x onerror=alert(1)>",
    "a &lt;b&gt; <br> %{x} $y$ {\\bf z}  two  spaces",
)


@pytest.mark.parametrize(("chart", "expected"), [("plane", PLANE), ("roofline", ROOFLINE)])
def test_every_kernel_stands_once_where_it_belongs(varied_page, varied, chart, expected):
    opened = varied_page

    assert opened.places(chart, varied.document) == expected
    assert sum(len(trace["ids"]) for trace in opened.bubbles(chart)) == len(expected)


def test_kernels_that_a_chart_can_not_hold_are_counted_under_it(varied_page):
    captions = [
        varied_page.page.locator(f"#{chart} + figcaption").text_content()
        for chart in ("plane", "roofline")
    ]

    assert captions[0] == ""  # the plane has a place for all
    assert captions[1].endswith(
        "7 of 9 kernels stand here; not drawn: 1 with counters missing, 1 without counters."
    )


@pytest.mark.parametrize(("chart", "number"), [("plane", 9), ("roofline", 7)])
def test_every_bubble_is_inside_the_drawing(varied_page, chart, number):
    page = varied_page.page

    frame = page.locator(f"#{chart}").bounding_box()
    bubbles = page.locator(f"#{chart} .points path")
    assert bubbles.count() == number
    for box in (bubbles.nth(place).bounding_box() for place in range(number)):
        assert box["width"] >= 6
        assert frame["x"] <= box["x"] <= frame["x"] + frame["width"] - box["width"]
        assert frame["y"] <= box["y"] <= frame["y"] + frame["height"] - box["height"]


def test_positions_are_the_ratios_of_the_document(varied_page, varied):
    ids = {row["name"]: row["id"] for row in varied.document["kernels"]}
    at = {
        number: (x, y)
        for trace in varied_page.bubbles("plane")
        for number, x, y in zip(trace["ids"], trace["x"], trace["y"], strict=True)
    }

    # gemm_big: 6.4 MB in 40 µs = 160 GB/s of 320; 1.82 GFLOP in 40 µs = 45.5 of 65 TFLOP/s
    assert at[ids["gemm_big"]] == pytest.approx((0.5, 0.7))
    # transpose: 9.6 MB in 40 µs = 240 GB/s of 320; across the strip it is free to move
    assert at[ids["transpose"]][0] == pytest.approx(0.75)


def test_area_follows_total_time(open_report):
    kernels = [
        kernel(name="long", time_ns=900_000, median_ns=40_000.0),
        kernel(name="short", time_ns=225_000, median_ns=40_000.0),
    ]
    [trace] = open_report(report(kernels=kernels)).bubbles("plane")

    assert trace["size"][0] == pytest.approx(2 * trace["size"][1])  # a quarter of the time


def test_kernels_without_compute_stand_side_by_side(open_report):
    kernels = [kernel(name=f"copy_{place}", flop=0.0, precision=None) for place in range(12)]
    opened = open_report(report(kernels=kernels))

    for chart in ("plane", "roofline"):
        bubbles = opened.page.locator(f"#{chart} .points path")
        boxes = [bubbles.nth(place).bounding_box() for place in range(bubbles.count())]
        middles = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
        gaps = [math.dist(one, two) for one in middles for two in middles if one < two]
        assert len(boxes) == 12
        # the lane of the roofline is narrow: there bubbles may touch, not coincide
        assert min(gaps) > (0.9 * boxes[0]["width"] if chart == "plane" else 2)


def test_walls_reach_beyond_every_kernel(open_report):
    """Intensity 20,000 at 7.5 TFLOP/s, and 0.002 at 300 GB/s."""
    kernels = [
        kernel(name="busy_loop", flop=3.0e8, dram_bytes=15_000.0),
        kernel(name="scatter", flop=24_000.0, dram_bytes=12_000_000.0),
    ]
    opened = open_report(report(kernels=kernels))
    layout = opened.layout("roofline")
    low, high = (10**edge for edge in layout["xaxis"]["range"])
    bottom, top = (10**edge for edge in layout["yaxis"]["range"])
    walls = {wall["name"]: wall for wall in opened.walls("roofline")}

    assert low < 0.002
    assert high > 20_000
    assert bottom < 0.6e9  # scatter: 24 kFLOP in 40 µs
    assert top > 8.1e12
    assert walls["fp32"]["x"][1] > high
    assert walls["fp32"]["y"] == [8.1e12, 8.1e12]
    assert walls["bandwidth"]["x"][0] < 0.002
    # where the slope leaves the view it is still below the leftmost kernel's x
    assert bottom / 320e9 < 0.002
    # both walls meet at 8.1 TFLOP/s / 320 GB/s
    assert walls["fp32"]["x"][0] == walls["bandwidth"]["x"][1] == pytest.approx(25.3125)


def test_kernels_above_their_walls_are_drawn_and_flagged(open_report):
    kernels = [
        kernel(name="from_l2", dram_bytes=12.8e6 * 1.31),  # 131 % of 320 GB/s
        kernel(name="boosted", flop=324e6 * 1.2, dram_bytes=1e6),  # 120 % of 8.1 TFLOP/s
    ]
    opened = open_report(report(kernels=kernels))
    layout = opened.layout("plane")

    assert layout["xaxis"]["range"][1] > 1.31
    assert layout["yaxis"]["range"][1] > 1.2
    flags = opened.page.locator(".tabulator-row[data-id] .above")
    assert sorted(flags.all_inner_texts()) == ["▲\n120\u00a0%", "▲\n131\u00a0%"]
    assert 10 ** opened.layout("roofline")["yaxis"]["range"][1] > 9.72e12


def test_only_existing_walls_are_drawn(open_report):
    """A P100: no tensor cores, so no tensor wall; FP64 is judged by its own wall."""
    peaks = {"fp64": 4.76e12, "fp32": 9.53e12, "fp16": 19.05e12}
    gpu = device(
        name="Tesla P100", bandwidth_bytes_per_s=732.16e9, peak_flop_per_s=peaks,
        peak_from=dict.fromkeys(peaks, "table"),
        balance_flop_per_byte={name: peak / 732.16e9 for name, peak in peaks.items()},
    )  # fmt: skip
    kernels = [
        kernel(name="dgemm", flop=1.3e8, precision="fp64", dram_bytes=4.0e6, compute_ratio=0.683,
               bandwidth_ratio=0.137, flop_by_precision={"fp64": 1.3e8}),
        kernel(name="axpy", bandwidth_ratio=0.76, compute_ratio=0.019),
    ]  # fmt: skip
    opened = open_report(report(kernels=kernels, devices=[gpu]))

    assert {wall["name"] for wall in opened.walls("roofline")} == {"fp64", "fp32", "bandwidth"}
    everything = json.dumps([opened.data("plane"), opened.data("roofline")])
    assert "NaN" not in everything
    assert not opened.said


def test_precisions_with_one_wall_share_a_line(open_report):
    peaks = {"fp16_tensor": 65e12, "bf16_tensor": 65e12}
    gpu = device(peak_flop_per_s=peaks, peak_from=dict.fromkeys(peaks, "table"))
    kernels = [
        kernel(name=name, flop_by_precision={name: 1e9}, precision=name, compute_ratio=0.4)
        for name in peaks
    ]
    opened = open_report(report(kernels=kernels, devices=[gpu]))

    assert {wall["name"] for wall in opened.walls("roofline")} == {
        "bf16_tensor fp16_tensor",
        "bandwidth",
    }


def test_unknown_bandwidth_leaves_only_compute_walls(open_report):
    gpu = device(bandwidth_bytes_per_s=None, bandwidth_from=None, balance_flop_per_byte={})
    opened = open_report(report(kernels=[kernel(bandwidth_ratio=None)], devices=[gpu]))

    assert [wall["name"] for wall in opened.walls("roofline")] == ["fp32"]
    assert len(opened.bubbles("plane")) == 1
    assert not opened.said


def test_unknown_compute_walls_leave_only_bandwidth(open_report):
    gpu = device(peak_flop_per_s={}, peak_from={}, balance_flop_per_byte={})
    opened = open_report(report(kernels=[kernel(compute_ratio=None)], devices=[gpu]))

    assert [wall["name"] for wall in opened.walls("roofline")] == ["bandwidth"]
    assert len(opened.bubbles("plane")) == 1
    assert not opened.said


def test_names_appear_in_the_hover_character_by_character(open_report):
    opened = open_report(report(kernels=[kernel(name=name, full_name=name) for name in HOSTILE]))

    for point, name in enumerate(HOSTILE):
        opened.page.evaluate(
            "pointNumber => Plotly.Fx.hover('plane', [{curveNumber: 2, pointNumber}])", point
        )
        opened.page.wait_for_timeout(200)  # plotly draws at most one label in 50 ms
        label = opened.page.locator("#plane .hovertext").text_content()
        assert label.startswith(name + "norm · bandwidth wall")
    assert opened.page.locator("#x, #plane img, #plane b").count() == 0
    assert not opened.said


def test_a_click_on_a_bubble_opens_its_row_and_singles_it_out(open_report, varied):
    opened = open_report(varied)
    page = opened.page
    row = next(row for row in varied.document["kernels"] if row["name"] == "transpose")

    place = next(
        (curve, trace["ids"].index(row["id"]))
        for curve, trace in enumerate(opened.data("plane"))
        if trace["meta"] == "kernels" and row["id"] in trace["ids"]
    )
    page.evaluate(
        """([curve, point]) => { const chart = document.getElementById('plane');
            chart.emit('plotly_click', {points: [
                {customdata: chart.data[curve].customdata[point]}]}); }""",
        place,
    )

    assert page.locator("[role=row].open").get_attribute("data-id") == str(row["id"])
    for chart in ("plane", "roofline"):
        chosen = [
            trace["ids"][point] for trace in opened.bubbles(chart) for point in trace["selected"]
        ]
        assert chosen == [row["id"]]
    page.locator(".picked").get_by_role("button", name="Show all").click()
    assert page.locator("[role=row].open").count() == 0
    assert all(trace["selected"] is None for trace in opened.bubbles("plane"))


def test_a_real_click_reaches_the_bubble(open_report):
    opened = open_report(report())
    opened.page.locator("#plane .points path").click(force=True)
    opened.page.locator("[role=row].open").wait_for()


def test_several_gpus_are_drawn_one_at_a_time_the_busiest_first(open_report):
    gpus = [device(device=0), device(device=1, name="NVIDIA L4")]
    kernels = [
        kernel(name="small", device=0, time_ns=100_000, median_ns=40_000.0),
        kernel(name="large", device=1, time_ns=900_000, median_ns=40_000.0),
    ]
    given = report(kernels=kernels, devices=gpus)
    opened = open_report(given)

    assert opened.places("plane", given.document) == {"large": ("x", "y")}
    opened.page.get_by_label("Charts of").select_option(index=1)
    assert opened.places("plane", given.document) == {"small": ("x", "y")}
    assert opened.places("roofline", given.document) == {"small": ("x", "y")}


@pytest.mark.parametrize(
    ("form", "start", "scheme"), [("PNG", b"\x89PNG", "light"), ("SVG", b"<svg ", "dark")]
)
def test_a_chart_is_saved_as_a_picture_without_leaving_the_page(open_report, form, start, scheme):
    opened = open_report(report(run={"name": "a/b c", "sources": []}), color_scheme=scheme)

    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name=f"Save “Roofline” as {form}").click()

    assert download.value.suggested_filename == f"a-b-c-roofline.{form.lower()}"
    saved = download.value.path().read_bytes()
    assert saved.startswith(start)
    if form == "SVG":  # on the page's own ground: light on dark stays light on dark
        assert b"rgb(17, 22, 30)" in saved
    assert not opened.said
    assert all(url.startswith(("file:", "blob:", "data:")) for url in opened.asked)


def test_nothing_offers_to_send_the_chart_away(open_report):
    opened = open_report(report())

    titles = opened.page.locator("#plane .modebar-btn").evaluate_all(
        "buttons => buttons.map(button => button.dataset.title)"
    )
    assert titles == [
        "Drag to select", "Drag to select freely", "Drag to zoom", "Drag to move",
        "Zoom in", "Zoom out", "Reset the view",
    ]  # fmt: skip


def shown_boxes(opened, chart):
    """Boxes of all bubbles of a chart, in pixels, by the order in which they are drawn."""
    bubbles = opened.page.locator(f"#{chart} .points path")
    return [bubbles.nth(place).bounding_box() for place in range(bubbles.count())]


@pytest.mark.parametrize("chart", ["plane", "roofline"])
def test_kernels_with_equal_numbers_do_not_hide_each_other(open_report, chart):
    kernels = [
        kernel(name=f"twin_{place}", time_ns=400_000, median_ns=40_000.0) for place in range(8)
    ]
    opened = open_report(report(kernels=kernels))

    boxes = shown_boxes(opened, chart)
    middles = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
    assert len(middles) == 8
    assert min(math.dist(one, two) for one in middles for two in middles if one < two) >= 5
    # and none is far from where it belongs
    assert max(math.dist(middles[0], other) for other in middles) < 60


def test_labels_hide_no_bubble(open_report, varied):
    opened = open_report(varied)

    for chart in ("plane", "roofline"):
        labels = opened.page.locator(f"#{chart} .annotation-text-g text").evaluate_all(
            """nodes => nodes.map(node => { const box = node.getBoundingClientRect();
                return [node.textContent, box.left, box.top, box.right, box.bottom]; })"""
        )
        names = [label for label in labels if label[0] in {"gemm", "norm"}]
        assert names
        for _, left, top, right, bottom in names:
            for box in shown_boxes(opened, chart):
                x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
                nearest = (min(max(x, left), right), min(max(y, top), bottom))
                assert math.dist(nearest, (x, y)) >= box["width"] / 2 - 2


def test_labels_lie_on_no_wall(open_report):
    """Neighbours just below the slope: left of the first is the wall, right of it the second."""
    kernels = [
        kernel(name=name, dram_bytes=9e6, flop=intensity * 9e6, time_ns=time,
               median_ns=40_000.0, **{"class": name})
        for name, intensity, time in [("gemm", 20, 4_000_000), ("norm", 1.25, 400_000),
                                      ("softmax", 1.5, 300_000)]
    ]  # fmt: skip
    opened = open_report(report(kernels=kernels))

    crossed = opened.page.evaluate(
        """() => { const chart = document.getElementById('roofline');
            const {xaxis, yaxis} = chart._fullLayout;
            const frame = chart.querySelector('.svg-container').getBoundingClientRect();
            const intensities = Array.from({length: 1000}, (_, step) => 10 ** (-1 + step / 400));
            const slope = intensities.map(x => [
                frame.x + xaxis._offset + xaxis.l2p(Math.log10(x)),
                frame.y + yaxis._offset + yaxis.l2p(Math.log10(x * 320e9))]);
            const labels = [...chart.querySelectorAll('.annotation-text-g text')]
                .filter(node => ['norm', 'softmax'].includes(node.textContent));
            return labels.map(node => { const box = node.getBoundingClientRect();
                return [node.textContent, slope.some(([x, y]) => x > box.left && x < box.right
                    && y > box.top && y < box.bottom)]; }); }"""
    )
    assert crossed == [["norm", False], ["softmax", False]]


def test_bubbles_that_only_have_a_size_are_inside_their_strip(open_report):
    kernels = [kernel(), *(unmeasured(name=f"u{place}") for place in range(60))]
    opened = open_report(report(kernels=kernels))

    strip = opened.page.locator("#plane .nsewdrag[data-subplot='xy4']").bounding_box()
    boxes = shown_boxes(opened, "plane")[1:]
    assert len(boxes) == 60
    assert min(box["x"] for box in boxes) >= strip["x"] + 1
    assert max(box["x"] + box["width"] for box in boxes) <= strip["x"] + strip["width"] - 1
    assert min(box["y"] for box in boxes) >= strip["y"]
    assert max(box["y"] + box["height"] for box in boxes) <= strip["y"] + strip["height"]


def fills(opened, chart="plane"):
    return opened.page.evaluate(
        "name => document.getElementById(name).data.filter(trace => trace.meta === 'kernels')"
        ".flatMap(trace => trace.customdata.map((id, at) => [id, trace.marker.line.color[at]]))",
        chart,
    )


def test_colours_follow_walls_classes_and_ranges(open_report):
    kernels = [
        kernel(name="a", **{"class": "gemm", "range": "mlp"}),
        kernel(name="b", **{"class": "norm", "range": "mlp"}),
        kernel(name="c", **{"class": "norm", "range": None}),
    ]
    opened = open_report(report(kernels=kernels))
    choose = opened.page.get_by_label("Colour by")

    def colours():
        return [colour for _, colour in sorted(fills(opened))]

    assert len(set(colours())) == 1  # all at the bandwidth wall
    choose.select_option("class")
    one, two, three = colours()
    assert one != two == three
    choose.select_option("NVTX range")
    one, two, three = colours()
    assert one == two != three
    chips = opened.page.get_by_role("group", name="Ranges shown").locator("button")
    assert chips.all_text_contents() == ["mlp", "outside of ranges"]


def test_without_ranges_nothing_can_be_coloured_by_them(varied_page):
    options = varied_page.page.get_by_label("Colour by").locator("option")
    assert options.all_text_contents() == ["wall", "class"]


def test_walls_of_every_precision_can_be_drawn_and_left_out(open_report):
    opened = open_report(report())

    def drawn():
        return {wall["name"] for wall in opened.walls("roofline")}

    assert drawn() == {"fp32", "bandwidth"}  # the precision in use
    opened.page.get_by_text("Compute walls drawn").click()
    opened.page.get_by_role("button", name="FP16 tensor").click()
    assert drawn() == {"fp32", "fp16_tensor", "bandwidth"}
    opened.page.get_by_role("button", name="FP32").click()
    assert drawn() == {"fp16_tensor", "bandwidth"}
    assert "roofs=fp16_tensor" in opened.page.url


def test_intensities_of_caches_are_joined_with_their_kernel(open_report):
    # 7.2 MFLOP over 9.6 MB of DRAM, 14.4 MB of L2, 28.8 MB of L1 traffic
    kernels = [kernel(name="k", l2_bytes=14.4e6, l1_bytes=28.8e6), kernel(name="no", time_ns=9)]
    opened = open_report(report(kernels=kernels))

    def caches():
        return [trace for trace in opened.data("roofline") if trace["meta"] == "caches"]

    assert all(trace["x"] == [] for trace in caches())
    opened.page.get_by_label("L2 and L1 intensities").check()
    line, l2, l1 = caches()
    assert line["x"] == [pytest.approx(0.75), pytest.approx(0.5), pytest.approx(0.25), None]
    assert l2["x"] == [pytest.approx(0.5)]
    assert l1["x"] == [pytest.approx(0.25)]
    assert l1["hover"] == ["k<br>L1: 0.25 FLOP/byte (28.8 MB)"]
    opened.page.get_by_label("L2 and L1 intensities").uncheck()
    # always for the one singled out
    opened.page.locator(".tabulator-row[data-id] .name").first.click()
    assert caches()[0]["x"][:3] == [pytest.approx(0.75), pytest.approx(0.5), pytest.approx(0.25)]


def test_a_sampled_bandwidth_is_marked_as_such(open_report):
    sampled = {
        "samples": 40, "period_ns": 100_000.0, "bytes_per_s": 240e9, "bandwidth_ratio": 0.75,
        "dram_read_ratio": 0.5, "dram_write_ratio": 0.25, "sm_active_ratio": 0.9,
        "tensor_active_ratio": 0.0, "tensor_includes_fp16": False, "clock_hz": 1.5e9,
    }  # fmt: skip
    kernels = [
        kernel(name="counted"),
        unmeasured(name="sampled", sampled=sampled, bandwidth_ratio=0.75, bytes_per_s=240e9,
                   wall="bandwidth"),
    ]  # fmt: skip
    opened = open_report(report(kernels=kernels))
    page = opened.page

    [_, trace] = opened.bubbles("plane")
    assert trace["yaxis"] == "y3"  # FLOP not measured
    assert "of the wall (240 GB/s), 40 samples" in trace["hover"][0]
    symbols = page.evaluate(
        "() => document.getElementById('plane').data.filter(t => t.meta === 'kernels')"
        ".map(t => t.marker.symbol[0])"
    )
    assert symbols == ["circle", "circle-open-dot"]
    assert "dotted: bandwidth sampled, not counted" in page.locator(".marks").inner_text()
    row = page.locator(".tabulator-row[data-id]").filter(has_text="sampled")
    cell = row.locator(".ratio").first
    assert cell.get_attribute("title") == "sampled, not counted"
    page.locator(".tabulator-row[data-id] .name").filter(has_text="sampled").click()
    assert "GPU metrics, sampled while it ran alone" in page.locator(".detail").inner_text()
