"""Time stepping with impulses: rigid contact, friction, impacts, joints."""

from typing import Any, ClassVar

import numpy as np

from dovetail.contact.impulse.contact_memory import ContactMemory
from dovetail.contact.impulse.exact import solve_worst
from dovetail.contact.impulse.joint_rows import JointPart
from dovetail.contact.impulse.law import ImpulseLaw
from dovetail.contact.impulse.problem import BEFORE_EXACT, ImpulseProblem, Solved
from dovetail.contact.impulse.restitution import impacts
from dovetail.contact.impulse.rows import loaded
from dovetail.contact.impulse.step_contacts import friction_at, push_out
from dovetail.contact.law import ContactMethod, ContactReport, LawKind
from dovetail.errors import RunError
from dovetail.integrators.interface import Observation, Snapshot, StepReport
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.shared.impulse_poses import (
    DONE,
    NOT_FINITE,
    drift,
    kinetic,
    momenta,
    shift_poses,
)
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.constraints.bodies import JOINT, MOTOR
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.multibody.state import BodyState, place_kinematic

TOLERANCE = 1e-8  # of the largest speed: how well the laws of contacts and joints must hold
ACCEPTED = 1e-6  # of it: beyond this the run ends
GOOD_TURN = 0.2  # [rad] per step, what the advice aims at
JOINT_FIT = 1e-10  # of the scene's length: joints are put right to this after every step
MOST_FITS = 6

Ends = tuple[list[tuple[int, Array, Array]], BodyState | None]  # of kinematic bodies


class StewartTrinkle:
    """Semi-implicit Euler with impulses (Stewart and Trinkle 1996, Anitescu and Potra 1997).

    Contacts, limits, joints, motors and dampers are solved for together:
        u' = u + M^-1 (h f + J^T lambda),   0 <= lambda_N _|_ J_N u' + gap / h >= 0,
    friction in a pyramid or cone, then x' = x + h u', and R' = R exp(f) with the turn f of a free
    body of that momentum. A positive gap may be closed but not crossed, so bodies do not sink;
    overlaps left by rounding or by the turn are taken back by a second solve that moves poses only
    and so adds no energy. First order; bodies that touch nothing and have no joints fly as under
    LieVerlet.
    """

    name: ClassVar[str] = "StewartTrinkle"
    order: ClassVar[int] = 1
    order_alone: ClassVar[int] = 2  # of bodies that touch nothing
    takes: ClassVar[frozenset[LawKind]] = frozenset({"impulse"})
    takes_joints: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "StewartTrinkle()"

    def start(self, model: Model, contact: ContactMethod | None) -> "StewartTrinkleStepper":
        return StewartTrinkleStepper(model, prepared_law(self, model, contact))


class StewartTrinkleStepper:
    """One run of `StewartTrinkle`."""

    def __init__(self, model: Model, law: ImpulseLaw | None) -> None:
        self._model, self._law = model, law
        self._arrays = body_arrays(model)
        self._joints = JointPart(model)
        system = self._joints.system
        self._loads, self._motors = system.loads, system.motors
        self.bodies: BodyState = system.initial
        n = model.n_bodies
        self._problem = ImpulseProblem(self._arrays, self._joints, law.facets if law else 0)
        self._memory = ContactMemory()
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        self._moves = model.motion == DYNAMIC
        self._reaches = np.zeros(n) if law is None else law.surfaces.reach
        self._reaches = np.where(np.isfinite(self._reaches), self._reaches, 0.0)
        self._L, self._u = np.zeros((n, 3)), np.zeros((n, 6))
        self._force, self._torque = np.zeros((n, 3)), np.zeros((n, 3))
        self._joint_impulse = np.zeros(self._joints.count)
        self._in_joint = np.zeros(n, np.bool_)
        jointed = self._joints.bodies[self._joints.which].ravel()
        self._in_joint[jointed[jointed >= 0]] = True
        momenta(self._arrays, self.bodies.R, self.bodies.spin, self._L)
        self._hold_freedoms()
        self._motors.set_time(0.0, 0.0)
        self._joints.at(self.bodies.x, self.bodies.R)
        if law is not None:
            self._look(0.0)

    def _hold_freedoms(self) -> None:
        """No velocity along held directions."""
        state, arrays = self.bodies, self._arrays
        for i in np.flatnonzero(self._moves):
            state.v[i, arrays.inverse_mass[i] == 0.0] = 0.0
            if self._model.fixed[i, 3:].any():
                spin = state.R[i] @ state.omega[i]
                spin[self._model.fixed[i, 3:]] = 0.0
                state.omega[i] = state.R[i].T @ spin

    def _look(self, h: float) -> None:
        """Contacts of the initial state, for the record."""
        assert self._law is not None
        self._law.find(self.bodies.x, self.bodies.R, np.zeros(self._model.n_bodies))
        self._velocities()
        self._problem.set_contacts(
            self.bodies.x, self.bodies.R, self._u, self._law.touches, self._law.count
        )
        self._memory.take(self._law, self._problem, self.bodies.x, self.bodies.R, h, np.zeros(0))
        self._memory.arrays["h"] = np.ones(1)

    def _velocities(self) -> None:
        """u of the current state."""
        self._u[:, :3] = self.bodies.v
        self._u[:, 3:] = self.bodies.spin

    def step(self, t_next: float) -> StepReport:
        state, law, problem = self.bodies, self._law, self._problem
        h = t_next - state.t
        ends = self._kinematic_ends(t_next, h)
        self._motors.set_time(state.t, t_next)
        self._joints.at(state.x, state.R)
        self._wrenches()
        self._velocities()
        for i, v, spin in ends[0]:
            self._u[i, :3], self._u[i, 3:] = v, spin
        count, sweeps, blows = 0, 0, np.zeros(0)
        scale = self._speed(h)
        if law is not None:
            law.find(state.x, state.R, self._way(h))
            count = law.count
        problem.set_joints(state.R)
        empty = count == 0 or law is None
        if law is not None:
            problem.set_contacts(state.x, state.R, self._about_to_move(h), law.touches, count)
        c, problem.soft = self._joints.wanted(h)
        gap = np.zeros(0) if law is None else law.touches.gap[:count].copy()
        mu = np.zeros(0) if law is None else friction_at(law, problem, self._u)
        v, L = state.v, self._L
        if not empty and law is not None:
            blows, more = self._impacts(law, h, mu)
            sweeps += more
            if len(blows):
                v = self._u[:, :3].copy()
                L = self._L.copy()
                momenta(self._arrays, state.R, np.ascontiguousarray(self._u[:, 3:]), L)
        loaded(self._arrays, state.x, state.R, L, v, h, self._force, self._torque, self._u)
        report = Solved(0, 0.0, -1)
        if problem.rows:
            problem.c[: problem.n_joint] = c
            problem.lam[: problem.n_joint] = self._joint_impulse
            problem.c[problem.normals()] = np.maximum(gap, 0.0) / h
            if not empty and law is not None:
                self._memory.guess(law, problem, state.x, state.R, h)
            problem.push(self._u)
            on = np.ones(count, np.int8)
            report = self._solved(mu, on, TOLERANCE * scale)
            if not report.residual <= ACCEPTED * scale:
                raise self._unsolved(report, scale, t_next)
            self._joint_impulse = problem.lam[: problem.n_joint].copy()
        shift = np.zeros_like(self._u)
        if law is not None and count:
            push_out(law, problem, gap, h, self._u, shift)
        if law is not None:
            touched = problem.rates_of(self._u)[problem.normals()]
            law.touches.gap[:count] = gap + h * touched
            law.touches.gap[:count] += problem.rates_of(shift)[problem.normals()]
            self._memory.take(law, problem, state.x, state.R, h, blows)
        self._drift(h, t_next, shift, ends)
        fits = self._fit_joints()
        state.t = t_next
        return StepReport(sweeps + report.sweeps + fits, report.residual / max(scale, 1e-300))

    def _about_to_move(self, h: float) -> Array:
        """(n, 6) velocities after the loads, where a contact at rest would begin to slip to."""
        state, u = self.bodies, self._u.copy()
        loaded(self._arrays, state.x, state.R, self._L, state.v, h, self._force, self._torque, u)
        return u

    def _kinematic_ends(self, t: float, h: float) -> Ends:
        """Mean velocities of kinematic bodies over the step, and where they end."""
        if not len(self._kinematic):
            return [], None
        state = self.bodies
        end = state.copy()
        end.t = t
        place_kinematic(self._model, end)
        means = []
        for i in self._kinematic:
            v = (end.x[i] - state.x[i]) / h
            spin = np.asarray(so3.log(end.R[i] @ state.R[i].T)) / h
            means.append((int(i), v, spin))
        return means, end

    def _wrenches(self) -> None:
        """Loads at the current state but dampers, which are rows."""
        state = self.bodies
        position_wrenches(self._loads.compiled, state.x, state.R, self._force, self._torque)
        if self._loads.functions:
            self._loads.functions.add_wrenches(state, self._force, self._torque)
        self._joints.add_efforts(state.R, self._force, self._torque)

    def _speed(self, h: float) -> float:
        """[m/s] the largest speed of any point that the step can know of."""
        u = self._u
        fast = np.linalg.norm(u[:, :3], axis=1) + self._reaches * np.linalg.norm(u[:, 3:], axis=1)
        kicks = h * np.linalg.norm(self._force * self._arrays.inverse_mass, axis=1)
        return float((fast + kicks).max(initial=0.0)) or 1.0

    def _way(self, h: float) -> Array:
        """(n,) [m] how far a point of each body may move in the step."""
        u = self._u
        fast = np.linalg.norm(u[:, :3], axis=1) + self._reaches * np.linalg.norm(u[:, 3:], axis=1)
        kicks = 2.0 * h * np.linalg.norm(self._force * self._arrays.inverse_mass, axis=1)
        return np.asarray(h * (fast + kicks))

    def _solved(self, mu: Array, on: Any, tolerance: float) -> Solved:
        """Sweeps and Newton's method, then Lemke's for contacts that they do not settle."""
        problem, u = self._problem, self._u
        first = problem.solve(u, mu, on, tolerance, most=BEFORE_EXACT)
        if first.residual <= tolerance:
            return first
        last = solve_worst(problem, u, mu, on, tolerance)
        done = first.sweeps + last.sweeps
        if not last.residual <= tolerance:
            last = problem.solve(u, mu, on, tolerance)
            done += last.sweeps
        return Solved(done, last.residual, last.row)

    def _impacts(self, law: ImpulseLaw, h: float, mu: Array) -> tuple[Array, int]:
        """Reflect what closes within the step and is fast enough; impulses and sweeps."""
        kicks = h * np.linalg.norm(self._force * self._arrays.inverse_mass, axis=1)
        mass, arrays, R = self._model.mass, self._arrays, self.bodies.R
        return impacts(
            law, self._problem, self._u, h, mu, kicks, lambda u: float(kinetic(arrays, mass, R, u))
        )

    def _drift(self, h: float, t: float, shift: Array, ends: Ends) -> None:
        state = self.bodies
        alone = self._moves & ~self._in_joint
        if self._law is not None:
            alone[self._law.touches.body[: self._law.count].ravel()] = False
        code, body = drift(
            h, self._arrays, self._u, alone, self._loads.compiled.force, shift, state.x, state.R,
            state.v, state.omega, self._L,
        )  # fmt: skip
        if code != DONE:
            raise self._failure(code, body, h, t)
        end = ends[1]
        if end is not None:
            for i in self._kinematic:
                state.x[i], state.R[i] = end.x[i], end.R[i]
                state.v[i], state.omega[i] = end.v[i], end.omega[i]

    def _fit_joints(self) -> int:
        """Put joints right at the new pose, velocities staying; returns the sweeps it took."""
        joints, state, problem = self._joints, self.bodies, self._problem
        if self._motors:
            self._motors.commit()
        if not joints.count:
            return 0
        sweeps = 0
        for _ in range(MOST_FITS):
            joints.at(state.x, state.R)
            off = joints.violations()
            worst = float(np.abs(off * joints.unit).max(initial=0.0))
            if worst <= JOINT_FIT * float(joints.system.joined.length[0]):
                break
            problem.set_joints(state.R)
            problem.n_contacts = 0
            problem.lam[: problem.n_joint] = 0.0
            problem.c[: problem.n_joint] = off
            problem.rho = np.zeros(0)
            shift = np.zeros_like(self._u)
            none = np.zeros(0, np.int8)
            done = problem.solve(shift, np.zeros(0), none, 1e-3 * worst, let_go_dampers=True)
            sweeps += done.sweeps
            shift_poses(self._arrays, shift, state.x, state.R, state.omega, self._L)
        return sweeps

    def _unsolved(self, report: Solved, scale: float, t: float) -> RunError:
        body = self._problem.body[report.row]
        who = " and ".join(quote(self._model.names[i]) if i >= 0 else "ground" for i in body)
        what = "joint" if report.row < self._problem.n_joint else "contact"
        return RunError(
            f"the impulses were not solved in {report.sweeps} sweeps: the {what} of {who} is off "
            f"by {report.residual:.3g} m/s, wanted {TOLERANCE * scale:.3g} m/s; use a smaller "
            "step, less friction, or masses that differ less",
            t,
        )

    def _failure(self, code: int, body: int, h: float, t: float) -> RunError:
        who = f"body {quote(self._model.names[body])}"
        if code == NOT_FINITE:
            return RunError(
                f"{who} has a position or velocity that is no finite number; check its loads, or "
                f"use a smaller step than {h:.3g} s",
                t,
            )
        spin = float(np.linalg.norm(self._u[body, 3:]))
        return RunError(
            f"{who} spins at {spin:.4g} rad/s, too fast for a step of {h:.3g} s: it must turn by "
            f"less than pi rad in a step; use a step of at most {GOOD_TURN / spin:.2g} s",
            t,
        )

    def observe(self) -> Observation:
        joints = self._joints
        record = self._memory.record() if self._law is not None else None
        least = np.inf
        if record is not None and len(record.gaps):
            least = float(record.gaps.min())
        report = ContactReport() if record is None else ContactReport(record, 0.0, least)
        return Observation(
            contact=report,
            constraint_position=float(np.abs(joints.violations()).max(initial=0.0)),
            constraint_velocity=self._rate_off(),
            stored_energy=joints.spring_energy(),
        )

    def _rate_off(self) -> float:
        joints, state = self._joints, self.bodies
        rates, worst = joints.system.joined.rate, 0.0
        for r, role in zip(joints.which, joints.role):
            if role in (JOINT, MOTOR):
                off = row_rate(joints.bodies, joints.G, r, state.v, state.omega) + rates[r]
                worst = max(worst, abs(off))
        return worst

    def snapshot(self) -> Snapshot:
        state = self.bodies
        arrays: Snapshot = {
            "t": np.array(state.t), "x": state.x.copy(), "R": state.R.copy(), "v": state.v.copy(),
            "omega": state.omega.copy(), "L": self._L.copy(),
            "angle": self._joints.angle.copy(), "motors": self._motors.turned.copy(),
            "joints": self._joint_impulse.copy(),
        }  # fmt: skip
        kept = {name: array.copy() for name, array in self._memory.arrays.items()}
        return arrays | prefixed("contact", kept)

    def restore(self, snapshot: Snapshot) -> None:
        state = self.bodies
        state.t = float(snapshot["t"])
        for name in ("x", "R", "v", "omega"):
            getattr(state, name)[...] = snapshot[name]
        self._L[...] = snapshot["L"]
        self._joints.angle[...] = snapshot["angle"]
        self._motors.turned[...] = snapshot["motors"]
        self._joint_impulse = snapshot["joints"].copy()
        self._memory.arrays = {
            name: array.copy() for name, array in part_of(snapshot, "contact").items()
        }
        self._motors.set_time(state.t, state.t)
        self._joints.at(state.x, state.R)
