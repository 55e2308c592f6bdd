"""Wrenches that depend on the velocities they cause: sparse blocks against the dense system."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.records import DerivativeBlocks
from dovetail.integrators.lie_verlet.block_solver import TOLERANCE, BlockSolver, solve_directly
from dovetail.multibody.state import initial_state


def random_system(seed: int, n: int, m: int, size: float) -> tuple[DerivativeBlocks, np.ndarray]:
    """Slopes of dampers between m random pairs of n bodies, and masses of all but the first."""
    random = np.random.default_rng(seed)
    pairs = np.array([random.choice(n, 2, replace=False) for _ in range(m)])
    own, across = np.zeros((n, 6, 6)), np.zeros((m, 2, 6, 6))
    for k, (a, b) in enumerate(pairs):
        for row in random.normal(size=(3, 12)):
            C = -size * np.outer(row, row + 0.2 * random.normal(size=12))
            own[a] += C[:6, :6]
            own[b] += C[6:, 6:]
            across[k, 0] += C[:6, 6:]
            across[k, 1] += C[6:, :6]
    responses = np.zeros((n, 6, 6))
    for i in range(1, n):
        root = random.normal(size=(6, 6))
        responses[i] = root @ root.T / 6 + 0.1 * np.eye(6)
    return DerivativeBlocks(own, pairs.astype(np.int32), across), responses


def dense(derivatives: DerivativeBlocks, responses: np.ndarray) -> np.ndarray:
    n = len(responses)
    S = np.zeros((n, 6, n, 6))
    S[np.arange(n), :, np.arange(n)] = derivatives.own
    for k, (a, b) in enumerate(derivatives.bodies):
        S[a, :, b] += derivatives.across[k, 0]
        S[b, :, a] += derivatives.across[k, 1]
    V = np.zeros((n, 6, n, 6))
    V[np.arange(n), :, np.arange(n)] = responses
    return np.eye(6 * n) - S.reshape(6 * n, -1) @ V.reshape(6 * n, -1)


@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0])
def test_blocks_solve_the_dense_system_by_iteration_and_by_elimination(size):
    derivatives, responses = random_system(1, 12, 20, size)
    A, right = dense(derivatives, responses), np.random.default_rng(2).normal(size=(2, 12, 3))
    by_body = right.transpose(1, 0, 2).ravel()
    exact = np.linalg.solve(A, by_body)
    np.testing.assert_allclose(solve_directly(derivatives, responses, by_body), exact, atol=1e-9)
    found = BlockSolver(12).solve(derivatives, responses, right).transpose(1, 0, 2).ravel()
    assert np.linalg.norm(A @ found - by_body) <= 1.01 * TOLERANCE * np.linalg.norm(by_body)


def test_a_system_that_iteration_cannot_solve_is_solved_directly(monkeypatch):
    derivatives, responses = random_system(3, 5, 6, 1.0)
    monkeypatch.setattr("dovetail.integrators.lie_verlet.block_solver.solve_blocks", lambda *_: -1)
    right = np.random.default_rng(4).normal(size=(2, 5, 3))
    found = BlockSolver(5).solve(derivatives, responses, right).transpose(1, 0, 2).ravel()
    missed = dense(derivatives, responses) @ found - right.transpose(1, 0, 2).ravel()
    assert np.abs(missed).max() < 1e-10


def test_blocks_of_a_contact_law_are_those_of_its_dense_derivatives():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    for k, z in enumerate((0.0995, 0.298, 0.4975)):
        scene.add_body(
            f"ball {k}", dt.Sphere(0.1), density=1000, position=(0.01 * k, 0, z),
            velocity=(0.3, 0, -0.2 * k), angular_velocity=(1, 2, k),
        )  # fmt: skip
    scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), density=500, position=(0.19, 0.02, 0.0995))
    model = scene.build()
    law = dt.contact.SDF(friction=0.4, damping=1e4).prepare(model)
    state = initial_state(model)
    law.wrenches(state)
    blocks = law.derivative_blocks(state)
    n = model.n_bodies
    units = np.broadcast_to(np.eye(6), (n, 6, 6)).copy()
    S = np.eye(6 * n) - dense(blocks, units)
    whole = law.velocity_derivatives(state).reshape(6 * n, 6 * n)
    assert len(blocks.bodies) >= 4
    np.testing.assert_allclose(S, whole, atol=1e-12 * np.abs(whole).max())
