"""Which bodies may collide, by their motion, their groups and their joints."""

from itertools import combinations

import dovetail as dt
from dovetail.contact.body_pairs import BodyPairs, connected_pairs


def model():
    scene = dt.Scene()
    for k, (name, motion, group) in enumerate(
        (
            ("floor", "static", None),
            ("wall", "static", None),
            ("a", "dynamic", "arm"),
            ("b", "dynamic", "arm"),
            ("c", "dynamic", None),
            ("d", "dynamic", None),
        )
    ):
        mass = 1 if motion == "dynamic" else None
        scene.add_body(
            name, dt.Sphere(0.1), position=(k, 0, 0), motion=motion, group=group, mass=mass
        )
    scene.add_joint("hinge", dt.Spherical(), "d", "c")
    scene.add_joint("mount", dt.Spherical(), "a", "ground")
    return scene.build()


def test_two_static_bodies_a_group_and_a_joint_keep_bodies_from_colliding():
    built = model()
    pairs = BodyPairs(built)
    never = {
        tuple(built.names[k] for k in (i, j))
        for i, j in combinations(range(built.n_bodies), 2)
        if not pairs.may_collide(i, j)
    }
    assert never == {("floor", "wall"), ("a", "b"), ("c", "d")}
    assert not pairs.may_collide(5, 4)


def test_joints_to_the_ground_connect_no_two_bodies():
    assert connected_pairs(model()).tolist() == [4 * 6 + 5]
