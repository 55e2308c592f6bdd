"""Bodies that meet where they start."""

import pytest

import dovetail as dt
from dovetail.scene_check.starting_pairs import meeting_at_the_start


@pytest.mark.parametrize(
    ("gap", "rotation", "meet"),
    [
        (-0.1, None, True),
        (0.0, None, True),
        (1e-17, None, True),
        (3e-18, (0.8, 0.36, 0.48, 0.0), True),
        (1e-6, None, False),
    ],
)
def test_what_touches_but_for_rounding_meets(gap, rotation, meet):
    scene = dt.Scene()
    turn = scene.add_body("turned", dt.Sphere(1), rotation=rotation).rotation
    turned = dt.Scene()
    for name, side in (("left", -1), ("right", 1)):
        place = turn @ (side * (0.5 + gap / 2), 0, 0)
        turned.add_body(name, dt.Box((1, 1, 1)), position=place, rotation=rotation)
    assert meeting_at_the_start(turned) == ([("left", "right")] if meet else [])
