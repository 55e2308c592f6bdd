"""The derivatives of the whole incremental potential against differences of its energy."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc.candidates.distances import stand
from dovetail.contact.ipc.friction.coefficients import no_friction
from dovetail.contact.ipc.friction.records import bundle_friction, empty_friction
from dovetail.contact.ipc.model_bodies import body_arrays
from dovetail.contact.ipc.newton.minimise import derive, energy_at
from dovetail.contact.ipc.poses import move
from dovetail.contact.ipc.records import bundle_bodies, bundle_lists, bundle_room
from dovetail.contact.ipc.workspace import list_room, step_room

DMIN, DHAT, WEIGHT = 0.01, 0.6, 0.37


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


@pytest.fixture(scope="module")
def potential():
    model = crowded()
    rng = np.random.default_rng(0)
    bodies = body_arrays(model)
    lists, room = list_room(bodies, 64, 8192), step_room(bodies, 64, 8192, 4, 64)
    room.x[...], room.R[...] = model.position, model.rotation
    room.x_hat[...] = model.position + 0.1 * rng.normal(size=(5, 3))
    room.R_hat[...] = model.rotation + 0.05 * rng.normal(size=(5, 3, 3))
    room.impulse[...] = 0.1 * rng.normal(size=(5, 3))
    parts = bundle_bodies(*bodies), bundle_lists(*lists), bundle_room(*room)
    friction = bundle_friction(*empty_friction(no_friction(5), 0))
    fits, least = stand(*parts, room.x, room.R, np.full(5, 0.01), DMIN + DHAT, DHAT)
    assert fits and least > DMIN**2
    R_0 = model.rotation.copy()
    return bodies, lists, room, (*parts, friction), R_0


def energy(potential, twist):
    bodies, _, room, parts, R_0 = potential
    x, R = room.x.copy(), room.R.copy()
    move(bodies.slot, room.x, room.R, twist.reshape(-1, 6), 1.0, x, R)
    assert stand(*parts[:3], x, R, np.zeros(5), DMIN + DHAT, DHAT)[0]
    return energy_at(*parts, x, R, room.x, R_0, DMIN, DHAT, WEIGHT)


def test_every_kind_of_contact_is_there(potential):
    _, lists, room, _, _ = potential
    which, count = lists.numbers[0], lists.start[lists.numbers[0], lists.numbers[1]]
    close = room.squared[:count] < (DMIN + DHAT) ** 2
    assert set(lists.pool[which, :count, 0][close].tolist()) >= {0, 1, 2, 4}


def test_gradient_and_hessian_of_the_whole_potential_match_differences(potential):
    bodies, _, room, parts, R_0 = potential
    stand(*parts[:3], room.x, room.R, np.zeros(5), DMIN + DHAT, DHAT)
    total, contacts, n_linked = derive(*parts, room.x, R_0, DMIN, DHAT, WEIGHT, 1.0, False)
    assert contacts > 20
    assert total == pytest.approx(energy(potential, np.zeros(30)), rel=1e-12)
    gradient, diagonal, off = room.gradient.copy(), room.diagonal.copy(), room.off.copy()
    m = len(gradient)
    H = np.zeros((6 * m, 6 * m))
    for k in range(m):
        H[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = diagonal[k]
    for block, (a, b) in zip(off, room.linked[:n_linked]):
        H[6 * a : 6 * a + 6, 6 * b : 6 * b + 6] += block
        H[6 * b : 6 * b + 6, 6 * a : 6 * a + 6] += block.T
    owner = np.flatnonzero(bodies.slot >= 0)

    def unit(k, h):
        twist = np.zeros((5, 6))
        twist[owner[k // 6], k % 6] = h
        return twist.ravel()

    size, scale = np.abs(gradient).max(), np.abs(H).max()
    h = 1e-6
    for k in range(6 * m):
        slope = (energy(potential, unit(k, h)) - energy(potential, unit(k, -h))) / (2 * h)
        assert gradient.ravel()[k] == pytest.approx(slope, rel=1e-5, abs=1e-6 * size)
    h = 1e-4
    for k in range(6 * m):
        for j in range(k + 1):
            both = [energy(potential, unit(k, s * h) + unit(j, r * h)) for s, r in
                    ((1, 1), (1, -1), (-1, 1), (-1, -1))]  # fmt: skip
            bend = (both[0] - both[1] - both[2] + both[3]) / (4 * h * h)
            # Twists are added, not composed: for two turns of one body the second derivative is
            # that of the symmetric part, which is what the Hessian on the group is.
            assert H[k, j] == pytest.approx(bend, rel=5e-3, abs=2e-4 * scale), (k, j)
