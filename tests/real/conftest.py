"""Desks for real files, which take longer to read."""

import pytest
from support.languages import check_languages
from support.pipeline import Desk

from nsys_walls.reports import build
from nsys_walls.reports.document import build_document


@pytest.fixture(scope="module")
def new_desk(tmp_path_factory):
    """Make empty folders to type commands in."""
    return lambda: Desk(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def desk(new_desk):
    """Give an empty folder to type commands in."""
    return new_desk()


@pytest.fixture(autouse=True)
def _in_chinese_too(monkeypatch):
    """Build every report in Chinese as well: nothing of it may stay English."""
    monkeypatch.setattr(build, "build_document", check_languages(build_document))
