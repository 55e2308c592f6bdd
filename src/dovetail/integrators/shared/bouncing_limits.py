r"""Limits of joints with restitution: a step is divided where one is reached.

The step that would pass a limit is taken to the time at which its gap is just not closed, found by
the method of false position (Illinois); there the rates of the coordinates become those after the
impact (`contact.impact.coordinates`), and the rest of the step follows. Within one step a limit
throws back once: flights that are shorter than a step end at the limit, without restitution, so a
coordinate comes to rest. No energy is gained: the impact takes (1 - e^2) of what it stops.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impact.coordinates import reflect_rates
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.model.frozen import Model
from dovetail.model.joints.motions import Rotation
from dovetail.model.values import Array
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.joint_values import JointMeter
from dovetail.multibody.loops import MassFactor, independent
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.mechanism.coordinates_at import coordinates_at
from dovetail.multibody.state import BodyState

TOUCHING = 1e-9  # [rad], or of the size of the mechanism: a gap that counts as closed
MAX_TRIALS = 60  # of the time of an impact
MAX_PASSES = 100  # impacts in a step of a scheme that holds limits only where they rest
SHORT = 1e-9  # of a step: a part that need not be taken


class Stop(NamedTuple):
    """One limit of one coordinate; it parts from it where `side` times the rate is positive."""

    coordinate: tuple[int, int]  # joint and coordinate of the model
    v_index: int
    bound: float
    side: float
    restitution: float
    touching: float


class BouncingLimits:
    """A stepper whose limits have restitution, around one that takes them as rigid."""

    def __init__(self, stepper: Any, model: Model) -> None:
        self._stepper, self._model = stepper, model
        self._mechanism = Mechanism(model)
        self._meter = JointMeter(model, [])
        self._stops = self._stops_of()
        row_of = {where: row for row, where in enumerate(self._meter.coordinates)}
        self._rows = np.array([row_of[stop.coordinate] for stop in self._stops], np.int64)
        self._side = np.array([stop.side for stop in self._stops])
        self._bound = np.array([stop.bound for stop in self._stops])
        self._touching = np.array([stop.touching for stop in self._stops])
        self._begun = stepper.snapshot()
        self._inputs: Inputs | None = None
        self._divided: Any = None  # limits at which steps are divided
        self._divides = hasattr(stepper, "end_at_limits")
        self._holds = hasattr(stepper, "holds_limits")  # only where they rest
        self._meter.look(stepper.bodies)

    def _stops_of(self) -> list[Stop]:
        names = [placed.name for placed in self._model.joints]
        found = []
        for row in self._mechanism.acting.coordinates:
            entry, where = row.actuation, (names.index(row.joint), row.number)
            joint = self._model.joints[where[0]].joint
            angular = isinstance(joint.coordinates[row.number].motion, Rotation)
            touching = TOUCHING * (1.0 if angular else self._mechanism.length)
            for bound, side in ((entry.lower, 1.0), (entry.upper, -1.0)):
                if bound is not None and row.q_index >= 0 and not row.terms:
                    stop = Stop(where, row.v_index, bound, side, entry.limit_restitution, touching)
                    found.append(stop)
        return found

    def __getattr__(self, name: str) -> Any:
        if name in ("can_step_ahead", "steps_ahead", "steered_steps", "advance"):
            raise AttributeError(name)
        return getattr(self._stepper, name)

    @property
    def bodies(self) -> BodyState:
        state: BodyState = self._stepper.bodies
        return state

    def _gaps(self) -> Array:
        """(stops,) [m or rad] at the current state."""
        self._meter.look(self._stepper.bodies)
        gaps: Array = self._side * (self._meter.measured[0][self._rows] - self._bound)
        return gaps

    def _rates(self) -> Array:
        """(stops,) at which gaps open, at the state looked at last."""
        rates: Array = self._side * self._meter.measured[1][self._rows]
        return rates

    def step(self, t_next: float) -> StepReport:
        stepper, whole = self._stepper, abs(t_next - self._stepper.bodies.t)
        touching = self._touching
        bounces, thrown = np.ones((2, len(self._stops)), np.bool_)
        iterations, passes = 0, 0
        while True:
            self._divide_at(bounces, whole)
            t, before, angle = stepper.bodies.t, stepper.snapshot(), self._meter.angle.copy()
            gaps, rates = self._gaps(), self._rates()
            report: StepReport = stepper.step(t_next)
            iterations += report.iterations
            # a limit that is touched already acts at once; one that rests there does not part
            after = self._gaps()
            meets = (after <= 0.0) & ((gaps > touching) | (rates < -gaps / whole))
            hit = bounces & meets & ((gaps > touching) | (rates < -touching / whole))
            if not hit.any():
                back = self._divides & bounces & (after < -touching)
                if back.any():  # thrown back in this step, and back again within it
                    bounces &= ~back
                    self._go_to(before, angle, t, t, 0.0)
                    continue
                return replace(report, iterations=iterations)
            to, trials = t, 0
            if not (hit & (gaps <= touching)).any():
                to, trials = self._time_of_impact(before, angle, t, t_next, hit, gaps)
            iterations += trials
            self._go_to(before, angle, t, to, SHORT * whole)
            self._impact(touching, thrown)
            passes += 1
            struck = hit & (self._gaps() <= 2.0 * touching)
            if self._holds:  # a limit that acts nowhere else stops what it has thrown back
                thrown &= ~struck
                bounces &= passes <= MAX_PASSES
            else:
                bounces &= ~struck & (passes <= len(self._stops))
            if abs(t_next - to) <= SHORT * whole:
                stepper.bodies.t = t_next
                return replace(report, iterations=iterations)

    def _divide_at(self, bounces: Any, whole: float) -> None:
        """Let the stepper pass the limits that a step is divided at, and no others.

        One whose limits are springs keeps those of the whole step in its parts.
        """
        if hasattr(self._stepper, "keep_stops_of"):
            self._stepper.keep_stops_of(whole)
        if self._divided is None or (bounces != self._divided).any():
            self._divided = bounces.copy()
            which = {stop.coordinate: True for stop in self._stops}
            for stop, divides in zip(self._stops, bounces):
                which[stop.coordinate] &= not divides
            if self._divides:
                self._stepper.end_at_limits(which)

    def _go_to(self, before: Snapshot, angle: Array, t: float, to: float, short: float) -> int:
        """Step from the state `before` at t to another time; returns the iterations."""
        self._stepper.restore(before)
        self._meter.angle[...] = angle
        taken = 0
        if abs(to - t) > short:
            taken = self._stepper.step(to).iterations
        self._meter.look(self._stepper.bodies)
        return taken

    def _time_of_impact(
        self, before: Snapshot, angle: Array, t: float, t_next: float, hit: Any, gaps: Array
    ) -> tuple[float, int]:
        """The time at which the first of the stops `hit` is as good as reached, not passed."""
        touching = float(min(s.touching for s, one in zip(self._stops, hit) if one))
        near, far = t, t_next
        value_near = float(gaps[hit].min())
        value_far = float(self._gaps()[hit].min())
        iterations, side = 0, 0
        for _ in range(MAX_TRIALS):
            if value_near <= touching or abs(far - near) <= 1e-15 * abs(t_next):
                break
            aim = 0.5 * touching
            share = (value_near - aim) / (value_near - value_far)
            to = near + min(max(share, 1e-6), 1.0 - 1e-6) * (far - near)
            iterations += self._go_to(before, angle, t, to, 0.0)
            value = float(self._gaps()[hit].min())
            if value > 0.0:
                near, value_near = to, value
                value_far = 0.5 * value_far if side > 0 else value_far
                side = 1
            else:
                far, value_far = to, value
                value_near = 0.5 * value_near if side < 0 else value_near
                side = -1
        return near, iterations

    def _impact(self, touching: Array, thrown: Any) -> None:
        """Rates after the impact of all limits that touch, with restitution of those `thrown`."""
        stepper, mechanism = self._stepper, self._mechanism
        state = stepper.bodies.copy()
        values = self._meter.joint_values(state)
        at = np.flatnonzero(self._gaps() <= 2.0 * touching)
        q, v = coordinates_at(mechanism, state, values)
        J = np.zeros((len(at), mechanism.n_v))
        for row, stop in enumerate(at):
            J[row, self._stops[stop].v_index] = self._stops[stop].side
        held = mechanism.jacobian(q)
        driven = np.eye(mechanism.n_v)[mechanism.driven]
        mass = MassFactor(mechanism.tree, q)
        G, Y = mass.reduced(J), mass.reduced(np.vstack([driven, held]))
        chosen = independent(Y, mechanism.loops.size, len(driven))
        Q = np.linalg.qr(Y[chosen].T)[0]
        G = G - (G @ Q) @ Q.T  # what joints, loops and motors leave of an impulse
        e = np.array([thrown[stop] * self._stops[stop].restitution for stop in at])
        v = v + mass.expanded(G.T @ reflect_rates(G @ G.T, J @ v, e))
        mechanism.fill(q, v, state)
        stepper.restore(self._begun)
        if self._inputs is not None:
            stepper.set_inputs(self._inputs, carried=True)
        stepper.set_state(state, values)
        self._meter.look(stepper.bodies)

    def observe(self) -> Observation:
        seen: Observation = self._stepper.observe()
        return seen

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._inputs = inputs
        self._stepper.set_inputs(inputs, carried)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        self._stepper.set_state(state, coordinates)
        for row, where in enumerate(self._meter.coordinates):
            self._meter.angle[row] = coordinates.get(where, 0.0)
        self._meter.look(self._stepper.bodies)

    def snapshot(self) -> Snapshot:
        kept: Snapshot = self._stepper.snapshot()
        return kept | {"limits_angle": self._meter.angle.copy()}

    def restore(self, snapshot: Snapshot) -> None:
        self._stepper.restore(snapshot)
        self._meter.angle[...] = snapshot["limits_angle"]
        self._meter.look(self._stepper.bodies)
