"""One joint, one body of a simulation: what can be read and set."""

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.by_name import UnknownAttributeError
from dovetail.model.frozen import DYNAMIC, GROUND
from dovetail.model.values import Array, finite_array, not_negative, quote, rotation_matrix, vector3
from dovetail.multibody.joint_points import point_on_b
from dovetail.runtime.options import named_options
from dovetail.runtime.registry import did_you_mean
from dovetail.simulate.live.contact_wrenches import Wrench, on_body
from dovetail.simulate.live.gains import give_gains

if TYPE_CHECKING:
    from dovetail.simulate.live.simulation import Simulation


class _Handle:
    """What can be set are its properties: a misspelt name would act on nothing."""

    name = ""
    _HOW = ""  # what to do instead of setting what is measured

    def __setattr__(self, name: str, value: Any) -> None:
        kept = getattr(type(self), name, None)
        if isinstance(kept, property) and kept.fset is None:
            raise UnknownAttributeError(
                f"`{name}` of {quote(self.name)} cannot be set; {self._HOW}"
            )
        if not name.startswith("_") and not hasattr(type(self), name):
            known = [each for each, kept in vars(type(self)).items() if getattr(kept, "fset", None)]
            raise UnknownAttributeError(
                f"{type(self).__name__} has no {quote(name)} to set{did_you_mean(name, known)}"
            )
        super().__setattr__(name, value)


class JointHandle(_Handle):
    """A joint: where it is, how it moves, what acts along it.

    Numbers for a joint of one coordinate, arrays for others, in the order of its motions. SI units:
    rad, N m for rotations, m, N for translations.
    """

    _HOW = "sim.set_state(q={...}, v={...}) moves joints; efforts and targets drive them"

    def __init__(self, simulation: "Simulation", number: int) -> None:
        self._simulation, self._number = simulation, number
        self._placed = simulation.model.joints[number]
        self.name = self._placed.name
        self._coordinates = [(number, i) for i in range(self._placed.joint.freedoms)]
        self._place = simulation.meter.places[number]
        self._point = point_on_b(self._placed, simulation.initial)
        self._measured = -1  # the row of the meter, of a joint of one coordinate
        if len(self._coordinates) == 1 and self._coordinates[0] in simulation.meter.coordinates:
            self._measured = simulation.meter.coordinates.index(self._coordinates[0])
        self._row = -1  # of the controls, likewise, once an effort was set

    def __repr__(self) -> str:
        return f"<joint {quote(self.name)}: position {self.position}, velocity {self.velocity}>"

    def _shaped(self, values: Array) -> Any:
        return float(values[0]) if len(values) == 1 else np.array(values)

    @property
    def position(self) -> Any:
        """Coordinates; 0 at the initial pose of the scene, whole revolutions counted."""
        if self._measured >= 0:
            return self._simulation.meter.value_of(self._measured)
        self._simulation.meter.refuse_unmeasured(self._number)
        return self._shaped(self._simulation.q_and_v()[0][self._place.q])

    @property
    def velocity(self) -> Any:
        """Rates of the coordinates."""
        if self._measured >= 0:
            return self._simulation.meter.rate_of(self._measured)
        return self._shaped(self._simulation.q_and_v()[1][self._place.v])

    @property
    def effort(self) -> Any:
        """What motor and targets exert now; set: until changed, in place of the scene's motor."""
        return self._shaped(self._simulation.acting_efforts(self._coordinates))

    @effort.setter
    def effort(self, value: Any) -> None:
        simulation = self._simulation
        if type(value) is float and self._row >= 0 and isfinite(value) and simulation.steered:
            simulation.controls.set_effort(self._row, value)
            simulation.inputs_changed()
        else:
            self._set("effort", value, "N or N m")

    @property
    def target_position(self) -> Any:
        """Where springs of the joint's `stiffness` pull it; None: nowhere."""
        return self._read("target")

    @target_position.setter
    def target_position(self, value: Any) -> None:
        if value is not None:
            self._simulation.steer()
            self._refuse_balls("target position")
            give_gains(self._simulation, self._coordinates, to_place=True)
        self._set("target", value, "m or rad")

    @property
    def target_velocity(self) -> Any:
        """The rate to which dampers of the joint's `damping` pull it; None: to rest at a target."""
        return self._read("speed")

    @target_velocity.setter
    def target_velocity(self, value: Any) -> None:
        if value is not None:
            give_gains(self._simulation, self._coordinates, to_place=False)
        self._set("speed", value, "m/s or rad/s")

    @property
    def stiffness(self) -> Any:
        """Gain of `target_position` [N/m or N m/rad]."""
        return self._read("stiffness")

    @stiffness.setter
    def stiffness(self, value: Any) -> None:
        self._refuse_balls("stiffness")
        self._gain("stiffness", value, "N/m or N m/rad")

    @property
    def damping(self) -> Any:
        """Gain of `target_velocity`, and of rest at a target [N s/m or N m s/rad]."""
        return self._read("damping")

    @damping.setter
    def damping(self, value: Any) -> None:
        self._gain("damping", value, "N s/m or N m s/rad")

    @named_options
    def set_target(
        self, position: Any = None, velocity: Any = None, stiffness: Any = None, damping: Any = None
    ) -> None:
        """Set targets and gains in one call; what is None stays as it is."""
        if stiffness is not None:
            self.stiffness = stiffness
        if damping is not None:
            self.damping = damping
        if position is not None:
            self.target_position = position
        if velocity is not None:
            self.target_velocity = velocity

    @property
    def wrench(self) -> Wrench:
        """Force [N] and torque [N m] of the joint on its second body, about its point there.

        World axes; what holds the body and what drives it. The mean of the last step under contact
        methods that solve for forces, else and before the first step that of the moment.
        """
        force, torque = self._simulation.joint_wrenches()
        body, state = self._placed.body_b, self._simulation.state
        point = self._point if body == GROUND else state.x[body] + state.R[body] @ self._point
        return Wrench(force[self._number].copy(), torque[self._number].copy(), point)

    @property
    def can_be_steered(self) -> bool:
        """Whether it takes efforts and targets."""
        try:
            return bool(self._rows())
        except InputError:
            return False

    def _rows(self) -> list[int]:
        """Rows of the controls; raises InputError for a joint that cannot be steered."""
        simulation = self._simulation
        simulation.steer()
        rows = [simulation.controls.row_of.get(one, -1) for one in self._coordinates]
        if not rows or -1 in rows:
            entries = self._placed.joint.actuation
            if any(isinstance(entry.motor, tuple | list) for entry in entries):
                why = "its motor in the scene prescribes its motion; give that joint no such motor"
            elif any(entry.lower is not None and entry.lower == entry.upper for entry in entries):
                why = "its limits hold it in place"
            elif not rows:
                why = f"a {self._placed.joint.kind} joint moves along nothing"
            else:
                why = (
                    f"a {self._placed.joint.kind} joint has no axis that a motor could act along; "
                    "push its bodies"
                )
            raise InputError(f"joint {quote(self.name)} takes no effort and no target: {why}")
        self._row = rows[0] if len(rows) == 1 else -1
        return rows

    def _read(self, name: str) -> Any:
        gain = name in ("stiffness", "damping")
        controls = self._simulation.kept_gains if gain else self._simulation.controls
        rows = [controls.row_of.get(one, -1) for one in self._coordinates]
        values = [getattr(controls, name)[row] if row >= 0 else np.nan for row in rows]
        if all(np.isnan(values)):
            return None if name in ("target", "speed") else self._shaped(np.zeros(len(values)))
        return self._shaped(np.array(values))

    def _set(self, name: str, value: Any, unit: str) -> None:
        rows = self._rows()
        label = {"target": "target_position", "speed": "target_velocity"}.get(name, name)
        if value is None and name in ("target", "speed"):
            values = np.full(len(rows), np.nan)
        else:
            shape = () if np.ndim(value) == 0 else (len(rows),)
            what = f"`{label}` of joint {quote(self.name)}"
            values = np.broadcast_to(finite_array(value, what, shape, unit), len(rows))
        controls = self._simulation.controls
        for row, one in zip(rows, values.tolist()):
            if name == "effort":
                controls.set_effort(row, one)  # gains stay as they are
            else:
                controls.set(row, **{name: one})
        self._simulation.inputs_changed()

    def _gain(self, name: str, value: Any, unit: str) -> None:
        what = f"`{name}` of joint {quote(self.name)}"
        for one in np.atleast_1d(np.asarray(value, dtype=object)).tolist():
            not_negative(one, what, unit)
        self._set(name, value, unit)

    def _refuse_balls(self, what: str) -> None:
        if not all(self._simulation.controls.has_value[row] for row in self._rows()):
            raise InputError(
                f"joint {quote(self.name)} takes no {what}: turns of a ball are not "
                "numbers that add up; give an effort or a target velocity"
            )


class BodyHandle(_Handle):
    """A body: its motion, the contact forces on it, and pushes. World axes, SI units."""

    _HOW = "place(...) moves a body, push(...) acts on it"

    def __init__(self, simulation: "Simulation", number: int) -> None:
        self._simulation, self._number = simulation, number
        self.name = simulation.model.names[number]

    def __repr__(self) -> str:
        return f"<body {quote(self.name)} at {self.position}>"

    @property
    def position(self) -> Array:
        """(3,) [m] of the centre of mass."""
        return np.array(self._simulation.state.x[self._number])

    @property
    def rotation(self) -> Array:
        """(3, 3) body to world."""
        return np.array(self._simulation.state.R[self._number])

    @property
    def velocity(self) -> Array:
        """(3,) [m/s] of the centre of mass."""
        return np.array(self._simulation.state.v[self._number])

    @property
    def angular_velocity(self) -> Array:
        """(3,) [rad/s]."""
        state = self._simulation.state
        return np.asarray(state.R[self._number] @ state.omega[self._number])

    @property
    def contact_force(self) -> Array:
        """(3,) [N] of all contacts on the body."""
        return self._contact_wrench().force

    @property
    def contact_torque(self) -> Array:
        """(3,) [N m] of all contacts on the body, about its centre of mass."""
        return self._contact_wrench().torque

    def _contact_wrench(self) -> Wrench:
        return on_body(self._simulation.contacts, self._number, self.position)

    @named_options
    def push(self, force: Any = None, torque: Any = None, point: Any = None) -> None:
        """Add a force [N] at a world `point` (default: the centre of mass) and a torque [N m].

        They act in the next step only.
        """
        who = f"body {quote(self.name)}"
        if self._simulation.model.motion[self._number] != DYNAMIC:
            raise InputError(f"{who} is not dynamic: forces do not move it")
        if force is None and (torque is None or point is not None):
            raise InputError(f"a push on {who} needs a `force` (at a `point`) or a `torque`")
        f = np.zeros(3) if force is None else vector3(force, f"`force` on {who}", "N")
        tau = np.zeros(3) if torque is None else vector3(torque, f"`torque` on {who}", "N m")
        if point is not None:
            arm = vector3(point, f"`point` of the push on {who}", "m") - self.position
            tau = tau + np.cross(arm, f)
        self._simulation.push(self._number, f, tau)

    @named_options
    def place(
        self,
        position: Any = None,
        rotation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
    ) -> None:
        """Put the body elsewhere, or give it other velocities; what is None stays.

        Refused where it would intersect another body, or where joints hold it.
        """
        who = f"body {quote(self.name)}"
        if position is None and rotation is None and velocity is None and angular_velocity is None:
            raise InputError(
                f"`place` of {who} needs a position, a rotation, a velocity or an angular_velocity"
            )
        x, R, v, spin = self.position, self.rotation, self.velocity, self.angular_velocity
        if position is not None:
            x = vector3(position, f"`position` of {who}", "m")
        if rotation is not None:
            R = rotation_matrix(rotation, f"`rotation` of {who}")
        if velocity is not None:
            v = vector3(velocity, f"`velocity` of {who}", "m/s")
        if angular_velocity is not None:
            spin = vector3(angular_velocity, f"`angular_velocity` of {who}", "rad/s")
        self._simulation.place_body(self._number, x, R, v, spin)
