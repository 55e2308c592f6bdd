"""Bodies that start deep inside each other are named at the start of a run."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3
from dovetail.scene_check import check_quickly, find_overlapping_bodies
from dovetail.scene_check.deep_overlaps import _bounds, _depths, _near
from dovetail.simulate import start_checks

BOX = dt.Box((0.1, 0.1, 0.1))


def two(shape, at, other=BOX, **options):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static", position=(0, 0, -1))
    scene.add_body("b", other, density=1000)
    scene.add_body("c", shape, density=1000, position=at, **options)
    return scene


def found(scene, kind="impulse"):
    return [one.message for one in check_quickly(scene, kind) if one.topic in ("overlap", "inside")]


@pytest.mark.parametrize("kind", ["impulse", "force"])
@pytest.mark.parametrize(
    ("shape", "at", "moves"),
    [
        (BOX, (0, 0, 0), True),  # the same place
        (BOX, (0.05, 0.02, 0), True),  # no vertex near the surface of the other
        (dt.Box((0.02, 0.02, 0.5)), (0, 0, 0), True),  # through it, no vertex inside it
        (dt.Sphere(0.02), (0, 0, 0), False),  # inside its solid
    ],
)
def test_a_deep_overlap_is_named_with_the_remedy(kind, shape, at, moves):
    (sentence,) = found(two(shape, at), kind)
    assert "'b'" in sentence and "'c'" in sentence and "no contact" in sentence
    assert ("moving 'c' by" in sentence) if moves else ("move it out" in sentence)


def test_a_body_below_a_half_space_is_named():
    (sentence,) = found(two(BOX, (0, 0, -1.2)))
    assert (
        "'c' and 'floor' overlap" in sentence
        and "moving it by (0, 0, 0.2502) m frees it" in sentence
    )


@pytest.mark.parametrize("height", [0.0999, 0.1, 0.2])  # overlaps that are solved, a contact, a gap
def test_slight_overlaps_and_contacts_are_left_alone(height):
    assert found(two(BOX, (0, 0, height))) == []


def test_pairs_that_cannot_collide_are_left_alone():
    jointed, apart = two(BOX, (0.02, 0, 0)), two(BOX, (0.02, 0, 0))
    jointed.add_joint("hinge", dt.Revolute((0, 0, 0), (0, 0, 1)), "b", "c")
    apart.exclude_contact("b", "c")
    assert found(jointed) == found(apart) == []
    assert found(two(BOX, (0.02, 0, 0)), "potential") == []  # refused with a message of its own


def test_many_overlaps_are_counted():
    scene = dt.Scene()
    for k in range(5):
        scene.add_body(f"b{k}", BOX, density=1000, position=(0.01 * k, 0, 0))
    sentences = found(scene)
    assert len(sentences) == 4
    assert any("7 more pairs" in sentence for sentence in sentences)


@pytest.mark.parametrize("method", ["lcp", "sdf"])
def test_a_run_says_it_before_its_first_step(method, capsys, monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "0")
    monkeypatch.setattr(start_checks, "_said", set())
    dt.simulate(two(BOX, (0.05, 0.02, 0)), 0.002, 0.001, contact=method, progress=False)
    assert "bodies 'b' and 'c' overlap at the start" in capsys.readouterr().err


def test_depths_of_boxes_are_what_frees_them():
    """Moved along any direction by less than the depth, two boxes still overlap."""
    rng, scene = np.random.default_rng(5), dt.Scene()
    for k in range(60):
        scene.add_body(
            f"b{k}", dt.Box(rng.uniform(0.05, 0.4, 3)), density=1.0,
            position=rng.uniform(-0.3, 0.3, 3), rotation=so3.exp(rng.normal(size=3)),
        )  # fmt: skip
    bodies = [body.checked for body in scene.bodies.values()]
    boxes = np.array([_bounds(body) for body in bodies])
    pairs = _near(boxes)
    every = [
        (i, j) for i in range(60) for j in range(i + 1, 60)
        if np.all(boxes[i, :3] < boxes[j, 3:]) and np.all(boxes[j, :3] < boxes[i, 3:])
    ]  # fmt: skip
    assert sorted(map(tuple, pairs.tolist())) == every
    depths = _depths(bodies, pairs)
    exact = {frozenset(one.subject): one.message for one in find_overlapping_bodies(scene)}
    assert 20 < np.sum(depths > 0) < len(pairs)
    for (i, j), depth in zip(pairs.tolist(), depths.tolist()):
        message = exact.get(frozenset((f"b{i}", f"b{j}")))
        assert (message is not None) == (depth > 0)
        if message is not None and "frees them" in message:
            length = float(message.rpartition(") m, ")[2].split(" m,")[0])
            assert depth <= 1.005 * length < 1.5 * depth  # printed with three digits
