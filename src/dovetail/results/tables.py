"""A result as tables of other packages."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.runtime.extras import require

if TYPE_CHECKING:
    from dovetail.results.result import Result

AXES = ("x", "y", "z")


def to_pandas(result: "Result") -> Any:
    """A DataFrame by time [s], one column per number: 'box.position.x', 'elbow.velocity', ..."""
    pandas = require("pandas")
    columns: dict[str, Any] = {}
    for name in result.names:
        body = result.body(name)
        for what in ("position", "velocity", "angular_velocity", "contact_force", "contact_torque"):
            values = getattr(body, what)
            columns |= {f"{name}.{what}.{axis}": values[:, k] for k, axis in enumerate(AXES)}
    for name in result.stored.header.joint_names:
        for what, values in _of_joint(result, name).items():
            flat = values.reshape(len(values), -1)
            for k in range(flat.shape[1]):
                suffix = "" if values.ndim == 1 else f".{k + 1}"
                columns[f"{name}.{what}{suffix}"] = flat[:, k]
    columns |= {f"energy.{name}": values for name, values in result.energy.items()}
    columns["min_distance"] = result.min_distance
    return pandas.DataFrame(columns, index=pandas.Index(result.time, name="time"))


def _of_joint(result: "Result", name: str) -> dict[str, Any]:
    joint = result.joint(name)
    found = {"position": joint.position, "velocity": joint.velocity}
    if np.isfinite(np.asarray(result.stored.column("joints/force"))).any():
        found |= {"effort": joint.effort, "power": joint.power}
    return found


def to_xarray(result: "Result") -> Any:
    """A Dataset over time [s], body and axis; joints of one coordinate over joint."""
    xarray = require("xarray")
    vectors = ("time", "body", "axis")
    column = result.stored.column
    bodies = [result.body(name) for name in result.names]
    data: dict[str, Any] = {
        "position": (vectors, np.array(column("position")), {"units": "m"}),
        "rotation": (("time", "body", "axis", "body_axis"), np.array(column("rotation"))),
        "velocity": (vectors, np.array(column("velocity")), {"units": "m/s"}),
        "angular_velocity": (vectors, np.array(column("angular_velocity")), {"units": "rad/s"}),
        "contact_force": (vectors, _stack(bodies, "contact_force"), {"units": "N"}),
        "contact_torque": (vectors, _stack(bodies, "contact_torque"), {"units": "N m"}),
        "min_distance": ("time", result.min_distance, {"units": "m"}),
    }
    data |= {f"{k}_energy": ("time", v, {"units": "J"}) for k, v in result.energy.items()}
    coordinates: dict[str, Any] = {
        "time": result.time, "body": list(result.names), "axis": list(AXES),
        "body_axis": list(AXES),
    }  # fmt: skip
    singles = [
        name for name in result.stored.header.joint_names if result.joint(name).position.ndim == 1
    ]
    if singles:
        coordinates["joint"] = singles
        tables = [_of_joint(result, name) for name in singles]
        for what in tables[0]:
            values = np.stack([table[what] for table in tables], axis=1)
            data[f"joint_{what}"] = (("time", "joint"), values)
    return xarray.Dataset(data, coordinates)


def _stack(bodies: list[Any], what: str) -> Any:
    return np.stack([getattr(body, what) for body in bodies], axis=1)
