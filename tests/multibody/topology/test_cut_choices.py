"""Which joint is cut, why, and how it is reported."""

from dovetail.multibody.topology import analyse, draw_text

# a ring of four bodies on the ground; joint 2 is spherical (3 equations), the others revolute (5)
RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
EQUATIONS = [5, 3, 5, 5]


def test_ring_is_cut_at_its_last_joint_as_given():
    found = analyse(RING)
    assert found.cut_joints == (4,)
    assert found.depths == (1, 2, 3)
    (reason,) = found.reasons
    assert "joint 4 is cut" in reason
    assert "joint 3, joint 2, joint 1, assembled before it, already connect" in reason


def test_ring_is_cut_opposite_the_ground_when_shallow():
    found = analyse([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], order="shallow")
    assert found.cut_joints == (3,)
    assert max(found.depths) == 2
    assert "bring neither nearer" in found.reasons[0]


def test_ring_is_cut_at_the_joint_with_fewest_equations():
    found = analyse(RING, weights=EQUATIONS)
    assert found.cut_joints == (2,)
    assert "its weight 3 is the least of the loop" in found.reasons[0]


def test_equal_weights_leave_the_choice_to_the_order():
    found = analyse(RING, weights=[5, 5, 5, 5])
    assert found.cut_joints == (4,)
    assert "no joint of the loop weighs less" in found.reasons[0]


def test_two_joints_between_the_same_bodies_make_a_loop_of_two():
    found = analyse([(0, 1), (1, 0)])
    assert found.cut_joints == (2,)
    assert found.loops[0].bodies == (1, 0)
    assert "joint 1, assembled before it, already connects" in found.reasons[0]


def test_floating_islands_get_a_free_joint_at_their_smallest_body():
    found = analyse([(3, 2), (4, 5), (5, 4)], floating=True, n_bodies=5)
    assert found.joints[3:] == ((0, 1), (0, 2), (0, 4))
    assert found.free_joints == (4, 5, 6)
    assert found.cut_joints == (3,)
    assert found.depth_of(2) == 1
    assert found.depth_of(3) == 2


def test_floating_changes_nothing_for_a_grounded_system():
    assert analyse(RING, floating=True) == analyse(RING)


def test_weights_of_a_floating_system_cut_the_lightest_joint_of_the_loop():
    found = analyse([(1, 2), (2, 3), (3, 1)], weights=[5, 3, 5], floating=True)
    assert found.cut_joints == (2,)
    assert found.joints[3] == (0, 1)
    assert "weight 3" in found.reasons[0]


def test_drawing_shows_names_labels_and_dashed_cut_joints():
    text = draw_text(
        analyse(RING),
        body_names=["crank", "rod", "rocker"],
        joint_names=["motor", "pin", "wrist", "pivot"],
    )
    assert text.splitlines()[:6] == [
        "ground",
        "├── motor ── crank [1]",
        "│   └── pin ── rod [2]",
        "│       └── wrist ── rocker [3]",
        "│           └┄┄ pivot ┄┄ ground",
        "└┄┄ pivot ┄┄ rocker [3]",
    ]
    assert "pivot is cut: it closes the loop rocker - rod - crank - ground - rocker" in text


def test_drawing_of_a_long_chain_counts_what_it_leaves_out():
    text = draw_text(analyse([(i, i + 1) for i in range(5000)]), max_bodies=10)
    assert text.splitlines()[-1] == "... and 4990 more bodies"


def test_reason_for_a_long_loop_shortens_the_walk():
    chain = [(i, i + 1) for i in range(1000)]
    (reason,) = analyse([*chain, (1000, 0)]).reasons
    assert len(reason) < 400
    assert "more)" in reason
