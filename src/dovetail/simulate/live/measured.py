"""What can be read off a simulation: joints, bodies, contacts."""

from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from dovetail.contact.law import ContactRecord, in_body_order
from dovetail.errors import InputError, RunError
from dovetail.integrators.interface import Observation
from dovetail.model.frozen import GROUND
from dovetail.model.values import GROUND_NAME, Array, quote
from dovetail.runtime.options import named_options
from dovetail.simulate.live.contact_wrenches import Wrench, between
from dovetail.simulate.live.core import SimulationCore
from dovetail.simulate.live.handles import BodyHandle, JointHandle
from dovetail.simulate.live.names import number_of


class MeasuredSimulation(SimulationCore):
    """Everything by name."""

    @cached_property
    def _handles(self) -> dict[tuple[str, str], Any]:
        return {}

    @property
    def _whole(self) -> Any:
        """The simulation itself, whose states handles set."""
        return self

    @named_options
    def joint(self, name: str) -> JointHandle:
        """The joint of that name."""
        handle = self._handles.get(("joint", name)) if isinstance(name, str) else None
        if handle is None:
            handle = JointHandle(self._whole, number_of(name, self.joint_names, "joint"))
            self._handles["joint", name] = handle
        return handle

    @named_options
    def body(self, name: str) -> BodyHandle:
        """The body of that name."""
        handle = self._handles.get(("body", name)) if isinstance(name, str) else None
        if handle is None:
            handle = BodyHandle(self._whole, number_of(name, self.model.names, "body"))
            self._handles["body", name] = handle
        return handle

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the scene's joints, in their order."""
        return tuple(placed.name for placed in self.model.joints)

    @property
    def body_names(self) -> tuple[str, ...]:
        return self.model.names

    @property
    def q(self) -> Array:
        """Coordinates of all joints in the order of the scene, then of the free bodies."""
        return self.q_and_v()[0].copy()

    @q.setter
    def q(self, value: Any) -> None:
        raise InputError("`q` of a simulation is set by set_state(q=...), which places all bodies")

    @property
    def v(self) -> Array:
        """Their velocities."""
        return self.q_and_v()[1].copy()

    @v.setter
    def v(self, value: Any) -> None:
        raise InputError("`v` of a simulation is set by set_state(v=...), which moves all bodies")

    @property
    def efforts(self) -> Array:
        """(n_v,) [N m or N] that motors and targets exert now; 0 along what has none.

        Set: those of all joints at once, such as `sim.efforts = sim.bias_forces()`. What free
        bodies and joints without motors would need is left out.
        """
        found = np.zeros(self.meter.n_v)
        if self._steered:
            found[self._v_of_rows] = self.controls.acting(*self._coordinate_values(), self.time)
        return found

    @efforts.setter
    def efforts(self, values: Any) -> None:
        self.steer()
        array = values if isinstance(values, np.ndarray) else _as_numbers(values)
        if array.shape != (self.meter.n_v,) or array.dtype.kind not in "iuf" or not _finite(array):
            raise InputError(
                f"`efforts` must be {self.meter.n_v} finite numbers, one for each of `v`, got "
                f"{quote(values)}"
            )
        self.controls.set_efforts(array[self._v_of_rows])
        self.inputs_changed()

    @cached_property
    def _v_of_rows(self) -> Any:
        """Where the coordinates that can be steered have their velocities."""
        from dovetail.multibody.joint_values import places_of  # with the kernels of the meter

        places = [
            self.meter.places[j].v.start + self.model.joints[j].joint.coordinates[i].v
            for j, i in self.controls.row_of
        ]
        return places_of(places)

    def steps_ahead(
        self, count: int, every: int, efforts: Array | None
    ) -> tuple[tuple[Array, ...], RunError | None] | None:
        """Take all steps in one compiled call, efforts (count, n_v) being set before each.

        Returns x, R, v, omega after every so many steps, and why they ended early; None where the
        stepper cannot or something has to happen in Python between two steps.
        """
        if efforts is not None:
            self.steer()
        stepper: Any = self._stepper
        controls, rows = self.controls, np.zeros((0, 0))
        if not getattr(stepper, "can_step_ahead", False) or not hasattr(stepper, "steered_steps"):
            return None
        if efforts is not None:
            if any(motor is not None for motor in controls.motors) or controls.has_limits:
                return None
            rows = np.ascontiguousarray(efforts[:, self._v_of_rows])
            controls.set_efforts(rows[0])
            self._changed = True
        if self._changed:
            self._apply()
        self._forget()
        times = self._t0 + (self._k + np.arange(count + 1)) * self._step
        times[0] = self.time
        motion, done, failure = stepper.steered_steps(times, controls.coordinates, rows, every)
        self._k, self._begun = self._k + done, True
        finite = np.isfinite(motion[2]).all(axis=(1, 2)) & np.isfinite(motion[3]).all(axis=(1, 2))
        if not finite.all():
            last = int(np.argmin(finite))
            motion = tuple(array[:last] for array in motion)
            failure = RunError("a velocity is no finite number", float(times[(last + 1) * every]))
        return motion, failure

    def q_index(self, name: str) -> Any:
        """Where a joint, or a free body, has its coordinates in `q`: a number, or a slice."""
        return _index(self._place(name).q)

    def v_index(self, name: str) -> Any:
        """Where it has its velocities in `v`."""
        return _index(self._place(name).v)

    def _place(self, name: str) -> Any:
        names = [place.name for place in self.meter.places]
        return self.meter.places[number_of(name, names, "joint or free body")]

    def observe(self) -> Observation:
        """What the integrator measures of the state, computed once."""
        if self._observed is None:
            self._observed = self._stepper.observe()
        return self._observed

    @property
    def contacts(self) -> ContactRecord:
        """Arrays: bodies (m, 2) by number, points [m], normals, forces [N] on the first, gaps."""
        if self._contacts is None:
            self._contacts = in_body_order(self.observe().contact.contacts)
        return self._contacts

    def contact_wrench(self, a: str, b: str) -> Wrench:
        """Net force [N], torque [N m] and point of action [m] of body `b` on body `a`."""
        first, second = (
            GROUND if name == GROUND_NAME else number_of(name, self.model.names, "body")
            for name in (a, b)
        )
        if first == second:
            raise InputError(f"`contact_wrench` is of two bodies, got {quote(a)} twice")
        return between(self.contacts, first, second)

    def joint_wrenches(self) -> tuple[Array, Array]:
        """Force and torque (joints, 3) of every joint on its second body."""
        if self._reactions is None:
            wrenches = self.observe().joint_wrenches
            unknown = np.full((2, len(self.model.joints), 3), np.nan)
            self._reactions = (unknown[0], unknown[1]) if wrenches is None else wrenches()
        return self._reactions


def _as_numbers(values: Any) -> Any:
    """An array of what can be one, else one of no numbers."""
    try:
        return np.asarray(values)
    except Exception:  # ragged lists
        return np.zeros(0, np.bool_)


def _finite(array: Array) -> bool:
    """Whether all are; their squares tell it fast, unless they overflow."""
    return bool(float(array.dot(array)) < inf) or bool(np.isfinite(array).all())


def _index(where: slice) -> Any:
    return where.start if where.stop == where.start + 1 else where
