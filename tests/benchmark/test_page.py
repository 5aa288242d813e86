"""The benchmark of the page itself, on small pages."""

import pytest
from benchmark.page import compare, make_pages, table
from browser.chromium import executable

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(executable() is None, reason="no Chromium on PATH"),
]


def test_pages_are_opened_and_measured(tmp_path):
    pages = make_pages(tmp_path, [3])
    openings = compare(pages, 1)
    assert list(openings) == ["empty page", "3 kernels"]
    for several in openings.values():
        assert all(0 < one.painted_ms <= one.drawn_ms + 1000 for one in several)
    lines = table(pages, openings)
    assert lines[1].split()[-1] == "1.0"  # the empty page is what others are held against
    assert len(lines) == 3
