"""Which body each body hangs on, for the tree of the panel."""

from dovetail.results import Result


def parents(result: Result) -> list[int]:
    """The number of the body that joints lead to from the ground, or -1: breadth first."""
    names = list(result.names)
    number = {name: i for i, name in enumerate(names)}
    neighbours: dict[int, list[int]] = {i: [] for i in range(-1, len(names))}
    for _, body_a, body_b in result.scene.joints.values():
        a, b = number.get(body_a, -1), number.get(body_b, -1)
        neighbours[a].append(b)
        neighbours[b].append(a)
    found = [-1] * len(names)
    seen = {-1, *(i for i, n in enumerate(names) if result.scene.bodies[n].motion == "static")}
    start = [-1, *sorted(seen - {-1})]
    for root in [*start, *range(len(names))]:
        if root not in start and root in seen:
            continue
        seen.add(root)
        queue = [root]
        while queue:
            body = queue.pop(0)
            for other in neighbours[body]:
                if other not in seen:
                    seen.add(other)
                    found[other] = body
                    queue.append(other)
    return found
