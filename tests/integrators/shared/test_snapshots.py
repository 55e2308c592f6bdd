"""Parts of snapshots: named by their prefix, and found again by it."""

import numpy as np

from dovetail.integrators.shared.snapshots import part_of, prefixed


def test_a_part_is_found_again_under_its_own_names_and_others_are_left_out():
    law, rest = {"anchors": np.arange(3)}, {"anchors": np.ones(2), "law age": np.zeros(1)}
    whole = {"law": np.zeros(4), **prefixed("law", law), **prefixed("rest", rest)}
    assert set(whole) == {"law", "law anchors", "rest anchors", "rest law age"}
    assert part_of(whole, "law") == law
    assert part_of(whole, "rest") == rest
    assert part_of(whole, "joints") == {}
