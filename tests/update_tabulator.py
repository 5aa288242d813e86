"""Take Tabulator, the page's table, from npm: `python tests/update_tabulator.py VERSION`.

The files are kept as published. ``origin.toml`` beside them says which they are; a test compares.
"""

import base64
import hashlib
import io
import json
import sys
import tarfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "nsys_walls" / "reports" / "assets" / "tabulator"
_REGISTRY = "https://registry.npmjs.org/tabulator-tables"
FILES = ("dist/js/tabulator.min.js", "dist/css/tabulator_simple.min.css", "LICENSE")


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 - npm's own address
        found: bytes = response.read()
    return found


def _origin(version: str, integrity: str, contents: dict[str, bytes]) -> str:
    sums = "".join(
        f'"{name}" = "{hashlib.sha256(content).hexdigest()}"\n'
        for name, content in contents.items()
    )
    return (
        "# Tabulator draws the table of kernels. These files are as published on npm; to take\n"
        "# another version: python tests/update_tabulator.py VERSION\n"
        f'package = "tabulator-tables"\nversion = "{version}"\nlicence = "MIT"\n'
        f'integrity = "{integrity}"\n\n[sha256]\n{sums}'
    )


def main() -> None:
    """Download one version, compare it with the registry's digest, and write its files.

    Raises:
        SystemExit: The download is not what the registry says.
    """
    version = sys.argv[1]
    published = json.loads(_read(f"{_REGISTRY}/{version}"))["dist"]
    archive = _read(published["tarball"])
    digest = base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if published["integrity"] != f"sha512-{digest}":
        sys.exit(f"{published['tarball']} does not have the digest that the registry gives.")
    contents = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for path in FILES:
            member = opened.extractfile(f"package/{path}")
            if member is None:
                sys.exit(f"{path} is not in version {version}.")
            contents[Path(path).name] = member.read()
    FOLDER.mkdir(exist_ok=True)
    for name, content in contents.items():
        (FOLDER / name).write_bytes(content)
    origin = _origin(version, published["integrity"], contents)
    (FOLDER / "origin.toml").write_text(origin, encoding="utf-8")


if __name__ == "__main__":
    main()
