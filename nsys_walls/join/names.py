"""Kernel names, taken apart so that two printings of one kernel are recognised.

The same kernel stands as ``void at::native::<unnamed>::copy<(int)4, (bool)1>(T1 *)`` in a
trace, as ``void unnamed>::copy<4, 1>(T1 *)`` in an ncu CSV, as
``void at::native::(anonymous namespace)::copy<4, true>(float*)`` in an old one, and mangled
or by its function name alone in others. A printing may *leave out* details; it never changes
them. So two names are the same kernel when all details that both printings have are equal,
and the fewer details one of them lacks, the closer they are (`closeness`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from nsys_walls.join.mangled import demangle
from nsys_walls.join.spelling import ANONYMOUS, is_word, join_tokens, pair_brackets, tokenize

# What `closeness` adds for a detail that only one of two names has; the worst detail to
# lack weighs more than all others together.
_CASTS, _PARAMETERS, _NAMESPACES, _ARGUMENTS = 2, 4, 8, 16

_TEMPLATE_PARAMETER = re.compile(r"T\d+")

Casts = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class ParameterList:
    """A function's parameters.

    Attributes:
        text: Their types, without namespaces and casts.
        is_generic: Whether they are printed by template parameter, such as ``T1 *``.
        casts: Types of the numbers in ``text``, None where not printed.
        namespaces: All namespaces in them, in order.
    """

    text: str
    is_generic: bool
    casts: Casts
    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameForms:
    """A kernel's name, taken apart.

    Attributes:
        text: The name as printed.
        function: Function name alone; None where the name could not be taken apart.
        path: Namespaces and classes of the function; none or one.
        instance: Function with template arguments, without namespaces, casts and parameters.
        casts: Types of the numbers in ``instance``, None where not printed.
        namespaces: All namespaces in ``instance``, in order; empty where none is printed.
        parameters: Parameters of the functions around lambdas in the arguments, then the
            function's own; None where not printed.
        is_bare: Whether neither template arguments nor parameters are printed.
        is_cut: Whether it is a mangled name of which only a part could be read.
    """

    text: str
    function: str | None = None
    path: tuple[str, ...] = ()
    instance: str = ""
    casts: Casts = ()
    namespaces: tuple[str, ...] = ()
    parameters: tuple[ParameterList | None, ...] = ()
    is_bare: bool = False
    is_cut: bool = False

    @property
    def identity(self) -> tuple[object, ...]:
        """What all printings with the same details have in common."""
        cut = self.text if self.is_cut else None
        return (self.path, self.instance, self.casts, self.namespaces, self.parameters, cut)


@dataclass(slots=True)
class _Details:
    """What is taken out while tokens are written; None where parameters stay in."""

    casts: list[str | None] = field(default_factory=list)
    namespaces: list[str] = field(default_factory=list)
    parameters: list[ParameterList | None] | None = None


@lru_cache(maxsize=1 << 16)
def forms_of(name: str) -> NameForms:
    """Take a kernel's name apart. Never raises: what can't be read only equals itself.

    >>> forms_of("void core::<unnamed>::scale<(int)4, true>(T1 *)").instance
    'scale<4,1>'
    """
    readable, is_cut = name.strip(), False
    if readable.startswith("_Z"):
        demangled, is_read = demangle(readable)
        readable, is_cut = demangled or readable, not is_read
    tokens = tokenize(readable)
    partners = pair_brackets(tokens)
    forms = _take_apart(tokens, partners) if partners is not None else None
    if forms is None:
        forms = NameForms(text="", instance=join_tokens(tokens))
    return replace(forms, text=name.strip(), is_cut=is_cut)


def closeness(one: NameForms, other: NameForms) -> int | None:
    """Say how well two names fit.

    Returns:
        0 for the same text, 1 for the same details, more for every detail that only one of
        them has (casts, then parameters, namespaces, template arguments); None where a
        detail contradicts, so that they are two kernels.
    """
    if one.text == other.text:
        return 0
    if one.is_cut and other.is_cut:
        return None  # they differ where they can't be read
    if one.is_bare or other.is_bare:
        lacking = _bare_closeness(one, other)
    elif one.instance != other.instance:
        lacking = None
    else:
        lacking = _all_lacking(
            _casts_lacking(one.casts, other.casts),
            _namespaces_lacking(one.namespaces, other.namespaces),
            *(
                _parameters_lacking(mine, theirs)
                for mine, theirs in zip(one.parameters, other.parameters, strict=False)
            ),
        )
    return None if lacking is None else 1 + lacking


def _all_lacking(*parts: int | None) -> int | None:
    """Gather details that are lacking; None where any part contradicts."""
    lacking = 0
    for part in parts:
        if part is None:
            return None
        lacking |= part
    return lacking


def _bare_closeness(one: NameForms, other: NameForms) -> int | None:
    if one.function is None or one.function != other.function:
        return None
    arguments = 0 if one.is_bare and other.is_bare else _ARGUMENTS
    return _all_lacking(arguments, _namespaces_lacking(one.path, other.path))


def _casts_lacking(one: Casts, other: Casts) -> int | None:
    pairs = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    if not pairs:
        return 0
    return _CASTS if all(None in pair for pair in pairs) else None


def _namespaces_lacking(one: Sequence[str], other: Sequence[str]) -> int | None:
    """Compare namespaces; printings that strip them strip all, and anonymous ones get lost."""
    if one == other:
        return 0
    named, other_named = _without_anonymous(one), _without_anonymous(other)
    return None if named and other_named and named != other_named else _NAMESPACES


def _without_anonymous(namespaces: Sequence[str]) -> list[str]:
    parts = ([part for part in row.split("::") if part != ANONYMOUS] for row in namespaces)
    return ["::".join(row) for row in parts if row]


def _parameters_lacking(one: ParameterList | None, other: ParameterList | None) -> int | None:
    """Compare parameters; ``T1 *`` and ``float *`` may be the same, one of each kind."""
    if one == other:
        return 0
    if one is None or other is None or one.is_generic != other.is_generic:
        return _PARAMETERS
    if one.text != other.text:
        return None
    return _all_lacking(
        _casts_lacking(one.casts, other.casts),
        _namespaces_lacking(one.namespaces, other.namespaces),
    )


def _take_apart(tokens: Sequence[str], partners: Sequence[int]) -> NameForms | None:
    end = len(tokens)
    has_parameters = end > 1 and tokens[-1] == ")" and tokens[partners[-1] - 1] != "lambda"
    if has_parameters:
        end = partners[-1]
    has_arguments = end > 0 and tokens[end - 1] == ">" and partners[end - 1] >= 0
    at = (partners[end - 1] if has_arguments else end) - 1
    if at < 0 or not is_word(tokens[at]):
        return None
    start = _path_start(tokens, partners, at)
    details = _Details(parameters=[])
    instance = _write(tokens, partners, (start, end), details)
    own = _parameter_list(tokens, partners, end) if has_parameters else None
    typed = any(details.casts)
    return NameForms(
        text="",
        function=tokens[at],
        path=("".join(tokens[start : at - 1]),) if start < at else (),
        instance=instance,
        # a printing that writes some types leaves out only int
        casts=tuple(kind or ("int" if typed else None) for kind in details.casts),
        namespaces=tuple(details.namespaces),
        parameters=(*(details.parameters or ()), own),
        is_bare=not has_parameters and not has_arguments,
    )


def _path_start(tokens: Sequence[str], partners: Sequence[int], at: int) -> int:
    """Walk back over ``scope::``; what is in front of that is a return type."""
    while at >= 2 and tokens[at - 1] == "::":  # noqa: PLR2004  # a scope and its "::"
        at -= 2
        while at > partners[at] > 0:
            at = partners[at] - 1
    return at


def _parameter_list(tokens: Sequence[str], partners: Sequence[int], position: int) -> ParameterList:
    """Read the parameters whose bracket opens at a position."""
    span, details = (position + 1, partners[position]), _Details()
    text = _write(tokens, partners, span, details)
    return ParameterList(
        text,
        any(map(_TEMPLATE_PARAMETER.fullmatch, tokens[slice(*span)])),
        tuple(details.casts),
        tuple(details.namespaces),
    )


def _write(
    tokens: Sequence[str], partners: Sequence[int], span: tuple[int, int], details: _Details
) -> str:
    """Write tokens without what belongs to the details, which are noted."""
    found: list[str] = []
    position, end = span
    while position < end:
        piece = tokens[position]
        following = tokens[position + 1] if position + 1 < end else ""
        if details.parameters is not None and _opens_parameters(tokens, partners, position):
            details.parameters.append(_parameter_list(tokens, partners, position))
            position = partners[position]
        elif following == "::" and is_word(piece):
            position = _note_namespaces(tokens, position, details)
        elif piece != "void" or not following or not is_word(following):
            # left out is only the return type of a function around a lambda
            found.append(_note_number(tokens, position, details))
        position += 1
    return join_tokens(found)


def _opens_parameters(tokens: Sequence[str], partners: Sequence[int], position: int) -> bool:
    """Whether these are the parameters of a function around a lambda or a type."""
    if tokens[position] != "(" or position == 0 or tokens[position - 1] == "lambda":
        return False
    return tokens[partners[position] + 1 : partners[position] + 2] == ["::"]


def _note_namespaces(tokens: Sequence[str], start: int, details: _Details) -> int:
    """Note the namespaces that begin at a position, and return that of their last token."""
    end = start
    while tokens[end + 1 : end + 2] == ["::"] and is_word(tokens[end]):
        end += 2
    details.namespaces.append("".join(tokens[start : end - 1]))
    return end - 1


def _note_number(tokens: Sequence[str], position: int, details: _Details) -> str:
    """Note the type of a number, and return the token without it."""
    number, _, kind = tokens[position].partition("#")
    # the number of a lambda has no type
    if number[:1].isdigit() and tokens[position - 1] != "#":
        details.casts.append(kind or None)
    return number or tokens[position]
