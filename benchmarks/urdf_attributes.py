"""Every element and attribute of URDF in a small robot: read, refused, listed, or silent.

python benchmarks/urdf_attributes.py [--only PART] [--all]

Elements and attributes are those of the specification (wiki.ros.org/urdf/XML, versions 1.0 and
1.1), of Gazebo's and Bullet's additions, and what people write by mistake. Each change is made in
a small robot. Then the scene that is read must differ (read), or a note must name something more
(listed), or the file must be refused; else it is silent, and the command fails. What is read is
compared with Pinocchio, where that reads the file too: mass matrix, gravity, limits of joints,
places and sizes of collision geometry; another result is *otherwise*, and the command fails. What
only names or colours something is not tried. --all prints every row.
"""

import argparse
import re
import warnings
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from mjcf_attributes import described

import dovetail as dt
from dovetail.errors import DovetailError
from dovetail.io import load_scene
from dovetail.multibody.mechanism import exact_mechanism
from dovetail.multibody.tree import inverse_dynamics, mass_matrix

NEAR = 1e-9  # relative
ROUNDED = 1e-7  # of meshes, whose vertices the peer keeps in single precision
MESH = "v 0 0 0\nv 0.2 0 0\nv 0 0.1 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MODEL = """<robot name="r"><link name="base"><collision><geometry><box size=".4 .4 .1"/></geometry>
</collision></link>
<link name="upper"><inertial><origin xyz=".01 .02 .2" rpy=".1 .2 .3"/><mass value="2"/>
<inertia ixx=".03" ixy=".001" ixz=".002" iyy=".04" iyz=".003" izz=".02"/></inertial>
<visual><origin xyz="0 0 .2"/><geometry><cylinder radius=".06" length=".4"/></geometry></visual>
<collision><origin xyz="0 0 .2" rpy=".1 0 0"/><geometry><cylinder radius=".05" length=".4"/>
</geometry></collision></link>
<link name="slider"><inertial><origin xyz="0 .1 0"/><mass value="1"/>
<inertia ixx=".01" iyy=".012" izz=".011" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz=".05 0 0"/><geometry><sphere radius=".07"/></geometry></collision></link>
<link name="wheel"><inertial><origin xyz=".05 .01 0"/><mass value=".7"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="m.obj" scale="1 1 1"/></geometry></collision></link>
<link name="finger"><inertial><origin xyz=".1 0 0"/><mass value=".2"/>
<inertia ixx=".001" iyy=".001" izz=".001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="h" type="revolute"><origin xyz=".1 0 .3" rpy=".2 .3 .4"/><parent link="base"/>
<child link="upper"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="5" velocity="3"/>
<dynamics damping=".1" friction=".2"/></joint>
<joint name="s" type="prismatic"><origin xyz="0 0 .4" rpy="0 .5 0"/><parent link="upper"/>
<child link="slider"/><axis xyz="1 0 0"/><limit lower="0" upper=".3" effort="5" velocity="3"/>
</joint><joint name="w" type="continuous"><origin xyz=".2 0 0"/><parent link="slider"/>
<child link="wheel"/><axis xyz="0 0 1"/></joint>
<joint name="f" type="revolute"><origin xyz=".1 .1 0"/><parent link="slider"/><child link="finger"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<dynamics damping=".01" friction=".02"/><mimic joint="h" multiplier=".5" offset="0"/></joint>
</robot>"""
H, S, W, F = (f"joint[@name='{name}']" for name in "hswf")
UPPER, SLIDER, WHEEL = (f"link[@name='{name}']" for name in ("upper", "slider", "wheel"))
FREE = "<link name='n'><inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' " \
    "ixz='0' iyz='0'/></inertial></link>"  # fmt: skip
ENDS = "<parent link='base'/><child link='n'/>"


@dataclass(frozen=True)
class Change:
    """One row: what is written into the robot."""

    what: str
    at: str = "."  # path of an element
    set: dict[str, str | None] = field(default_factory=dict)  # attributes; None takes one away
    add: str = ""  # elements that it gets
    without: str = ""  # a child that it loses
    same: bool = False  # whether the scene must stay as it is, as the change says nothing new
    alone: bool = False  # whether the installed peer is too old for it
    beside: str = ""  # a child: the robot is compared with one that has the change without it


def attributes(at: str, **values: str) -> Iterator[Change]:
    """One row for each attribute."""
    for name, value in values.items():
        yield Change(f"{_short(at)} {name}={value!r}", at, {name: value})


def elements(at: str, *texts: str) -> Iterator[Change]:
    """One row for each element that is added, and one for each attribute that it has."""
    for text in texts:
        yield Change(f"{_short(at)} + {text}", at, add=text)


def _short(at: str) -> str:
    return re.sub(r"\[[^]]*\]", "", at)


def rows() -> Iterator[Change]:
    """All that is tried."""
    inertia = {"ixx": ".035", "ixy": ".002", "ixz": ".003", "iyy": ".05", "iyz": ".004",
               "izz": ".025"}  # fmt: skip
    origin = {"xyz": ".3 -.1 .2", "rpy": ".5 -.6 .7", "rpy_deg": "30 0 0"}
    yield Change("robot version", set={"version": "1.1"}, same=True)
    yield Change("a quaternion", f"{H}/origin", {"quat_xyzw": ".1 .2 .3 .9", "rpy": None},
                 alone=True)  # fmt: skip
    yield Change("a quaternion and angles", f"{H}/origin", {"quat_xyzw": ".1 .2 .3 .9"})
    yield from attributes(".", mass="3", gravity="0 0 -1")
    yield from attributes(UPPER, type="drawer", mass="3", gravity="false")
    for at in ("inertial", "collision"):
        yield from attributes(f"{UPPER}/{at}/origin", **origin)
    yield from attributes(f"{H}/origin", **origin)
    yield from attributes(f"{UPPER}/inertial/mass", value="3", unit="g", density="7800")
    yield from attributes(f"{UPPER}/inertial/inertia", **inertia, Ixx="9")
    yield from attributes(f"{UPPER}/inertial", mass="2")
    yield from attributes(f"{UPPER}/collision/geometry/cylinder", radius=".04", length=".3",
                          height=".3", diameter=".1")  # fmt: skip
    yield from attributes(f"{SLIDER}/collision/geometry/sphere", radius=".08", diameter=".1")
    yield from attributes("link[@name='base']/collision/geometry/box", size=".5 .4 .1", length="1")
    yield from attributes(f"{WHEEL}/collision/geometry/mesh", scale="1 1 -1", filename="m2.obj",
                          convex="true")  # fmt: skip
    yield from attributes(f"{WHEEL}/collision/geometry", type="box")
    yield from attributes(f"{WHEEL}/collision", concave="yes", verbose="true")
    yield from attributes(H, type="continuous", axis="0 0 1", disable_collision="true")
    yield from attributes(f"{H}/parent", link="nowhere", body="base")
    yield from attributes(f"{H}/child", link="slider", body="base")
    yield from attributes(f"{H}/axis", xyz="1 0 0", rpy="0 1 0", expressed_in="world")
    yield from attributes(f"{H}/limit", lower="-.5", upper="1", effort="6", velocity="4",
                          acceleration="2", deceleration="2", jerk="1", stiffness="3",
                          Lower="3")  # fmt: skip
    yield from attributes(f"{H}/dynamics", damping=".3", friction=".4", stiffness="2",
                          spring_stiffness="2", armature=".1", Friction="3")  # fmt: skip
    yield from attributes(f"{F}/mimic", joint="s", multiplier="2", offset=".1", gear="3")
    yield from elements(
        H, "<safety_controller soft_lower_limit='-.5' soft_upper_limit='1' k_position='20' "
        "k_velocity='5'/>", "<calibration rising='.1'/>", "<calibration falling='.1'/>",
        "<calibration reference_position='.1'/>", "<limits lower='0'/>", "<damping>3</damping>",
        "<limit lower='0' upper='1' effort='1' velocity='1'/>", "<axis xyz='1 0 0'/>",
        "<origin xyz='1 0 0'/>", "<dynamics damping='9'/>", "<hardwareInterface/>",
        "<parent link='slider'/>", "<child link='wheel'/>", "<disable_collision/>", "<armature/>",
    )  # fmt: skip
    yield from elements(W, "<limit lower='-1' upper='1' effort='5' velocity='3'/>",
                        "<limit effort='5' velocity='3'/>", "<mimic joint='h'/>",
                        "<dynamics damping='1'/>")  # fmt: skip
    yield from elements(
        ".", "<transmission name='t'><type>transmission_interface/SimpleTransmission</type>"
        "<joint name='h'><hardwareInterface>x</hardwareInterface></joint><actuator name='m'>"
        "<mechanicalReduction>50</mechanicalReduction></actuator></transmission>",
        "<gazebo reference='upper'><mu1>.2</mu1><mu2>.2</mu2><kp>1e6</kp><kd>1</kd></gazebo>",
        "<gazebo reference='upper'><selfCollide>true</selfCollide></gazebo>",
        "<gazebo reference='upper'><turnGravityOff>true</turnGravityOff></gazebo>",
        "<gazebo><static>true</static></gazebo>",
        "<gazebo reference='h'><springStiffness>3</springStiffness></gazebo>",
        "<gazebo><plugin name='p' filename='lib.so'/></gazebo>",
        "<sensor name='c'><parent link='upper'/><camera/></sensor>", "<model_state model='r'/>",
        "<mujoco><compiler discardvisual='false'/></mujoco>", "<drake:loop_joint name='l'/>",
        "<loop_joint name='l'/>", "<ros2_control name='c'/>", "<disable_collisions link1='upper'/>",
        "<self_collision_checking/>", "<group name='arm'/>", "<gravity xyz='0 0 -1'/>",
    )  # fmt: skip
    yield from elements(
        UPPER,
        "<contact><lateral_friction value='.2'/></contact>", "<contact_coefficients mu='1'/>",
        "<collision><geometry><box size='.1 .1 .1'/></geometry></collision>", "<self_collide/>",
        "<collision_checking/>",
        "<inertial><mass value='9'/></inertial>", "<mass value='9'/>", "<origin xyz='1 0 0'/>",
        "<collision group='g'><geometry><sphere radius='.2'/></geometry></collision>",
        "<kinematic/>", "<sensor/>",
    )  # fmt: skip
    yield from elements(SLIDER, "<visual><geometry><box size='.1 .1 .1'/></geometry></visual>")
    yield from elements(f"{UPPER}/inertial", "<density value='9'/>", "<mass value='9'/>",
                        "<inertia ixx='1' iyy='1' izz='1'/>")  # fmt: skip
    yield from elements(f"{UPPER}/collision", "<contact_coefficients mu='1'/>", "<origin/>",
                        "<geometry><sphere radius='1'/></geometry>", "<max_contacts/>",
                        "<surface><friction/></surface>", "<verbose value='1'/>")  # fmt: skip
    yield from elements(f"{UPPER}/collision/geometry", "<box size='1 1 1'/>", "<plane/>")
    yield Change("collision without geometry", f"{UPPER}/collision", without="geometry")
    yield Change("collision without origin", f"{UPPER}/collision", without="origin")
    yield Change("joint without origin", H, without="origin")
    yield Change("joint without axis", H, without="axis")
    yield Change("joint without limit", H, without="limit")
    yield Change("joint without parent", H, without="parent")
    yield Change("joint without child", H, without="child")
    yield Change("inertial without mass", f"{UPPER}/inertial", without="mass")
    yield Change("inertial without inertia", f"{UPPER}/inertial", without="inertia")
    yield Change("inertial without origin", f"{UPPER}/inertial", without="origin")
    yield Change("link without inertial", UPPER, without="inertial")
    yield Change("link without collision", UPPER, without="collision")
    yield Change("axis of length 7", f"{H}/axis", {"xyz": "0 7 0"}, same=True)
    yield Change("axis zero", f"{H}/axis", {"xyz": "0 0 0"})
    yield Change("mesh mirrored", f"{WHEEL}/collision/geometry/mesh", {"scale": "-1 1 1"})
    yield Change("mesh mirrored in all axes", f"{WHEEL}/collision/geometry/mesh",
                 {"scale": "-2 -2 -2"})  # fmt: skip
    yield Change("mesh with one scale", f"{WHEEL}/collision/geometry/mesh", {"scale": "2"})
    yield Change("mesh with scale 0", f"{WHEEL}/collision/geometry/mesh", {"scale": "1 0 1"})
    yield Change("mesh without scale", f"{WHEEL}/collision/geometry/mesh", {"scale": None},
                 same=True)  # fmt: skip
    yield Change("mass negative", f"{UPPER}/inertial/mass", {"value": "-2"})
    yield Change("mass with a unit", f"{UPPER}/inertial/mass", {"value": "2 kg"})
    yield Change("mass with a comma", f"{UPPER}/inertial/mass", {"value": "2,5"})
    yield Change("effort negative", f"{H}/limit", {"effort": "-5"})
    yield Change("velocity negative", f"{H}/limit", {"velocity": "-5"})
    yield Change("effort 0", f"{H}/limit", {"effort": "0"})
    yield Change("limits reversed", f"{H}/limit", {"lower": "3"})
    yield Change("limits in degrees", f"{H}/limit", {"lower": "-90", "upper": "90"})
    yield Change("origin in degrees", f"{H}/origin", {"rpy": "0 0 90"})
    yield Change("damping negative", f"{H}/dynamics", {"damping": "-1"})
    yield Change("mimic of itself", f"{F}/mimic", {"joint": "f"})
    yield Change("mimic of none", f"{F}/mimic", {"joint": "nowhere"})
    for kind in ("fixed", "floating", "planar", "continuous"):
        for child in ("mimic", "limit", "axis", "dynamics"):
            yield Change(f"{child} of a {kind} joint", F, {"type": kind}, beside=child)
    yield Change("joint of an unknown type", H, {"type": "ball"})
    yield Change("joint without a type", H, {"type": None})
    yield Change("two joints of one name", S, {"name": "h"})
    yield Change("two links of one name", add=FREE.replace("'n'", "'upper'"))
    yield Change("two robots in one", add="<robot name='q'/>")
    yield Change("link without a joint", add=FREE)
    yield Change("floating joint", add=FREE + f"<joint name='n' type='floating'>{ENDS}</joint>")
    yield Change("planar joint", add=FREE + f"<joint name='n' type='planar'>{ENDS}"
                 "<axis xyz='0 1 1'/></joint>")  # fmt: skip
    yield Change("fixed joint", add=FREE + f"<joint name='n' type='fixed'>{ENDS}</joint>")
    yield Change("text in an element", f"{H}/origin", add="1 2 3")
    yield Change("text beside elements", UPPER, add="mass 3")


def compared(change: Change) -> Change:
    """What a change is compared with: no change, or it without the child in question."""
    return replace(change, without=change.beside, beside="") if change.beside else Change("none")


def document(change: Change) -> str:
    """The robot with the change."""
    root = ET.fromstring(MODEL)
    at = root.find(change.at)
    assert at is not None, change
    for name, value in change.set.items():
        at.attrib.pop(name, None)
        if value is not None:
            at.set(name, value)
    if change.without:
        for child in at.findall(change.without):
            at.remove(child)
    added = change.add.replace("drake:", "drake__")  # a prefix that no file declares
    if added.startswith("<"):
        at.extend(ET.fromstring(f"<x>{added}</x>"))
    else:
        at.text = added
    return ET.tostring(root, encoding="unicode").replace("drake__", "drake:")


def seen(text: str, folder: Path) -> tuple[str, frozenset[str], dt.Scene] | None:
    """The scene, as text too, and the notes; None: refused."""
    (folder / "m.obj").write_text(MESH)
    (folder / "m2.obj").write_text(MESH.replace("0.3", "0.4"))
    path = folder / "m.urdf"
    path.write_text(text)
    try:
        loaded = load_scene(path)
    except DovetailError:
        return None
    return described([loaded.scene, loaded.run]), frozenset(loaded.notes), loaded.scene


def as_the_peer(text: str, scene: dt.Scene, folder: Path) -> str:
    """What differs from Pinocchio; empty: nothing, or it does not read the file either."""
    import pinocchio as pin

    try:
        model = pin.buildModelFromXML(text)
        shapes = pin.buildGeomFromUrdfString(
            model, text, pin.GeometryType.COLLISION, package_dirs=[str(folder)]
        )  # fmt: skip
    except (ValueError, RuntimeError):
        return ""
    mechanism = exact_mechanism(scene.build())
    known = {link.name for link in mechanism.parts.links}
    single = [
        (i, name) for i, name in enumerate(model.names) if name in known and model.joints[i].nv == 1
    ]
    if set(list(model.names)[1:]) - known or len(single) < model.njoints - 1:
        return ""  # links without mass, planar and free joints: tests of the reader compare these
    turn = {name: 0.1 + 0.07 * i for i, name in single}
    q, theirs_q = mechanism.neutral(), pin.neutral(model)
    ours_at, theirs_at = [], []
    for i, name in single:
        q[mechanism.q_of(name)] = turn[name]
        at = model.joints[i].idx_q
        two = (np.cos(turn[name]), np.sin(turn[name]))
        theirs_q[at : at + model.joints[i].nq] = two if model.joints[i].nq == 2 else turn[name]
        ours_at.append(mechanism.v_of(name).start)
        theirs_at.append(model.joints[i].idx_v)
    data, zero = model.createData(), np.zeros(mechanism.n_v)
    M = pin.crba(model, data, theirs_q)
    M = np.triu(M) + np.triu(M, 1).T
    found = []
    ours = mass_matrix(mechanism.tree, q)[np.ix_(ours_at, ours_at)]
    found += _off("mass matrix", ours, M[np.ix_(theirs_at, theirs_at)])
    bias = inverse_dynamics(mechanism.tree, q, zero, zero, gravity=np.array((0, 0, -9.81)))
    gravity = pin.nle(model, data, theirs_q, np.zeros(model.nv))
    found += _off("gravity", bias[ours_at], gravity[theirs_at])
    for i, name in single:
        at, acts = model.joints[i].idx_q, scene.joints[name][0].actuation
        if model.joints[i].nq == 1 and acts:
            limits = [acts[0].lower, acts[0].upper]
            wanted = [model.lowerPositionLimit[at], model.upperPositionLimit[at]]
            found += _off(f"limits of {name}", np.array(limits), np.array(wanted))
    return "; ".join(found + _shapes_off(pin, model, shapes, scene))


def _shapes_off(pin: Any, model: Any, shapes: Any, scene: dt.Scene) -> list[str]:
    """Boxes around the collision geometry of each body at joint coordinates zero."""
    data, found = model.createData(), []
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    placed = pin.GeometryData(shapes)
    pin.updateGeometryPlacements(model, data, shapes, placed, pin.neutral(model))
    boxes: dict[str, list[np.ndarray]] = {}
    for number, one in enumerate(shapes.geometryObjects):
        one.geometry.computeLocalAABB()
        box, pose = one.geometry.aabb_local, placed.oMg[number]
        if "mesh" in one.meshPath or one.meshPath.endswith(".obj"):
            points = np.asarray(one.geometry.vertices())
        else:
            points = np.array(np.meshgrid(*zip(box.min_, box.max_))).reshape(3, -1).T
        link = re.sub(r"_\d+$", "", one.name)
        boxes.setdefault(link, []).append(points @ pose.rotation.T + pose.translation)
    for link, points in boxes.items():
        body = scene.bodies.get(link)
        if body is None or body.shape is None:
            found.append(f"no collision geometry of {link}")
            continue
        ours = _corners(body)
        wanted = np.concatenate(points)
        found += _off(f"box around {link}", _box(ours), _box(wanted), ROUNDED)
    return found


def _corners(body: Any) -> np.ndarray:
    """Corners of the boxes around the parts of a body, in the world."""
    shape = body.shape
    parts = shape.parts if isinstance(shape, dt.Compound) else [dt.Placed(shape)]
    origin, turned = np.asarray(body.given.position), np.asarray(body.rotation)
    found = []
    for part in parts:
        rotation, position = part.pose
        if isinstance(part.shape, dt.Mesh):
            points = np.asarray(part.shape.surface().vertices)
        else:
            half = {
                dt.Box: lambda s: np.array(s.size) / 2,
                dt.Sphere: lambda s: np.full(3, s.radius),
                dt.Cylinder: lambda s: np.array((s.radius, s.radius, s.height / 2)),
            }[type(part.shape)](part.shape)
            points = np.array(np.meshgrid(*[(-a, a) for a in half])).reshape(3, -1).T
        points = points @ rotation.T + position
        found.append(points @ turned.T + origin)
    return np.concatenate(found)


def _box(points: np.ndarray) -> np.ndarray:
    return np.array([points.min(axis=0), points.max(axis=0)])


def _off(what: str, ours: Any, theirs: Any, near: float = NEAR) -> list[str]:
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    size = float(np.abs(theirs).max(initial=0.0)) + 1e-12
    worst = float(np.abs(ours - theirs).max(initial=0.0)) / size
    return [] if worst <= near else [f"{what} {worst:.1e}"]


def verdict(change: Change, folder: Path) -> tuple[str, str]:
    """What is done with a change, and what differs from Pinocchio."""
    text = document(change)
    own, plain = seen(text, folder), seen(document(compared(change)), folder)
    if own is None:
        return "refused", ""
    if change.same:
        return "same" if plain is not None and own[0] == plain[0] else "OTHERWISE", ""
    if plain is None or own[1] - plain[1]:
        return "listed" if plain is not None else "read", ""
    if own[0] == plain[0]:
        return "SILENT", ""
    off = "" if change.alone else as_the_peer(text, own[2], folder)
    return "OTHERWISE" if off else "read", off


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of a row")
    parser.add_argument("--all", action="store_true", help="print every row")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for change in rows():
            if options.only in change.what:
                what, why = verdict(change, Path(name))
                counts[what] += 1
                if what in ("SILENT", "OTHERWISE") or options.all:
                    print(f"{what}: {change.what} {why}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    raise SystemExit(1 if counts["SILENT"] or counts["OTHERWISE"] else 0)


if __name__ == "__main__":
    main()
