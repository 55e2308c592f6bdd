"""The keys of scene files as Markdown tables, from the definitions that check the files."""

import re
from typing import Any

from dovetail.io import json_schema
from dovetail.io.scene_file.schema.scene import SceneDocument
from dovetail.io.scene_file.schema.values import Entry
from dovetail.io.scene_file.units import Dimension, Units

TITLES = {
    "SceneDocument": "The whole file",
    "UnitsEntry": "units",
    "RunEntry": "run",
    "ProveEntry": "prove",
    "IntegratorEntry": "run.integrator as a mapping",
    "ContactEntry": "run.contact",
    "BodyEntry": "bodies",
    "TrajectoryEntry": "bodies: trajectory",
    "AxisAngle": "A rotation by axis and angle",
    "Euler": "A rotation by Euler angles",
    "MeshShape": "shape: mesh",
    "InlineMesh": "shape: mesh written into the file",
    "BoxShape": "shape: box",
    "SphereShape": "shape: sphere",
    "CylinderShape": "shape: cylinder",
    "CylinderSize": "Size of a cylinder",
    "CapsuleShape": "shape: capsule",
    "CapsuleSize": "Size of a capsule",
    "ConeShape": "shape: cone",
    "ConeSize": "Size of a cone",
    "TorusShape": "shape: torus",
    "TorusSize": "Size of a torus",
    "HalfSpaceShape": "shape: half-space",
    "RegisteredShape": "shape: one that another package adds",
    "CompoundShape": "shape: compound",
    "Part": "A part of a compound",
    "JointEntry": "joints",
    "UniversalEntry": "joints: universal",
    "ScrewEntry": "joints: screw",
    "ActuationEntry": "joints: actuation",
    "CouplingEntry": "couplings",
    "CouplingTermEntry": "couplings: terms",
    "MotorEntry": "joints: motor",
    "ForceEntry": "loads: force",
    "SpringEntry": "loads: spring",
    "MaterialEntry": "materials",
    "Named": "Something that another package adds, by its name",
}


def scene_markdown() -> str:
    """A table for each mapping of a scene file; units are those of a file in SI."""
    schema = json_schema()
    known = {"SceneDocument": {k: v for k, v in schema.items() if k != "$defs"}} | schema["$defs"]
    order = [name for name in TITLES if name in known] + [n for n in known if n not in TITLES]
    return "\n".join(_section(name, known[name], known) for name in order)


def entries() -> dict[str, type[Entry]]:
    """Every mapping a scene file can hold, by class name."""
    found: dict[str, type[Entry]] = {}
    waiting: list[type[Entry]] = [SceneDocument, Entry]
    while waiting:
        one = waiting.pop()
        found[one.__name__] = one
        waiting += one.__subclasses__()
    return found


def _section(name: str, schema: dict[str, Any], known: dict[str, Any]) -> str:
    entry, required = entries()[name], schema.get("required", [])
    rows = []
    for key, about in schema["properties"].items():
        dimension = next(
            (m for m in entry.model_fields[key].metadata if isinstance(m, Dimension)), None
        )
        unit = Units().name(dimension) if dimension else ""
        needed = "**yes**" if key in required else _default(about)
        what = about.get("description", "")
        rows.append(f"| `{key}` | {_kind(about, known)} | {unit} | {needed} | {what} |")
    about = schema.get("description", "")
    table = "\n".join(
        ["| key | value | unit | needed, or default | meaning |", "|---|---|---|---|---|", *rows]
    )
    return f"## {TITLES.get(name, name)}\n\n{about}\n\n{table}\n"


def _anchor(title: str) -> str:
    """The id that the site and code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _default(about: dict[str, Any]) -> str:
    value = about.get("default")
    return f"`{value}`" if value not in (None, [], {}) and not isinstance(value, dict) else ""


def _kind(about: dict[str, Any], known: dict[str, Any]) -> str:
    """A value in words, such as `3 numbers > 0`."""
    if "$ref" in about:
        name = about["$ref"].rsplit("/", 1)[1]
        title = TITLES.get(name, name)
        return f"[{title.removeprefix('shape: ')}](#{_anchor(title)})"
    if "const" in about:
        return f"`{about['const']}`"
    if "enum" in about:
        return " ".join(f"`{value}`" for value in about["enum"])
    for union in ("oneOf", "anyOf"):
        if union in about:
            return " or ".join(dict.fromkeys(_kind(one, known) for one in about[union]))
    kind = about.get("type", "")
    if kind == "array":
        return _list(about, known)
    words = {"string": "text", "boolean": "true or false", "integer": "whole number"}
    return words.get(kind, kind) + _bound(about)


def _list(about: dict[str, Any], known: dict[str, Any]) -> str:
    inner = _kind(about["items"], known)
    low, high = about.get("minItems"), about.get("maxItems")
    if low is not None and low == high:
        if inner == "3 numbers":
            return f"{low} x 3 numbers"
        return f"{low} {inner.replace('number', 'numbers').replace('text', 'names')}"
    return f"list of {'numbers' if inner == 'number' else inner}"


def _bound(about: dict[str, Any]) -> str:
    if "exclusiveMinimum" in about:
        return f" > {about['exclusiveMinimum']:g}"
    low, high = about.get("minimum"), about.get("maximum")
    if low is None or low <= -1e40:
        return ""
    return f" {low:g} to {high:g}" if high is not None and high <= 1 else f" >= {low:g}"
