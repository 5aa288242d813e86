"""Write the true output of the README's first session into it: `python tests/update_readme.py`."""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(```console\n\$ (.*)\n)(?:.*\n)*?(```)")


def main() -> None:
    """Run every command in a new folder, in order."""
    readme = ROOT / "README.md"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fixtures").symlink_to(ROOT / "fixtures")

        def typed(block: re.Match[str]) -> str:
            done = subprocess.run(
                [sys.executable, "-m", "nsys_walls", *shlex.split(block[2])[1:]],
                cwd=folder, capture_output=True, text=True, check=True,
            )  # fmt: skip
            return f"{block[1]}{done.stdout}{block[3]}"

        readme.write_text(BLOCK.sub(typed, readme.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
