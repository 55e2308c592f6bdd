"""Adding a document's entries to a scene, in SI units."""

from typing import Any

from dovetail.errors import InputError
from dovetail.io.scene_file.reading.in_si import (
    DIMENSIONS,
    actuation_in_si,
    friction_in_si,
    in_si,
)
from dovetail.io.scene_file.reading.run_section import contact_exponent
from dovetail.io.scene_file.reading.shapes import FetchMesh, rotation_of, shape_of
from dovetail.io.scene_file.schema.couplings import CouplingEntry
from dovetail.io.scene_file.schema.joints import ActuationEntry, JointEntry, MotorEntry
from dovetail.io.scene_file.schema.loads import ForceEntry, SpringEntry
from dovetail.io.scene_file.schema.run import RunEntry
from dovetail.io.scene_file.schema.scene import BodyEntry, MaterialEntry
from dovetail.io.scene_file.units import Units, density
from dovetail.model.couplings import Coupling
from dovetail.model.joints import JOINTS, Actuation, Joint
from dovetail.model.joints.actuation import SERVO, SOFT_LIMIT
from dovetail.model.scene import Scene
from dovetail.model.shapes.shape import Shape
from dovetail.model.trajectories import PoseTable
from dovetail.model.values import Mistakes, name_of

AS_WRITTEN = (
    "mass", "inertia", "center_of_mass", "position", "velocity", "angular_velocity", "motion",
    "moves_until", "fixed", "group", "material",
)  # fmt: skip


class PartsInSI:
    """Adds entries to `scene`, converting from `units`; `fetch` finds meshes by name.

    Names are checked here already, where the place in the file is known.
    """

    def __init__(self, scene: Scene, units: Units, run: RunEntry | None, fetch: FetchMesh) -> None:
        self.scene, self.units, self.fetch = scene, units, fetch
        self.exponent = contact_exponent(run)

    def add(self, entry: Any, unusable: set[str]) -> bool:
        """Add one entry, unless it refers to a body whose own mistakes are reported already.

        Returns whether it was added.
        """
        match entry:
            case BodyEntry():
                self._add_body(entry)
            case JointEntry(bodies=names) if unusable.isdisjoint(names):
                self._add_joint(entry)
            case CouplingEntry():
                self._add_coupling(entry)
            case ForceEntry(body=name) if name not in unusable:
                load = in_si(entry, self.units)
                given = _given(load, "body", "force", "torque", "point", "frame")
                self.scene.add_force(name_of(entry.name, "load"), **given)
            case SpringEntry(bodies=names) if unusable.isdisjoint(names):
                spring = in_si(entry, self.units)
                given = _given(spring, "point_a", "point_b", "stiffness", "damping", "rest_length")
                self.scene.add_spring(name_of(entry.name, "load"), *entry.bodies, **given)
            case MaterialEntry(pair=names) if not unusable or self._knows(names):
                self._add_material(entry)
            case _:
                return False
        return True

    def _knows(self, names: list[str]) -> bool:
        """Whether each is a body of the scene or the material of one."""
        bodies = self.scene.bodies.values()
        return {*self.scene.bodies, *(body.given.material for body in bodies)}.issuperset(names)

    def _add_body(self, entry: BodyEntry) -> None:
        body = in_si(entry, self.units)
        found = Mistakes()
        given = _given(body, *AS_WRITTEN)
        found.take(name_of, body.name, "body")
        if body.shape is not None:
            shape = found.take(shape_of, body.shape, self.units, self.fetch)
            given["shape"] = shape
        if body.density is not None and not found:
            given["density"] = self._density(body.density, given.get("shape"))
        if body.rotation is not None:
            given["rotation"] = found.take(rotation_of, body.rotation, "`rotation`")
        if body.trajectory is not None:
            table, turns = body.trajectory, None
            if table.rotations is not None:
                turns = [
                    found.take(rotation_of, turn, f"`trajectory.rotations[{i}]`")
                    for i, turn in enumerate(table.rotations)
                ]
            given["trajectory"] = PoseTable(table.times, table.positions, turns)
        found.raise_if_any()
        self.scene.add_body(body.name, **given)

    def _density(self, value: float, shape: Shape | None) -> float:
        """Mass per volume, area, length or point, as the shape is a solid, sheet, wire or cloud."""
        if self.units.are_si or shape is None or shape.mistakes():
            return value
        return float(self.units.to_si(value, density(shape.mass_properties().dimension)))

    def _add_joint(self, entry: JointEntry) -> None:
        joint = in_si(entry, self.units)
        kind: type[Joint] = JOINTS.get(joint.type)
        given = _given(joint, "point", "axis", *kind.parameters(), "point_b", "axis_b")
        acting = joint.actuation if joint.actuation is not None else []
        rows = acting if isinstance(acting, list) else [acting]
        found = Mistakes()
        actuation = [
            found.take(_actuation, actuation_in_si(row, kind, i, self.units), i)
            for i, row in enumerate(rows)
        ]
        found.take(name_of, joint.name, "joint")
        found.raise_if_any()
        made = kind(**given, actuation=tuple(row for row in actuation if row is not None))
        self.scene.add_joint(joint.name, made, *joint.bodies)

    def _add_coupling(self, entry: CouplingEntry) -> None:
        """Terms become SI where all are of one quantity, so that factors have no unit."""
        found = Mistakes()
        found.take(name_of, entry.name, "coupling")
        terms: dict[Any, Any] = {}
        for i, term in enumerate(entry.terms):
            if (term.factor is None) == (term.polynomial is None):
                found.append(f"`terms[{i}]` must have one of factor, polynomial")
            key = term.joint if term.coordinate is None else (term.joint, term.coordinate)
            terms[key] = term.factor if term.polynomial is None else term.polynomial
        offset, acting = entry.offset, entry.actuation
        if not self.units.are_si:
            offset, acting = self._coupling_in_si(entry, found)
        found.raise_if_any()
        actuation = None if acting is None else _actuation(acting, 0)
        coupling = Coupling(terms, 0.0 if offset is None else offset, actuation)
        self.scene.add_coupling(entry.name, coupling)

    def _coupling_in_si(
        self, entry: CouplingEntry, found: Mistakes
    ) -> tuple[float | None, ActuationEntry | None]:
        kinds, where = set(), None
        for term in entry.terms:
            joint, coordinate = self.scene.joints.get(term.joint), (term.coordinate or 1) - 1
            if joint is not None and coordinate < joint[0].freedoms:
                where = (type(joint[0]), coordinate)
                kinds.add(joint[0].coordinates[coordinate].quantity)
        if len(kinds) > 1 or any(term.polynomial is not None for term in entry.terms):
            found.append(
                "angles and lengths together, or polynomials, need a file in SI units: their "
                "factors have units that are not known"
            )
        if len(kinds) != 1 or where is None:
            return entry.offset, entry.actuation
        position = DIMENSIONS[kinds.pop()]["position"]
        offset = None if entry.offset is None else float(self.units.to_si(entry.offset, position))
        acting = entry.actuation
        return offset, None if acting is None else actuation_in_si(acting, *where, self.units)

    def _add_material(self, entry: MaterialEntry) -> None:
        given = _given(in_si(entry, self.units), "friction", "restitution", "stiffness", "damping")
        if "friction" in given:
            given["friction"] = friction_in_si(given["friction"], self.units)
        if "stiffness" in given:
            given["stiffness"] = self.units.stiffness_to_si(given["stiffness"], self.exponent)
        self.scene.add_material_pair(*entry.pair, **given)


def _given(entry: Any, *names: str) -> dict[str, Any]:
    """The fields that were written, so that the model's own defaults hold for the others."""
    values = {name: getattr(entry, name, None) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _actuation(entry: ActuationEntry, coordinate: int) -> Actuation:
    given = _given(
        entry, "lower", "upper", "stiffness", "damping", "rest", "friction", "armature",
        "effort_limit", "velocity_limit", "motor", "limit_restitution", *SOFT_LIMIT, *SERVO,
    )  # fmt: skip
    if isinstance(entry.motor, MotorEntry):
        held = _given(entry.motor, "effort", "position", "velocity")
        if len(held) != 1:
            raise InputError(
                f"`actuation[{coordinate}].motor` must have just one of effort, position, "
                f"velocity, got {', '.join(held) or 'none'}"
            )
        ((what, value),) = held.items()
        given["motor"] = value if what == "effort" else (what, value)
    return Actuation(**given)
