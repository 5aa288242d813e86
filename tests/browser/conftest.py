"""A headless Chromium that opens rendered reports from disk, without a network."""

import os
from dataclasses import dataclass, field

import pytest
from browser.chromium import ARGUMENTS, executable
from support.documents import kernel, report, unmeasured

from nsys_walls.reports.html import RENDERER


def _executable():
    path = executable()
    if path is None:
        message = "no Chromium on PATH; set NSYS_WALLS_CHROMIUM to one"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def browser():
    """Start Chromium once, with a new and empty profile."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=_executable(), args=ARGUMENTS)
        yield chromium
        chromium.close()


@dataclass
class Opened:
    """A page, and what the browser said and asked for while it was open."""

    page: object
    url: str
    said: list = field(default_factory=list)
    asked: list = field(default_factory=list)

    def data(self, chart):
        """Plotly's own traces of a chart, by what the page draws with them."""
        return self.page.evaluate(
            """name => document.getElementById(name).data.map(trace => ({
                meta: trace.meta, name: trace.name, x: Array.from(trace.x), y: Array.from(trace.y),
                ids: trace.customdata, xaxis: trace.xaxis, yaxis: trace.yaxis,
                hover: trace.hovertext, selected: trace.selectedpoints,
                size: trace.marker && trace.marker.size}))""",
            chart,
        )

    def bubbles(self, chart):
        """Traces of kernels."""
        return [trace for trace in self.data(chart) if trace["meta"] == "kernels"]

    def walls(self, chart):
        """Traces of walls in the main area."""
        traces = self.data(chart)
        return [t for t in traces if t["meta"] == "wall" and (t["xaxis"], t["yaxis"]) == ("x", "y")]

    def layout(self, chart):
        """Plotly's layout of a chart."""
        return self.page.evaluate(
            "name => JSON.parse(JSON.stringify(document.getElementById(name).layout))", chart
        )

    def places(self, chart, document):
        """Where kernels stand: name to (x axis, y axis)."""
        names = {row["id"]: row["name"] for row in document["kernels"]}
        return {
            names[number]: (trace["xaxis"], trace["yaxis"])
            for trace in self.bubbles(chart)
            for number in trace["ids"]
        }


def _open(browser, path, given, *, script=None, fragment="", **options):
    path.write_text(RENDERER.render(given), encoding="utf-8")
    size = {"width": 1440, "height": 1000}
    context = browser.new_context(**({"viewport": size, "offline": True} | options))
    opened = Opened(context.new_page(), path.as_uri())
    opened.page.on("console", lambda message: opened.said.append(message.text))
    opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
    opened.page.on("dialog", lambda dialog: opened.said.append(dialog.message))
    opened.page.on("request", lambda request: opened.asked.append(request.url))
    if script:
        opened.page.add_init_script(script)
    opened.page.goto(f"{opened.url}#{fragment}" if fragment else opened.url)
    if options.get("java_script_enabled", True):
        opened.page.wait_for_selector("html[data-state=done]")
    return opened


@pytest.fixture
def open_report(browser, tmp_path):
    """Render a report, open it from disk with the network off, wait until it is drawn."""
    pages = []

    def open_it(given, **options):
        pages.append(_open(browser, tmp_path / f"report{len(pages)}.html", given, **options))
        return pages[-1]

    yield open_it
    for opened in pages:
        opened.page.context.close()


@pytest.fixture(scope="session")
def varied_page(browser, varied, tmp_path_factory):
    """The varied report, opened once for tests that only look."""
    opened = _open(browser, tmp_path_factory.mktemp("varied") / "report.html", varied)
    yield opened
    opened.page.context.close()


@pytest.fixture(scope="session")
def varied():
    """One kernel for every place that a kernel can have.

    On a T4 (320 GB/s, 8.1 TFLOP/s FP32, 65 TFLOP/s FP16 tensor) a launch of 40 µs can move
    12.8 MB, or do 324 MFLOP in FP32, 2.6 GFLOP on tensor cores.
    """
    return report(
        kernels=[
            # 50 % of the bandwidth wall, 70 % of the compute wall
            kernel(name="gemm_big", flop=1.82e9, precision="fp16_tensor", dram_bytes=6.4e6,
                   time_ns=900_000, median_ns=40_000.0, **{"class": "gemm"}),
            # 75 % and 2.2 %
            kernel(name="layer_norm", time_ns=800_000, median_ns=40_000.0),
            # 75 % and 0.4 %
            kernel(name="add", flop=1.2e6, time_ns=700_000, median_ns=40_000.0),
            kernel(name="transpose", flop=0.0, precision=None, time_ns=600_000, median_ns=40_000.0),
            kernel(name="fill", flop=0.0, precision=None, dram_bytes=4.8e5, time_ns=40_000),
            kernel(name="flop_not_counted", flop=None, precision=None, time_ns=500_000),
            # 90 % of the FP32 wall, nothing from DRAM
            kernel(name="registers", flop=2.916e8, dram_bytes=0.0, time_ns=400_000),
            kernel(name="bytes_not_counted", flop=6.5e8, precision="fp16_tensor", dram_bytes=None,
                   time_ns=300_000, median_ns=40_000.0),
            unmeasured(name="not_profiled", time_ns=200_000),
        ]
    )  # fmt: skip
