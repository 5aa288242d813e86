"""What kind of work a kernel does, read off its name.

The rows of ``data/kernel_classes.toml`` decide; this module only brings a name into the form
that they are written against. Adding a class of kernels is adding a row.

A name in any form that profilers write (demangled, mangled, short, cut, or damaged by Nsight
Compute) is taken apart into the function, its template arguments and its parameters, each in
*words*: lower case, CamelCase and underscores turned to spaces, ``::`` to a dot. So
``at::native::cunn_SoftMaxForward<8, c10::Half>`` has the function
``at.native.cunn soft max forward`` and the arguments ``8, c10.half``.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

# Functor and element types stand first; names of 83,000 characters exist and say no more.
_LONGEST_PART_CHARS = 4096
# How far a closing bracket looks for its partner, past those that a cut name has lost.
_DEEPEST_REPAIR = 64

# Nsight Compute loses the "<" of some: Foo<unnamed>::Bar is Foo< with <unnamed>::Bar inside.
_ANONYMOUS = re.compile(
    r"\(anonymous namespace\)::|(?<!\w)<unnamed>::|unnamed>::|_NV_ANON_NAMESPACE::"
)
_CAST = re.compile(r"\((?:int|bool|long|unsigned(?: \w+)?)\)(?=-?\d)")
_BRACKET = re.compile(r"[<>()\[\]{}]")
_OPENING = {">": "<", ")": "(", "]": "[", "}": "{"}
_WORD_EDGE = re.compile(r"_+|(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MANGLED_PATH = re.compile(r"_{1,2}Z(?:L|N?K?(?:St)?)(?=\d)")
_MANGLED_TOKEN = re.compile(
    r"""(?P<length>\d+)  # of the identifier that follows
    | L[a-z]n?\d+E | S[0-9A-Z]{0,4}_ | S[a-z] | T\d{0,4}_  # literals, substitutions
    | U[lt] | E\d{1,3}_(?=[A-Z]) | cl(?=E) | D[a-zA-Z]  # lambdas, operator(), rare types
    | (?P<type>[a-z]) | .""",
    re.VERBOSE,
)
_MANGLED_TYPES = {"f": "float", "d": "double", "l": "long", "i": "int", "b": "bool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelClass:
    """What a kernel's name says about its work.

    Attributes:
        op_class: Kind of operation, one of ``op_classes()``.
        subclass: Finer kind, such as ``transpose`` of a copy.
        library: Where the kernel is from, such as ``cublas``.
        precision: Element type of its operands, such as ``bf16``.
        tensor_core: Whether it computes on tensor cores; None where the name does not say.
    """

    op_class: str
    subclass: str | None = None
    library: str | None = None
    precision: str | None = None
    tensor_core: bool | None = None

    @property
    def is_communication(self) -> bool:
        """Whether it moves data between GPUs; such kernels wait, so their time is no bandwidth."""
        return self.op_class.startswith("comm_")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Name:
    """A kernel name in words; ``text`` alone is as written.

    A launcher is a kernel that runs whatever functor it is given (``cutlass::Kernel2``,
    Kokkos, RAJA): its ``function`` is followed by ``" | "`` and its template arguments.
    """

    text: str
    function: str
    inner: str
    types: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One row of the table: it holds for a name when each of its patterns is found."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    says: dict[str, Any]

    def holds(self, name: _Name) -> bool:
        return all(pattern.search(getattr(name, part)) for part, pattern in self.patterns)


def _read_row(row: dict[str, Any]) -> _Row:
    parts = [part for part in _Name.__slots__ if part in row]
    return _Row(patterns=tuple((part, re.compile(row[part])) for part in parts), says=row)


@cache
def _table() -> dict[str, tuple[_Row, ...]]:
    text = files("nsys_walls").joinpath("data", "kernel_classes.toml").read_text("utf-8")
    return {key: tuple(map(_read_row, rows)) for key, rows in tomllib.loads(text).items()}


@cache
def op_classes() -> dict[str, dict[str, Any]]:
    """List the vocabulary: what the table says of each ``op_class``, in the order of reports."""
    return {row.says["id"]: row.says for row in _table()["op_class"]}


def _first(rows: Iterable[_Row], name: _Name) -> dict[str, Any]:
    return next((row.says for row in rows if row.holds(name)), {})


def _words(text: str) -> str:
    kept = text[:_LONGEST_PART_CHARS].replace("::", ".")
    return _WORD_EDGE.sub(" ", kept).lower().strip()


def _demangle(mangled: str) -> str:
    """Read the identifiers and built-in types out of an Itanium-mangled name, in order.

    Template arguments and parameters are not told apart, and substitutions (``S1_``) are
    dropped: each type is named where it first stands, which is all that the rows look at.
    """
    start = _MANGLED_PATH.match(mangled)
    if start is None:
        return mangled
    path: list[str] = []
    arguments: list[str] = []
    at = start.end()
    in_path = True
    while at < len(mangled) and len(arguments) < _LONGEST_PART_CHARS:
        token = _MANGLED_TOKEN.match(mangled, at)
        if token is None:
            break
        at = token.end()
        if token["length"]:
            length = int(token["length"][:6])
            identifier = mangled[at : at + length]
            at += length
            if not identifier.startswith("_GLOBAL__N"):
                (path if in_path else arguments).append(identifier)
            continue
        in_path = False
        if token["type"] in _MANGLED_TYPES:
            arguments.append(_MANGLED_TYPES[token["type"]])
    return f"{'::'.join(path)}<{', '.join(arguments)}>"


def _clean(name: str) -> str:
    text = _demangle(name.strip()) if name.lstrip().startswith(("_Z", "__Z")) else name.strip()
    text = _CAST.sub("", _ANONYMOUS.sub("", text))
    if text.startswith(("std::enable_if", "enable_if", "typename std::enable_if")):
        text = text.partition("::type ")[2] or text
    return text


def _close(stack: list[str], bracket: str) -> None:
    """Close up to the partner of a bracket; ``>`` closes only what is on top, as in ``a > b``."""
    partner = _OPENING[bracket]
    if partner not in stack[-1 if bracket == ">" else -_DEEPEST_REPAIR :]:
        return
    while stack.pop() != partner:
        pass


def _split(text: str) -> tuple[str, str, str]:
    """Split a name into function (return type before it), template arguments and parameters.

    One pass over the brackets: what stands outside of them, up to the parameters, is the
    return type and the function. Lost and stray brackets of cut names do no harm.
    """
    outside: list[str] = []
    inner = ""
    stack: list[str] = []
    named = False
    at = 0
    for match in _BRACKET.finditer(text):
        bracket = match[0]
        if bracket not in _OPENING:
            if not stack:
                outside.append(text[at : match.start()])
                named = named or bool(outside[-1].strip())
                at = match.end()
                if bracket == "(" and named:
                    return "".join(outside), inner, text[at:]
            stack.append(bracket)
        elif stack:
            _close(stack, bracket)
            if not stack:
                inner = text[at : match.start()] if bracket == ">" else inner
                at = match.end()
    if stack:
        return "".join(outside), text[at:], ""
    return "".join(outside) + text[at:], inner, ""


def _take_apart(name: str) -> _Name:
    text = _clean(name)
    outside, inner, parameters = _split(text)
    inner_words = _words(inner)
    parsed = _Name(
        text=text[:_LONGEST_PART_CHARS],
        function=_words((outside.split() or [""])[-1].lstrip("*&")),
        inner=inner_words,
        types=f"{inner_words}; {_words(parameters)}",
    )
    if _first(_table()["launcher"], parsed):
        return replace(parsed, function=f"{parsed.function} | {inner_words}")
    return parsed


def _tensor_core(name: _Name, row: dict[str, Any]) -> bool | None:
    """Ask the row, then its op_class, then the marks in the name (``s16816``, ``ffma``)."""
    said: bool | None = row.get("tensor_core", op_classes()[row["op_class"]].get("tensor_core"))
    if said is None:
        said = _first(_table()["tensor_core"], name).get("tensor_core")
    return said


@lru_cache(maxsize=65536)
def classify(name: str) -> KernelClass:
    """Class a kernel by its name, in any form a profiler writes it.

    Args:
        name: Demangled, mangled or short name, or an operation such as ``[CUDA memset]``.

    Returns:
        Its class; ``other`` where the name does not tell.
    """
    parsed = _take_apart(name)
    table = _table()
    row = _first(table["class"], parsed) or {"op_class": "other"}
    return KernelClass(
        op_class=row["op_class"],
        subclass=row.get("subclass"),
        library=_first(table["library"], parsed).get("library", row.get("library")),
        precision=row.get("precision", _first(table["precision"], parsed).get("precision")),
        tensor_core=_tensor_core(parsed, row),
    )


def row_id(name: str, table: str = "class") -> str | None:
    """Name the row of ``kernel_classes.toml`` that holds for a kernel; None where none does.

    Args:
        name: As for ``classify``.
        table: ``class``, ``launcher``, ``library``, ``precision`` or ``tensor_core``.
    """
    row: str | None = _first(_table()[table], _take_apart(name)).get("id")
    return row
