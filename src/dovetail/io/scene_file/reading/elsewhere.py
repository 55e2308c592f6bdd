"""Keys of other programs, or of other entries: what stands for them in a scene file."""

from dovetail.io.scene_file.schema.joints import JointEntry
from dovetail.io.scene_file.schema.scene import BodyEntry, DocumentHead, MaterialEntry
from dovetail.io.scene_file.schema.values import Entry

_OF_BODIES = {
    **dict.fromkeys(
        ("friction", "restitution", "mu"),
        "give it for a pair of bodies or materials: `materials: [{pair: [a, b], friction: 0.3}]`",
    ),
    **dict.fromkeys(
        ("static", "dynamic", "kinematic", "is_static", "type"),
        "give `motion: static` (kinematic, dynamic)",
    ),
    **dict.fromkeys(
        ("mesh", "file", "box", "sphere", "size", "radius"),
        "it belongs under `shape`, such as `shape: {mesh: part.stl}` or `shape: {box: [x, y, z]}`",
    ),
    **dict.fromkeys(("color", "colour", "rgba"), "bodies have no colour; leave it out"),
    **dict.fromkeys(("pos", "xyz", "translation"), "give `position: [x, y, z]`"),
    **dict.fromkeys(("vel", "speed"), "give `velocity: [x, y, z]`"),
    **dict.fromkeys(
        ("rpy", "orientation", "quat", "quaternion"),
        "give `rotation: [w, x, y, z]`, {axis, angle} or {euler, order}",
    ),
    "scale": "it belongs beside the mesh: `shape: {mesh: part.stl, scale: 0.001}`",
    "units": "one `units: {length: mm}` at the top of the file holds for all of it",
}
_OF_JOINTS = {
    **dict.fromkeys(("parent", "child", "body_a", "body_b"), "give `bodies: [parent, child]`"),
    **dict.fromkeys(("limits", "limit", "range"), "give `actuation: [{lower: ..., upper: ...}]`"),
    **dict.fromkeys(
        ("damping", "stiffness", "friction", "motor", "armature", "lower", "upper"),
        "it belongs under `actuation`, an entry for each freedom: `actuation: [{damping: ...}]`",
    ),
    **dict.fromkeys(("position", "origin", "anchor", "pos"), "give `point: [x, y, z]`"),
}
_OF_MATERIALS = dict.fromkeys(("bodies", "between", "names"), "give `pair: [a, b]`")
_OF_SCENES = {
    **dict.fromkeys(
        ("spring", "springs", "force", "forces"),
        "give `loads: [{type: spring, ...}]` or `loads: [{type: force, ...}]`",
    ),
    **dict.fromkeys(
        ("simulation", "simulate", "solver", "options", "settings"),
        "give `run: {duration: ..., step: ..., contact: ...}`",
    ),
    **dict.fromkeys(
        ("motor", "motors", "actuators", "limits"),
        "it belongs to a joint: `actuation: [{motor: ..., lower: ..., upper: ...}]`",
    ),
    **dict.fromkeys(("friction", "restitution"),
                    "give it for all under `run`: `run: {contact: {method: lcp, friction: 0.3}}`"),
    **dict.fromkeys(("mesh", "meshes", "links"), "give `bodies: [{name: ..., shape: ...}]`"),
}  # fmt: skip
_OF: tuple[tuple[type[Entry], dict[str, str]], ...] = (
    (BodyEntry, _OF_BODIES), (JointEntry, _OF_JOINTS), (MaterialEntry, _OF_MATERIALS),
    (DocumentHead, _OF_SCENES),
)  # fmt: skip
OTHER_WORDS = {  # of other programs: what it is called here
    "hinge": "revolute", "continuous": "revolute", "pin": "revolute", "slide": "prismatic",
    "slider": "prismatic", "ball": "spherical", "weld": "fixed", "rigid": "fixed",
    "floating": "free", "helical": "screw",
}  # fmt: skip


def where_instead(key: str, owner: type[Entry] | None) -> str | None:
    """What to write instead of a key that this entry does not have; None where nothing is known."""
    for entry, words in _OF:
        if owner is not None and issubclass(owner, entry):
            return words.get(key.lower())
    return None
