"""Forces of functions that depend on the velocities they lead to."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import RunError
from dovetail.integrators.barrier_verlet.end_functions import EndFunctions
from dovetail.integrators.shared.load_derivatives import LoadDerivatives
from dovetail.linalg.lie import so3
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import initial_state

H = 0.1


def model_with(load, wall=True):
    scene, box = dt.Scene(), dt.Box((0.3, 0.2, 0.1))
    if wall:
        scene.add_body("wall", box, motion="static", position=(-5, 0, 0))
    for k in range(2):
        scene.add_body(
            f"b{k}", box, mass=1.0 + k, position=(k, 0, 0), rotation=so3.exp([0.5, 0.2 * k, 0.1]),
            velocity=(0.3, -0.2 * k, 0.1), angular_velocity=(0.1, 0.2, -0.3 * k),
        )  # fmt: skip
    scene.add_load("load", load)
    return scene.build()


def coupled(t, state):
    """A damper between both, one that turns, and a push."""
    v = state.velocity("b1") - state.velocity("b0")
    turn = -0.03 * state.angular_velocity("b1")
    return {"b0": (30.0 * v + (1, 0, 0), (0, 0, 0.01)), "b1": (-30.0 * v, turn)}


class Finish:
    """Velocities after half a step of free bodies in which w acts."""

    def __init__(self, model, state):
        self.model, self.start, self.R = model, np.hstack((state.v, state.spin)), state.R
        self.calls = []

    def __call__(self, w):
        self.calls.append(w.copy())
        u = self.start.copy()
        for i in (1, 2):  # 0 is the wall
            inertia = self.R[i] @ self.model.inertia[i] @ self.R[i].T
            u[i, :3] += 0.5 * H * w[i, :3] / self.model.mass[i]
            u[i, 3:] += 0.5 * H * np.linalg.solve(inertia, w[i, 3:])
        self.end = u
        return u


def solved(load, damped=True):
    model = model_with(load)
    loads, state = LoadForces(model), initial_state(model)
    functions, finish = EndFunctions(model, loads.functions), Finish(model, state)
    assert bool(functions)
    damping = LoadDerivatives(model, loads).at(state, H).damping
    if not damped:
        damping = damping._replace(diagonal=0.0 * damping.diagonal, off=0.0 * damping.off)
    functions.solve(H, state.copy(), damping, finish)
    end = state.copy()
    end.v[...] = finish.end[:, :3]
    end.omega[...] = np.einsum("nji,nj->ni", state.R, finish.end[:, 3:])
    return finish, functions.wrenches(end)


def test_forces_belong_to_the_velocities_they_lead_to():
    """h c / m of 3 and 6: alone, their iteration would go 3 times as far each time."""
    finish, there = solved(coupled)
    np.testing.assert_allclose(finish.calls[-1], there, atol=1e-9)
    assert np.abs(there).max() > 1.0


def test_forces_that_are_linear_in_the_velocities_take_one_correction():
    """Newton's method is exact there; what is left is the error of differences."""
    finish, _ = solved(coupled)
    assert len(finish.calls) <= 4
    first, second = finish.calls[:2]
    np.testing.assert_allclose(second, finish.calls[-1], atol=1e-5 * np.abs(first).max())


def test_forces_that_depend_on_no_velocity_are_taken_at_once():
    finish, _ = solved(lambda t, state: {"b0": ((1, 2, 3), (0.1, 0, 0))})
    assert len(finish.calls) == 1
    np.testing.assert_array_equal(finish.calls[0][1], [1, 2, 3, 0.1, 0, 0])
    assert not finish.calls[0][[0, 2]].any()


def test_forces_that_jump_with_the_velocity_are_named_by_their_body():
    def jumps(t, state):
        rate = float(state.velocity("b1")[0])
        return {"b1": ((-400.0 * np.sign(rate - 0.2), 0, 0), (0, 0, 0))}

    with pytest.raises(RunError, match=r"on body 'b1' that .* in 60 iterations; .* than 0\.1 s"):
        solved(jumps, damped=False)


def test_without_functions_there_is_nothing_to_solve():
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)), mass=1)
    model = scene.build()
    assert not EndFunctions(model, LoadForces(model).functions)
