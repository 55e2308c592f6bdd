"""Random cylinders, cones and tori slide into each other: ranges against true distances."""

import numpy as np
import pytest

import dovetail as dt

SWEPT = 0.06  # [m]
SHAPES = {"cylinder": dt.Cylinder, "cone": dt.Cone, "torus": dt.Torus}


def faces(kind, a, b):
    """Maps of two parameters onto the surface, with their ranges."""
    turn = (0.0, 2.0 * np.pi)

    def about(radius, u, z):
        return np.stack(np.broadcast_arrays(radius * np.cos(u), radius * np.sin(u), z), -1)

    if kind == "torus":
        return [(lambda u, v: about(a + b * np.cos(v), u, b * np.sin(v)), turn, turn)]
    low, high = (-0.5 * b, 0.5 * b) if kind == "cylinder" else (0.0, b)
    slope = a / b if kind == "cone" else 0.0
    flat = [low, high] if kind == "cylinder" else [low]
    side = (lambda u, v: about(a - slope * (v - low), u, v), turn, (low, high))
    return [side, *((lambda u, v, z=z: about(v, u, z), turn, (0.0, a)) for z in flat)]


def distance(kind, a, b, x):
    """[m] signed, of points from the true solid."""
    r, z = np.hypot(x[..., 0], x[..., 1]), x[..., 2]
    if kind == "torus":
        return np.hypot(r - a, z) - b
    if kind == "cylinder":
        across, along = r - a, np.abs(z) - 0.5 * b
        beyond = np.hypot(np.maximum(across, 0.0), np.maximum(along, 0.0))
        return np.where(beyond > 0.0, beyond, np.maximum(across, along))
    side = (b * r + a * z - a * b) / np.hypot(a, b)
    share = np.clip((a * (a - r) + b * z) / (a * a + b * b), 0.0, 1.0)
    beyond = np.minimum(
        np.hypot(r - a * (1.0 - share), z - b * share), np.hypot(np.maximum(r - a, 0.0), z)
    )
    return np.where((side <= 0.0) & (z >= 0.0), np.maximum(side, -z), beyond)


def least(one, other, moved):
    """[m] of the surface of one from the other solid, by grids that zoom in."""
    (kind, size, R, x), (kind_b, size_b, R_b, x_b) = one, other
    found = np.inf
    for place, (u_0, u_1), (v_0, v_1) in faces(kind, *size):

        def value(u, v, place=place):
            world = place(*np.meshgrid(u, v, indexing="ij")) @ R.T + x + (moved, 0.0, 0.0)
            return distance(kind_b, *size_b, (world - x_b) @ R_b)

        u, v = np.linspace(u_0, u_1, 241), np.linspace(v_0, v_1, 121)
        rough = value(u, v)
        for start in np.argsort(rough, axis=None)[[0, 40, 400]]:
            i, j = np.unravel_index(start, rough.shape)
            at, wide = np.array([u[i], v[j]]), np.array([u_1 - u_0, v_1 - v_0]) / 60.0
            for _ in range(14):
                us = np.linspace(at[0] - wide[0], at[0] + wide[0], 15)
                vs = np.clip(np.linspace(at[1] - wide[1], at[1] + wide[1], 15), v_0, v_1)
                fine = value(us, vs)
                k, m = np.unravel_index(fine.argmin(), fine.shape)
                at, wide, found = np.array([us[k], vs[m]]), wide / 3.0, min(found, fine.min())
    return found


def random_body(rng, place):
    kind = rng.choice(list(SHAPES))
    wide, small = (
        ((0.01, 0.02), (0.002, 0.005)) if kind == "torus" else ((0.004, 0.012), (0.008, 0.03))
    )
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    R *= np.sign(np.linalg.det(R))
    return kind, (rng.uniform(*wide), rng.uniform(*small)), R, np.array(place)


@pytest.mark.parametrize("seed", range(4))
def test_ends_hold_the_true_contact(seed):
    rng = np.random.default_rng(seed)
    car = random_body(rng, (0.0, 0.0, 0.0))
    post = random_body(rng, (SWEPT, *rng.uniform(-0.01, 0.01, 2)))
    scene = dt.Scene()
    for name, (kind, size, R, x), motion in (("car", car, "dynamic"), ("post", post, "static")):
        scene.add_body(
            name, SHAPES[kind](*size), density=1000, position=x, rotation=R, motion=motion
        )
    scene.add_joint("s", dt.Prismatic(axis=(1, 0, 0)), "ground", "car")
    proof = dt.prove(scene, {"s": (0.0, SWEPT)})

    def apart(at):
        return min(least(car, post, at), least(post, car, -at))

    assert not proof.doubts
    if proof.verdict == "proven":
        assert min(apart(at) for at in np.linspace(0.0, SWEPT, 7)) >= proof.proven_clearance
    for meeting in proof.meets:
        assert meeting.bracket <= 1e-6 * SWEPT
        assert apart(meeting.low) > -1e-12 and apart(meeting.surely[0]) < 1e-9
