"""A desk for each test."""

import pytest
from support.pipeline import Desk


@pytest.fixture
def desk(tmp_path):
    """Give an empty folder to type commands in."""
    return Desk(tmp_path)
