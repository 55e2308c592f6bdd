"""Light bodies carry heavy ones: the net force under each is the weight above it."""

import numpy as np
import pytest

import dovetail as dt

G, SIDE = 9.81, 0.1


def stack(masses, scale=1.0):
    """Cubes on a floor, the first one lowest; lengths and gravity are `scale` times as large."""
    side = scale * SIDE
    scene = dt.Scene(gravity=(0, 0, -scale * G))
    scene.add_body(
        "floor", dt.Box((10 * side, 10 * side, side)), motion="static", position=(0, 0, -side / 2)
    )
    for k, mass in enumerate(masses):
        scene.add_body(f"{k}", dt.Box((side,) * 3), mass=mass, position=(0, 0, side * (k + 0.5)))
    return scene


def carried(result, k):
    """[N] the vertical force of the body below on cube k in the last frame."""
    frames, contacts = result.contacts.all()
    last = frames == len(result.time) - 1
    pairs, force = contacts.bodies[last], contacts.forces[last][:, 2]
    up = force[(pairs == (k + 1, k)).all(axis=1)].sum()
    return up - force[(pairs == (k, k + 1)).all(axis=1)].sum()


@pytest.mark.parametrize("step", [5e-3, 1e-3])
@pytest.mark.parametrize(
    ("method", "masses"),
    [
        (dt.contact.SDF, (1e-3, 1e3)),
        (dt.contact.SDF, (1.0, 1e3, 1e-3)),
        (dt.contact.SDF, (1e-3, 1e3, 1e3, 1e3)),
        (dt.contact.LCP, (1e-3, 1e3)),
    ],
)
def test_force_under_each_body_is_the_weight_above_it(method, masses, step):
    result = dt.simulate(
        stack(masses), duration=60 * step, step=step, contact=method(friction=0.3), progress=False
    )
    for k in range(len(masses)):
        assert carried(result, k) == pytest.approx(G * sum(masses[k:]), rel=1e-2)
        assert result.position(f"{k}")[-1, 2] == pytest.approx(SIDE * (k + 0.5), abs=2e-2 * SIDE)


def test_units_do_not_matter_to_heavy_on_light():
    """Lengths and gravity a thousandth: the same motion, a thousandth as large."""
    found = [
        dt.simulate(
            stack((1e-3, 1e3), scale), duration=0.05, step=1e-3, contact=dt.contact.SDF(),
            progress=False,
        ).position("1") / scale
        for scale in (1.0, 1e-3)
    ]  # fmt: skip
    assert np.abs(found[0] - found[1]).max() < 1e-12
