"""Several texts as one: lists and sentences in a row, in every language."""

from collections.abc import Sequence
from functools import reduce

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.texts import Text, text

_NAMED = 3


def items(parts: Sequence[Text]) -> Text:
    """Set clauses in a row, with semicolons between them; there is at least one."""
    return reduce(lambda before, after: text("listed.item", before=before, after=after), parts)


def sentences(parts: Sequence[Text]) -> Text:
    """Set whole sentences in a row; there is at least one."""
    return reduce(lambda before, after: text("listed.sentence", before=before, after=after), parts)


def names(kernels: Sequence[KernelPoint]) -> Text | str:
    """Name kernels, the first three of many."""
    return some([kernel.name for kernel in kernels])


def some(words: Sequence[str]) -> Text | str:
    """List words, the first three of many."""
    shown = ", ".join(words[:_NAMED])
    if len(words) <= _NAMED:
        return shown
    return text("listed.more", names=shown, more=len(words) - _NAMED)
