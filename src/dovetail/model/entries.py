"""What a scene was given: its bodies, joints, loads, couplings and materials, not checked yet."""

from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

from dovetail.model.body import Body
from dovetail.model.by_name import ByName
from dovetail.model.loads import Load
from dovetail.model.materials import Material, PairMaterial, met
from dovetail.model.values import Mistakes, name_of, quote

PLURALS = {"body": "bodies", "joint": "joints", "load": "loads", "coupling": "couplings"}


@dataclass(eq=False)
class SceneEntries:
    """By name, in the order in which they were given."""

    bodies: dict[str, Body] = field(default_factory=lambda: ByName("body"))
    joints: dict[str, tuple[Any, str, str]] = field(default_factory=lambda: ByName("joint"))
    loads: dict[str, Load] = field(default_factory=lambda: ByName("load"))
    couplings: dict[str, Any] = field(default_factory=lambda: ByName("coupling"))
    materials: list[PairMaterial] = field(default_factory=list)
    own_materials: dict[str, Material] = field(default_factory=dict)  # of bodies, by their names
    start: dict[str, tuple[float, ...]] = field(default_factory=dict)  # coordinates of joints
    excluded: dict[frozenset[str], tuple[Any, Any]] = field(default_factory=dict)
    misnamed: list[tuple[str, str, Any, Any]] = field(default_factory=list)
    """Kind, what is wrong, name and entry of what could not be stored under its name."""

    def keep(self, kind: str, name: Any, entry: Any) -> None:
        """Store under `name`; a repeated or unusable name is reported when the scene is built."""
        table = getattr(self, PLURALS[kind])
        mistakes = Mistakes()
        mistakes.take(name_of, name, kind)
        if not mistakes and name in table:
            mistakes.append(f"two {PLURALS[kind]} are named {quote(name)}; names must be unique")
        if mistakes:
            self.misnamed.append((kind, mistakes[0], name, entry))
        else:
            table[name] = entry

    def every(self, kind: str) -> list[tuple[Any, Any]]:
        """Name and entry of all of a kind; those without a usable name are checked all the same."""
        misnamed = [(name, entry) for of, _, name, entry in self.misnamed if of == kind]
        return [*getattr(self, PLURALS[kind]).items(), *misnamed]

    def material_name(self, material: Any) -> Any:
        """The name of a body's own material; what is no `Material` stays as it is."""
        if not isinstance(material, Material):
            return material
        for name, known in self.own_materials.items():
            if known == material:
                return name
        name = f"material {len(self.own_materials) + 1}"
        self.own_materials[name] = material
        return name

    def pair_materials(self) -> list[PairMaterial]:
        """Pairs as given, and those that no entry names.

        These are the bodies' own materials with each other and with bodies without one.
        """
        own = self.own_materials
        named = {frozenset((pair.a, pair.b)) for pair in self.materials}
        pairs = [(a, b, met(own[a], own[b])) for a, b in combinations_with_replacement(own, 2)]
        plain = [name for name, body in self.bodies.items() if body.given.material is None]
        pairs += [(a, name, material) for a, material in own.items() for name in plain]
        return self.materials + [
            PairMaterial(a, b, **vars(material))
            for a, b, material in pairs
            if frozenset((a, b)) not in named
        ]
