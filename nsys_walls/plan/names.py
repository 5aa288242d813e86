"""Kernel names as regular expressions for ``ncu --kernel-name regex:``.

ncu reads ECMAScript expressions that may match anywhere, so ours are anchored by who joins
them. A name can hold anything: what an expression would read as syntax is escaped, and what
a shell, a terminal or a list of options could trip over (commas, control characters, letters
outside ASCII) is matched without being written.
"""

import re
from collections.abc import Collection

# Names up to here are written whole; of longer ones, head and tail as long as they are unique.
_LONGEST_WHOLE = 160
_FIRST_HEAD = 120
_TAIL_RATIO = 4

_SYNTAX = re.compile(r"[\\^$.|?*+()\[\]{}]")
_UNPRINTABLE = re.compile(r"[^ -~]+")


def name_pattern(name: str, names: Collection[str]) -> str:
    r"""Write an expression that matches one name of a run, without anchors.

    Args:
        name: The name, as the trace has it.
        names: All names of the run; of these no other one is matched in full.

    >>> name_pattern("void copy<(int)4, float>(T1 *)", ())
    'void copy<\\(int\\)4. float>\\(T1 \\*\\)'
    """
    head, tail = _FIRST_HEAD, _FIRST_HEAD // _TAIL_RATIO
    # "." stands for no line break, so a name with one is written whole
    if len(name) <= _LONGEST_WHOLE or _UNPRINTABLE.search(name):
        return _escape(name)
    while head + tail < len(name):
        begin, end = name[:head], name[-tail:]
        if not any(
            other != name and other.startswith(begin) and other.endswith(end) for other in names
        ):
            return f"{_escape(begin)}.*{_escape(end)}"
        head, tail = 2 * head, 2 * tail
    return _escape(name)


def _escape(text: str) -> str:
    parts = (_SYNTAX.sub(r"\\\g<0>", part).replace(",", ".") for part in _UNPRINTABLE.split(text))
    return "[^ ]+".join(parts)
