"""Stand-ins for the profilers' own programs, on a PATH that holds nothing else.

They are as strict as the real ones: an argument that they do not know is an error. And they
litter the folder that they run in.
"""

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

NSYS_REPORT = b"\x08\x96\x01\x00 a report of nsys"
NCU_REPORT = b"NVR\0\x02\x00\x00\x00 a report of ncu"

_START = """\
import shutil, sys
from pathlib import Path

def refuse(why):
    print(f"ERROR: {why}: {sys.argv[1:]}", file=sys.stderr)
    sys.exit(97)

def opened(name, content):
    report = Path(name)
    if name.startswith("-") or not report.is_file() or report.read_bytes() != content:
        refuse("no report")

Path("litter.log").write_text("litter")
"""
_NSYS = """
match sys.argv[1:]:
    case ["export", "--type", "sqlite", "--output", output, report]:
        opened(report, {report!r})
    case _:
        refuse("unknown arguments")
if output.startswith("-") or Path(output).exists():
    refuse("output exists")
print("Processing 12 events: [====================100%]")
shutil.copyfile({export!r}, output)
"""
_NCU = """
match sys.argv[1:]:
    case ["--import", report, "--csv", "--page", "raw", "--print-units", "base"]:
        opened(report, {report!r})
    case _:
        refuse("unknown arguments")
print("==PROF== Imported", flush=True)
shutil.copyfileobj(open({export!r}, "rb"), sys.stdout.buffer)
"""


@dataclass(frozen=True)
class Programs:
    """A folder of programs.

    Attributes:
        folder: It is all of PATH.
    """

    folder: Path

    def nsys(self, export):
        """Install an nsys that knows one report, whose export is given."""
        self.python("nsys", _NSYS.format(export=str(export), report=NSYS_REPORT))

    def ncu(self, export):
        """Install an ncu that knows one report, whose CSV is given."""
        self.python("ncu", _NCU.format(export=str(export), report=NCU_REPORT))

    def python(self, name, body):
        """Install a program in Python."""
        script = self.folder / f"{name}.py"
        script.write_text(_START + body, "utf-8")
        words = shlex.join([sys.executable, "-IS", str(script)])
        self.shell(name, f'exec {words} "$@"')

    def shell(self, name, body, first_line="#!/bin/sh"):
        """Install a program for the shell; ``$out`` is where nsys shall write."""
        program = self.folder / name
        program.write_text(f'{first_line}\nPATH=/usr/bin:/bin\nout="$5"\n{body}\n', "utf-8")
        program.chmod(0o755)


def only_path(monkeypatch, folder):
    """Make an empty folder all of PATH."""
    folder.mkdir()
    monkeypatch.setenv("PATH", os.fspath(folder))
    return Programs(folder)
