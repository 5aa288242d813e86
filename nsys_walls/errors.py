"""Every error and warning a user can meet.

An error is one line: what was found, what was expected, what to do next. Its ``slug`` is
stable, so scripts and the documentation can name it; ``exit_code`` is the process status.
"""

from dataclasses import dataclass
from typing import ClassVar

from nsys_walls.texts import Text


class NsysWallsError(Exception):
    """Base of all errors this package raises on purpose.

    Attributes:
        slug: Stable name of the message, lower case with hyphens, such as ``"not-found"``.
        exit_code: Process status of a command that ends with this error.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, slug: str, message: str) -> None:
        super().__init__(message)
        self.slug = slug


class InputError(NsysWallsError):
    """A file or a stored run can't be used."""

    exit_code: ClassVar[int] = 1


class UsageError(NsysWallsError):
    """The command was typed in a way that has no meaning."""

    exit_code: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning: shown on stderr, kept with the run, printed in every report.

    Attributes:
        code: Stable name, lower case with hyphens, such as ``"above-the-wall"``.
        text: One sentence with numbers and units; plain text.
    """

    code: str
    text: Text

    @property
    def message(self) -> str:
        """The sentence in English, as stderr and the store have it."""
        return self.text.written()
