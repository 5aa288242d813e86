"""Measure when a report page is first painted, against an empty page, in headless Chromium.

    python tests/benchmark/page.py --times 5
    python tests/benchmark/page.py --page reports/decode.html

First paint is the browser's own first contentful paint, drawn is when both charts stand. Pages
are opened from disk in turns, each in a new and empty browser context.
"""

import argparse
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests/, as pytest does

from browser.chromium import ARGUMENTS, executable
from support.documents import kernel, report

from nsys_walls.reports.html import RENDERER

_EMPTY = "<!doctype html><html data-state=done><title>empty</title><p>empty</p></html>"
_PAINT = """() => new Promise(resolve => new PerformanceObserver(list => {
    const found = list.getEntries().find(entry => entry.name === 'first-contentful-paint');
    if (found) resolve(found.startTime);
}).observe({type: 'paint', buffered: true}))"""


@dataclass(frozen=True, slots=True)
class Opening:
    """One opening of a page.

    Attributes:
        painted_ms: From the start of the navigation to the first contentful paint.
        drawn_ms: From the start of the navigation to the last chart.
    """

    painted_ms: float
    drawn_ms: float


def open_page(browser: Browser, path: Path) -> Opening:
    """Open a page in a new context."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-state=done]", timeout=120_000)
    drawn_ms: float = page.evaluate("performance.now()")
    painted_ms: float = page.evaluate(_PAINT)
    context.close()
    return Opening(painted_ms, drawn_ms)


def compare(pages: dict[str, Path], times: int) -> dict[str, list[Opening]]:
    """Open all pages in turns."""
    openings: dict[str, list[Opening]] = {name: [] for name in pages}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        for _ in range(times):
            for name, path in pages.items():
                openings[name].append(open_page(browser, path))
        browser.close()
    return openings


def table(pages: dict[str, Path], openings: dict[str, list[Opening]]) -> list[str]:
    """Make lines of medians, and of first paint as a multiple of the first page's."""
    painted = {
        name: statistics.median(one.painted_ms for one in several)
        for name, several in openings.items()
    }
    base = next(iter(painted.values()))
    lines = [f"{'':24}{'MB':>6}{'first paint ms':>16}{'drawn ms':>10}{'ratio':>7}"]
    for name, several in openings.items():
        drawn = statistics.median(one.drawn_ms for one in several)
        size = pages[name].stat().st_size / 1e6
        ratio = painted[name] / base
        lines.append(f"{name:24}{size:6.2f}{painted[name]:16.0f}{drawn:10.0f}{ratio:7.1f}")
    return lines


def make_pages(folder: Path, numbers: list[int]) -> dict[str, Path]:
    """Write an empty page, and one report for each number of kernels."""
    texts = {"empty page": _EMPTY}
    for number in numbers:
        kernels = [
            kernel(
                name=f"kernel_{place}",
                time_ns=10**9 // (place + 1),
                median_ns=40_000.0,
                dram_bytes=12e6 * ((place * 0.618) % 1 + 0.01),
            )
            for place in range(number)
        ]
        texts[f"{number:,} kernels"] = RENDERER.render(report(kernels=kernels))
    pages = {name: folder / f"{place}.html" for place, name in enumerate(texts)}
    for name, path in pages.items():
        path.write_text(texts[name], "utf-8")
    return pages


def main() -> None:
    """Make pages, or take one, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5, help="openings of each page")
    parser.add_argument("--page", type=Path, help="a report to open as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nsys-walls-benchmark-") as name:
        pages = make_pages(Path(name), [30, 500, 5000])
        if options.page:
            pages[options.page.name] = options.page.resolve()
        lines = table(pages, compare(pages, options.times))
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
