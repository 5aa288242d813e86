"""Where Chromium is, and how it is started for tests."""

import os
import shutil

_NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def executable():
    """Find a Chromium: the one that is named, else the first on PATH; None for none."""
    named = os.environ.get("NSYS_WALLS_CHROMIUM")
    return named or next(filter(None, map(shutil.which, _NAMES)), None)
