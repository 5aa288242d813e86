"""Desks for real files, which take longer to read."""

import pytest
from support.pipeline import Desk


@pytest.fixture(scope="module")
def new_desk(tmp_path_factory):
    """Make empty folders to type commands in."""
    return lambda: Desk(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def desk(new_desk):
    """Give an empty folder to type commands in."""
    return new_desk()
