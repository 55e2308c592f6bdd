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


def hinged(joint=None, load=None, motion="dynamic", chain=False):
    """A body on a hinge, or on that joint."""
    scene = dt.Scene()
    scene.add_body("a", mass=1.0, inertia=(1, 1, 1), motion=motion)
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(2, 0, 0))
    made = dt.Revolute((0, 0, 0), (0, 1, 0)) if joint is None else joint
    if chain:
        both = {"first": made, "second": dt.Revolute((0, 0, 0.1), (1, 0, 0))}
        scene.add_joint_chain(both, "ground", "a")
    elif motion == "dynamic":
        scene.add_joint("j", made, "ground", "a")
    if load is not None:
        load(scene)
    return scene.build()


def on(kind, **acting):
    return kind(actuation=[dt.Actuation(**acting)])


def moving(t, q, v):
    return 0.0


def blown(scene):
    scene.add_load("wind", lambda t, s: {})


def shocks(damping):
    def add(scene):
        scene.add_spring("s", "ground", "a", (0, 0, 1), (0, 0, 0), stiffness=1, damping=damping)

    return add


SUITED = {
    "a hinge": (lambda: hinged(), True),
    "two hinges in a row": (lambda: hinged(chain=True), True),
    "a kinematic body": (lambda: hinged(motion="kinematic"), False),
    "a joint to be closed": (
        lambda: hinged(dt.Revolute((0, 0, 0), (0, 1, 0), point_b=(0, 0, 0.1))), False),
    "an axis to be turned": (
        lambda: hinged(dt.Revolute((0, 0, 0), (0, 1, 0), axis_b=(0, 1, 0.1))), False),
    "a motor of the state": (lambda: hinged(on(dt.Revolute, motor=moving)), False),
    "a motor of time": (lambda: hinged(on(dt.Revolute, motor=lambda t: t)), True),
    "a stiff ball": (lambda: hinged(on(dt.Spherical, stiffness=1.0)), False),
    "a damped ball": (lambda: hinged(on(dt.Spherical, damping=1.0)), True),
    "a rough ball": (lambda: hinged(on(dt.Spherical, friction=1.0)), False),
    "a rough hinge": (lambda: hinged(on(dt.Revolute, friction=1.0)), True),
    "a driven hinge": (lambda: hinged(on(dt.Revolute, motor=("velocity", 1.0))), True),
    "a weak drive": (
        lambda: hinged(on(dt.Revolute, motor=("velocity", 1.0), effort_limit=1.0)), False),
    "limits on both sides": (lambda: hinged(on(dt.Revolute, lower=-1.0, upper=1.0)), True),
    "a limit": (lambda: hinged(on(dt.Revolute, upper=0.0)), True),
    "a hinge that is held": (lambda: hinged(on(dt.Revolute, lower=0.0, upper=0.0)), False),
    "a limit that is passed": (
        lambda: hinged(on(dt.Revolute, lower=0.1)), False),
    "another one": (lambda: hinged(on(dt.Revolute, upper=-0.1)), False),
    "a soft limit that is passed": (
        lambda: hinged(on(dt.Revolute, upper=-0.1, limit_stiffness=1.0)), True),
    "a load by a function": (lambda: hinged(load=blown), False),
    "a spring": (lambda: hinged(load=shocks(0.0)), True),
    "a shock absorber": (lambda: hinged(load=shocks(1.0)), False),
}  # fmt: skip


@pytest.mark.parametrize("name", SUITED)
@pytest.mark.filterwarnings("ignore:.*beyond its limit")
def test_only_what_holds_along_a_tree_is_stepped_along_it(name):
    make, expected = SUITED[name]
    assert suits(make()) is expected
