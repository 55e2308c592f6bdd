"""The answer of an analysis: cut joints, labels, tree and loops."""

from dataclasses import dataclass
from functools import cached_property

from dovetail.multibody.topology.reasons import reason_for_cut


@dataclass(frozen=True)
class Loop:
    """The loop a cut joint closes, in the user's numbers.

    joints[k] joins bodies[k] and bodies[k + 1]; the last joint is the cut one and joins the last
    body to the first. The walk starts at the cut joint's first body.
    """

    cut_joint: int
    bodies: tuple[int, ...]
    joints: tuple[int, ...]


@dataclass(frozen=True)
class Topology:
    """A labelled spanning tree with cut joints.

    *Numbers* are the user's (bodies 1..n_bodies, joints 1..n_joints, ground 0); *labels* are the
    regular ones: a parent's label is smaller than its child's, a tree joint has the label of the
    body it holds, cut joints follow from n_bodies + 1. Number or label i sits at index i - 1.
    """

    ends: tuple[tuple[int, ...], tuple[int, ...]]
    """First bodies and second bodies of all joints (the paper's H+ over H-, eq. 1), as given,
    then of the free joints added for floating islands."""
    cut_joints: tuple[int, ...]
    """Numbers of the joints that close a loop, ascending."""
    body_labels: tuple[int, ...]
    """Label of each body number (the paper's I_B)."""
    joint_labels: tuple[int, ...]
    """Label of each joint number (the paper's I_J)."""
    parents: tuple[int, ...]
    """Label of the parent of each body label; 0 is the ground."""
    patterns: tuple[str, ...]
    """How each joint number was assembled: a new island, b grow, c merge, d cut."""
    assembly_order: tuple[int, ...]
    """Joint numbers in the order they were assembled; the order decides which are cut."""
    free_joints: tuple[int, ...] = ()
    """Numbers of the free joints added between the ground and islands (floating=True)."""
    order: str = "as_given"
    weights: tuple[float, ...] | None = None

    @property
    def n_bodies(self) -> int:
        return len(self.body_labels)

    @property
    def n_joints(self) -> int:
        return len(self.joint_labels)

    def bodies_of(self, joint: int) -> tuple[int, int]:
        """The two bodies of a joint number, in the direction given."""
        return self.ends[0][joint - 1], self.ends[1][joint - 1]

    # Pairs are made only when asked for: Python takes longer to make a million of them than the
    # whole analysis does.
    @cached_property
    def joints(self) -> tuple[tuple[int, int], ...]:
        """Bodies of each joint number."""
        return tuple(zip(*self.ends, strict=True))

    @cached_property
    def incidence(self) -> tuple[tuple[int, int], ...]:
        """Relabelled bodies of each joint label, each from the smaller to the larger label."""
        pairs = [(0, 0)] * self.n_joints
        for (first, last), label in zip(self.joints, self.joint_labels, strict=True):
            a, b = self.label_of(first), self.label_of(last)
            pairs[label - 1] = (a, b) if a < b else (b, a)
        return tuple(pairs)

    def label_of(self, body: int) -> int:
        """Label of a body number; the ground keeps 0."""
        return self.body_labels[body - 1] if body else 0

    def body_of(self, label: int) -> int:
        """Body number of a label; the ground keeps 0."""
        return self.body_numbers[label - 1] if label else 0

    def depth_of(self, body: int) -> int:
        """Number of tree joints between the ground and a body number."""
        return self.depths[self.label_of(body) - 1] if body else 0

    @cached_property
    def body_numbers(self) -> tuple[int, ...]:
        """Body number of each label: the inverse of `body_labels`."""
        return _inverse(self.body_labels)

    @cached_property
    def joint_numbers(self) -> tuple[int, ...]:
        """Joint number of each label: the inverse of `joint_labels`."""
        return _inverse(self.joint_labels)

    @cached_property
    def reversed_joints(self) -> tuple[int, ...]:
        """Joint numbers whose direction in `incidence` is opposite to the one given."""
        return tuple(
            number
            for number, (a, b) in enumerate(self.joints, 1)
            if self.label_of(a) > self.label_of(b)
        )

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Number of tree joints between the ground and each body label."""
        depths = [0]
        for parent in self.parents:
            depths.append(depths[parent] + 1)
        return tuple(depths[1:])

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The fundamental loop of each cut joint, in the order of `cut_joints`."""
        return tuple(self.loop(joint) for joint in self.cut_joints)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why each cut joint was cut, one sentence each, in the order of `cut_joints`."""
        return tuple(reason_for_cut(self, joint) for joint in self.cut_joints)

    def loop(self, cut_joint: int) -> Loop:
        """The loop one cut joint closes: climb from the larger label until both ends meet."""
        first, last = self.bodies_of(cut_joint)
        up, down = self.label_of(first), self.label_of(last)
        rising, falling = [up], [down]
        while up != down:
            if up > down:
                up = self.parents[up - 1]
                rising.append(up)
            else:
                down = self.parents[down - 1]
                falling.append(down)
        labels = rising + falling[-2::-1]
        holders = rising[:-1] + falling[-2::-1]  # a tree joint has the label of the body it holds
        return Loop(
            cut_joint=cut_joint,
            bodies=tuple(self.body_of(label) for label in labels),
            joints=(*(self.joint_numbers[label - 1] for label in holders), cut_joint),
        )


def _inverse(labels: tuple[int, ...]) -> tuple[int, ...]:
    numbers = [0] * len(labels)
    for number, label in enumerate(labels, 1):
        numbers[label - 1] = number
    return tuple(numbers)
