"""What joint types say about themselves, and what is said where they say something false."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from composed_joints import COMPOSED
from dovetail.errors import InputError
from dovetail.model.joints import (
    DIRECTION,
    JOINTS,
    Actuation,
    FreeMotion,
    Helix,
    Joint,
    Revolute,
    Rotation,
    Screw,
    Translation,
    Universal,
    X,
    Y,
    Z,
    gap,
    right_angle,
    same_axis,
    same_point,
)
from dovetail.model.joints.registry import BUILT_IN
from dovetail.model.joints.relative_motion import random_coordinates, relative_pose
from dovetail.model.joints.type_check import joint_type_mistakes
from dovetail.multibody.constraints.measures import Measure, measures
from dovetail.multibody.tree import TreeBody, TreeJoint, build_tree, motion, neutral


@pytest.mark.parametrize("kind", BUILT_IN.values())
def test_every_joint_of_the_package_says_nothing_false(kind):
    assert joint_type_mistakes(kind) == []
    assert kind.freedoms + len(kind.equations) == 6


def joint_type(**declared):
    """A joint type with these declarations, and a second axis."""
    own = {"__annotations__": {"axis2": Any}, "axes": 2}
    own["axis2"] = field(default=(1.0, 0.0, 0.0), metadata=DIRECTION)
    return dataclass(frozen=True)(type("Odd", (Joint,), own | declared))


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({}, "it must declare `motions`, `equations`, or both"),
        ({"motions": [Rotation(Z)]}, "`motions` must be a tuple of Motions"),
        ({"motions": ("turn",)}, "`motions` must be a tuple of Motions"),
        ({"motions": (Rotation(3),)}, "axes of motions and equations must be X, Y or Z"),
        ({"motions": (Rotation(Z),), "equations": same_point()},
         "with 1 freedoms it must keep 5 equations, got 3"),
        ({"motions": (Rotation(X),), "equations": (*same_point(), *same_axis(Z))},
         "its motions break its equation 'right angle of y and z'"),
        ({"motions": (Translation(X), Rotation(Z)), "equations": (gap(X), gap(Z), *same_axis(Z))},
         "its motions break its equation 'gap along x'"),
        ({"motions": (Rotation(Z), Rotation(Z)), "equations": (*same_point(), right_angle(X, Z))},
         "its 2 motions must be independent"),
        ({"motions": (Rotation(Z),), "equations": (*same_point(), gap(X), right_angle(X, Z))},
         "its equations must be independent"),
        ({"motions": (FreeMotion(), Rotation(Z))}, "FreeMotion leaves everything"),
        ({"motions": (Helix(Z),), "equations": (gap(X), gap(Y), gap(Z), *same_axis(Z))},
         "with a Helix it needs a field `pitch"),
        ({"motions": (Translation(X),), "axes": 1,
          "equations": (gap(Y), gap(Z), *same_axis(Z), right_angle(X, Y))},
         "its motions have directions that need `axes` = 2 to be placed"),
    ],
)  # fmt: skip
def test_false_declaration_is_refused_with_a_sentence(declared, said):
    with pytest.raises(InputError) as caught:
        JOINTS.register("odd", joint_type(**declared))
    assert any(said in mistake for mistake in caught.value.mistakes), caught.value.mistakes
    assert "odd" not in JOINTS


@pytest.mark.parametrize("entry", [None, "pin", Joint, int, Universal()])
def test_what_is_no_joint_type_is_refused(entry):
    with pytest.raises(InputError, match=r"it must be a class derived from dt\.Joint"):
        JOINTS.register("odd", entry)


@pytest.mark.parametrize("pair", [(0, 1), (1, 0)])
@pytest.mark.parametrize("kind", [*BUILT_IN.values(), *COMPOSED])
def test_tree_moves_its_body_as_the_list_of_motions_says(kind, pair):
    rng = np.random.default_rng(4)
    joint = TreeJoint(kind, pair, axis=(0, 0, 1), axis2=(1, 0, 0), pitch=0.8)
    tree = build_tree([TreeBody(mass=1.0, inertia=np.eye(3))], [joint])
    q = random_coordinates(kind.motions, rng)
    R, p = relative_pose(kind.motions, q, 0.8 / (2 * np.pi))
    has_ball = any(not one.has_values for one in kind.motions)
    if pair == (1, 0) and has_ball:
        pytest.skip("a ball measures the child against the parent")
    now = motion(tree, q)
    if pair == (1, 0):
        R, p = R.T, -R.T @ p
    assert now.rotation[0] == pytest.approx(R, abs=1e-14)
    assert now.com[0] == pytest.approx(p, abs=1e-14)
    assert neutral(tree).size == q.size


def test_coordinates_are_measured_between_the_bodies_where_one_measure_gives_them():
    assert measures(Universal.motions) == (
        Measure("angle", Z, X),
        Measure("angle", X, Z, on_b=True),
    )
    assert measures((Rotation(Z), Translation(X))) == (
        Measure("angle", Z, X),
        Measure("gap", X, on_b=True),
    )
    assert measures((Translation(X), Rotation(Z), Translation(X))) == (
        None,
        Measure("angle", Z, X),
        None,
    )
    assert measures(Screw.motions) == (Measure("angle", Z, X),)


def test_one_actuation_is_a_list_of_one():
    drive = Actuation(motor=2.0)
    assert Revolute(actuation=drive).actuation == (drive,)
    found = Revolute(actuation="fast").mistakes("joint 'a'")
    assert any("must be a dt.Actuation or a list of them" in one for one in found)
