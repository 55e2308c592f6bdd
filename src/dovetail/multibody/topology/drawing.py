"""The labelled tree as text for a terminal: tree joints solid, cut joints dashed."""

from collections.abc import Sequence

from dovetail.multibody.topology.reasons import body_number, joint_number, reason_for_cut
from dovetail.multibody.topology.structure import Topology
from dovetail.runtime.options import named_options


@named_options
def draw_text(
    topology: Topology,
    body_names: Sequence[str] | None = None,
    joint_names: Sequence[str] | None = None,
    max_bodies: int = 200,
) -> str:
    """A drawing of the tree from the ground down, then of the cut joints.

    Names replace numbers (name of number i at index i - 1); the label stands in brackets. A cut
    joint is drawn dashed at both of its bodies. Beyond `max_bodies` bodies the rest is counted.
    """
    drawing = _Drawing(topology, body_names, joint_names)
    lines = drawing.tree(max_bodies)
    if topology.cut_joints:
        lines += ["", "cut joints"]
        shown = topology.cut_joints[:max_bodies]
        lines += [
            reason_for_cut(topology, number, drawing.body_name, drawing.joint) for number in shown
        ]
        if len(shown) < len(topology.cut_joints):
            lines.append(f"... and {len(topology.cut_joints) - len(shown)} more cut joints")
    return "\n".join(lines)


class _Drawing:
    def __init__(
        self,
        topology: Topology,
        body_names: Sequence[str] | None,
        joint_names: Sequence[str] | None,
    ) -> None:
        self.topology = topology
        self.body_names = body_names
        self.joint_names = joint_names
        self.children: list[list[int]] = [[] for _ in range(topology.n_bodies + 1)]
        for label, parent in enumerate(topology.parents, 1):
            self.children[parent].append(label)
        self.dashed: list[list[tuple[int, int]]] = [[] for _ in range(topology.n_bodies + 1)]
        for number in topology.cut_joints:
            a, b = topology.bodies_of(number)
            self.dashed[topology.label_of(a)].append((number, b))
            self.dashed[topology.label_of(b)].append((number, a))

    def body_name(self, number: int) -> str:
        if number == 0 or self.body_names is None:
            return body_number(number)
        return self.body_names[number - 1]

    def body(self, number: int) -> str:
        label = f" [{self.topology.label_of(number)}]" if number else ""
        return self.body_name(number) + label

    def joint(self, number: int) -> str:
        if self.topology.free_joints and number >= self.topology.free_joints[0]:
            return "free joint"
        if self.joint_names is None:
            return joint_number(number)
        return self.joint_names[number - 1]

    def tree(self, max_bodies: int) -> list[str]:
        """Depth first with an explicit stack: a chain of many bodies must not exhaust Python's."""
        topology = self.topology
        lines = ["ground"]
        stack = self._below(0, "")
        drawn = 0
        while stack:
            prefix, label, last = stack.pop()
            if label < 0:
                lines.append(prefix)
                continue
            if drawn == max_bodies:
                lines.append(f"... and {topology.n_bodies - drawn} more bodies")
                return lines
            joint = self.joint(topology.joint_numbers[label - 1])
            body = self.body(topology.body_of(label))
            lines.append(f"{prefix}{'└' if last else '├'}── {joint} ── {body}")
            drawn += 1
            stack += self._below(label, prefix + ("    " if last else "│   "))
        return lines

    def _below(self, label: int, prefix: str) -> list[tuple[str, int, bool]]:
        """What hangs under a body, in reverse for the stack: children, then dashed cut joints."""
        children = self.children[label]
        dashed = self.dashed[label]
        entries = [
            (prefix, child, k == len(children) - 1 and not dashed)
            for k, child in enumerate(children)
        ]
        for k, (number, other) in enumerate(dashed):
            corner = "└" if k == len(dashed) - 1 else "├"
            text = f"{prefix}{corner}┄┄ {self.joint(number)} ┄┄ {self.body(other)}"
            entries.append((text, -1, False))
        return entries[::-1]
