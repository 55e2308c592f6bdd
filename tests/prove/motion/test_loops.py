"""Closed loops and couplings swept by one joint, and paths, against closed forms."""

from math import atan2, cos, pi, sin, sqrt

import numpy as np
import pytest

import dovetail as dt
from dovetail.prove.motion.plan import plan_of

GROUND, CRANK, COUPLER, ROCKER, START = 0.1, 0.03, 0.09, 0.06, 0.5
THICK = 0.004


def corner(angle):
    """Where coupler and rocker meet at an angle of the crank, and the pin of the crank."""
    b = CRANK * np.array([cos(angle), sin(angle)])
    to_d = np.array([GROUND, 0.0]) - b
    far = np.linalg.norm(to_d)
    along = (COUPLER**2 - ROCKER**2 + far**2) / (2 * far)
    up = sqrt(COUPLER**2 - along**2)
    return b, b + (along * to_d + up * np.array([-to_d[1], to_d[0]])) / far


def four_bar(layer=0.006, drop=None):
    """Crank and rocker in one layer, the coupler `layer` [m] above; a post at `drop`."""
    scene = dt.Scene()
    b, c = corner(START)
    a, d = np.zeros(2), np.array([GROUND, 0.0])
    for name, p, q, z in (("crank", a, b, 0.0), ("coupler", b, c, layer), ("rocker", c, d, 0.0)):
        turn = atan2(*(q - p)[::-1])
        scene.add_body(
            name, dt.Box((np.linalg.norm(q - p) + THICK, THICK, THICK)), density=1000,
            position=(*(p + q) / 2, z), rotation=(cos(turn / 2), 0, 0, sin(turn / 2)),
        )  # fmt: skip
    if drop is not None:
        scene.add_body("post", dt.Box((0.002, 0.002, 0.03)), density=1000, motion="static",
                       position=(*drop, 0.02))  # fmt: skip
    pins = {"a": (a, "ground", "crank"), "b": (b, "crank", "coupler"),
            "c": (c, "coupler", "rocker"), "d": (d, "ground", "rocker")}  # fmt: skip
    for name, (p, first, second) in pins.items():
        scene.add_joint(name, dt.Revolute(point=(*p, 0), axis=(0, 0, 1)), first, second)
    return scene


def test_followers_of_a_four_bar_are_within_their_error_of_the_closed_form():
    plan = plan_of(four_bar().build(), {"a": (-START, 2 * pi - START)})
    names = [one.name for one in plan.moving]
    course = plan.course
    error = course.error[names.index("d")]
    assert 0 < error < 1e-8
    _, c = corner(START)
    first = atan2(c[1], c[0] - GROUND)
    worst = 0.0
    for i in range(0, len(course.knots) - 1, 7):
        t = course.knots[i] + 0.37 * (course.knots[i + 1] - course.knots[i])
        x = t - course.knots[i]
        value = course.cubics[i, names.index("d")] @ x ** np.arange(4)
        _, c = corner(START + t)
        worst = max(worst, abs(value - (atan2(c[1], c[0] - GROUND) - first)))
    assert worst <= error
    assert worst > 1e-4 * error  # the bound is not idle


def test_a_four_bar_turns_without_touching_and_its_coupler_finds_a_post():
    turn = {"a": (0, 2 * pi)}
    free = dt.prove(four_bar(), turn)
    assert free.verdict == "proven"
    assert free.least_clearance == pytest.approx(0.002, rel=1e-6)
    assert set(free.at) == {"a"}
    # the middle of the coupler at one angle of the crank: a post there is met, and only there
    angle = 2.0
    b, c = corner(START + angle)
    met = dt.prove(four_bar(drop=(b + c) / 2), turn, ignore=[("crank", "post"), ("rocker", "post")])
    assert met.verdict == "meets"
    assert any(one.low < angle < one.high for one in met.meets)
    assert all(one.high - one.low < 1.0 for one in met.meets)


def test_links_that_are_always_in_each_other_meet_over_the_whole_turn():
    met = dt.prove(four_bar(layer=0.003), {"a": (0, 2 * pi)})
    assert {one.between for one in met.meets} == {("crank", "coupler"), ("coupler", "rocker")}
    assert all(one.low == 0.0 and one.high == 2 * pi for one in met.meets)


def test_a_loop_that_does_not_close_is_refused_with_the_place():
    with pytest.raises(dt.InputError, match=r"does not close at d = |too near a position"):
        dt.prove(four_bar(), {"d": (0, 2 * pi)})


def test_two_driven_joints_of_one_loop_are_refused():
    with pytest.raises(dt.InputError, match="sweep one joint, or give a `path`"):
        dt.prove(four_bar(), {"a": (0, 1), "d": (0, 1)})


def geared(gap):
    """A bar on each of two wheels that turn against each other, one twice as fast."""
    scene = dt.Scene()
    scene.add_body("left", dt.Box((0.1, 0.01, 0.01)), density=1000)
    scene.add_body("right", dt.Box((0.01, 0.1 - 2 * gap, 0.01)), density=1000,
                   position=(0.1, 0, 0))  # fmt: skip
    scene.add_joint("slow", dt.Revolute(axis=(0, 0, 1)), "ground", "left")
    scene.add_joint("fast", dt.Revolute(point=(0.1, 0, 0), axis=(0, 0, 1)), "ground", "right")
    return scene


def test_coupled_joints_move_together():
    """At right angles the bars pass each other; with a ratio of 1:-1 they stay so."""
    turn = {"slow": (0, 2 * pi)}
    alone = dt.prove(geared(0.0), turn)
    assert alone.verdict == "proven"  # the other stays upright
    pair = geared(0.0)
    pair.add_coupling("mesh", dt.Coupling({"slow": 1, "fast": 1}))
    together = dt.prove(pair, turn)
    dense = min(_distance(0.0, t) for t in np.linspace(0, 2 * pi, 721))
    assert together.verdict == ("proven" if dense > 0 else "meets")
    if dense > 0:
        assert together.least_clearance == pytest.approx(dense, rel=1e-3)


def _distance(gap, t):
    """Between the two bars at an angle, by a proof of a single position."""
    scene = geared(gap)
    proof = dt.prove(scene, path={"slow": (t, t + 1e-12), "fast": (-t, -t - 1e-12)})
    return proof.least_clearance if proof.verdict == "proven" else 0.0


def bayonet(slot=0.0062):
    """A pin goes down a slot of a plate and turns under it: first push, then twist."""
    scene = dt.Scene()
    low, high = -0.01, -0.004
    for k, (x, y, size) in enumerate((
        (0.0, 0.03, (0.1, 0.06 - slot, 0.004)), (0.0, -0.03, (0.1, 0.06 - slot, 0.004)),
    )):  # fmt: skip
        scene.add_body(f"plate{k}", dt.Box(size), density=1000, motion="static",
                       position=(x, y, (low + high) / 2))  # fmt: skip
    scene.add_body("pin", dt.Box((0.03, 0.006, 0.004)), density=1000, position=(0, 0, 0.01))
    scene.add_joint("move", dt.Cylindrical(axis=(0, 0, -1)), "ground", "pin")
    return scene


def test_a_bayonet_goes_in_by_its_path_and_not_by_another_order():
    names = [c.quantity for c in dt.Cylindrical(axis=(0, 0, -1)).coordinates]
    order = names.index("angle")

    def path(*pairs):
        return {"move": [pair if order == 0 else pair[::-1] for pair in pairs]}

    in_order = dt.prove(bayonet(), path=path((0, 0), (0, 0.03), (pi / 2, 0.03)))
    assert in_order.verdict == "proven"
    assert in_order.least_clearance == pytest.approx(0.0001, rel=1e-6)
    early = dt.prove(bayonet(), path=path((0, 0), (pi / 2, 0.0), (pi / 2, 0.03)))
    assert early.verdict == "meets"
    assert {one.joint for one in early.meets} == {"path"}
    assert min(one.low for one in early.meets) > 1.0  # the twist is free, the push is not


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ({}, "`path` must name joints"),
        ({"slow": (0, 1), "fast": (0, 1, 2)}, "same number of values"),
        ({"slow": (0, 0)}, "move at least one joint"),
        ({"slow": (0, "x")}, "must be numbers"),
        ({"sloow": (0, 1)}, "did you mean 'slow'"),
    ],
)
def test_a_wrong_path_gets_a_sentence(path, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        dt.prove(geared(0.0), path=path)


def test_a_crank_slider_moves_as_the_closed_form_says():
    r, length = 0.03, 0.1
    scene = dt.Scene()
    scene.add_body("crank", dt.Box((r, 0.004, 0.004)), density=1, position=(r / 2, 0, 0))
    scene.add_body("rod", dt.Box((length, 0.004, 0.004)), density=1,
                   position=(r + length / 2, 0, 0.01))  # fmt: skip
    scene.add_body("piston", dt.Box((0.01, 0.01, 0.004)), density=1, position=(r + length, 0, 0.02))
    bodies = ["ground", "crank", "rod", "piston"]
    for k, (name, x) in enumerate((("a", 0.0), ("b", r), ("c", r + length))):
        first, second = bodies[k : k + 2]
        scene.add_joint(name, dt.Revolute(point=(x, 0, 0), axis=(0, 0, 1)), first, second)
    scene.add_joint("slide", dt.Prismatic(axis=(1, 0, 0)), "ground", "piston")
    course = plan_of(scene.build(), {"a": (0, 2 * pi)})
    k = [one.name for one in course.moving].index("slide")
    for i in range(0, len(course.course.knots) - 1, 50):
        t = course.course.knots[i]
        exact = r * cos(t) + sqrt(length**2 - (r * sin(t)) ** 2) - r - length
        assert course.course.cubics[i, k, 0] == pytest.approx(exact, abs=1e-11)
