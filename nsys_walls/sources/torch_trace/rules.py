"""The rows of ``torch_trace.toml``, and whether a file is what they describe."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from nsys_walls.textfile import decode, is_text


@cache
def rules() -> Mapping[str, Any]:
    """Load ``torch_trace.toml``."""
    text = files("nsys_walls").joinpath("data", "torch_trace.toml").read_text("utf-8")
    return tomllib.loads(text)


def is_trace(head: bytes) -> bool:
    """Say whether a file is a trace of the PyTorch profiler.

    Args:
        head: First bytes of the content.
    """
    if not is_text(head):
        return False
    text = decode(head).lstrip()
    if text.startswith("{"):
        document = rules()["document"]
        return (
            _has_key(text, [document["schema"]]) and _has_key(text, document["beside_schema"])
        ) or (_has_key(text, [document["events"]]) and _has_event(text))
    return text.startswith("[") and _has_event(text)


def _has_key(text: str, keys: Iterable[str]) -> bool:
    return re.search(rf'"(?:{_any_of(keys)})"\s*:', text) is not None


def _has_event(text: str) -> bool:
    categories = [name for names in rules()["categories"].values() for name in names]
    found = re.search(rf'"cat"\s*:\s*"(?:{_any_of(categories)})"', text)
    pids = _any_of(rules()["autograd_profiler"]["pids"])
    return (found or re.search(rf'"pid"\s*:\s*"(?:{pids})"', text)) is not None


def _any_of(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, names))
