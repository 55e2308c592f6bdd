"""Properties that hold for every connected graph of bodies and joints."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.multibody.topology import analyse, analyse_by_connectivity_matrix


@st.composite
def systems(draw, max_bodies=12, max_extra=6):
    """A connected system: a random tree, extra joints, shuffled numbers, order and direction."""
    n = draw(st.integers(1, max_bodies))
    pairs = [(draw(st.integers(0, body - 1)), body) for body in range(1, n + 1)]
    ends = st.tuples(st.integers(0, n), st.integers(0, n)).filter(lambda pair: pair[0] != pair[1])
    pairs += draw(st.lists(ends, max_size=max_extra))
    number = [0, *draw(st.permutations(range(1, n + 1)))]
    pairs = draw(st.permutations([(number[a], number[b]) for a, b in pairs]))
    turned = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return [(b, a) if turn else (a, b) for (a, b), turn in zip(pairs, turned, strict=True)]


@st.composite
def weighted_systems(draw):
    pairs = draw(systems(max_bodies=6, max_extra=4))
    weights = draw(st.lists(st.integers(0, 6), min_size=len(pairs), max_size=len(pairs)))
    return pairs, weights


def spans(pairs, kept):
    """Whether the kept joints connect all bodies, by plain growth from the ground."""
    reached = {0}
    while True:
        grown = reached | {b for j in kept for b in pairs[j - 1] if reached & {*pairs[j - 1]}}
        if grown == reached:
            return len(reached) == max(map(max, pairs)) + 1
        reached = grown


@settings(deadline=None, max_examples=300)
@given(systems())
def test_near_linear_path_agrees_with_the_connectivity_matrix(pairs):
    assert analyse(pairs) == analyse_by_connectivity_matrix(pairs)


@settings(deadline=None)
@given(systems(), st.sampled_from(["as_given", "shallow"]))
def test_labels_grow_from_parent_to_child_and_cut_joints_come_last(pairs, order):
    found = analyse(pairs, order)
    n = found.n_bodies
    assert sorted(found.body_labels) == list(range(1, n + 1))
    assert sorted(found.joint_labels) == list(range(1, len(pairs) + 1))
    assert all(parent < label for label, parent in enumerate(found.parents, 1))
    assert all(a < b for a, b in found.incidence)
    assert found.incidence[:n] == tuple(zip(found.parents, range(1, n + 1), strict=True))
    assert [found.joint_labels[j - 1] for j in found.cut_joints] == list(
        range(n + 1, len(pairs) + 1)
    )
    for number, pair in enumerate(pairs, 1):
        ends = {found.label_of(body) for body in pair}
        assert ends == set(found.incidence[found.joint_labels[number - 1] - 1])


@settings(deadline=None)
@given(systems(), st.sampled_from(["as_given", "shallow"]))
def test_every_loop_closes_through_tree_joints_and_one_cut_joint(pairs, order):
    found = analyse(pairs, order)
    assert len(found.loops) == len(pairs) - found.n_bodies
    for loop in found.loops:
        ring = [*loop.bodies, loop.bodies[0]]
        assert len(set(loop.bodies)) == len(loop.bodies) == len(loop.joints)
        for joint, ends in zip(loop.joints, itertools.pairwise(ring), strict=True):
            assert set(ends) == set(pairs[joint - 1])
        assert set(loop.joints) & set(found.cut_joints) == {loop.cut_joint}


@settings(deadline=None)
@given(systems())
def test_shallow_order_puts_every_body_at_its_distance_from_the_ground(pairs):
    found = analyse(pairs, "shallow")
    distance = {0: 0}
    while len(distance) <= found.n_bodies:
        for a, b in pairs:
            for near, far in ((a, b), (b, a)):
                if near in distance:
                    distance[far] = min(distance.get(far, 10**9), distance[near] + 1)
    for _ in pairs:  # relax until nothing moves
        for a, b in pairs:
            distance[a] = min(distance[a], distance[b] + 1)
            distance[b] = min(distance[b], distance[a] + 1)
    assert all(found.depth_of(body) == d for body, d in distance.items())


@settings(deadline=None, max_examples=60)
@given(weighted_systems())
def test_weighted_cut_is_the_cheapest_of_all_possible_cuts(system):
    pairs, weights = system
    found = analyse(pairs, weights=weights)
    numbers = range(1, len(pairs) + 1)
    cheapest = min(
        sum(weights[j - 1] for j in cut)
        for cut in itertools.combinations(numbers, len(found.cut_joints))
        if spans(pairs, set(numbers) - set(cut))
    )
    assert sum(weights[j - 1] for j in found.cut_joints) == cheapest


@settings(deadline=None)
@given(systems())
def test_order_given_as_joint_numbers_is_the_same_as_listing_joints_in_that_order(pairs):
    backward = list(range(len(pairs), 0, -1))
    found = analyse(pairs, backward)
    listed = analyse(pairs[::-1])
    assert [len(pairs) + 1 - j for j in found.cut_joints] == list(listed.cut_joints[::-1])
    assert found.body_labels == listed.body_labels
    assert found.patterns == listed.patterns[::-1]
