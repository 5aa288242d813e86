"""Words of the HTML page: every one that it asks for is there, and none that it never says."""

import re
from dataclasses import replace
from importlib.resources import files

import pytest
from support.documents import report

from nsys_walls.reports.html import _HTML_LANGUAGES, RENDERER, _words
from nsys_walls.texts import LANGUAGES, templates

ASSETS = files("nsys_walls.reports") / "assets"
KEYS = set(_words("en"))
SCRIPTS = "\n".join(asset.read_text("utf-8") for asset in ASSETS.joinpath("js").iterdir())
PAGE = ASSETS.joinpath("page.html").read_text("utf-8")
RENDERER_TEXT = files("nsys_walls.reports").joinpath("html.py").read_text("utf-8")

# t("key"), rich("key"), TEXTS.key, "[[key]]" in the page, text("page.key") in the renderer
ASKED = {
    *re.findall(r'\b(?:t|rich)\(\s*"([\w-]+)"', SCRIPTS),
    *re.findall(r"\[\[(\w+)\]\]", PAGE),
    *re.findall(r'text\("page\.(\w+)"', RENDERER_TEXT),
}
# t(`key_${code}`), called("key", code)
BEGINNINGS = {
    *re.findall(r"`(\w+_)\$\{", SCRIPTS),
    *(f"{name}_" for name in re.findall(r'\bcalled\(\s*"(\w+)"', SCRIPTS)),
    *re.findall(r'text\(f"page\.(\w+_)\{', RENDERER_TEXT),
}
# t(condition ? "one" : "other")
CHOSEN = {
    key
    for call in re.findall(r"\b(?:t|rich)\(\s*[^()\"]*(?:\([^()]*\))?[^()\"]*\?[^;]*?\)", SCRIPTS)
    for key in re.findall(r'"([\w-]+)"', call)
}


def test_every_text_that_is_asked_for_is_there():
    assert len(ASKED) > 150
    assert ASKED <= KEYS
    for beginning in BEGINNINGS:
        assert any(key.startswith(beginning) for key in KEYS), beginning


def test_no_text_is_there_that_nothing_asks_for():
    said = ASKED | CHOSEN
    idle = {key for key in KEYS - said if not key.startswith(tuple(BEGINNINGS))}
    assert not idle


@pytest.mark.parametrize(("language", "html_language"), [("en", "en"), ("zh", "zh-Hans")])
def test_the_page_is_in_the_language_of_its_report(language, html_language):
    page = RENDERER.render(replace(report(), language=language))

    assert f'<html lang="{html_language}">' in page
    assert f">{templates()['page.kernels'][language]}</h2>" in page
    assert "[[" not in page.split("<script", 1)[0]


def test_there_is_a_name_in_html_for_every_language():
    assert set(LANGUAGES) == set(_HTML_LANGUAGES)
