"""The scene: parts, joints, loads and materials, described once."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.body import Body
from dovetail.model.building import built
from dovetail.model.by_name import refuse_unknown_attribute
from dovetail.model.checked_body import BodyInput
from dovetail.model.entries import SceneEntries
from dovetail.model.frozen import Model
from dovetail.model.loads import ConstantForce, FunctionLoad, Load, SpringDamper
from dovetail.model.materials import Material, PairMaterial
from dovetail.model.unknown_names import by_joint
from dovetail.model.values import as_of_now, quote
from dovetail.runtime.options import named_options


class Scene:
    """Bodies, joints, loads and materials, and nothing about how to solve.

    Values are checked together when the scene is built (`dt.simulate` does that), so one error
    lists every mistake.
    """

    @named_options
    def __init__(self, gravity: Any = (0.0, 0.0, 0.0)) -> None:
        self.gravity = as_of_now(gravity)
        self._given = SceneEntries()

    def __setattr__(self, name: str, value: Any) -> None:
        refuse_unknown_attribute(
            self, name, ("gravity",), "use add_body(), add_joint(), add_force() and the like"
        )
        super().__setattr__(name, value)

    @property
    def bodies(self) -> MappingProxyType[str, Body]:
        return MappingProxyType(self._given.bodies)

    @property
    def joints(self) -> MappingProxyType[str, tuple[Any, str, str]]:
        """Name -> (joint, body_a, body_b)."""
        return MappingProxyType(self._given.joints)

    @property
    def loads(self) -> MappingProxyType[str, Load]:
        return MappingProxyType(self._given.loads)

    @property
    def couplings(self) -> MappingProxyType[str, Any]:
        """Name -> `Coupling`."""
        return MappingProxyType(self._given.couplings)

    @property
    def materials(self) -> tuple[PairMaterial, ...]:
        """How pairs of materials meet: as given, and as the bodies' own materials have it."""
        return tuple(self._given.pair_materials())

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
                material=self._given.material_name(material),
            )
        )  # fmt: skip
        self._given.keep("body", name, body)
        return body

    @named_options
    def add_joint(self, name: str, joint: Any, body_a: str, body_b: str) -> Any:
        """Join two bodies ('ground' is the world); `joint` such as `dt.Revolute`."""
        self._given.keep("joint", name, (joint, body_a, body_b))
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
        self._given.keep("coupling", name, coupling)
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
        self._given.keep("load", name, load)
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
        self._given.keep("load", name, load)
        return load

    @named_options
    def add_load(self, name: str, function: Callable[[float, Any], dict[str, Any]]) -> FunctionLoad:
        """A force of your own: `function(t, state)` -> {body: (force, torque)}."""
        load = FunctionLoad(function)
        self._given.keep("load", name, load)
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
        self._given.materials.append(pair)
        return pair

    @named_options
    def exclude_contact(self, body_a: str, body_b: str) -> None:
        """These two bodies pass through each other; see `group` of bodies for many at once."""
        self._given.excluded[frozenset((str(body_a), str(body_b)))] = (body_a, body_b)

    @property
    def excluded_contacts(self) -> tuple[tuple[str, str], ...]:
        """Pairs of bodies that pass through each other."""
        return tuple(self._given.excluded.values())

    @named_options
    def build(self) -> Model:
        """Check everything and freeze it; raises one InputError with all mistakes."""
        return built(self._given, self.gravity)

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
        if not q and not v:
            raise InputError("set_state() needs `q` or `v`, such as q={'elbow': 0.5}")
        given = {name: self._from_now(name, value) for name, value in q.items()}
        moved = moved_model(self.build(), given, v)
        joined = {name for entry in self._given.joints.values() for name in entry[1:]}
        for i, (name, body) in enumerate(self._given.bodies.items()):
            if body.checked.motion != "dynamic":
                continue
            origin = body.checked.position
            if body.checked.shape is not None:
                origin = origin - body.checked.rotation @ body.checked.centre
            self._given.bodies[name] = Body(
                replace(
                    body.given,
                    position=moved.bodies[i].point(origin),
                    rotation=moved.state.R[i],
                    **(moved.velocities(i) if v and name in joined else {}),
                )
            )
        for name, (_, a, b) in list(self._given.joints.items()):
            self._given.joints[name] = (moved.joints[name], a, b)
        for name, coupling in list(self._given.couplings.items()):
            self._given.couplings[name] = shifted_coupling(coupling, given)
        self.count_coordinates(q)

    def count_coordinates(self, q: dict[str, Any]) -> None:
        """Say which coordinates joints have where the scene has its bodies; see `set_state`."""
        for name, value in q.items():
            joint = self._given.joints[name][0]
            if all(one.motion.has_values for one in joint.coordinates):
                self._given.start[name] = tuple(float(part) for part in np.atleast_1d(value))

    @property
    def start_coordinates(self) -> MappingProxyType[str, tuple[float, ...]]:
        """Coordinates of joints where the scene has its bodies, of those that were set."""
        return MappingProxyType(self._given.start)

    def _from_now(self, name: str, value: Any) -> Any:
        """Coordinates of a joint counted from where it is now."""
        start = self._given.start.get(name)
        if start is None or np.shape(np.atleast_1d(value)) != np.shape(start):
            return value
        return np.atleast_1d(np.asarray(value, float)) - np.array(start)

    @named_options
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


def with_joints(scene: Scene, joints: Mapping[str, Any]) -> Scene:
    """A copy of the scene with other joints between the same bodies, by name."""
    made = deepcopy(scene)
    for name, joint in joints.items():
        made._given.joints[name] = (joint, *made._given.joints[name][1:])
    return made
