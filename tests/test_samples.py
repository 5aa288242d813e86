"""The sample reports are what the program writes today."""

import re

import pytest
from update_samples import NAMES, SAMPLES, build_reports

# plotly.js comes from the installed package, whatever its version: its text, and its hash in the
# policy, are nobody's here
_PLOTLY = re.compile(r'(?<=<script type="text/plain" id="plotly">)[^<]*')
_HASH = re.compile(r"(?<=' )'sha256-[^']*'(?=;)")


def without_plotly(page):
    assert len(_PLOTLY.findall(page)) == len(_HASH.findall(page)) == 1
    return _HASH.sub("", _PLOTLY.sub("", page))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    build_reports(folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_what_its_fixture_gives(built, name):
    stored, now = (
        without_plotly((folder / f"{name}.html").read_text("utf-8")) for folder in (SAMPLES, built)
    )
    assert stored == now, "stale: run `python tests/update_samples.py`"


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_has_a_picture(name):
    assert (SAMPLES / f"{name}.png").read_bytes().startswith(b"\x89PNG")
