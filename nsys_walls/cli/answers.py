"""What commands share that answer on the terminal: text or JSON, on stdout or in a file."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from nsys_walls.cli.report import write_whole
from nsys_walls.errors import UsageError

AnswerFormatOption = Annotated[str, typer.Option("--format", help="text or json.")]
AnswerOutputOption = Annotated[
    Path, typer.Option("--output", "-o", help="File, or - for stdout; default: stdout.")
]
STDOUT = Path("-")
_FORMATS = ("text", "json")


def is_json(output_format: str) -> bool:
    """Read ``--format``.

    Raises:
        UsageError: There is no such format.
    """
    if output_format not in _FORMATS:
        msg = f"no format is called {output_format!r}; there are: {', '.join(_FORMATS)}."
        raise UsageError("unknown-format-name", msg)
    return output_format == "json"


def write_lines(lines: Iterable[str], output: Path) -> None:
    """Write lines, in which foreign names may stand, with every control character visible."""
    from nsys_walls.reports.wording import printable

    _write("".join(f"{printable(line)}\n" for line in lines), output)


def write_json(document: Mapping[str, Any], output: Path) -> None:
    """Write strict JSON, as ``report --format json`` does."""
    _write(json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n", output)


def _write(text: str, output: Path) -> None:
    if output == STDOUT:
        typer.echo(text, nl=False)
        return
    write_whole(output, text)
    from nsys_walls.reports.wording import printable

    typer.echo(f"written: {printable(str(output))}")
