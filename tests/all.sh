#!/usr/bin/env bash
# Set up what every check needs on a Debian machine, then run all of them.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v chromium >/dev/null; then
  as_root=""
  [ "$(id -u)" -eq 0 ] || as_root="sudo"
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq chromium >/dev/null
fi
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
.venv/bin/python -m pip install --quiet --editable . --group dev

# The README's first command, in a copy of what is in the repository: it must need nothing more.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | xargs -0 cp --parents --target-directory="$copy"
(cd "$copy" && bash -euo pipefail -c "$(grep -m 1 '^    .*nsys-walls demo' README.md)")

.venv/bin/ruff check .
.venv/bin/ruff format --check .
.venv/bin/mypy
.venv/bin/lint-imports
.venv/bin/pytest --numprocesses 2 --dist worksteal --cov=nsys_walls --cov-branch "$@"
