"""Which kernel names can share one run of ncu.

``--filter-mode per-launch-config`` counts launches for each launch configuration (grid, block
and shared memory) on its own, and not for each name. So with ``--launch-count 1`` one command
measures one launch of every shape of every name that it matches, provided that no two of its
names are ever launched with the same grid and block: then one would stand in for the other.
"""

from collections.abc import Iterable, Mapping, Sequence

#: Grid and block.
LaunchShape = tuple[tuple[int, int, int], tuple[int, int, int]]

# Linux takes 131,072 bytes as one argument.
_LONGEST_REGEX = 100_000


def share_commands(
    shapes: Mapping[str, frozenset[LaunchShape] | None], patterns: Mapping[str, str]
) -> list[list[str]]:
    """Divide names among as few commands as a greedy search finds.

    Args:
        shapes: Every grid and block that a name is launched with, measured or not, by name,
            heaviest name first; None where the source has no shapes.
        patterns: Regular expression of each name.

    Returns:
        Names of each command; within each in the order given.
    """
    position = {name: place for place, name in enumerate(shapes)}
    # names that meet most others are the hardest to place (Welsh and Powell 1967)
    meets = {
        name: sum(_clash(own, other) for other in shapes.values()) for name, own in shapes.items()
    }
    hardest_first = sorted(shapes, key=lambda name: -meets[name])
    tried = [_first_fit(order, shapes, patterns) for order in (list(shapes), hardest_first)]
    best = min(tried, key=len)
    return [sorted(names, key=position.__getitem__) for names in best]


def _clash(one: frozenset[LaunchShape] | None, other: frozenset[LaunchShape] | None) -> bool:
    return one is None or other is None or not one.isdisjoint(other)


def _first_fit(
    order: Sequence[str],
    shapes: Mapping[str, frozenset[LaunchShape] | None],
    patterns: Mapping[str, str],
) -> list[list[str]]:
    commands: list[list[str]] = []
    for name in order:
        fits = (
            names
            for names in commands
            if not any(_clash(shapes[name], shapes[other]) for other in names)
            and _length((*names, name), patterns) <= _LONGEST_REGEX
        )
        found = next(fits, None)
        if found is None:
            commands.append([name])
        else:
            found.append(name)
    return commands


def _length(names: Iterable[str], patterns: Mapping[str, str]) -> int:
    return sum(len(patterns[name]) + 1 for name in names)
