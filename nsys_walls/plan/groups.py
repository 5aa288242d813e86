"""Which kernel names can share one run of ncu.

``--filter-mode per-launch-config`` counts launches for each launch configuration (grid, block
and shared memory) on its own, and not for each name. So with ``--launch-count 1`` one command
measures one launch of every shape of every name that it matches, provided that no two of its
names are ever launched with the same grid and block: then one would stand in for the other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nsys_walls.plan.names import LONGEST_PATTERN

#: Grid and block.
LaunchShape = tuple[tuple[int, int, int], tuple[int, int, int]]


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
    users = Counter(shape for own in shapes.values() for shape in own or ())
    # names whose shapes are used most are the hardest to place (after Welsh and Powell 1967)
    hardest_first = sorted(
        shapes, key=lambda name: -sum(users[shape] for shape in shapes[name] or ())
    )
    tried = [_first_fit(order, shapes, patterns) for order in (shapes, hardest_first)]
    best = min(tried, key=len)
    return [sorted(names, key=position.__getitem__) for names in best]


@dataclass(slots=True)
class _Command:
    """Names that share a command, their shapes, and the length of their expression."""

    names: list[str] = field(default_factory=list)
    shapes: set[LaunchShape] = field(default_factory=set)
    length: int = 0

    def fits(self, own: frozenset[LaunchShape], length: int) -> bool:
        """Whether a name can join."""
        return self.length + length <= LONGEST_PATTERN + 1 and self.shapes.isdisjoint(own)

    def add(self, name: str, own: Iterable[LaunchShape], length: int) -> None:
        """Let a name join."""
        self.names.append(name)
        self.shapes.update(own)
        self.length += length


def _first_fit(
    order: Iterable[str],
    shapes: Mapping[str, frozenset[LaunchShape] | None],
    patterns: Mapping[str, str],
) -> list[list[str]]:
    commands: list[_Command] = []
    alone: list[list[str]] = []
    for name in order:
        own, length = shapes[name], len(patterns[name]) + 1
        if own is None:
            alone.append([name])
            continue
        found = next((command for command in commands if command.fits(own, length)), None)
        if found is None:
            found = _Command()
            commands.append(found)
        found.add(name, own, length)
    return [*(command.names for command in commands), *alone]
