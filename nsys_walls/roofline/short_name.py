"""Short, unique names for charts and tables; the full name stays beside them."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import count

_LONGEST = 60
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
# ATen's wrappers say nothing: the functor inside decides what the kernel does
_WRAPPER = re.compile(r"elementwise|reduce_kernel|multi_tensor_apply|gpu_index|index_elementwise")
_FUNCTOR = re.compile(r"\b(?!gpu_kernel)(\w*(?:Functor|Ops|_kernel_cuda|_kernel_impl|Impl)\w*)")
# names of templates that hold other kernels: the first argument or the namespace tells them apart
_GENERIC = re.compile(r"kernel\d?|device_kernel|cutlass_kernel", re.IGNORECASE)
_FIRST_ARGUMENT = re.compile(r"<\s*([A-Za-z_]\w{11,})")
_NAMESPACE = re.compile(r"\b\w+::")
_UNNAMED = re.compile(r"\(anonymous namespace\)|<unnamed>|\(anonymous\)|unnamed>")


def _outside_brackets(text: str) -> str:
    """Drop template arguments and parameters: everything inside < >, ( ) and [ ]."""
    kept, depth = [], 0
    for position, char in enumerate(text):
        if char in "<([":
            depth += 1
        elif char in ">)]":
            # "->" is no closing bracket
            depth -= depth > 0 and text[position - 1 : position] != "-"
        elif depth == 0:
            kept.append(char)
    return "".join(kept)


def short_name(full_name: str) -> str:
    """Shorten a demangled kernel name to its function, with the functor where that decides.

    >>> short_name("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8>(int)")
    'cunn_SoftMaxForward'
    """
    words = _outside_brackets(_UNNAMED.sub("", full_name)).split()
    path = [part for part in (words[-1] if words else "").split("::") if part]
    function = path[-1] if path else ""
    rest = full_name[full_name.find(function) + len(function) :]
    if _WRAPPER.search(function):
        inside = _FUNCTOR.search(rest)
        function = f"{function}<{inside[1]}>" if inside else function
    elif _GENERIC.fullmatch(function):
        argument = _FIRST_ARGUMENT.match(rest)
        function = argument[1] if argument else "::".join(path[-2:])
    if not _IDENTIFIER.search(function):
        function = full_name.strip() or "(no name)"
    return _middle_cut(function)


def _middle_cut(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[: half - 1]}…{text[-half:]}"


def _template_arguments(full_name: str, function: str) -> str:
    """Take the template arguments behind a function's name, without namespaces, cut short."""
    start = full_name.find(f"{function}<")
    if start < 0:
        return ""
    depth, begin = 0, start + len(function)
    for end in range(begin, len(full_name)):
        depth += {"<": 1, ">": -1}.get(full_name[end], 0)
        if depth == 0:
            return _middle_cut(_NAMESPACE.sub("", full_name[begin : end + 1]))
    return ""


def unique_names(
    kernels: Sequence[tuple[str, tuple[int, int, int] | None, int]],
) -> list[str]:
    """Give every kernel a name of its own.

    Args:
        kernels: Full name, grid and device of each kernel, in the order of the report.

    Returns:
        The short name, and what tells it from others that share it: template arguments,
        then the device, then the grid, at last a number.
    """
    names = [short_name(full_name) for full_name, _, _ in kernels]
    arguments = [
        _template_arguments(full_name, name)
        for name, (full_name, _, _) in zip(names, kernels, strict=True)
    ]
    names = _told_apart(names, arguments)
    names = _told_apart(names, [f" GPU {device}" for _, _, device in kernels])
    grids = [f" [{'×'.join(map(str, grid))}]" if grid else "" for _, grid, _ in kernels]
    return _numbered(_told_apart(names, grids))


def _told_apart(names: Sequence[str], details: Sequence[str]) -> list[str]:
    """Append a detail to names that it tells apart."""
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for name, detail in zip(names, details, strict=True):
        seen[name].add(detail)
    return [
        name + detail if len(seen[name]) > 1 else name
        for name, detail in zip(names, details, strict=True)
    ]


def _numbered(names: Sequence[str]) -> list[str]:
    shared = Counter(names)
    taken = {name for name in names if shared[name] == 1}
    numbered = list(names)
    for position, name in enumerate(names):
        if shared[name] > 1:
            numbers = (f"{name} #{number}" for number in count(1))
            numbered[position] = next(free for free in numbers if free not in taken)
            taken.add(numbered[position])
    return numbered
