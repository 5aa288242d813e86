"""What reports say, in several languages: texts are rows of data, numbers are filled in.

A text is a key and values. Its templates stand in ``data/texts/*.toml``, one table a key, one
line a language. ``{name}`` is the value; ``{name:launch|launches}`` is a whole number with the
word that fits it. Numbers with units are put in as they print, the same in every language.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

#: Languages that a report can be written in; the first is the default.
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Text:
    """Something to be said.

    Attributes:
        key: Which template, such as ``"NW101.title"``.
        values: What is put in: texts as they print, or whole numbers, or other texts.
    """

    key: str
    values: Mapping[str, "str | int | Text"] = field(default_factory=dict)

    def written(self, language: str = LANGUAGES[0]) -> str:
        """Write it in a language."""
        values = {
            name: value.written(language) if isinstance(value, Text) else value
            for name, value in self.values.items()
        }
        return _FORMATTER.vformat(templates()[self.key][language], (), values)

    def __str__(self) -> str:
        """Write it in the default language."""
        return self.written()


def text(key: str, /, **values: "str | int | Text") -> Text:
    """Make a text of a key of ``data/texts`` and its values."""
    return Text(key, values)


class _Formatter(Formatter):
    """Fills in values as they are: a value is never a template."""

    def get_field(self, field_name: str, _args: Any, kwargs: Mapping[str, Any]) -> Any:
        """Take a value by its name, and nothing of its inside."""
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        """Write a value; a whole number with the noun that fits it."""
        if not isinstance(value, int):
            return str(value)
        singular, separator, plural = format_spec.partition("|")
        if not separator:
            return f"{value:,}"
        return f"{value:,} {singular if value == 1 else plural}"


_FORMATTER = _Formatter()


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
    return {name for _, name, _, _ in Formatter().parse(template) if name}
