"""``nsys-walls explain``: what a rule claims, on what evidence, and when it says nothing."""

import shutil
import textwrap
from typing import Annotated

import typer

_NARROWEST, _WIDEST = 40, 100


def explain(
    code: Annotated[
        str | None, typer.Argument(help="Code or name of a rule; default: list all.")
    ] = None,
) -> None:
    """Print what a finding such as NW101 means; without a code, list all rules."""
    from nsys_walls.errors import UsageError
    from nsys_walls.findings import all_rules

    rules = all_rules()
    if code is None:
        for rule in rules:
            typer.echo(rule.documentation.partition("\n")[0])
        return
    wanted = code.casefold()
    for rule in rules:
        if wanted in {rule.code.casefold(), rule.name.casefold()}:
            typer.echo(_wrapped(rule.documentation))
            return
    msg = f"no rule is called {code!r}; there are: {', '.join(rule.code for rule in rules)}."
    raise UsageError("unknown-rule", msg)


def _wrapped(text: str) -> str:
    """Set a docstring to the width of the terminal; blank lines and indents stay."""
    width = min(_WIDEST, max(_NARROWEST, shutil.get_terminal_size().columns))
    lines: list[str] = []
    for block in text.split("\n\n"):
        lines += ["", *_block(block.split("\n"), width)]
    return "\n".join(lines[1:])


def _block(lines: list[str], width: int) -> list[str]:
    """Wrap lines of one indent as one paragraph; a list item begins a paragraph of its own."""
    paragraphs: list[tuple[int, list[str]]] = []
    for line in lines:
        words = line.lstrip()
        indent = len(line) - len(words)
        is_item = words.startswith(("- ", "* "))
        if is_item:
            paragraphs.append((indent, [words]))
        elif paragraphs and indent == _continued(*paragraphs[-1]):
            paragraphs[-1][1].append(words)
        else:
            paragraphs.append((indent, [words]))
    return [
        wrapped
        for indent, words in paragraphs
        for wrapped in textwrap.wrap(
            " ".join(words),
            width,
            initial_indent=" " * indent,
            subsequent_indent=" " * _continued(indent, words),
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def _continued(indent: int, words: list[str]) -> int:
    """Say at which indent the following lines of a paragraph stand."""
    return indent + 2 if words[0].startswith(("- ", "* ")) else indent
