"""Limits of joints that nothing reaches do not act when bodies strike."""

import numpy as np

import dovetail as dt


def chain_lands(actuation):
    """Two bars on a hinge that fall on a floor, one of them spinning."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    bar = dt.Box((0.4, 0.1, 0.1))
    scene.add_body("a", bar, mass=2.0, position=(-0.2, 0, 0.12), velocity=(0, 0, -1),
                   angular_velocity=(0, -2, 0))  # fmt: skip
    scene.add_body("b", bar, mass=1.0, position=(0.2, 0, 0.12), velocity=(0, 0, -1))
    hinge = dt.Revolute((0, 0, 0.12), (0, 1, 0), actuation=actuation)
    scene.add_joint("hinge", hinge, "a", "b")
    contact = dt.contact.IPC(friction=0.3)
    return dt.simulate(scene, 0.1, 1e-3, contact=contact, progress=False, check=False)


def test_a_limit_that_is_not_reached_changes_nothing_when_bodies_land():
    free, limited = chain_lands(()), chain_lands(dt.Actuation(lower=-1.5, upper=1.5))
    assert np.abs(free.position("b") - limited.position("b")).max() < 1e-12
    total = np.asarray(limited.energy["total"])
    assert (total - np.minimum.accumulate(total)).max() < 1e-6
