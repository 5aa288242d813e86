"""Rebuild the sample reports and the README's pictures: `python tests/update_samples.py`."""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent))  # tests/, as pytest does

from browser.chromium import ARGUMENTS, executable

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "reports"
NAMES = ("bert-base-t4", "gpt-decode-a100")
_WIDTH, _HEIGHT = 1440, 1000


def build_reports(folder: Path) -> None:
    """Ingest each fixture as a user would, and report it into a folder."""
    with tempfile.TemporaryDirectory() as store:
        for name in NAMES:
            inputs = sorted((ROOT / "fixtures" / name).glob(f"{name}-generated.*"))
            for words in (
                ["ingest", *map(str, inputs), "--run", name],
                ["report", name, "-o", str(folder / f"{name}.html")],
            ):
                command = [sys.executable, "-m", "nsys_walls", *words, "--store", store]
                subprocess.run(command, check=True, capture_output=True)


def _pictures() -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        for name, scheme in zip(NAMES, ("light", "dark"), strict=True):
            page = chromium.new_page(
                viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme=scheme
            )
            page.goto((SAMPLES / f"{name}.html").as_uri())
            page.wait_for_selector("html[data-state=done]")
            charts = page.locator("#charts").bounding_box()
            height = charts["y"] + charts["height"] + 24
            page.set_viewport_size({"width": _WIDTH, "height": int(height)})
            page.screenshot(path=SAMPLES / f"{name}.png")
        chromium.close()


def main() -> None:
    """Rebuild everything in ``reports/``."""
    build_reports(SAMPLES)
    _pictures()


if __name__ == "__main__":
    main()
