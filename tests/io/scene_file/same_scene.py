"""When two scenes are the same: every number of the built model, to the bit."""

import dataclasses

import numpy as np

from dovetail.io.scene_file.writing.scene import plain

ARRAYS = (
    "gravity", "motion", "mass", "inertia", "position", "rotation", "velocity",
    "angular_velocity", "fixed",
)  # fmt: skip


def assert_same_scene(one, other):
    a, b = one.build(), other.build()
    assert a.names == b.names
    for name in ARRAYS:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for body_a, body_b in zip(a.bodies, b.bodies):
        assert type(body_a.shape) is type(body_b.shape)
        assert (body_a.group, body_a.material) == (body_b.group, body_b.material)
        for name in ("vertices", "edges", "faces"):
            values = (getattr(body_a.surface, name), getattr(body_b.surface, name))
            assert np.array_equal(*values), (body_a.name, name)
        if body_a.trajectory is not None:
            for t in (0.0, 0.7, 12.0, 1e4):
                for x, y in zip(body_a.trajectory.pose(t), body_b.trajectory.pose(t)):
                    assert np.array_equal(x, y)
    assert list(one.joints) == list(other.joints)
    for name, (joint, *bodies) in one.joints.items():
        assert other.joints[name][1:] == tuple(bodies)
        assert _plain(other.joints[name][0]) == _plain(joint)
    assert {n: _plain(v) for n, v in one.loads.items()} == {
        n: _plain(v) for n, v in other.loads.items()
    }
    assert [_plain(pair) for pair in one.materials] == [_plain(pair) for pair in other.materials]


def _plain(thing):
    values = {name: plain(value) for name, value in dataclasses.asdict(thing).items()}
    return (type(thing).__name__, values)
