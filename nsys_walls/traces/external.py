"""Run a profiler's own program on its report: only that program knows the format.

What it writes goes to a temporary folder, never beside the report, and is gone afterwards.
What it says goes into an error, without paths and people.
"""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from tempfile import TemporaryDirectory

from nsys_walls.errors import InputError

_LONGEST = 200
_READ_BYTES = 1 << 16
# anything with a slash may be a path, anything with an @ a person
_PRIVATE = re.compile(r"[^\s'\"]*[\\/@][^\s'\"]*")
_TELLING = re.compile(r"error|fail|newer|cannot|can't|unable|denied|no space", re.IGNORECASE)
_PROGRESS = re.compile(r"\[=*\d+%")
_BANNER = "=="  # begins what ncu says between, before or instead of rows

#: A pattern of what a program says, and what to do then. The first that fits counts.
_ADVICE = (
    (
        r"newer than|newer version",
        "use an {program} at least as new as the one that wrote the report: `{command}`",
    ),
    (
        r"magic number|version tag|version prefix|read from stream|truncated|corrupt",
        "the report is damaged, cut short or still being written: copy it again",
    ),
    (
        r"no space|disk (?:is )?full|quota|lock",
        "set TMPDIR to a folder on a local disk with room for the export",
    ),
)
_DEFAULT_ADVICE = "run `{command}` to see all that it says"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """How a program exports a report.

    Attributes:
        program: Its name, as it is found on PATH.
        product: What it is part of, as its vendor calls it.
        arguments: What it is called with; ``{report}`` and ``{output}`` stand for the files.
        suffix: Suffix of what it writes.
        is_printed: Whether it prints the export, instead of writing a file ``{output}``.
    """

    program: str
    product: str
    arguments: tuple[str, ...]
    suffix: str
    is_printed: bool = False

    def call(self, report: str, output: str) -> list[str]:
        """Give the arguments for two files."""
        return [argument.format(report=report, output=output) for argument in self.arguments]

    def output_name(self, report: Path) -> str:
        """Name the export after the report, but never as the report itself.

        >>> exporter = Exporter(program="p", product="P", arguments=(), suffix=".csv")
        >>> exporter.output_name(Path("a/k.ncu-rep")), exporter.output_name(Path("k.csv"))
        ('k.csv', 'k.csv.csv')
        """
        name = report.stem + self.suffix
        return name if name != report.name else report.name + self.suffix

    def typed(self, report: Path) -> str:
        """Give the command that a user can type to export a report into the current folder.

        >>> exporter = Exporter(
        ...     program="p", product="P", arguments=("{report}",), suffix=".csv", is_printed=True
        ... )
        >>> exporter.typed(Path("-my run.rep"))
        "p './-my run.rep' > './-my run.csv'"
        """
        given, output = _no_option(str(report)), _no_option(self.output_name(report))
        words = shlex.join([self.program, *self.call(given, output)])
        return f"{words} > {shlex.quote(output)}" if self.is_printed else words


def _no_option(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


@contextmanager
def exported(exporter: Exporter, report: Path) -> Iterator[Path]:
    """Export a report to a temporary file, which is removed afterwards.

    Args:
        exporter: The program.
        report: The report; neither it nor its folder is written to.

    Yields:
        The export, which is not empty. It has the report's name, which messages then give.

    Raises:
        InputError: ``needs-<program>``: the program is not on PATH; ``export-failed``: it
            can't be run, ended with an error, or wrote nothing.
    """
    program = shutil.which(exporter.program)
    if program is None:
        msg = (
            f"{report.name} is a report of {exporter.product}, which only {exporter.program} "
            f"can read, and that is not on PATH: run `{exporter.typed(report)}` where it is "
            f"installed, and ingest {exporter.output_name(report)}."
        )
        raise InputError(f"needs-{exporter.program}", msg)
    with TemporaryDirectory(prefix="nsys-walls-") as folder:
        run = _Run(exporter, report, Path(folder))
        problem = run.start(str(Path(program).absolute()))
        if problem:
            raise run.error(problem)
        export = Path(folder, "export", report.name)
        export.parent.mkdir()
        yield run.output.rename(export)


class _Run:
    """One run of a program.

    Attributes:
        output: The export.
    """

    def __init__(self, exporter: Exporter, report: Path, folder: Path) -> None:
        self._exporter, self._report, self._folder = exporter, report, folder
        self.output = folder / f"output{exporter.suffix}"
        self._log = folder / "messages.txt"

    def start(self, program: str) -> str | None:
        """Run it to its end; gives what went wrong, or None."""
        arguments = self._exporter.call(str(self._report.absolute()), str(self.output))
        printed = self.output if self._exporter.is_printed else self._folder / "printed.txt"
        try:
            with printed.open("wb") as out, self._log.open("wb") as log:
                status = subprocess.run(  # noqa: S603  # no shell, and no option is the user's
                    [program, *arguments],
                    cwd=self._folder,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=log,
                    check=False,
                ).returncode
        except OSError as error:
            return f"it can't be started ({error.strerror})"
        return self._problem(status)

    def _problem(self, status: int) -> str | None:
        if status < 0:
            return f"it was killed by {_signal(-status)}"
        if status:
            return f"it ended with status {status}"
        if not self.output.is_file():
            return "it wrote no file"
        return None if self._has_content() else "it wrote nothing"

    def _has_content(self) -> bool:
        if not self._exporter.is_printed:
            return self.output.stat().st_size > 0
        return any(not line.startswith(_BANNER) for line in _lines(self.output))

    def error(self, problem: str) -> InputError:
        """Make the error, in the program's own words where it said something."""
        said, program = self._said(), self._exporter.program
        fitting = (todo for pattern, todo in _ADVICE if re.search(pattern, said, re.IGNORECASE))
        command = self._exporter.typed(self._report)
        todo = next(fitting, _DEFAULT_ADVICE).format(program=program, command=command)
        quoted = f' and said "{said}"' if said else ""
        msg = f"{self._report.name}: {program} did not export it: {problem}{quoted}; {todo}."
        return InputError("export-failed", msg)

    def _said(self) -> str:
        """Find the line that tells most: the first of an error, else the last of all."""
        lines = [*_lines(self._log), *self._printed()]
        telling = [line for line in lines if _TELLING.search(line)] or lines[-1:]
        return self._without_people(telling[0]) if telling else ""

    def _printed(self) -> list[str]:
        """Give what was printed, but no rows of an export."""
        if self._exporter.is_printed:
            return [line for line in _lines(self.output) if line.startswith(_BANNER)]
        return _lines(self._folder / "printed.txt")

    def _without_people(self, line: str) -> str:
        name = self._report.name
        for path in (self._report.absolute(), self._report.resolve(), self._report):
            line = line.replace(str(path), name)
        placeholder = "\0"  # in no line, so that the name stays even where it looks like a path
        line = line.replace(name, placeholder).replace(str(self._folder), "/")
        line = _PRIVATE.sub("…", line).replace(placeholder, name)
        return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _signal(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"


def _lines(path: Path) -> list[str]:
    """Read the lines at both ends of a text, without NULs, empty lines and progress bars."""
    with path.open("rb") as file:
        content = file.read(_READ_BYTES)
        rest = path.stat().st_size - len(content)
        if rest > 0:
            file.seek(-min(rest, _READ_BYTES), 2)
            content += b"\n" + file.read()
    text = content.decode("utf-8", "replace").replace("\0", "")
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in lines if line and not _PROGRESS.search(line)]
