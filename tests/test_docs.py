"""What the documents show is what happens."""

import ast
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from nsys_walls.findings import all_rules
from nsys_walls.reports import all_renderers
from nsys_walls.sources import all_readers

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
ARCHITECTURE = (ROOT / "nsys_walls" / "README.md").read_text("utf-8")
SESSION = re.findall(r"```console\n\$ (.*)\n((?:.*\n)*?)```", README)


def test_the_first_session_prints_what_it_shows(tmp_path):
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    assert len(SESSION) >= 4
    for command, output in SESSION:
        program, *words = shlex.split(command)
        assert program == "nsys-walls"
        done = subprocess.run(
            [sys.executable, "-m", "nsys_walls", *words],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout == output, command


def test_the_set_up_commands_are_the_ones_that_ci_runs():
    all_sh = (ROOT / "tests" / "all.sh").read_text("utf-8")
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    outside = re.sub(r"```console\n.*?```", "", README, flags=re.DOTALL)
    first, second = re.findall(r"^    (.+)$", outside, re.MULTILINE)
    assert "nsys-walls demo" in first
    assert "README.md" in all_sh  # it takes the first command from there
    assert second == "bash tests/all.sh"
    assert "tests/all.sh" in ci


@pytest.mark.parametrize("document", ["README.md", "nsys_walls/README.md", "CHANGELOG.md",
                                      ".github/CONTRIBUTING.md", "fixtures/README.md"])  # fmt: skip
def test_links_lead_somewhere(document):
    path = ROOT / document
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def _slugs():
    """Find every slug in the package: first argument of an error, or code of a warning."""
    for path in sorted((ROOT / "nsys_walls").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in {"InputError", "UsageError", "Notice"} and node.args:
                slug = node.args[0]
                if isinstance(slug, ast.Constant):
                    yield slug.value


def test_every_slug_is_documented_and_nothing_else():
    rows = re.findall(r"^\| (`[a-z0-9-`, ]+) \|", ARCHITECTURE, re.MULTILINE)
    documented = {slug for row in rows for slug in re.findall(r"`([a-z0-9-]+)`", row)}
    package = "".join(path.read_text("utf-8") for path in (ROOT / "nsys_walls").rglob("*.py"))
    assert set(_slugs()) <= documented
    assert {slug for slug in documented if f'"{slug}"' not in package} == {
        "system", "needs-nsys", "needs-ncu", "usage",  # put together from the program's name
    }  # fmt: skip


def test_every_format_and_reader_is_documented():
    for name in all_renderers():
        assert f"`{name}`" in README
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    for rule in all_rules():
        assert rule.code in changelog
    for reader in all_readers():
        assert f"`{reader.kind}`" in README


def test_lower_bounds_only():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"]
    wanted = [*project["project"]["dependencies"], *groups["test"], *groups["lint"]]
    assert not [need for need in wanted if re.search(r"<|==|~=", need)]


@pytest.mark.parametrize("path", sorted((ROOT / "nsys_walls").rglob("*.py")), ids=str)
def test_modules_and_functions_stay_short(path):
    text = path.read_text("utf-8")
    assert text.count("\n") <= 350
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            assert node.end_lineno - node.lineno < 80, node.name
