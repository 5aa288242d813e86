"""Parse a trace as a stream: one event at a time is in memory."""

from collections.abc import Callable, Iterator
from decimal import InvalidOperation
from typing import Any, Protocol

import ijson

from nsys_walls.sources.torch_trace.content import PIECE_BYTES

#: An event, or another object of the trace; numbers are int or Decimal, as exact as they stand.
Fields = dict[str, Any]

# Arguments of operators nest some five deep; the parser itself knows no limit.
_DEEPEST = 100

# What parsing and reading may raise; an exponent may be too large even for Decimal.
_REFUSALS = (ijson.JSONError, InvalidOperation, ValueError)


class Malformed(Exception):  # noqa: N818  # says what the text is
    """The text is no JSON, or ends in its middle."""


class Readable(Protocol):
    """What is parsed."""

    def read(self, size: int) -> bytes:
        """Read a piece of UTF-8; empty at the end only.

        Raises:
            ValueError: It can't be parsed.
        """
        ...


def parse_events(text: Readable, key: str, header: Fields) -> Iterator[Fields]:
    """Parse a trace: a bare array of events, or an object that has one.

    Args:
        text: The trace.
        key: Name of the array in an object.
        header: Filled with the other members of the object, as they come.

    Yields:
        The events; what is no object is left out.

    Raises:
        Malformed: It is no JSON, or ends early.
    """
    try:
        yield from _Parser(text).events(key, header)
    except _REFUSALS as error:
        raise Malformed from error


class _Parser:
    """Builds values from the parser's stream of tokens.

    `ijson.items` would build them in C and need a fifth less time, but it also makes a text of
    the path to every token, which takes memory by the square of the depth.
    """

    def __init__(self, text: Readable) -> None:
        self._tokens: Iterator[tuple[str, Any]] = ijson.basic_parse(text, buf_size=PIECE_BYTES)
        self._next: Callable[[], tuple[str, Any]] = self._tokens.__next__

    def events(self, key: str, header: Fields) -> Iterator[Fields]:
        kind, _ = self._next()
        if kind == "start_array":
            yield from self._items()
        elif kind == "start_map":
            yield from self._members(key, header)

    def _members(self, key: str, header: Fields) -> Iterator[Fields]:
        for kind, name in self._tokens:
            if kind == "end_map":
                return
            kind, value = self._next()  # noqa: PLW2901  # a name's value
            if name == key and kind == "start_array":
                yield from self._items()
            else:
                header[name] = self._value(kind, value, 2)

    def _items(self) -> Iterator[Fields]:
        for kind, _ in self._tokens:
            if kind == "start_map":
                yield self._map(3)
            elif kind == "start_array":
                self._array(3)
            elif kind == "end_array":
                return

    def _value(self, kind: str, value: Any, depth: int) -> Any:
        if kind == "start_map":
            return self._map(depth)
        return self._array(depth) if kind == "start_array" else value

    # These two build most of a trace: what is usual comes first, and null counts as absent.

    def _map(self, depth: int) -> Fields:
        if depth > _DEEPEST:
            raise Malformed
        fields: Fields = {}
        following = self._next
        for kind, name in self._tokens:  # pragma: no branch  # the parser insists on the end
            if kind == "end_map":
                break
            kind, value = following()  # noqa: PLW2901  # a name's value
            if value is not None:
                fields[name] = value
            elif kind == "start_map":
                fields[name] = self._map(depth + 1)
            elif kind == "start_array":
                fields[name] = self._array(depth + 1)
        return fields

    def _array(self, depth: int) -> list[Any]:
        if depth > _DEEPEST:
            raise Malformed
        values: list[Any] = []
        for kind, value in self._tokens:  # pragma: no branch  # the parser insists on the end
            if value is not None:
                values.append(value)
            elif kind == "end_array":
                break
            else:
                values.append(self._value(kind, value, depth + 1))
        return values
