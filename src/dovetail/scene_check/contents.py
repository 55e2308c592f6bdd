"""What the scene lacks, or mentions without using it."""

from dovetail.model.materials import PairMaterial
from dovetail.model.scene import Scene
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody


def find_missing_shapes(bodies: list[PlacedBody]) -> list[Finding]:
    found = [
        Finding(
            "note",
            "no shape",
            (body.name,),
            f"body {quote(body.name)} has no shape, so nothing can touch it; give it one if it "
            "shall take part in contact",
        )
        for body in bodies
        if body.body.shape is None
    ]
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def find_no_bodies(scene: Scene) -> list[Finding]:
    if scene.bodies:
        return []
    return [Finding("error", "empty", (), "the scene must have at least one body to be run")]


def find_nothing_moves(bodies: list[PlacedBody], gravity: Array, n_loads: int) -> list[Finding]:
    if bodies and all(body.body.motion == "static" for body in bodies):
        return [
            Finding("warning", "at rest", (), "all bodies are static, so nothing will move; set "
                    "`motion` of at least one to 'dynamic' or 'kinematic'")
        ]  # fmt: skip
    at_rest = all(
        not body.body.velocity.any() and not body.body.angular_velocity.any()
        for body in bodies
    ) and all(body.body.motion != "kinematic" for body in bodies)  # fmt: skip
    if bodies and at_rest and not gravity.any() and not n_loads:
        return [
            Finding("warning", "at rest", (), "there is no gravity, no load and no velocity, so "
                    "nothing will move; did you mean `gravity=(0, 0, -9.81)`?")
        ]  # fmt: skip
    return []


def find_unused_materials(
    materials: tuple[PairMaterial, ...], bodies: list[PlacedBody]
) -> list[Finding]:
    """Entries for pairs that no two bodies of the scene can make."""
    answering: dict[str, set[str]] = {}  # to a name: the bodies it stands for
    for body in bodies:
        for name in (body.name, body.body.material):
            if name is not None:
                answering.setdefault(name, set()).add(body.name)
    known = set(answering)
    found = []
    for pair in materials:
        first, second = answering.get(pair.a, set()), answering.get(pair.b, set())
        if first and second and len(first | second) > 1:
            continue
        strangers = [name for name in dict.fromkeys((pair.a, pair.b)) if name not in known]
        why = (
            f"no body is named, or made of, {' or '.join(map(quote, strangers))}"
            if strangers
            else "no two bodies of the scene make this pair"
        )
        names = ", ".join(sorted(quote(name) for name in known)[:8])
        found.append(
            Finding(
                "warning" if strangers else "note",
                "unused material",
                (str(pair.a), str(pair.b)),
                f"the material pair {quote(pair.a)} and {quote(pair.b)} is never used: {why} "
                f"(the scene has {names or 'no bodies'})",
            )
        )
    return found
