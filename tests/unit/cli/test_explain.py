import pytest

from nsys_walls.cli import main
from nsys_walls.cli.explain import _wrapped
from nsys_walls.findings import all_rules


@pytest.fixture
def run(capsys):
    def typed(*words):
        with pytest.raises(SystemExit) as stop:
            main(["explain", *words])
        return stop.value.code or 0, *capsys.readouterr()

    return typed


def test_all_rules_are_listed_with_their_first_line(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [rule.code for rule in all_rules()]
    assert all(line.endswith(".") for line in lines)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_a_rule_is_explained_in_the_width_of_the_terminal(run, monkeypatch, rule, columns):
    monkeypatch.setenv("COLUMNS", columns)
    code, out, err = run(rule.code)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= min(int(columns), 100)
    for heading in ("Meaning:", "Evidence:", "Abstains:", "Try:"):
        assert heading in out.splitlines()
    # every word stands, in its order
    assert out.split() == rule.documentation.split()


def test_code_and_name_are_found_in_any_case(run):
    assert run("NW101") == run("nw101") == run("Small-Kernels-Add-Up")


def test_an_unknown_rule_is_refused_with_those_there_are(run):
    code, out, err = run("NW000")
    assert (code, out) == (2, "")
    assert err.startswith("nsys-walls: no rule is called 'NW000'; there are: NW101")
    assert err.endswith("[unknown-rule]\n")


def test_indents_and_lists_stay():
    text = "Title.\n\nTry:\n    - " + "fuse " * 19 + "fuse\n      more\n    - split\n    plain"
    assert _wrapped(text).splitlines() == [
        "Title.",
        "",
        "Try:",
        "    - " + "fuse " * 14 + "fuse",
        "      fuse fuse fuse fuse fuse more",
        "    - split",
        "    plain",
    ]
