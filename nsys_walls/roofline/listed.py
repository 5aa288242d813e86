"""Several texts as one: lists and sentences in a row, in every language."""

from collections.abc import Sequence

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.texts import Text, in_a_row, some

__all__ = ["items", "names", "sentences", "some"]


def items(parts: Sequence[Text]) -> Text:
    """Set clauses in a row, with semicolons between them; there is at least one."""
    return in_a_row("listed.item", parts)


def sentences(parts: Sequence[Text]) -> Text:
    """Set whole sentences in a row; there is at least one."""
    return in_a_row("listed.sentence", parts)


def names(kernels: Sequence[KernelPoint]) -> Text | str:
    """Name kernels, the first three of many."""
    return some([kernel.name for kernel in kernels])
