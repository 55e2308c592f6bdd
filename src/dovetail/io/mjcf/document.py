"""An MJCF document as a whole: included files, compiler settings and default classes."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.text_files import read_text
from dovetail.io.xml.elements import DEEPEST, MAX_ELEMENTS, Element, parse_xml
from dovetail.io.xml.values import choice, flag, numbers, word
from dovetail.model.values import Mistakes, quote

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
FOLLOWED = (
    "angle", "coordinate", "meshdir", "assetdir", "eulerseq", "autolimits", "inertiafromgeom",
    "inertiagrouprange",
)  # fmt: skip
WITHOUT_EFFECT = ("usethread", "texturedir", "discardvisual", "fusestatic", "saveinertial")


@dataclass(frozen=True)
class Compiler:
    """How the numbers of the file are meant."""

    degree: float = np.pi / 180  # the unit of angles [rad]
    sequence: str = "xyz"  # of Euler angles
    mesh_folder: str = ""
    limits_from_range: bool = True
    inertia_from_geometry: str = "auto"
    inertia_groups: tuple[int, int] = (0, 5)
    unread: tuple[str, ...] = ()


def read_document(path: Path, files: MeshFolder) -> Element:
    """The <mujoco> element with all included files in their places."""
    root = parse_xml(read_text(path), path.name)
    if root.tag != "mujoco":
        raise InputError(f"{path.name} must be an MJCF <mujoco> model, got <{root.tag[:60]}>")
    _include(root, files, [path.resolve()], 0)
    if sum(1 for _ in root.everything()) > MAX_ELEMENTS:
        raise InputError(f"{path.name} and its includes must have at most {MAX_ELEMENTS} elements")
    return root


def _include(element: Element, files: MeshFolder, opened: list[Path], depth: int) -> None:
    """Put the children of each included file where its <include> stands; each file once."""
    if depth > DEEPEST:
        raise InputError(f"{element.who} must not nest deeper than {DEEPEST} elements")
    children = []
    for child in element.children:
        if child.tag != "include":
            _include(child, files, opened, depth + 1)
            children.append(child)
            continue
        path = files.resolve(word(child, "file"), f"`file` of {child.who}")
        if path in opened:
            raise InputError(f"{child.who} must not include {quote(path.name)} a second time")
        opened.append(path)
        inner = parse_xml(read_text(path), path.name)
        if inner.tag not in ("mujoco", "mujocoinclude"):
            raise InputError(f"{path.name} must be <mujocoinclude>, got <{inner.tag[:60]}>")
        _include(inner, files, opened, depth + 1)
        children.extend(inner.children)
    element.children = children


def compiler_of(root: Element, found: Mistakes) -> Compiler:
    """The <compiler> settings; later ones win."""
    result = Compiler()
    for element in root.all("compiler"):
        result = found.take(_one_compiler, element, result) or result
    return result


def _one_compiler(element: Element, before: Compiler) -> Compiler:
    given = element.attributes
    changes: dict[str, Any] = {}
    if given.get("coordinate", "local") != "local":
        raise InputError(f"`coordinate` of {element.who} must be local; global was dropped by MJCF")
    if "angle" in given:
        unit = choice(element, "angle", ("degree", "radian"), "degree")
        changes["degree"] = np.pi / 180 if unit == "degree" else 1.0
    if "eulerseq" in given:
        sequence = word(element, "eulerseq")
        if len(sequence) != 3 or not set(sequence) <= set("xyzXYZ"):
            raise InputError(
                f"`eulerseq` of {element.who} must be three of x, y, z, X, Y, Z, "
                f"got {quote(sequence)}"
            )
        changes["sequence"] = sequence
    for key in ("assetdir", "meshdir"):
        if key in given:
            changes["mesh_folder"] = given[key]
    if "autolimits" in given:
        changes["limits_from_range"] = flag(element, "autolimits", True)
    if "inertiafromgeom" in given:
        options = ("auto", "true", "false")
        changes["inertia_from_geometry"] = choice(element, "inertiafromgeom", options, "auto")
    if "inertiagrouprange" in given:
        low, high = numbers(element, "inertiagrouprange", 2)
        changes["inertia_groups"] = (int(low), int(high))
    unread = [f"compiler {k}" for k in given if k not in (*FOLLOWED, *WITHOUT_EFFECT)]
    return replace(before, unread=(*before.unread, *unread), **changes)


@dataclass
class Defaults:
    """Attributes an element takes from its default class where it does not say them itself."""

    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})

    @staticmethod
    def of(root: Element, found: Mistakes) -> "Defaults":
        result = Defaults()
        for element in root.all("default"):
            name = element.attributes.get("class", "main")
            result._read(element, name, "main", found)
        return result

    def _read(self, element: Element, name: str, parent: str, found: Mistakes) -> None:
        inherited = self.classes.get(name, self.classes[parent])
        mine = {tag: dict(attributes) for tag, attributes in inherited.items()}
        self.classes[name] = mine
        for child in element.children:
            if child.tag != "default":
                mine[child.tag] = merged(mine.get(child.tag, {}), child.attributes)
        for child in element.all("default"):
            inner = found.take(word, child, "class")
            if inner is not None:
                self._read(child, inner, name, found)

    def applied(self, element: Element, childclass: str) -> Element:
        """The element with its defaults filled in."""
        name = element.attributes.get("class", childclass)
        if name not in self.classes:
            raise InputError(f"`class` of {element.who} must be a default class, got {quote(name)}")
        defaults = self.classes[name].get(element.tag, {})
        return replace(element, attributes=merged(defaults, element.attributes))


def merged(defaults: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Own attributes over defaults; an orientation of one's own replaces any other kind."""
    if any(key in own for key in ORIENTATIONS):
        defaults = {k: v for k, v in defaults.items() if k not in ORIENTATIONS}
    return defaults | own
