"""The stepper of all variational schemes for bodies with joints."""

import warnings

import numpy as np

from dovetail.contact.law import ForceLaw
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.shared import accelerations
from dovetail.integrators.shared.constrained_state import ConstrainedState
from dovetail.integrators.shared.divided_steps import DividedSteps, UnsolvedError, energy_noise
from dovetail.integrators.variational import step as variational_step
from dovetail.integrators.variational.stages import DONE
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    EFFORT,
    JOINT,
    MEASURE,
    MOTOR,
    bundle_motion,
    violation,
    zero_motion,
)
from dovetail.multibody.energy import kinetic_energy
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.state import BodyState

ONE = np.ones(1)
MISSED = 0.2  # of the speed: what velocities that are not projected may miss the joints by
IN_A_ROW = 3  # steps in a row that would miss them, before it is said
NOISE = 1e-9  # of the length in a step: what is round-off
WRONG = 5e-3  # of the largest kinetic energy: a change in a step that does not resolve the motion


class VariationalStepper:
    """One run of a scheme given by its rule of discrete momentum and whether it projects."""

    def __init__(
        self, model: Model, law: ForceLaw | None, rule: int, projects: bool, gammas: Array = ONE
    ) -> None:
        """`gammas`: substeps of a composition, for a scheme that projects."""
        self._constrained = ConstrainedState(model, law)
        self._rule, self._projects, self._gammas = rule, projects, gammas
        self._damping = self._constrained.system.constants.damping.copy()
        self._damped = bool(self._damping.any())
        if len(gammas) > 1 and self._damped:
            self._constrained.leave_dampers_out()
        self._constrained.end_forces.knows_joints = projects
        self._h_before, self._chances = 0.0, IN_A_ROW
        self._begins = True  # no step was taken since the state was given
        now = self._constrained.now
        self._kept = bundle_motion(*zero_motion(len(now.x), *now.G.shape[:2]))
        self._conservative = projects and self._is_conservative(model)
        length = float(self._constrained.system.constants.length[0])
        self._noise, self._largest = energy_noise(model, length)  # [J] kinetic energy so far
        self._energy: float | None = None  # [J] at the state, where it is known
        self._divided = DividedSteps(
            self, self._substep, lambda: kinetic_energy(model, self._constrained.bodies), model
        )

    def _is_conservative(self, model: Model) -> bool:
        """Whether nothing but loops and forces with a potential act, so that energy is a check."""
        constrained = self._constrained
        constants, loop = constrained.system.constants, constrained.system.tree.loop[0]
        follows = not constrained.system.loads.compiled.body_force.any()
        idle = np.isin(constants.role, (JOINT, EFFORT, ARMATURE, MEASURE)).all()
        return bool(
            loop < len(constants.role) and constrained.autonomous and idle and follows
        )  # fmt: skip

    @property
    def bodies(self) -> BodyState:
        return self._constrained.bodies

    def step(self, t_next: float) -> StepReport:
        t, divided = self._constrained.bodies.t, self._divided
        composed = len(self._gammas) > 1
        if divided.active:
            self._energy = None
            return divided.step(t, t_next, None)
        keeps, failure = (composed or self._conservative) and self._projects, None
        if self._conservative:
            before = self._energy_now()
        if keeps:
            variational_step.keep(self._constrained.parts, self._kept)
            motors = self._constrained.system.motors
            travel = motors.travel.copy() if motors else motors.travel
        try:
            report = self._composed(t_next) if composed else self._substep(t_next)
            if not self._conservative or not self._is_wrong(before):
                return report
        except UnsolvedError as error:
            if not self._projects:
                raise
            failure = error
        self._energy = None
        if keeps:
            variational_step.take_back(self._constrained.parts, self._kept)
            self._constrained.bodies.t = t
            self._constrained.system.motors.travel[...] = travel
        divided.begin(t_next - t)
        return divided.step(t, t_next, failure)

    def _energy_now(self) -> float:
        """[J] at the state, as found after the step that led there."""
        if self._energy is None:
            _, self._energy = variational_step.mechanical_energy(self._constrained.parts)
        return self._energy

    def _is_wrong(self, before: float) -> bool:
        """Whether energy has changed more than a step may that resolves the motion."""
        kinetic, total = variational_step.mechanical_energy(self._constrained.parts)
        self._largest = max(self._largest, kinetic)
        wrong = abs(total - before) > WRONG * self._largest + self._noise
        self._energy = None if wrong else total
        return bool(wrong)

    def _composed(self, t_next: float) -> StepReport:
        """A composition: substeps forth and back, dampers before and after."""
        t = self._constrained.bodies.t
        h, iterations, size = t_next - t, 0, 0.0
        damping = self._constrained.system.constants.damping
        damping[...] = 0.0
        try:
            self._dissipate(0.5 * h)
            for part in [*np.cumsum(self._gammas)[:-1].tolist(), 1.0]:
                report = self._substep(t_next if part == 1.0 else t + part * h)
                iterations += report.iterations
                size = max(size, report.residual)
            self._dissipate(0.5 * h)
        finally:
            damping[...] = self._damping
        return StepReport(iterations, size)

    def _dissipate(self, h: float) -> None:
        """Dampers alone for a time h."""
        if self._damped:
            code, body = variational_step.dissipate(h, self._damping, self._constrained.parts)
            if code != DONE:
                constrained = self._constrained
                raise constrained.failure(code, body, 0.0, constrained.bodies.t)

    def _substep(self, t_next: float) -> StepReport:
        constrained = self._constrained
        h = t_next - constrained.bodies.t
        if self._begins:
            constrained.soften_dampers(h)
        constrained.place_others(t_next)
        if constrained.plain:
            code, body, iterations, size = variational_step.step(
                h, self._h_before, self._rule, self._projects, constrained.parts
            )
        else:
            code, body, iterations, size = self._step_with_extra(h, t_next)
        if code != DONE:
            raise constrained.failure(code, body, size, t_next)
        constrained.finish_step(t_next)
        self._h_before, self._begins = h, False
        if not self._projects:
            self._fit_velocities(abs(h))
        return StepReport(iterations, size, near=constrained.end_forces.near)

    def _fit_velocities(self, h: float) -> None:
        """Where velocities that are not projected miss the joints by much, take the nearest.

        They are those that DH has. Poses stay as they are: what a projection adds to the momenta
        lies in the span of G^T, which the multipliers of the next step make up for. These start
        again then, as after an impact.
        """
        constrained = self._constrained
        if constrained.work.projected[0]:
            self._h_before = 0.0
            return
        bodies, length = constrained.bodies, float(constrained.system.constants.length[0])
        _, miss, _ = violation(constrained.parts)
        speed = max(np.abs(bodies.v).max(), length * np.abs(bodies.omega).max())
        allowed = MISSED * speed + NOISE * length / h
        if miss * max(length, 1.0) > allowed:  # m/s or rad/s: it may be little at that length
            miss = self._missed_speed()
        if not miss > allowed:
            self._chances = IN_A_ROW if self._chances > 0 else 0
            return
        accelerations.start(constrained.parts)
        self._h_before = 0.0
        self._chances -= 1
        if self._chances == 0:
            warnings.warn(
                f"at t = {bodies.t:.6g} s velocities would miss the joints by {miss:.3g} m/s, "
                f"the largest is {speed:.3g} m/s: this scheme does not project them, and a step of "
                f"{h:.3g} s does not resolve the motion; such steps get the nearest velocities "
                "that fit, those of DH; use a smaller step, or RATTLie",
                stacklevel=2,
            )

    def _missed_speed(self) -> float:
        """Largest |d phi/dt| of joints [m/s], rates of angles times the scene's length."""
        system, now = self._constrained.system, self._constrained.now
        bodies, constants = system.rows.body, system.constants
        twists = np.hstack([now.v, now.omega])[bodies] * (bodies >= 0)[:, :, None]
        rates = np.einsum("rsk,rsk->r", now.G[:, :, :6], twists) + constants.rate
        held = np.isin(constants.role, (JOINT, MOTOR))
        return float(np.max(np.abs(rates * system.unit), where=held, initial=0.0))

    def _step_with_extra(self, h: float, t_next: float) -> tuple[int, int, int, float]:
        """A step whose end forces need Python and are solved for together with velocities."""
        constrained, rule, projects = self._constrained, self._rule, self._projects
        code, body, iterations, size = variational_step.move(
            h, self._h_before, rule, projects, constrained.parts
        )
        if code != DONE:
            return code, body, iterations, size
        G, before = constrained.after.G, constrained.work.extra.copy()
        closed: tuple[int, int] = (DONE, -1)

        def kick() -> bool:
            nonlocal closed
            closed = variational_step.close(h, rule, projects, constrained.parts)
            return bool(closed[0] == DONE)

        settled = 0
        try:
            settled = constrained.end_forces.solve(
                0.5 * h, constrained.work.extra, constrained.next_bodies, kick,
                lambda bodies: constrained.responses(G, G, bodies),
            )  # fmt: skip
        finally:
            if not settled:
                constrained.work.extra[...] = before
        if not settled:
            return *closed, iterations, size
        variational_step.commit(constrained.parts)
        return DONE, -1, iterations + settled, size

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._constrained.set_inputs(inputs, carried)
        self._conservative = False  # what acts now is not among the energies
        self._damping = self._constrained.system.constants.damping.copy()
        self._damped = bool(self._damping.any())

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        self._constrained.set_state(state, coordinates)
        if len(self._gammas) > 1 and self._damped:
            self._constrained.leave_dampers_out()
        self._h_before, self._energy, self._begins = 0.0, None, True

    def end_at_limits(self, which: dict[tuple[int, int], bool]) -> None:
        """Whether a step that would pass the limits of (joint, coordinate) ends at them."""
        self._constrained.end_at_limits(which)

    def observe(self) -> Observation:
        return self._constrained.observe()

    def snapshot(self) -> Snapshot:
        own = {"h_before": np.array([self._h_before, self._largest, self._begins])}
        return self._constrained.snapshot() | own | self._divided.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        self._constrained.restore(snapshot)
        self._energy = None
        self._h_before, self._largest = (float(x) for x in snapshot["h_before"][:2])
        self._begins = bool(snapshot["h_before"][2])
        self._divided.restore(snapshot)
