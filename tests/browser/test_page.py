"""The page as a whole: offline, silent, readable in every light, at every width, on paper."""

from importlib.resources import files

import pytest
from support.documents import device, kernel, report, source, unmeasured

from nsys_walls import units

pytestmark = pytest.mark.browser

NARROW = {"width": 800, "height": 1000}
FORMAT = (files("nsys_walls.reports") / "assets" / "js" / "format.js").read_text("utf-8")


def text(opened, selector):
    return opened.page.locator(selector).inner_text().replace("\u00a0", " ")


@pytest.mark.parametrize("number", [9, 2000], ids=["as text", "compressed"])
def test_opens_from_disk_without_network_and_without_a_word(open_report, varied, number):
    many = [kernel(name=f"{'long_' * 60}{place}") for place in range(number)]
    opened = open_report(varied if number == 9 else report(kernels=many))

    assert opened.said == []
    assert opened.asked[0] == opened.url
    outside = [url for url in opened.asked[1:] if not url.startswith(("blob:", "data:"))]
    assert outside == []


def test_says_the_answer_first(varied_page, varied):
    opened = varied_page
    headings = opened.page.locator("h1, h2").all_text_contents()

    assert headings == [
        varied.headline,
        "What to do, by what it is worth",
        "Every kernel against its walls",
        "Time by operator class",
        "Copies against their links",
        "Where the GPU's time went",
        "Communication and ranks",
        "Time by NVTX range",
        "All kernels",
        "How to read this, and where it comes from",
    ]
    for empty in ("#findings", "#ranges", "#copies", "#ranks"):
        assert not opened.page.locator(empty).is_visible()


def test_tells_time_by_wall_and_how_much_is_known(open_report):
    long = kernel(name="k", time_ns=3_000_000, median_ns=40_000.0)
    kernels = [long, unmeasured(name="u", time_ns=1_000_000)]
    opened = open_report(report(kernels=kernels))

    assert text(opened, "#overview .key").split("\n") == [
        "bandwidth wall 3.00 ms · 75 %",
        "not measured 1.00 ms · 25 %",
    ]
    overview = text(opened, "#overview")
    assert "known for 75 % of kernel time" in overview
    assert "counters matched 1 of 2 kernels (1 by shape, 1 without)" in overview
    assert "GPU busy for 4.00 ms of 4.40 ms (91 %)" in overview
    assert "400 µs were idle" in overview


def test_without_counters_says_what_to_do_and_draws_no_charts(open_report):
    opened = open_report(report(kernels=[unmeasured()]))

    assert "nsys-walls plan bert-base-b8" in text(opened, "#overview")
    assert not opened.page.locator("#charts").is_visible()
    assert opened.page.locator(".tabulator-row[data-id]").count() == 1
    assert not opened.said


@pytest.mark.parametrize(
    "given",
    [
        report(kernels=[]),
        report(kernels=[], devices=[]),
        report(kernels=[kernel(time_ns=None, median_ns=None)]),
        report(kernels=[kernel(time_ns=0, median_ns=0.0)]),
        report(kernels=[kernel(grid=None, block=None, shared_memory_bytes=None)]),
        report(devices=[device(name=None, hardware=None, peak_flop_per_s={}, peak_from={},
                               balance_flop_per_byte={}, documents={}, sm_count=None)]),
        report(run={"name": "r", "sources": [source(kind="ncu-csv", product_version=None)]}),
    ],
    ids=["no kernel", "no GPU", "no time", "zero time", "no shape", "unknown GPU", "no trace"],
)  # fmt: skip
def test_opens_what_lacks_a_part(open_report, given):
    opened = open_report(given)

    assert not opened.said
    assert not opened.page.locator("#trouble").is_visible()
    assert "NaN" not in opened.page.locator("body").inner_text()
    assert "undefined" not in opened.page.locator("body").inner_text()


def test_warnings_are_met_at_the_top_and_listed_below(open_report):
    warnings = [
        {"code": "above-bandwidth-wall", "message": "Shown as measured: k (131 %)."},
        {"code": "slow-launch", "message": "The first launch took 3 ms."},
    ]
    opened = open_report(report(warnings=warnings))

    top = text(opened, "#overview .notice")
    assert top == "Warning Shown as measured: k (131 %). and 1 more warning"
    assert opened.page.locator("#overview .notice").bounding_box()["y"] < 600
    assert text(opened, "#warnings li:nth-child(2)") == "slow-launch The first launch took 3 ms."


def test_method_gives_every_number_its_origin(open_report):
    peaks = {"fp32": 8.1e12}
    gpus = [
        device(device=number, peak_flop_per_s=peaks, peak_from={"fp32": "option"},
               bandwidth_from="trace", balance_flop_per_byte={"fp32": 25.3125},
               documents={"fp32": "https://example.org/a/b/t4.pdf"})
        for number in (0, 1)
    ]  # fmt: skip
    opened = open_report(report(kernels=[kernel(), kernel(device=1)], devices=gpus))
    rows = [
        line.replace("\u00a0", " ").split("\t")
        for line in opened.page.locator("#hardware tr").all_inner_texts()
    ]

    # both GPUs are alike: one table
    assert [row[0] for row in rows][1:] == ["Bandwidth wall", "Compute wall, FP32, dense"]
    assert rows[0][0].startswith("GPU 0, 1: Tesla T4 · part t4")
    assert rows[1][1:] == ["320 GB/s", "", "the trace", ""]
    assert rows[2][1:4] == ["8.10 TFLOP/s", "25.3 FLOP/B", "given on the command line"]
    link = opened.page.locator("#hardware a").first
    assert link.get_attribute("href") == "https://example.org/a/b/t4.pdf"


def test_a_document_that_is_no_address_is_no_link(open_report):
    gpu = device(documents={"bandwidth_bytes_per_s": "javascript:alert(1)"})
    opened = open_report(report(devices=[gpu]))

    assert opened.page.locator("#hardware a").count() == 0
    assert "javascript:alert(1)" in text(opened, "#method")


def test_coverage_names_the_heaviest_kernels_without_a_match(open_report):
    kernels = [
        kernel(name="k", time_ns=5_000),
        unmeasured(name="u", time_ns=4_000),
        kernel(name="two_shapes", time_ns=3_000, bandwidth_ratio=None, compute_ratio=None,
               match={"level": "ambiguous", "reason": "two shapes fit"}),
    ]  # fmt: skip
    opened = open_report(report(kernels=kernels))
    cells = opened.page.locator("#coverage tr").all_text_contents()
    coverage = "\n".join(cells).replace("\u00a0", " ")

    assert "shapesame name, grid and block15.00 µs42 %" in coverage
    assert "uno counters for this name4.00 µs33 %" in coverage
    assert "two_shapestwo shapes fit3.00 µs25 %" in coverage


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough_to_read(open_report, scheme):
    opened = open_report(report(), color_scheme=scheme)

    def colour(name):
        return opened.page.evaluate(
            "name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()",
            f"--{name}",
        )

    grounds = [colour(name) for name in ("bg", "soft", "panel")]
    for name in ("ink", "mute", "link", "compute-ink", "bandwidth"):
        assert min(contrast(colour(name), ground) for ground in grounds) >= 4.5, name
    assert contrast(colour("warn"), colour("warn-bg")) >= 4.5
    for name in ("bandwidth", "compute", "on_chip", "latency", "neither", "communication"):
        assert contrast(colour(name), grounds[0]) >= 3, name


def test_dark_and_light_follow_the_system_even_while_open(open_report, varied):
    opened = open_report(varied, color_scheme="light")
    page = opened.page
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(100)
        page.wait_for_selector("#plane .points path")
        colours.append(
            page.evaluate(
                """() => [getComputedStyle(document.body).backgroundColor,
                    document.querySelector('#plane .points path').style.fill,
                    document.getElementById('roofline').layout.font.color]"""
            )
        )

    assert all(light != dark for light, dark in zip(*colours, strict=True))
    assert page.locator("#plane .points path").count() == 9
    assert not opened.said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_800_pixels(open_report, varied, scheme):
    opened = open_report(varied, viewport=NARROW, color_scheme=scheme)
    plane, roofline = (
        opened.page.locator(f"#{chart}").bounding_box() for chart in ("plane", "roofline")
    )

    assert opened.page.evaluate("document.documentElement.scrollWidth") == 800
    assert roofline["y"] > plane["y"] + plane["height"]  # one below the other
    assert opened.page.locator("#plane .points path").count() == 9


def test_charts_follow_the_width_of_the_window(open_report, varied):
    opened = open_report(varied)
    opened.page.set_viewport_size(NARROW)

    opened.page.locator("#plane .main-svg[width='760']").first.wait_for()
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 800


def test_prints_dark_on_white(open_report, varied):
    opened = open_report(varied, color_scheme="dark")
    page = opened.page
    page.evaluate(
        """() => addEventListener('beforeprint', () => { window.printed =
            document.getElementById('plane').layout.font.color; })"""
    )

    page.pdf(prefer_css_page_size=True)

    colour = page.evaluate("window.printed")
    assert contrast(colour, "#ffffff") >= 4.5
    assert page.evaluate("document.getElementById('plane').layout.font.color") != colour


def test_without_scripts_the_answer_is_still_there(open_report, varied):
    opened = open_report(varied, java_script_enabled=False)

    assert opened.page.locator("h1").inner_text() == varied.headline
    assert "JavaScript is off" in text(opened, "noscript")


def test_an_old_browser_keeps_the_table_and_says_why_no_charts(open_report, varied):
    opened = open_report(varied, script="delete window.DecompressionStream")

    assert "Firefox 113" in text(opened, "#trouble")
    assert opened.page.locator(".paper tbody tr").count() == 9
    assert not opened.page.locator("#charts").is_visible()


NUMBERS = [
    0, 0.0123, 0.9994, 0.9996, 1, 1.005e1, 12.34, 99.94, 99.96, 940, 999.4, 999.6, 1234.6,
    1_310_720, 65e12, 999.95e9, 2.039e12, 7.77e18,
]  # fmt: skip
RATIOS = [
    0,
    0.0004,
    0.0005,
    0.0412,
    0.0994,
    0.0996,
    0.408,
    0.9899,
    0.9951,
    0.9999,
    1,
    1.371,
    12.5,
    13.171,
]


@pytest.mark.parametrize(
    ("script", "python", "values"),
    [
        ("duration", units.duration, NUMBERS),
        ("threeDigits", units.three_digits, NUMBERS),
        ("percent", units.percent, RATIOS),
    ],
)
def test_numbers_are_written_as_in_the_other_formats(browser, script, python, values):
    page = browser.new_page()

    written = page.evaluate(f"values => {{ {FORMAT}; return values.map({script}); }}", values)
    page.close()

    assert written == [python(value) for value in values]
