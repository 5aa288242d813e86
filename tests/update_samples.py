"""Rebuild the sample reports and the README's picture: `python tests/update_samples.py`."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "reports"
PICTURE_WIDTH, PICTURE_HEIGHT = 1440, 1500
_CHARTS_DRAWN_MS = 4000


def _report(name: str, store: Path) -> None:
    """Ingest a fixture as a user would, and report it into ``reports/``."""
    inputs = sorted((ROOT / "fixtures" / name).glob(f"{name}-generated.*"))
    for words in (
        ["ingest", *map(str, inputs), "--run", name],
        ["report", name, "-o", str(SAMPLES / f"{name}.html")],
    ):
        command = [sys.executable, "-m", "nsys_walls", *words, "--store", str(store)]
        subprocess.run(command, check=True)


def _picture(name: str) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = chromium.new_page(viewport={"width": PICTURE_WIDTH, "height": PICTURE_HEIGHT})
        page.goto((SAMPLES / f"{name}.html").as_uri())
        page.wait_for_timeout(_CHARTS_DRAWN_MS)
        page.screenshot(path=SAMPLES / f"{name}.png")
        chromium.close()


def main() -> None:
    """Rebuild everything in ``reports/``."""
    with tempfile.TemporaryDirectory() as store:
        for name in ("bert-base-t4", "gpt-decode-a100"):
            _report(name, Path(store))
    _picture("bert-base-t4")


if __name__ == "__main__":
    main()
