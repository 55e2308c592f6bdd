"""A scene as a version 1 document: plain data in SI units that reads back bit for bit."""

from inspect import signature
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.run_settings import RunSettings
from dovetail.io.scene_file.writing.shapes import StoreMesh, WriteMesh, shape_document, storing
from dovetail.model.body import Body
from dovetail.model.couplings import Coupling, named
from dovetail.model.friction_curve import FRICTION_CURVES, FrictionCurve
from dovetail.model.joints import Actuation, Joint
from dovetail.model.joints.actuation import SERVO, SOFT_LIMIT
from dovetail.model.joints.registry import registered_name
from dovetail.model.loads import ConstantForce, FunctionLoad, Load
from dovetail.model.scene import Scene
from dovetail.model.trajectories import PoseTable
from dovetail.model.values import quote
from dovetail.runtime.registry import Registry

ZERO = ("[0.0, 0.0, 0.0]", "[0, 0, 0]")  # not -0.0, which has other bits
BODY_NUMBERS = (
    "density", "mass", "inertia", "center_of_mass", "position", "rotation", "velocity",
    "angular_velocity", "moves_until", "fixed",
)  # fmt: skip
ACTUATION_NUMBERS = (
    "lower", "upper", "stiffness", "damping", "rest", "friction", "armature", "effort_limit",
    "velocity_limit", "limit_restitution", *SOFT_LIMIT, *SERVO,
)  # fmt: skip


def to_document(
    scene: Scene, store_mesh: StoreMesh | None = None, checked: bool = False
) -> dict[str, Any]:
    """The scene as plain data (JSON types only).

    `store_mesh(vertices, faces, edges)` keeps the arrays of one mesh and returns the name that
    stands for it in the document; without it meshes are written inline. `checked`: the scene is
    known to have no mistakes.

    Raises:
        InputError: when the scene has mistakes, or holds functions, which no file can keep.
    """
    return document_of(scene, storing(store_mesh), checked)


def document_of(scene: Scene, write_mesh: WriteMesh, checked: bool = False) -> dict[str, Any]:
    if not checked:
        scene.build()
    functions = _functions(scene)
    if functions:
        raise InputError(functions)
    document: dict[str, Any] = {"version": 1}
    gravity = plain(scene.gravity)
    if repr(gravity) not in ZERO:
        document["gravity"] = gravity
    sections: dict[str, list[Any]] = {
        "bodies": [_body(body, write_mesh) for body in scene.bodies.values()],
        "joints": [_joint(name, *entry) for name, entry in scene.joints.items()],
        "couplings": [_coupling(name, one) for name, one in scene.couplings.items()],
        "loads": [_load(name, load) for name, load in scene.loads.items()],
        "materials": [
            {"pair": [pair.a, pair.b]}
            | _numbers(pair, "friction", "restitution", "stiffness", "damping")
            for pair in scene.materials
        ],
    }
    sections["exclude_contact"] = [list(pair) for pair in scene.excluded_contacts]
    return document | {section: entries for section, entries in sections.items() if entries}


def run_document(run: RunSettings) -> dict[str, Any]:
    """The `run` section."""
    written = _numbers(run, "duration", "step", "large_step", "every", "monitor")
    if run.integrator is not None:
        name, options = run.integrator.name, run.integrator.options
        written["integrator"] = {"name": name, "options": _options(options)} if options else name
    if run.contact is not None:
        written["contact"] = {"method": run.contact.name, **_options(run.contact.options)}
    return written


def plain(value: Any) -> Any:
    """Arrays, tuples and numpy scalars as lists and numbers."""
    if value is None or type(value) in (float, int, str, bool):  # not NumPy's, which are floats too
        return value
    if isinstance(value, np.ndarray | np.generic):
        listed = value.tolist()
        return plain(listed) if value.dtype == object else listed
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, FrictionCurve):
        return by_name(FRICTION_CURVES, value)
    return value


def by_name(registry: Registry, value: Any) -> dict[str, Any]:
    """A registered object as {name: {options}}: the arguments of its class with their values."""
    name = registry.name_of(type(value))
    if name is None:
        raise InputError(
            f"a file cannot keep the {registry.kind} {quote(value)}: its class is not registered; "
            "use dt.extend.register"
        )
    arguments = signature(type(value)).parameters
    missing = [argument for argument in arguments if not hasattr(value, argument)]
    if missing:
        raise InputError(
            f"a file cannot keep {registry.kind} {name!r}: its object has no attribute "
            f"{', '.join(map(repr, missing))}, as its constructor's argument"
        )
    return {name: {argument: plain(getattr(value, argument)) for argument in arguments}}


def _options(options: dict[str, Any]) -> dict[str, Any]:
    return {key: plain(value) for key, value in options.items() if value is not None}


def _numbers(source: Any, *names: str) -> dict[str, Any]:
    values = {name: plain(getattr(source, name)) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _functions(scene: Scene) -> list[str]:
    """A sentence for every Python function the scene holds."""
    what = "is a Python function, which a file cannot keep; "
    found = []
    for name, body in scene.bodies.items():
        if body.given.moves_by_function:
            found.append(f"`trajectory` of body {quote(name)} {what}give a dt.PoseTable instead")
    for name, (joint, _, _) in scene.joints.items():
        for number, entry in enumerate(joint.actuation):
            if entry.motor_is_function:
                found.append(
                    f"`motor` of coordinate {number + 1} of joint {quote(name)} {what}"
                    "give a constant instead"
                )
    for name, coupling in scene.couplings.items():
        if coupling.actuation is not None and coupling.actuation.motor_is_function:
            found.append(f"`motor` of coupling {quote(name)} {what}give a constant instead")
    for name, load in scene.loads.items():
        if isinstance(load, FunctionLoad):
            found.append(f"load {quote(name)} {what}use add_force or add_spring instead")
    return found


def _body(body: Body, write_mesh: WriteMesh) -> dict[str, Any]:
    given = body.given
    written: dict[str, Any] = {"name": given.name}
    if given.shape is not None:
        written["shape"] = shape_document(given.shape, write_mesh)
    written |= _numbers(given, *BODY_NUMBERS)
    for name in ("position", "velocity", "angular_velocity"):
        if repr(written[name]) in ZERO:
            del written[name]
    if given.motion != "dynamic":
        written["motion"] = given.motion
    if isinstance(given.trajectory, PoseTable):
        table = _numbers(given.trajectory, "times", "positions", "rotations")
        table["times"] = np.atleast_1d(given.trajectory.times).tolist()
        table["positions"] = np.reshape(given.trajectory.positions, (-1, 3)).tolist()
        written["trajectory"] = table
    return written | _numbers(given, "group", "material")


def _joint(name: str, joint: Joint, body_a: str, body_b: str) -> dict[str, Any]:
    written: dict[str, Any] = {"name": name, "type": registered_name(type(joint))}
    written |= {"bodies": [body_a, body_b]}
    written |= _numbers(joint, "point", "axis", "point_b", "axis_b", *joint.parameters())
    if joint.actuation:
        written["actuation"] = [_actuation(entry) for entry in joint.actuation]
    return written


def _coupling(name: str, coupling: Coupling) -> dict[str, Any]:
    terms = []
    for key, value in coupling.terms.items():
        joint, coordinate = named(key)
        term: dict[str, Any] = {"joint": joint}
        if isinstance(key, tuple):
            term["coordinate"] = coordinate
        term["polynomial" if isinstance(value, tuple | list) else "factor"] = plain(value)
        terms.append(term)
    written: dict[str, Any] = {"name": name, "terms": terms}
    if coupling.offset != 0:
        written["offset"] = plain(coupling.offset)
    if coupling.actuation is not None:
        written["actuation"] = _actuation(coupling.actuation)
    return written


def _actuation(entry: Actuation) -> dict[str, Any]:
    written = _numbers(entry, *ACTUATION_NUMBERS)
    for name in (
        "stiffness", "damping", "rest", "friction", "armature", "limit_restitution", *SOFT_LIMIT,
        *SERVO,
    ):  # fmt: skip
        if written[name] == 0:
            del written[name]
    if isinstance(entry.motor, tuple | list):
        what, value = entry.motor
        written["motor"] = {what: plain(value)}
    elif entry.motor is not None:
        written["motor"] = plain(entry.motor)
    return written


def _load(name: str, load: Load) -> dict[str, Any]:
    if isinstance(load, ConstantForce):
        written: dict[str, Any] = {"name": name, "type": "force", "body": load.body}
        written |= _numbers(load, "force", "torque", "point", "frame")
        return {
            key: value
            for key, value in written.items()
            if not (key in ("force", "torque") and repr(value) in ZERO)
            and not (key == "frame" and value == "world")
        }
    assert not isinstance(load, FunctionLoad)
    return {"name": name, "type": "spring", "bodies": [load.body_a, load.body_b]} | _numbers(
        load, "point_a", "point_b", "stiffness", "damping", "rest_length"
    )
