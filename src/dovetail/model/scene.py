"""The scene: parts, joints, loads and materials, described once."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations_with_replacement
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.body import Body
from dovetail.model.checked_body import BodyInput, CheckedBody
from dovetail.model.couplings import Coupling, PlacedCoupling, placed_coupling
from dovetail.model.frozen import GROUND, Model, PlacedJoint, PlacedLoad, freeze
from dovetail.model.joints import Joint
from dovetail.model.loads import ConstantForce, FunctionLoad, Load, SpringDamper
from dovetail.model.massless import massless_mistakes
from dovetail.model.materials import Material, PairMaterial, met
from dovetail.model.shapes.amount import refuse_too_many_in_all
from dovetail.model.unknown_names import by_joint, unknown_body
from dovetail.model.values import GROUND_NAME, Mistakes, as_of_now, name_of, quote, vector3
from dovetail.runtime.options import named_options


class Scene:
    """Bodies, joints, loads and materials, and nothing about how to solve.

    Values are checked together when the scene is built (`dt.simulate` does that), so one error
    lists every mistake.
    """

    @named_options
    def __init__(self, gravity: Any = (0.0, 0.0, 0.0)) -> None:
        self.gravity = as_of_now(gravity)
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, tuple[Any, str, str]] = {}
        self._loads: dict[str, Load] = {}
        self._couplings: dict[str, Any] = {}
        self._materials: list[PairMaterial] = []
        self._own_materials: dict[str, Material] = {}  # of bodies, by the name they got
        self._start: dict[str, tuple[float, ...]] = {}  # coordinates of joints where they are
        self._excluded: dict[frozenset[str], tuple[Any, Any]] = {}
        self._misnamed: list[tuple[str, str, Any, Any]] = []  # kind, what is wrong, name, entry

    @property
    def bodies(self) -> MappingProxyType[str, Body]:
        return MappingProxyType(self._bodies)

    @property
    def joints(self) -> MappingProxyType[str, tuple[Any, str, str]]:
        """Name -> (joint, body_a, body_b)."""
        return MappingProxyType(self._joints)

    @property
    def loads(self) -> MappingProxyType[str, Load]:
        return MappingProxyType(self._loads)

    @property
    def couplings(self) -> MappingProxyType[str, Any]:
        """Name -> `Coupling`."""
        return MappingProxyType(self._couplings)

    @property
    def materials(self) -> tuple[PairMaterial, ...]:
        """How pairs of materials meet: as given, and as the bodies' own materials have it."""
        return (*self._materials, *self._pairs_of_own_materials())

    def _pairs_of_own_materials(self) -> list[PairMaterial]:
        """Pairs that no entry names: own materials with each other and with bodies without one."""
        own = self._own_materials
        named = {frozenset((pair.a, pair.b)) for pair in self._materials}
        pairs = [(a, b, met(own[a], own[b])) for a, b in combinations_with_replacement(own, 2)]
        plain = [name for name, body in self._bodies.items() if body.given.material is None]
        pairs += [(a, name, material) for a, material in own.items() for name in plain]
        return [
            PairMaterial(a, b, **vars(material))
            for a, b, material in pairs
            if frozenset((a, b)) not in named
        ]

    def _material_name(self, material: Any) -> Any:
        """The name of a body's own material; what is no `Material` stays as it is."""
        if not isinstance(material, Material):
            return material
        for name, known in self._own_materials.items():
            if known == material:
                return name
        name = f"material {len(self._own_materials) + 1}"
        self._own_materials[name] = material
        return name

    @named_options
    def add_body(
        self,
        name: str,
        shape: Any = None,
        *,
        density: Any = None,
        mass: Any = None,
        inertia: Any = None,
        center_of_mass: Any = None,
        position: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
        velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = (0.0, 0.0, 0.0),
        motion: Any = "dynamic",
        trajectory: Any = None,
        moves_until: Any = None,
        fixed: Any = None,
        group: Any = None,
        material: Any = None,
    ) -> Body:
        """Add a body.

        Args:
            name: unique; 'ground' is the world.
            shape: such as `dt.Box`, or None for a body that is only mass and inertia.
            density: [kg/m^3] of a closed shape, [kg/m^2] of an open surface, [kg/m] of wires,
                [kg] per point of a cloud; default 1000 where no mass is given.
            mass: [kg], instead of density; 0 for a link that only passes on what joints do.
            inertia: [kg m^2] about the centre of mass, principal 3-vector or 3x3, body frame.
            center_of_mass: [m] in the shape's frame; default from the shape. A dynamic body with
                its own centre needs its own inertia too.
            position: [m] of the shape's origin, or of the centre of mass without a shape.
            rotation: 3x3 matrix or unit quaternion (w, x, y, z).
            velocity: [m/s] of the centre of mass.
            angular_velocity: [rad/s] in world axes.
            motion: 'static', 'kinematic' (prescribed motion) or 'dynamic'.
            trajectory: of a kinematic body: `dt.PoseTable` or a function t -> (position,
                rotation) of the centre of mass; default: its constant velocities.
            moves_until: [s] a kinematic body at constant velocity stops then.
            fixed: six flags (x, y, z, rx, ry, rz) of motions that are fixed, in world axes.
            group: bodies of one group do not collide with each other.
            material: a `dt.Material`, or the name that `add_material_pair` refers to.
        """
        body = Body(
            BodyInput(
                name=name, shape=shape, density=density, mass=mass, inertia=inertia,
                center_of_mass=center_of_mass, position=position, rotation=rotation,
                velocity=velocity, angular_velocity=angular_velocity, motion=motion,
                trajectory=trajectory, moves_until=moves_until, fixed=fixed, group=group,
                material=self._material_name(material),
            )
        )  # fmt: skip
        self._keep(self._bodies, "body", name, body)
        return body

    @named_options
    def add_joint(self, name: str, joint: Any, body_a: str, body_b: str) -> Any:
        """Join two bodies ('ground' is the world); `joint` such as `dt.Revolute`."""
        self._keep(self._joints, "joint", name, (joint, body_a, body_b))
        return joint

    @named_options
    def add_joint_chain(self, joints: Any, body_a: str, body_b: str) -> None:
        """Join two bodies by several joints one after the other, with nothing in between.

        `joints`: name -> joint such as `dt.Revolute`, from `body_a` on, each carried by the ones
        before it; points and axes in world coordinates at the initial pose. A link without mass,
        named after its joint, is added after each but the last.
        """
        if not isinstance(joints, dict) or not joints:
            raise InputError(
                "`joints` of add_joint_chain must be a mapping {name: joint} of at least one, "
                f"got {quote(joints)}"
            )
        before = body_a
        for number, (name, joint) in enumerate(joints.items(), 1):
            after = body_b
            if number < len(joints):
                after = f"{name}.link"
                point = getattr(joint, "point", (0.0, 0.0, 0.0))
                self.add_body(after, mass=0.0, position=point)
            self.add_joint(name, joint, before, after)
            before = after

    @named_options
    def add_coupling(self, name: str, coupling: Any) -> Any:
        """Couple coordinates of joints: a gear, a mimic joint, a tendon; see `Coupling`."""
        self._keep(self._couplings, "coupling", name, coupling)
        return coupling

    @named_options
    def add_force(
        self,
        name: str,
        body: str,
        force: Any = (0.0, 0.0, 0.0),
        torque: Any = (0.0, 0.0, 0.0),
        point: Any = None,
        frame: str = "world",
    ) -> ConstantForce:
        """A constant force [N] and torque [N m] on a body; see `ConstantForce`."""
        load = ConstantForce(body, force, torque, point, frame)
        self._keep(self._loads, "load", name, load)
        return load

    @named_options
    def add_spring(
        self,
        name: str,
        body_a: str,
        body_b: str,
        point_a: Any,
        point_b: Any,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        rest_length: Any = None,
    ) -> SpringDamper:
        """A spring-damper between two points; see `SpringDamper`."""
        load = SpringDamper(body_a, body_b, point_a, point_b, stiffness, damping, rest_length)
        self._keep(self._loads, "load", name, load)
        return load

    @named_options
    def add_load(self, name: str, function: Callable[[float, Any], dict[str, Any]]) -> FunctionLoad:
        """A force of your own: `function(t, state)` -> {body: (force, torque)}."""
        load = FunctionLoad(function)
        self._keep(self._loads, "load", name, load)
        return load

    @named_options
    def add_material_pair(
        self,
        a: str,
        b: str,
        friction: Any = None,
        restitution: Any = None,
        stiffness: Any = None,
        damping: Any = None,
    ) -> PairMaterial:
        """How materials (or bodies) `a` and `b` meet; see `Material`, which may be the third."""
        if isinstance(friction, Material):
            given = {"restitution": restitution, "stiffness": stiffness, "damping": damping}
            others = [f"`{name}`" for name, value in given.items() if value is not None]
            if others:
                raise InputError(f"give a `Material` or {', '.join(others)}, not both")
            pair = PairMaterial(a, b, **vars(friction))
        else:
            pair = PairMaterial(a, b, friction, restitution, stiffness, damping)
        self._materials.append(pair)
        return pair

    @named_options
    def exclude_contact(self, body_a: str, body_b: str) -> None:
        """These two bodies pass through each other; see `group` of bodies for many at once."""
        self._excluded[frozenset((str(body_a), str(body_b)))] = (body_a, body_b)

    @property
    def excluded_contacts(self) -> tuple[tuple[str, str], ...]:
        """Pairs of bodies that pass through each other."""
        return tuple(self._excluded.values())

    def build(self) -> Model:
        """Check everything and freeze it; raises one InputError with all mistakes."""
        found = Mistakes(sentence for _, sentence, _, _ in self._misnamed)
        gravity = found.take(vector3, self.gravity, "`gravity` of the scene", "m/s^2")
        refuse_too_many_in_all(body.given.shape for body in self._bodies.values())
        checked = [found.take(lambda body: body.checked, body) for body in self._bodies.values()]
        for _, body in self._named_entries("body"):
            found.take(lambda body: body.checked, body)
        joints = self._placed_joints(found)
        loads = self._placed_loads(found)
        excluded = self._placed_exclusions(found)
        couplings = self._placed_couplings(found)
        if not found:
            found.extend(massless_mistakes([body for body in checked if body is not None], joints))
        found.extend(self._material_mistakes([body for body in checked if body is not None]))
        if found:
            raise InputError(dict.fromkeys(found))
        assert gravity is not None
        return freeze(
            [body for body in checked if body is not None],
            gravity,
            joints,
            loads,
            list(self.materials),
            excluded,
            couplings,
        )

    @named_options
    def set_state(self, q: Any = None, v: Any = None) -> None:
        """Let the scene start with its joints at other coordinates, or moving.

        `q` and `v` by name of joint, {"elbow": 0.5}: coordinates [rad, m], several for a joint of
        several freedoms, and their rates. Coordinates count from where the scene was described, or
        as the file that it was read from has them; those of ball and free joints from where they
        are. What a joint carries moves along, limits and springs stay where they are in space.
        All joints of a loop must be given but the one that closes it.
        """
        from dovetail.multibody.initial_state import moved_model, shifted_coupling  # on purpose

        q, v = by_joint(q, "q"), by_joint(v, "v")
        given = {name: self._from_now(name, value) for name, value in q.items()}
        moved = moved_model(self.build(), given, v)
        joined = {name for entry in self._joints.values() for name in entry[1:]}
        for i, (name, body) in enumerate(self._bodies.items()):
            if body.checked.motion != "dynamic":
                continue
            origin = body.checked.position
            if body.checked.shape is not None:
                origin = origin - body.checked.rotation @ body.checked.centre
            self._bodies[name] = Body(
                replace(
                    body.given,
                    position=moved.bodies[i].point(origin),
                    rotation=moved.state.R[i],
                    **(moved.velocities(i) if v and name in joined else {}),
                )
            )
        for name, (_, a, b) in list(self._joints.items()):
            self._joints[name] = (moved.joints[name], a, b)
        for name, coupling in list(self._couplings.items()):
            self._couplings[name] = shifted_coupling(coupling, given)
        self.count_coordinates(q)

    def count_coordinates(self, q: dict[str, Any]) -> None:
        """Say which coordinates joints have where the scene has its bodies; see `set_state`."""
        for name, value in q.items():
            joint = self._joints[name][0]
            if all(one.motion.has_values for one in joint.coordinates):
                self._start[name] = tuple(float(part) for part in np.atleast_1d(value))

    def _from_now(self, name: str, value: Any) -> Any:
        """Coordinates of a joint counted from where it is now."""
        start = self._start.get(name)
        if start is None or np.shape(np.atleast_1d(value)) != np.shape(start):
            return value
        return np.atleast_1d(np.asarray(value, float)) - np.array(start)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the scene as YAML, or as JSON to a .json; meshes given as arrays go beside it."""
        from dovetail.io import save_scene  # upward on purpose: see the import contract

        save_scene(self, path)

    @staticmethod
    @named_options
    def load(
        path: str | PathLike[str],
        *,
        allow_paths: Iterable[str | PathLike[str]] = (),
        package_paths: Iterable[str | PathLike[str]] = (),
        fixed_base: bool | None = None,
        keyframe: str | None = None,
    ) -> "Scene":
        """Read a scene file: YAML or JSON, rigid-ipc JSON, URDF or MJCF.

        What is read differently than the file means it, or left out, is said on stderr by name.

        Args:
            path: the file; meshes are relative to its folder and may not leave it.
            allow_paths: further folders meshes may come from.
            package_paths: folders that hold ROS packages, for `package://` names in URDF.
            fixed_base: whether the ground holds the root link of a URDF robot; None: if it has
                joints that move.
            keyframe: the keyframe of an MJCF file to start from, by name; None: its `qpos0`.
        """
        from dovetail.io import load_scene  # upward on purpose: see the import contract

        loaded = load_scene(
            path, allow_paths=allow_paths, package_paths=package_paths, fixed_base=fixed_base,
            keyframe=keyframe,
        )  # fmt: skip
        loaded.print_notes()
        return loaded.scene

    def _keep(self, table: dict[str, Any], kind: str, name: Any, entry: Any) -> None:
        """Store under `name`; a repeated or unusable name is reported when the scene is built."""
        mistakes = Mistakes()
        mistakes.take(name_of, name, kind)
        if not mistakes and name in table:
            mistakes.append(f"two {_plural(kind)} are named {quote(name)}; names must be unique")
        if mistakes:
            self._misnamed.append((kind, mistakes[0], name, entry))
        else:
            table[name] = entry

    def _named_entries(self, kind: str) -> list[tuple[Any, Any]]:
        """What could not be stored under its name; it is checked all the same."""
        return [(name, entry) for of_kind, _, name, entry in self._misnamed if of_kind == kind]

    def _material_mistakes(self, bodies: list[CheckedBody]) -> list[str]:
        """Of each pair, of two entries for one pair, and of names that nothing has."""
        found = Mistakes()
        known = {body.name for body in bodies} | {body.material for body in bodies}
        complete = len(bodies) == len(self._bodies)
        seen = set()
        for pair in self._materials:
            mistakes = pair.mistakes()
            found.extend(mistakes)
            if mistakes:
                continue
            who = f"materials {quote(pair.a)} and {quote(pair.b)}"
            names = tuple(sorted((pair.a, pair.b)))
            if names in seen:
                found.append(f"{who} are paired twice; give one entry")
            seen.add(names)
            for name in dict.fromkeys(names):
                if complete and name not in known:
                    found.append(f"{who}: no body is named {quote(name)} or made of it")
        return found

    def _placed_joints(self, found: Mistakes) -> list[PlacedJoint]:
        numbers = {GROUND_NAME: GROUND} | {name: i for i, name in enumerate(self._bodies)}
        placed = []
        every = [*self._joints.items(), *self._named_entries("joint")]
        for name, (joint, body_a, body_b) in every:
            who = f"joint {quote(name)}"
            if isinstance(joint, Joint) and type(joint) is not Joint:
                found.extend(joint.mistakes(who))
            else:
                found.append(f"{who} must be a joint such as dt.Revolute, got {quote(joint)}")
            known = self._known((body_a, body_b), who, found)
            if known and body_a == body_b:
                found.append(f"{who} must join two different bodies, got {quote(body_a)} twice")
            if known:
                start = self._start.get(name, ()) if isinstance(name, str) else ()
                placed.append(PlacedJoint(name, joint, numbers[body_a], numbers[body_b], start))
        return placed

    def _placed_couplings(self, found: Mistakes) -> list[PlacedCoupling]:
        joints = {name: entry[0] for name, entry in self._joints.items()}
        numbers = {name: number for number, name in enumerate(joints)}
        placed = []
        for name, coupling in [*self._couplings.items(), *self._named_entries("coupling")]:
            who = f"coupling {quote(name)}"
            mistakes = [f"{who} must be a dt.Coupling, got {quote(coupling)}"]
            if isinstance(coupling, Coupling):
                mistakes = coupling.mistakes(who, joints)
            found.extend(mistakes)
            if not mistakes:
                placed.append(placed_coupling(name, coupling, numbers))
        return placed

    def _placed_loads(self, found: Mistakes) -> list[PlacedLoad]:
        for name, load in [*self._loads.items(), *self._named_entries("load")]:
            who = f"load {quote(name)}"
            found.extend(load.mistakes(who))
            ground_allowed = not isinstance(load, ConstantForce)
            self._known(load.bodies(), who, found, ground_allowed)
        return [PlacedLoad(name, load) for name, load in self._loads.items()]

    def _placed_exclusions(self, found: Mistakes) -> list[tuple[int, int]]:
        """Pairs of bodies as numbers, the smaller first."""
        numbers = {name: i for i, name in enumerate(self._bodies)}
        placed = []
        for a, b in self._excluded.values():
            who = f"the excluded contact of {quote(a)} and {quote(b)}"
            if self._known((a, b), who, found, ground_allowed=False):
                if a == b:
                    found.append(f"{who} must name two different bodies")
                placed.append((min(numbers[a], numbers[b]), max(numbers[a], numbers[b])))
        return placed

    def _known(
        self, names: tuple[Any, ...], who: str, found: Mistakes, ground_allowed: bool = True
    ) -> bool:
        unknown = [
            name
            for name in names
            if not (isinstance(name, str) and name in self._bodies)
            and not (ground_allowed and isinstance(name, str) and name == GROUND_NAME)
        ]
        for name in unknown:
            found.append(unknown_body(who, name, self._bodies, ground_allowed))
        return not unknown


def _plural(kind: str) -> str:
    return "bodies" if kind == "body" else f"{kind}s"
