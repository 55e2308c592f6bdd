"""Random closed chains and nets of hinges and ball joints: energy, and another method's motion."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import EulerParameterDAE, RATTLie
from dovetail.integrators.shared.constrained_state import ConstrainedState

G = 9.81


def turned(rng):
    """A random rotation."""
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return Q * np.sign(np.linalg.det(Q))


def joint(kind, point, rng):
    """A hinge about a random axis, or a ball joint."""
    return dt.Revolute(point, rng.normal(size=3)) if kind == "R" else dt.Spherical(point)


def closed_chain(kinds, seed):
    """Ground, bodies in a row, ground: their joints in order."""
    rng = np.random.default_rng(seed)
    scene = dt.Scene(gravity=(0, 0, -G))
    points = np.cumsum(0.5 * rng.normal(size=(len(kinds), 3)), axis=0)
    names = [f"b{k}" for k in range(len(kinds) - 1)]
    for name, a, b in zip(names, points, points[1:]):
        scene.add_body(
            name, mass=rng.uniform(0.5, 2), inertia=rng.uniform(0.02, 0.04, 3),
            position=(a + b) / 2, rotation=turned(rng),
        )  # fmt: skip
    ends = ["ground", *names, "ground"]
    for k, kind in enumerate(kinds):
        scene.add_joint(f"j{k}", joint(kind, points[k], rng), ends[k], ends[k + 1])
    return scene


def net(seed):
    """Bodies on a random tree of joints, and more joints that close loops, two freedoms or more."""
    rng = np.random.default_rng(seed)
    scene, n = dt.Scene(gravity=(0, 0, -G)), int(rng.integers(4, 9))
    place, left = rng.normal(size=(n, 3)), 6 * n
    for k in range(n):
        scene.add_body(
            f"b{k}", mass=rng.uniform(0.5, 2), inertia=rng.uniform(0.1, 0.16, 3),
            position=place[k], rotation=turned(rng),
        )  # fmt: skip
    for k in range(n + 8):
        b = k if k < n else int(rng.integers(1, n))
        a = int(rng.integers(-1, b))
        kind = "R" if rng.random() < 0.4 and (k < n or left > 7) else "S"
        left -= 5 if kind == "R" else 3
        if k >= n and left < 2:
            break
        point = place[b] + 0.5 * rng.normal(size=3)
        scene.add_joint(f"j{k}", joint(kind, point, rng), "ground" if a < 0 else f"b{a}", f"b{b}")
    return scene


def end(scene, scheme, seconds):
    """Last positions of all bodies, energy error over the largest kinetic energy."""
    result = dt.simulate(scene, seconds, 1e-3, integrator=scheme, progress=False, check=False)
    off = np.ptp(result.energy["total"]) / result.energy["kinetic"].max()
    return np.array([result.position(name)[-1] for name in scene.bodies]), off


@pytest.mark.parametrize("seed", [3, 5, 8])
@pytest.mark.parametrize("kinds", ["RSRRRR", "RRSRRR", "SRRRRR", "RRRRRRR", "SRSR", "RRRSSR"])
def test_closed_chains_move_as_by_another_method(kinds, seed):
    """A chain of hinges gained 8e-2 J in 0.3 s at any order: the factors of its loop were lost."""
    scene = closed_chain(kinds, seed)
    found, off = end(scene, RATTLie(order=4), 0.15)
    wanted, of_other = end(scene, EulerParameterDAE(), 0.15)
    assert off < 1e-7 + 10 * of_other
    assert np.abs(found - wanted).max() < 1e-8


@pytest.mark.parametrize("seed", range(8))
def test_nets_of_several_loops_move_as_by_another_method(seed):
    scene = net(seed)
    found, off = end(scene, RATTLie(order=4), 0.05)
    wanted, of_other = end(scene, EulerParameterDAE(), 0.05)
    assert off < 1e-7 + 10 * of_other
    assert np.abs(found - wanted).max() < 1e-8


def test_rows_of_a_loop_come_after_as_many_freedoms():
    """Five rows of a hinge close a chain of 1 + 3 + 1 + 1 + 1 freedoms: four bodies come first."""
    tree = ConstrainedState(closed_chain("RSRRRR", 5).build(), None).system.tree
    at = tree.articulated.body.tolist().index(-1)
    assert at >= 3  # the ball joint has three
    freedoms = 6 - (tree.last - tree.first)
    assert freedoms[tree.articulated.body[:at]].sum() >= 5
