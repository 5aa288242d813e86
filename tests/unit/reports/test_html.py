"""The HTML page as text: what it carries, what it allows, how large it gets."""

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from support.documents import document, kernel, report, source, unmeasured

from nsys_walls.reports import all_renderers
from nsys_walls.reports.html import RENDERER

HOSTILE = "void pack<Tile<float, 4>, </script><b id=x>>(T1 *, T2 *) & <!-- \u2028 \udc80"
ASSETS = files("nsys_walls.reports") / "assets"


class Page(HTMLParser):
    """Elements, attributes and script texts, as a parser of HTML sees them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.scripts, self.styles, self.texts = [], [], [], [], []
        self._open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append(dict(attrs))
        self._open.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        inside = self._open[-1] if self._open else None
        if inside == "script":
            attrs, text = self.scripts[-1]
            self.scripts[-1] = (attrs, text + data)
        elif inside != "style":
            self.texts.append(data)

    def script(self, name):
        return next(found for found in self.scripts if found[0].get("id") == name)

    def document(self):
        attrs, text = self.script("document")
        if attrs["data-encoding"] == "gzip":
            text = gzip.decompress(base64.b64decode(text)).decode()
        return json.loads(text)

    def library(self, name):
        return gzip.decompress(base64.b64decode(self.script(name)[1]))


def many(number, launches=10):
    arguments = ", ".join(f"T{place}" for place in range(60))
    return report(
        kernels=[
            kernel(
                name=f"kernel_{place}",
                full_name=f"void kernel_{place}<{arguments}>(int)",
                launches=launches,
                time_ns=1_000_000 + place,
            )
            for place in range(number)
        ]
    )


def test_is_found_as_the_html_format():
    found = all_renderers()["html"]

    assert found.suffix == ".html"


def test_importing_it_does_not_import_plotly():
    code = "import sys, nsys_walls.reports.html; sys.exit('plotly' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("number", [1, 1500], ids=["as text", "compressed"])
def test_carries_the_document_unchanged(number):
    given = many(number)

    assert Page(RENDERER.render(given)).document() == given.document


def test_a_part_of_a_run_says_so_before_anything_else():
    selection = {"nvtx": ["layer.*"], "window": "1s:2s", "devices": [0, 1], "streams": [],
                 "kernel": "a<b"}  # fmt: skip
    text = RENDERER.render(report(selection=selection))

    said = "".join(Page(text).texts)
    assert "inside NVTX ranges that match “layer.*”, GPU 0, 1, the time 1s:2s" in said
    assert "kernels whose names match “a<b”" in said
    assert text.index("Shows only a part") < text.index("<h1>")
    assert "Shows only a part" not in "".join(Page(RENDERER.render(report())).texts)


def test_what_is_in_backticks_looks_typed_and_stays_as_it_is():
    page = RENDERER.render(report(headline="h", advice="Run `nsys-walls plan` on a`b."))

    assert re.search("<code>.*nsys-walls plan.*</code>", page)
    assert "Run `nsys-walls plan` on a`b." in "".join(Page(page).texts)


def test_the_same_report_gives_the_same_text():
    assert RENDERER.render(report()) == RENDERER.render(report())


def test_hostile_text_ends_no_element_and_starts_none():
    plain = Page(RENDERER.render(report()))
    text = RENDERER.render(
        report(
            headline=HOSTILE,
            advice=HOSTILE,
            kernels=[kernel(name=HOSTILE, full_name=HOSTILE)],
            run={"name": HOSTILE, "sources": [source(file=HOSTILE)]},
        )
    )
    page = Page(text)

    added = sorted(set(page.tags) - set(plain.tags))
    assert not added  # in particular no b
    # texts, document, two libraries, the page's own
    assert len(page.scripts) == len(plain.scripts) == 5
    assert page.document()["kernels"][0]["name"] == HOSTILE
    assert text.encode()  # lone surrogates must not stop it from being written


def test_headline_and_advice_stand_in_the_page_as_they_are():
    headline = "40 % of kernel time stands at the bandwidth wall & 12 % is a<b>."
    page = Page(RENDERER.render(report(headline=headline, advice="Save 1.5 ms <now>.")))

    text = "".join(page.texts)
    assert headline in text
    assert "Save 1.5 ms <now>." in text


def test_numbers_and_their_units_are_kept_on_one_line():
    text = RENDERER.render(report(headline="40 % is copies, 12.5 ms.", advice=""))

    assert '<h1><span class="q">40 %</span> is copies, <span class="q">12.5 ms</span>.</h1>' in text


def test_walls_in_the_headline_are_marked_in_their_colours():
    text = RENDERER.render(report(headline="At the bandwidth wall, not the compute wall."))

    assert '<mark class="bandwidth">bandwidth wall</mark>' in text
    assert '<mark class="compute">compute wall</mark>' in text


def test_the_policy_allows_the_three_scripts_by_hash_and_nothing_else():
    page = Page(RENDERER.render(report()))
    policy = next(
        attrs["content"]
        for attrs in page.attributes
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))

    scripts = page.scripts[-1][1].encode(), page.library("plotly"), page.library("tabulator")
    digests = [base64.b64encode(hashlib.sha256(script).digest()) for script in scripts]
    assert rules.pop("script-src") == " ".join(f"'sha256-{one.decode()}'" for one in digests)
    assert rules == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "img-src": "data: blob:",
        "connect-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_plotly_is_the_copy_of_the_installed_package():
    from plotly.offline import get_plotlyjs

    assert Page(RENDERER.render(report())).library("plotly").decode() == get_plotlyjs()


def test_tabulator_is_as_published_and_comes_with_its_licence():
    folder = ASSETS / "tabulator"
    origin = tomllib.loads(folder.joinpath("origin.toml").read_text("utf-8"))
    sums = {name: hashlib.sha256(folder.joinpath(name).read_bytes()) for name in origin["sha256"]}
    assert {name: one.hexdigest() for name, one in sums.items()} == origin["sha256"]
    assert {one.name for one in folder.iterdir()} == {*origin["sha256"], "origin.toml"}

    page = RENDERER.render(report())
    script = Page(page).library("tabulator").decode()
    published = folder.joinpath("tabulator.min.js").read_text("utf-8")
    code, _, address = published.partition("//# sourceMappingURL")
    assert address  # a debugger would ask for it
    assert script.endswith(code)
    assert "sourceMappingURL" not in script + page
    assert folder.joinpath("LICENSE").read_text("utf-8") in script
    assert f"Tabulator v{origin['version']} " in script


def test_no_two_parts_of_the_page_share_a_name():
    """They are joined in one scope, where the later function would replace the former."""
    scripts = [asset.read_text("utf-8") for asset in ASSETS.joinpath("js").iterdir()]
    said = r"^(?:async )?(?:function\*?|class|const|let)\s+(\w+)"
    names = [name for script in scripts for name in re.findall(said, script, re.MULTILINE)]

    assert len(names) > 100
    assert {name for name in names if names.count(name) > 1} == set()


def test_nothing_is_loaded_from_elsewhere():
    page = Page(RENDERER.render(report()))

    assert not [attrs for attrs in page.attributes if "src" in attrs or "srcset" in attrs]
    links = [attrs["href"] for attrs in page.attributes if "href" in attrs]
    assert links
    assert all(link.startswith("#") for link in links)
    assert "link" not in page.tags
    assert not re.search(r"url\(|@import", ASSETS.joinpath("style.css").read_text("utf-8"))


def test_scripts_never_turn_text_into_markup_or_code():
    sinks = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function"
        r"|createContextualFragment|setHTML|srcdoc"
    )
    scripts = [asset.read_text("utf-8") for asset in ASSETS.joinpath("js").iterdir()]

    assert scripts
    assert not [sinks.findall(script) for script in scripts if sinks.search(script)]


def test_every_script_is_in_the_page():
    page = RENDERER.render(report())

    assert all(asset.read_text("utf-8") in page for asset in ASSETS.joinpath("js").iterdir())


def test_a_number_that_json_lacks_is_refused():
    with pytest.raises(ValueError, match="Out of range float"):
        RENDERER.render(report(kernels=[kernel(flop_per_s=float("nan"))]))


def test_size_does_not_grow_with_launches():
    few, lots = (len(RENDERER.render(many(60, launches))) for launches in (10, 3_333_333))

    assert abs(lots - few) < 20_000  # digits of the counts alone


def test_title_names_the_run_and_each_part_once():
    given = document(kernels=[unmeasured()])
    given["devices"] = [given["devices"][0], given["devices"][0] | {"device": 1}]
    page = RENDERER.render(report(**given))

    assert "<title>bert-base-b8 · Tesla T4 · nsys-walls</title>" in page
