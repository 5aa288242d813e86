"""A desk for each test."""

import pytest
from support.languages import check_languages
from support.pipeline import Desk

from nsys_walls.reports import build
from nsys_walls.reports.document import build_document


@pytest.fixture
def desk(tmp_path):
    """Give an empty folder to type commands in."""
    return Desk(tmp_path)


@pytest.fixture(autouse=True)
def _in_chinese_too(monkeypatch):
    """Build every report in Chinese as well: nothing of it may stay English."""
    monkeypatch.setattr(build, "build_document", check_languages(build_document))
