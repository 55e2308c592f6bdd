"""Which mechanisms are trees: static bodies are all one ground."""

import pytest

import dovetail as dt
from dovetail.integrators.variational.tree.suited import suits

BAR = dt.Box((1, 0.1, 0.1))


def bars(*joints, posts=()):
    """Three bars in a row on z = 0 and static posts at x in `posts`, hinged as named."""
    scene = dt.Scene()
    for k, name in enumerate("abc"):
        scene.add_body(name, BAR, mass=1, position=(k + 0.5, 0, 0))
    for x in posts:
        scene.add_body(f"post {x}", dt.Box((0.1, 0.1, 1)), motion="static", position=(x, 1, 0))
    for x, first, second in joints:
        joint = dt.Revolute((x, 0, 0), (0, 1, 0))
        scene.add_joint(f"{first}-{second} at {x}", joint, first, second)
    return scene.build()


@pytest.mark.parametrize(
    ("posts", "joints", "is_tree"),
    [
        ((), [], True),
        ((), [(0, "ground", "a"), (1, "a", "b"), (2, "b", "c")], True),
        ((), [(1, "a", "b"), (2, "b", "c")], True),  # in free flight
        ((0,), [(0, "post 0", "a"), (1, "a", "b")], True),
        ((0, 3), [(0, "post 0", "a"), (3, "post 3", "c")], True),  # b lies between them, free
        ((0, 3), [(0, "post 0", "a"), (1, "a", "b"), (2, "b", "c"), (3, "c", "post 3")], False),
        ((3,), [(0, "ground", "a"), (1, "a", "b"), (2, "b", "c"), (3, "c", "post 3")], False),
        ((), [(0, "ground", "a"), (1, "a", "ground")], False),
        ((), [(0, "a", "b"), (1, "b", "c"), (2, "c", "a")], False),
    ],
)
def test_a_tree_closes_no_loop_through_bodies_or_the_ground(posts, joints, is_tree):
    assert bool(suits(bars(*joints, posts=posts))) == is_tree
