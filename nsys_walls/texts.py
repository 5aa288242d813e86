"""What reports say, in several languages: texts are rows of data, numbers are filled in.

A text is a key and values. Its templates stand in ``data/texts/*.toml``, one table a key, one
line a language. ``{name}`` is the value; ``{name:launch|launches}`` is a whole number with the
word that fits it. Numbers with units are put in as they print, the same in every language.

What a value is called says what it is, so that reports can be written without names: ``file`` and
``other_file`` are names of files, ``hardware`` may be that of a user's file, ``message`` is a
whole sentence that was written elsewhere.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import TypeVar, Union

#: Languages that a report can be written in; the first is the default.
LANGUAGES = ("en", "zh")

#: What a text is filled in with: texts as they print, whole numbers, or other texts.
Value = Union[str, int, "Text"]

Part = TypeVar("Part", str, "Text")

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Text:
    """Something to be said.

    Attributes:
        key: Which template, such as ``"NW101.title"``.
        values: What is put in, by name.
    """

    key: str
    values: Mapping[str, Value] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Equal texts have equal values, in whatever order they were given."""
        return hash((self.key, frozenset(self.values.items())))

    def written(self, language: str = LANGUAGES[0]) -> str:
        """Write it in a language."""
        return "".join(
            before if name is None else before + _printed(self.values[name], nouns, language)
            for before, name, nouns in _parts(templates()[self.key][language])
        )

    def __str__(self) -> str:
        """Write it in the default language."""
        return self.written()


def text(key: str, /, **values: Value) -> Text:
    """Make a text of a key of ``data/texts`` and its values."""
    return Text(key, values)


def in_a_row(key: str, parts: Sequence[Part]) -> Part | Text:
    """Set several in a row, at least one.

    Args:
        key: What stands between two of them: a row of ``listed.toml`` with both as values.
        parts: Words or texts.
    """
    said: Part | Text = parts[0]
    for part in parts[1:]:
        said = text(key, before=said, after=part)
    return said


def some(words: Sequence[str]) -> Text | str:
    """List words, the first three of many."""
    shown = ", ".join(words[:_NAMED])
    if len(words) <= _NAMED:
        return shown
    return text("listed.more", names=shown, more=len(words) - _NAMED)


def _printed(value: Value, nouns: str, language: str) -> str:
    """Print a value as it is, never as a template; a whole number with the noun that fits it."""
    if isinstance(value, Text):
        return value.written(language)
    if isinstance(value, str):
        return value
    singular, separator, plural = nouns.partition("|")
    if not separator:
        return f"{value:,}"
    return f"{value:,} {singular if value == 1 else plural}"


@cache
def _parts(template: str) -> tuple[tuple[str, str | None, str], ...]:
    """Take a template apart once: what stands before a value, its name, its nouns."""
    parts = Formatter().parse(template)
    return tuple((before, name, nouns or "") for before, name, nouns, _ in parts)


@cache
def templates() -> Mapping[str, Mapping[str, str]]:
    """Load all templates: by key, then by language."""
    found: dict[str, Mapping[str, str]] = {}
    folder = files("nsys_walls").joinpath("data", "texts")
    for part in sorted(folder.iterdir(), key=lambda part: part.name):
        for section, rows in tomllib.loads(part.read_text("utf-8")).items():
            found.update((f"{section}.{name}", row) for name, row in rows.items())
    return found


def placeholders(template: str) -> set[str]:
    """Name the values that a template needs."""
    return {name for _, name, _ in _parts(template) if name}
