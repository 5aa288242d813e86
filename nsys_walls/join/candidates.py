"""Which profiled launches could be those of which traced kernel.

Everything is looked up: names by their instance or function, kernels by name and shape. A
group of profiles goes to the kernels whose name is closest; where two kernels are equally
close, their counters can't be told apart.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from nsys_walls.join.kernels import Traced
from nsys_walls.join.names import NameForms, closeness, forms_of
from nsys_walls.join.profiles import Profile, Shape, same_shared_memory

LaunchShape = tuple[Shape, Shape] | None


@dataclass(slots=True, eq=False, kw_only=True)
class Group:
    """Profiled launches of one name, device, part and launch shape.

    Attributes:
        name: Number of the profiled name.
        device: The run's device number, or None.
        part: Which chip, or None.
        shape: Grid and block, or None.
        shared_bytes: Dynamic shared memory, bytes, or None.
        profiles: The launches, in the order given.
        owners: Kernels of the group's own device that it fits best, by position.
        is_shared: Whether those are different kernels, so that it can't be told whose it is.
    """

    name: int
    device: int | None
    part: str | None
    shape: LaunchShape
    shared_bytes: int | None
    profiles: list[Profile] = field(default_factory=list)
    owners: tuple[int, ...] = ()
    is_shared: bool = False


class Claim(NamedTuple):
    """A group that may be a kernel's, and how far from it; closest sorts first."""

    is_borrowed: bool
    name_distance: int
    is_rounded: bool
    group: Group

    @property
    def distance(self) -> tuple[bool, int, bool]:
        """What claims are compared by."""
        return (self.is_borrowed, self.name_distance, self.is_rounded)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePool:
    """All profiled launches of a kernel's name that its device may use.

    Attributes:
        groups: In the order given.
        by_shape: The same by launch shape; None for headers without shapes.
        shapes: The shapes that are known, sorted.
        alike: Traced names that the profiled name fits equally well, sorted.
        refused: Groups of this name that its device may not use.
        namesakes: Traced kernels of this name on the device, the kernel itself included.
        namesakes_anywhere: The same on all devices.
        parts: Which chips the name was traced on, as far as known.
    """

    groups: tuple[Group, ...]
    by_shape: dict[LaunchShape, list[Group]]
    shapes: tuple[tuple[Shape, Shape], ...]
    alike: tuple[str, ...]
    refused: tuple[Group, ...]
    namesakes: int
    namesakes_anywhere: int
    parts: frozenset[str | None]


class Names:
    """Names of both sides, each numbered, and which fit."""

    def __init__(self, traced: Sequence[Traced], profiles: Sequence[Profile]) -> None:
        """Number and compare the names; equal details are one name."""
        self.traced: list[NameForms] = []
        self.profiled: list[NameForms] = []
        self._mangled: list[set[str]] = []
        self.of_traced = self._number_traced(traced)
        self.of_profile = self._number_profiled(profiles)
        self.fits: list[dict[int, int]] = self._compare()
        self.fitting: list[dict[int, int]] = [{} for _ in self.traced]
        for profiled, distances in enumerate(self.fits):
            for name, distance in distances.items():
                self.fitting[name][profiled] = distance

    def _number_traced(self, traced: Sequence[Traced]) -> list[int]:
        numbers: dict[object, int] = {}
        found = []
        for kernel in traced:
            forms = forms_of(kernel.full)
            if forms.function is None:
                forms = replace(forms, function=kernel.short)
            number = numbers.setdefault(forms.identity, len(numbers))
            if number == len(self.traced):
                self.traced.append(forms)
                self._mangled.append(set())
            if kernel.mangled:
                self._mangled[number].add(kernel.mangled)
            found.append(number)
        return found

    def _number_profiled(self, profiles: Sequence[Profile]) -> list[int]:
        numbers: dict[object, int] = {}
        found = []
        for profile in profiles:
            forms = forms_of(profile.name)
            number = numbers.setdefault(forms.identity, len(numbers))
            if number == len(self.profiled):
                self.profiled.append(forms)
            found.append(number)
        return found

    def _compare(self) -> list[dict[int, int]]:
        by_instance: dict[str, list[int]] = defaultdict(list)
        by_function: dict[str | None, list[int]] = defaultdict(list)
        bare_by_function: dict[str | None, list[int]] = defaultdict(list)
        by_mangled = {text: number for number, row in enumerate(self._mangled) for text in row}
        for number, forms in enumerate(self.traced):
            by_instance[forms.instance].append(number)
            by_function[forms.function].append(number)
            if forms.is_bare:
                bare_by_function[forms.function].append(number)
        fits = []
        for forms in self.profiled:
            named_alike = by_function if forms.is_bare else bare_by_function
            candidates = {*by_instance[forms.instance], *named_alike[forms.function]}
            distances = {number: self._distance(forms, number) for number in candidates}
            found = {number: row for number, row in distances.items() if row is not None}
            if forms.text in by_mangled:
                found[by_mangled[forms.text]] = 0
            fits.append(found)
        return fits

    def _distance(self, profiled: NameForms, number: int) -> int | None:
        if profiled.is_cut and self._mangled[number]:
            return None  # the trace knows its mangled name, and it is another one
        return closeness(profiled, self.traced[number])

    def contradict(self, profiled: Iterable[int]) -> bool:
        """Whether profiled names can't all be one kernel."""
        first, *others = sorted(profiled)
        return any(
            closeness(self.profiled[first], self.profiled[other]) is None for other in others
        )


class Candidates:
    """Groups of profiles, and the kernels they may belong to."""

    def __init__(self, traced: Sequence[Traced], profiles: Sequence[Profile]) -> None:
        """Group the profiles and let every group find its kernels."""
        self._kernels = traced
        self.names = Names(traced, profiles)
        self.groups = self._group(profiles)
        self._anywhere: dict[int, list[Traced]] = defaultdict(list)
        self._places: dict[int, set[tuple[int, str | None]]] = defaultdict(set)
        self._at_shape: dict[tuple[int, LaunchShape], list[int]] = defaultdict(list)
        for position, (kernel, name) in enumerate(zip(traced, self.names.of_traced, strict=True)):
            self._anywhere[name].append(kernel)
            self._places[name].add((kernel.device, kernel.part))
            self._at_shape[name, kernel.shape].append(position)
        self._nearest: dict[object, set[int]] = {}
        self.claims: list[list[Claim]] = [[] for _ in traced]
        for group in self.groups:
            if group.shape is not None:
                self._claim(group)
        self._groups_of_name: dict[int, list[Group]] = defaultdict(list)
        for group in self.groups:
            self._groups_of_name[group.name].append(group)
        self._pools: dict[object, NamePool] = {}

    def _group(self, profiles: Sequence[Profile]) -> list[Group]:
        groups: dict[object, Group] = {}
        for profile, name in zip(profiles, self.names.of_profile, strict=True):
            facts = (name, profile.device, profile.part, profile.shape)
            shared_bytes = profile.dynamic_shared_bytes
            key = (*facts, shared_bytes)
            if key not in groups:
                groups[key] = Group(
                    name=name,
                    device=profile.device,
                    part=profile.part,
                    shape=profile.shape,
                    shared_bytes=shared_bytes,
                )
            groups[key].profiles.append(profile)
        return list(groups.values())

    def _claim(self, group: Group) -> None:
        """Offer a group to the kernels of its shape: those of the closest name, own device first.

        Another device may borrow only what was found to be that very kernel's; where the
        group's own device has its name at other shapes only, that name is what it is of.
        """
        fits: list[tuple[int, Claim]] = []
        for name, distance in self.names.fits[group.name].items():
            for position in self._at_shape.get((name, group.shape), ()):
                claim = self._weigh(group, self._kernels[position], distance)
                if claim is not None:
                    fits.append((position, claim))
        if all(claim.is_borrowed for _, claim in fits):
            own = self._nearest_names(group.name, group.device, group.part)
            fits = [row for row in fits if not own or self.names.of_traced[row[0]] in own]
        if not fits:
            return
        nearest = min(claim.distance for _, claim in fits)
        best = [position for position, claim in fits if claim.distance == nearest]
        found = {self._identity(position) for position in best}
        parts = {self._kernels[position].part for position in best} - {None}
        group.owners = tuple(best)
        group.is_shared = len(found) > 1 or (group.part is None and len(parts) > 1)
        for position, claim in fits:
            if self._identity(position) in found:
                self.claims[position].append(claim)

    def _weigh(self, group: Group, kernel: Traced, distance: int) -> Claim | None:
        is_borrowed = not is_own(group, kernel)
        if is_borrowed and (group.part is None or group.part != kernel.part):
            return None
        if differs(group.part, kernel.part):
            return None
        if not same_shared_memory(group.shared_bytes, kernel.dynamic_shared_bytes):
            return None
        is_rounded = differs(group.shared_bytes, kernel.dynamic_shared_bytes)
        return Claim(is_borrowed, distance, is_rounded, group)

    def _identity(self, position: int) -> tuple[int, int | None]:
        """What makes kernels of one shape different ones, whatever their device."""
        return self.names.of_traced[position], self._kernels[position].dynamic_shared_bytes

    def pool(self, position: int) -> NamePool:
        """Find all profiled launches of a kernel's name, whatever their shape."""
        kernel, name = self._kernels[position], self.names.of_traced[position]
        key = (name, kernel.device, kernel.part, kernel.from_summary)
        if key not in self._pools:
            self._pools[key] = self._make_pool(kernel, name)
        return self._pools[key]

    def _make_pool(self, kernel: Traced, name: int) -> NamePool:
        distances = self.names.fitting[name]
        usable: list[tuple[int, Group, set[int]]] = []
        refused = []
        for profiled, distance in distances.items():
            for group in self._groups_of_name[profiled]:
                if not is_own(group, kernel) or differs(group.part, kernel.part):
                    refused.append(group)
                    continue
                device = None if group.device is None else kernel.device
                rivals = self._nearest_names(profiled, device, group.part)
                if name in rivals:
                    usable.append((distance, group, rivals))
        nearest = min((distance for distance, *_ in usable), default=None)
        closest = [(group, rivals) for distance, group, rivals in usable if distance == nearest]
        groups = [group for group, _ in closest]
        by_shape: dict[LaunchShape, list[Group]] = defaultdict(list)
        for group in groups:
            by_shape[group.shape].append(group)
        alike = set[int]().union(*(rivals for _, rivals in closest))
        anywhere = self._anywhere[name]
        return NamePool(
            groups=tuple(groups),
            by_shape=dict(by_shape),
            shapes=tuple(sorted(shape for shape in by_shape if shape is not None)),
            alike=tuple(sorted(self.names.traced[number].text for number in alike)),
            refused=tuple(refused),
            namesakes=sum(kernel.device == row.device for row in anywhere),
            namesakes_anywhere=len(anywhere),
            parts=frozenset(row.part for row in anywhere) - {None},
        )

    def _nearest_names(self, profiled: int, device: int | None, part: str | None) -> set[int]:
        """Find the traced names that a profiled name fits best, of those it may be.

        Args:
            profiled: Number of the profiled name.
            device: Where it was profiled; None if it may be any device.
            part: Which chip that is; None if it may be any.
        """
        key = (profiled, device, part)
        if key not in self._nearest:
            distances = {
                name: distance
                for name, distance in self.names.fits[profiled].items()
                if any(
                    not differs(device, at) and not differs(part, chip)
                    for at, chip in self._places[name]
                )
            }
            nearest = min(distances.values(), default=None)
            self._nearest[key] = {
                name for name, distance in distances.items() if distance == nearest
            }
        return self._nearest[key]


def is_own(group: Group, kernel: Traced) -> bool:
    """Whether a group may be of the kernel's own device; a summary is of all devices."""
    return kernel.from_summary or group.device is None or group.device == kernel.device


def differs(one: object, other: object) -> bool:
    """Whether two facts are both known and not equal."""
    return one is not None and other is not None and one != other
