"""What a run was made from, as text: two runs with equal text give equal results.

Arrays appear as hashes, functions as their name and a hash of their code.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from math import isfinite
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from dovetail.model.checked_body import CheckedBody
from dovetail.model.frozen import Model
from dovetail.model.values import short

DEEPEST = 8


def described(value: Any, depth: int = 0) -> Any:
    """`value` as plain JSON data that is the same in every process."""
    if depth > DEEPEST:
        return type(value).__qualname__
    deeper = depth + 1
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, np.ndarray | np.generic):
        return _array(np.asarray(value))
    if isinstance(value, Mapping):
        return {str(key): described(entry, deeper) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [described(entry, deeper) for entry in value]
    if isinstance(value, set | frozenset):
        return sorted(str(entry) for entry in value)
    if isinstance(value, FunctionType):
        return _function(value, deeper)
    if isinstance(value, type):
        return value.__qualname__
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, partial):
        return described([value.func, value.args, value.keywords], deeper)
    if is_dataclass(value):
        inside = {field.name: getattr(value, field.name) for field in fields(value)}
    else:
        open_to_all = getattr(value, "__dict__", {}).items()
        inside = {key: entry for key, entry in open_to_all if not key.startswith("_")}
    named = {key: described(entry, deeper) for key, entry in inside.items()}
    return {"type": type(value).__qualname__, **named}


def described_scene(model: Model) -> dict[str, str]:
    """A hash of each part of a scene, so that a difference can be named."""
    parts: dict[str, Any] = {
        "gravity": model.gravity,
        "joints": model.joints,
        "loads": model.loads,
        "materials": model.materials,
        "excluded contacts": model.excluded,
    }
    hashes = {name: _hash(described(part)) for name, part in parts.items()}
    for body in model.bodies:
        hashes[f"body {body.name}"] = _hash(_body(body))
    return hashes


def differences(old: str, new: str, but: tuple[str, ...] = ()) -> list[str]:
    """Which settings (`but` some) differ between two runs, by name: 'step is 0.01, was 0.02'."""
    before, after = json.loads(old), json.loads(new)
    found = []
    for key in sorted({*before, *after} - {"scene", *but}):
        if before.get(key) != after.get(key):
            was, now = (short(_written(side.get(key))) for side in (before, after))
            found.append(f"`{key}` is {now}, was {was}")
    scene_before, scene_after = before.get("scene", {}), after.get("scene", {})
    for part in sorted({*scene_before, *scene_after}):
        if scene_before.get(part) != scene_after.get(part):
            found.append(f"the scene's {part} is not the same")
    return found


def canonical(data: Any) -> str:
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _body(body: CheckedBody) -> Any:
    """A body by what was checked and derived; its shape by its kind and surface."""
    values = {f.name: getattr(body, f.name) for f in fields(body)}
    values.pop("derived")
    shape = values.pop("shape")
    values["shape"] = type(shape).__qualname__
    return described(values)


def _function(function: FunctionType, depth: int) -> Any:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return {
        "function": function.__qualname__,  # a script's module is another when it is imported
        "code": _hash(_code(function.__code__)),
        "uses": described([*cells, *(function.__defaults__ or ())], depth),
    }


def _code(code: CodeType) -> Any:
    return [code.co_code.hex(), _constant(code.co_consts), list(code.co_names)]


def _constant(value: Any) -> Any:
    """A constant of compiled code; the order of a set differs from process to process."""
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, tuple):
        return [_constant(entry) for entry in value]
    if isinstance(value, frozenset):
        return sorted(repr(entry) for entry in value)
    return repr(value)


def _array(array: Any) -> Any:
    if array.dtype == object:
        return [described(entry) for entry in array.ravel()]
    data = np.ascontiguousarray(array)
    return f"{data.dtype.str}{list(data.shape)} {hashlib.sha256(data.tobytes()).hexdigest()[:32]}"


def _hash(data: Any) -> str:
    return hashlib.sha256(canonical(data).encode()).hexdigest()[:32]


def _written(value: Any) -> str:
    """Described data as its user would write it: LieVerlet(), StepFromError(order=2, ...)."""
    if isinstance(value, dict) and "type" in value:
        inside = (f"{key}={_written(entry)}" for key, entry in value.items() if key != "type")
        return f"{value['type']}({', '.join(inside)})"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return repr(value)
