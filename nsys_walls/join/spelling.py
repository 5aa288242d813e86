"""One spelling for kernel names: what ncu damages is repaired, and styles become one.

Styles are those of NVIDIA's tools (``<unnamed>``, ``(int)4``, ``[lambda(int) (instance 1)]``),
of GNU's demangler (``(anonymous namespace)``, ``4``, ``{lambda(int)#1}``, ``float const*``)
and of clang's (``'lambda'(int)``).
"""

import re
from collections.abc import Sequence

#: Stands for an anonymous namespace.
ANONYMOUS = "@"

# ncu drops "ns::<" of "ns::<unnamed>::name", which leaves "unnamed>::name"; inside template
# arguments the bracket in front is then the template's own and stays
_LOST_NAMESPACE = re.compile(r"(?:(?<=\w)(?P<bracket><)|(?<!<))\bunnamed>::")
_UNNAMED = re.compile(
    r"<unnamed>|\(anonymous(?: namespace)?\)|\{anonymous\}|`anonymous[ -]namespace'"
    r"|\b_GLOBAL__N_\w*|\b_NV_ANON_NAMESPACE\b"
)
# a type that is part of a token follows "#": the tokens of (unsigned long)2 are 2#unsigned_long
_SPELLINGS = {
    "std::size_t": "unsigned_long", "size_t": "unsigned_long",
    "unsigned long long": "unsigned_long_long", "unsigned __int64": "unsigned_long_long",
    "long long unsigned int": "unsigned_long_long", "long long int": "long_long",
    "long long": "long_long", "__int64": "long_long", "long unsigned int": "unsigned_long",
    "unsigned long": "unsigned_long", "long int": "long", "short unsigned int": "unsigned_short",
    "unsigned short": "unsigned_short", "short int": "short", "unsigned int": "unsigned_int",
    "unsigned char": "unsigned_char", "signed char": "signed_char",
    "true": "1#bool", "false": "0#bool",
}  # fmt: skip
_SPELLED = re.compile(
    rf"\b(?:{'|'.join(sorted(map(re.escape, _SPELLINGS), key=len, reverse=True))})\b(?!\s*::)"
)
_SUFFIXES = {"u": "unsigned_int", "ul": "unsigned_long", "ull": "unsigned_long_long",
             "l": "long", "ll": "long_long"}  # fmt: skip
_SUFFIXED = re.compile(r"(?<![\w.#])(\d+)(ull|ul|u|ll|l)\b")
_CAST = re.compile(r"\(([A-Za-z_@][\w@: ]*)\)(-? ?\d+)\b")
_SUFFIX = re.compile(r"\s*\[(?:clone |abi:)[^\]]*\]|\.(?:kd|constprop|part|isra)\b[.\d]*$")
_LOOSE = re.compile(r"\s*([(),*&\[\]])\s*")
_REPAIRS = (
    (re.compile(r"\)const\b"), ")"),
    (re.compile(r"\[lambda\("), "{lambda("),
    (re.compile(r"\)\(instance (\d+)\)\]"), r")#\1}"),
    # ncu drops "const::[" in front of a lambda
    (re.compile(r"\)lambda\("), ")::{lambda("),
    (re.compile(r"(?<![\w{:'])lambda\("), "{lambda("),
)
_CLANG_LAMBDA = re.compile(r"'lambda(\d*)'(\([^()]*\))")
_EAST_CONST = re.compile(r"[\w>]\s*const\b")
_TOKEN = re.compile(r"operator\(\)|::|->|[A-Za-z_$@][\w$@]*|\d[\w.]*(?:#\w+)?|\S", re.ASCII)
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}


def is_word(piece: str) -> bool:
    """Whether a token is an identifier, a number or an anonymous namespace."""
    return piece[0].isalnum() or piece[0] in "_$@"


def tokenize(name: str) -> list[str]:
    """Split a demangled name into tokens of one spelling.

    >>> tokenize("k<(unsigned long)2, float const*>(T1)")
    ['k', '<', '2#unsigned_long', ',', 'const', 'float', '*', '>', '(', 'T1', ')']
    """
    tokens = _TOKEN.findall(_respell(name))
    return _const_first(tokens) if _EAST_CONST.search(name) else tokens


def _respell(text: str) -> str:
    text = _LOOSE.sub(r"\1", " ".join(_SUFFIX.sub("", text).split()))
    text = _LOST_NAMESPACE.sub(lambda found: found["bracket"] or "", text)
    text = _UNNAMED.sub(ANONYMOUS, text)
    text = _SPELLED.sub(lambda found: _SPELLINGS[found[0]], text)
    text = _SUFFIXED.sub(lambda found: f"{found[1]}#{_SUFFIXES[found[2]]}", text)
    text = _CAST.sub(_number, text)
    for pattern, replacement in _REPAIRS:
        text = pattern.sub(replacement, text)
    return _CLANG_LAMBDA.sub(
        lambda found: f"{{lambda{found[2]}#{int(found[1]) + 2 if found[1] else 1}}}", text
    )


def _number(found: re.Match[str]) -> str:
    kind = found[1].rpartition("::")[2].replace(" ", "")
    return f"{found[2].replace(' ', '')}#{kind}"


def _const_first(tokens: Sequence[str]) -> list[str]:
    """Write ``float const *`` as ``const float *``; ``* const`` stays."""
    found: list[str] = []
    for piece in tokens:
        if piece == "const" and found and (is_word(found[-1]) or found[-1] == ">"):
            found.insert(_type_start(found), piece)
        else:
            found.append(piece)
    return found


def _type_start(tokens: Sequence[str]) -> int:
    """Find where the type that ends the tokens begins."""
    position = len(tokens) - 1
    while True:
        depth = 0
        while position > 0 and (tokens[position] == ">" or depth):
            depth += (tokens[position] == ">") - (tokens[position] == "<")
            position -= 1
        if position < 2 or tokens[position - 1] != "::":  # noqa: PLR2004  # a scope and its "::"
            return max(position, 0)
        position -= 2


def pair_brackets(tokens: Sequence[str]) -> list[int] | None:
    """Find the partner of every bracket.

    Returns:
        For each token the position of its partner, -1 for what is no bracket (inside
        parentheses, ``<`` and ``>`` may compare); None where brackets don't match.
    """
    partners, opened = [-1] * len(tokens), list[int]()
    for position, piece in enumerate(tokens):
        if piece in _OPENING.values():
            opened.append(position)
            continue
        opening = _OPENING.get(piece)
        if opening is None:
            continue
        while piece != ">" and opened and tokens[opened[-1]] == "<":
            opened.pop()
        if opened and tokens[opened[-1]] == opening:
            partners[position] = opened[-1]
            partners[opened.pop()] = position
        elif piece != ">":
            return None
    return None if opened else partners


def join_tokens(tokens: Sequence[str]) -> str:
    """Join tokens, with a space only where two words would run together."""
    found: list[str] = []
    for piece in tokens:
        if found and is_word(found[-1]) and is_word(piece):
            found.append(" ")
        found.append(piece)
    return "".join(found)
