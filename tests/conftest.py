"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
REAL = Path(os.environ.get("NSYS_WALLS_REAL", ROOT.parent / "shared" / "real"))

# machines are noisy: no example fails for being slow
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


@pytest.fixture(scope="session")
def real():
    """Find a real profiler output; these belong to others and are not in the repository."""

    def find(relative: str) -> Path:
        path = REAL / relative
        if not path.exists():
            message = f"real file {relative} is missing; set NSYS_WALLS_REAL to their folder"
            if os.environ.get("CI") == "true":
                pytest.fail(message)
            pytest.skip(message)
        return path

    return find


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    """Pin what the terminal would otherwise decide."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
