"""The derivatives of the whole incremental potential against differences of its energy."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.candidates.records import KIND
from dovetail.contact.ipc.friction.coefficients import no_friction
from dovetail.contact.ipc.friction.records import bundle_friction, empty_friction
from dovetail.contact.ipc.newton.load_terms import load_terms
from dovetail.contact.ipc.newton.potential import differentiate, energy_at
from dovetail.contact.ipc.newton.spring_terms import DRIVEN, FIXED, spring_terms
from dovetail.contact.ipc.poses import move
from dovetail.contact.ipc.records import Poses
from dovetail.linalg.lie import so3
from ipc_arrays import IpcArrays

DMIN, DHAT = 0.01, 0.6
REACH, BARRIER = DMIN + DHAT, Barrier(DHAT, DMIN, 0.37)


def crowded():
    """Every kind of contact: faces, edges, a wire, loose points and a half-space."""
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("cube", dt.Box((1, 1, 1)), mass=2, position=(0.1, 0, 0.7))
    scene.add_body("slab", dt.Box((1, 2, 0.1)), mass=1, position=(1.23, 0.1, 0.93))
    wire = dt.Mesh([[0, 0, 0], [1, 0.1, 0.2]], edges=[[0, 1]])
    scene.add_body("wire", wire, mass=1, inertia=(0.1, 0.2, 0.3), center_of_mass=(0.5, 0.05, 0.1),
                   position=(0.3, 1.25, 0.9))  # fmt: skip
    cloud = dt.Mesh([[0, 0, 0], [0.3, 0.1, 0.2], [0, 0.4, 0.1]])
    scene.add_body("cloud", cloud, mass=1, inertia=(0.1, 0.2, 0.3), center_of_mass=(0.1, 0.1, 0.1),
                   position=(0.13, -1.05, 0.9))  # fmt: skip
    return scene.build()


def random_loads(rng, pairs):
    """Loads of five bodies that change in the step, two of them between bodies."""
    loads, size = load_terms(5, len(pairs)), 30
    half = rng.normal(size=(size, size))
    P = (0.3 * half @ half.T).reshape(5, 6, 5, 6)
    loads.acts[0], loads.bodies[...] = 1, pairs
    loads.diagonal[...] = P[np.arange(5), :, np.arange(5)]
    loads.off[...] = [P[a, :, b] for a, b in pairs]
    loads.constant[...] = rng.normal(size=(5, 6))
    return loads


def random_springs(rng):
    """Between two bodies, one of them in reverse order, from the ground and from a driven body."""
    bodies = np.array([(1, 2), (4, 1), (-1, 3), (0, 2)])
    slot = np.array([(0, 1), (3, 0), (FIXED, 2), (DRIVEN, 1)], np.int32)
    springs = spring_terms(bodies, slot, rng.normal(size=(4, 2, 3)), rng.random(4))
    springs.stiffness[...], springs.damping[...] = 1 + rng.random((2, 4))
    springs.reference[...] = rng.random(4)
    return springs


class Potential(IpcArrays):
    """The potential of a step from random predictions."""

    def __init__(self):
        model, rng = crowded(), np.random.default_rng(0)
        loads = random_loads(rng, [(1, 2), (2, 4)])
        super().__init__(model, loads=loads, springs=random_springs(rng))
        self.set_barriers(DHAT, 2.5)
        iterate, predicted = self.workspace.iterate, self.workspace.predicted
        iterate.x[...], iterate.R[...] = model.position, model.rotation
        predicted.x[...] = model.position + 0.1 * rng.normal(size=(5, 3))
        predicted.R[...] = model.rotation + 0.05 * rng.normal(size=(5, 3, 3))
        self.workspace.impulse[...] = 0.1 * rng.normal(size=(5, 3))
        self.friction = bundle_friction(*empty_friction(no_friction(5), 0))
        self.start = Poses(
            iterate.x - 0.1 * rng.normal(size=(5, 3)),
            so3.exp(0.3 * rng.normal(size=(5, 3))) @ model.rotation,
        )
        assert self.measure(*iterate, REACH, DHAT, path_length=0.01) > DMIN**2

    def energy(self, twist):
        iterate = self.workspace.iterate
        moved = Poses(iterate.x.copy(), iterate.R.copy())
        move(self.bodies.slot, iterate, twist.reshape(-1, 6), 1.0, moved)
        self.measure(*moved, REACH, DHAT)
        return energy_at(*self.parts, self.friction, moved, self.start, BARRIER)


@pytest.fixture(scope="module")
def potential():
    return Potential()


def test_every_kind_of_contact_is_there(potential):
    close = potential.squared < REACH**2
    assert set(potential.candidates[close, KIND].tolist()) >= {0, 1, 2, 4}


def test_gradient_and_hessian_of_the_whole_potential_match_differences(potential):
    system, energy = potential.workspace.system, potential.energy
    potential.measure(*potential.workspace.iterate, REACH, DHAT)
    total, contacts, n_linked = differentiate(
        *potential.parts, potential.friction, potential.start, BARRIER, 1.0, False
    )
    assert contacts > 20
    free = potential.friction
    assert total > energy_at(*potential.parts, free, potential.workspace.iterate, potential.start,
                             Barrier(DHAT, DMIN, 0.0)) + 0.1  # fmt: skip
    assert total == pytest.approx(energy(np.zeros(30)), rel=1e-12)
    gradient, diagonal, off = system.gradient.copy(), system.diagonal.copy(), system.off.copy()
    m = len(gradient)
    H = np.zeros((6 * m, 6 * m))
    for k in range(m):
        H[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = diagonal[k]
    for block, (a, b) in zip(off, system.linked[:n_linked]):
        H[6 * a : 6 * a + 6, 6 * b : 6 * b + 6] += block
        H[6 * b : 6 * b + 6, 6 * a : 6 * a + 6] += block.T
    owner = np.flatnonzero(potential.bodies.slot >= 0)

    def unit(k, h):
        twist = np.zeros((5, 6))
        twist[owner[k // 6], k % 6] = h
        return twist.ravel()

    size, scale = np.abs(gradient).max(), np.abs(H).max()
    h = 1e-6
    for k in range(6 * m):
        slope = (energy(unit(k, h)) - energy(unit(k, -h))) / (2 * h)
        assert gradient.ravel()[k] == pytest.approx(slope, rel=1e-5, abs=1e-6 * size)
    h = 1e-4
    for k in range(6 * m):
        for j in range(k + 1):
            both = [energy(unit(k, s * h) + unit(j, r * h)) for s, r in
                    ((1, 1), (1, -1), (-1, 1), (-1, -1))]  # fmt: skip
            bend = (both[0] - both[1] - both[2] + both[3]) / (4 * h * h)
            # Twists are added, not composed: for two turns of one body the second derivative is
            # that of the symmetric part, which is what the Hessian on the group is.
            assert H[k, j] == pytest.approx(bend, rel=5e-3, abs=2e-4 * scale), (k, j)
