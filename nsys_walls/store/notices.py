"""Warnings as the manifest keeps them: what was said, and its values, to say it in any language."""

from collections.abc import Mapping
from typing import Any

from nsys_walls.errors import Notice
from nsys_walls.texts import Text, Value, placeholders, templates, text


def notice_row(notice: Notice) -> dict[str, Any]:
    """Write a warning as plain data; its English sentence is for whoever else reads it."""
    return {"code": notice.code, "message": notice.message, **_row(notice.text)}


def read_notice(row: Mapping[str, Any]) -> Notice:
    """Read a warning.

    One that was written by another version, or edited, may have no text that is known here: then
    its sentence is said as it is.

    Raises:
        KeyError: It has no code or no sentence.
        TypeError: Either is no text.
    """
    code, message = row["code"], row["message"]
    if not isinstance(code, str) or not isinstance(message, str):
        msg = "code and message of a warning are texts"
        raise TypeError(msg)
    return Notice(code, _text(row) or text("notice.stored", message=message))


def _row(said: Text) -> dict[str, Any]:
    values = {
        name: _row(value) if isinstance(value, Text) else value
        for name, value in said.values.items()
    }
    return {"key": said.key, "values": values}


def _text(row: Mapping[str, Any]) -> Text | None:
    """Read a text; None where it can't be written in every language."""
    key, stored = row.get("key"), row.get("values")
    template = templates().get(key) if isinstance(key, str) else None
    if key is None or template is None or not isinstance(stored, dict):
        return None
    values = {name: known for name, value in stored.items() if (known := _value(value)) is not None}
    if not all(placeholders(written) <= values.keys() for written in template.values()):
        return None
    return Text(key, values)


def _value(value: object) -> Value | None:
    if isinstance(value, dict):
        return _text(value)
    return value if isinstance(value, str | int) else None
