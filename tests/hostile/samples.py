"""A small sound file of every format that is read, for others to damage."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from mesh_attacks import SCENE, _glb, _triangle
from result_attacks import whole_result

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], "<i4")

YAML = b"""version: 1
units: {length: mm, angle: deg}
gravity: [0, 0, -9.81]
run: {duration: 0.02, step: 0.01, contact: {method: sdf, friction: 0.2}}
bodies:
- &a {name: box, shape: {box: [100, 200, 300]}, density: 800, rotation: [1, 0, 0, 0]}
- {name: ball, shape: {sphere: 50, segments: 8}, mass: 2, position: [400, 0, 0]}
- name: pair
  shape: {compound: [{shape: {box: [1, 1, 1]}}]}
  mass: 1
  inertia: [1, 1, 1]
  position: [800, 0, 0]
- name: sheet
  shape: {mesh: {vertices: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], faces: [[0,2,1],[0,1,3]]}}
  mass: 1.5e-3
  inertia: [1, 1, 1]
  position: [-800, 0, 0]
  motion: kinematic
joints:
- {name: hinge, type: revolute, bodies: [ground, box], point: [0, 0, 0], axis: [0, 1, 0]}
loads:
- {name: pull, type: spring, bodies: [box, ball], point_a: [0, 0, 0], point_b: [400, 0, 0],
   stiffness: 10}
materials:
- {pair: [box, ball], friction: 0.3}
"""
URDF = b"""<?xml version="1.0"?>
<robot name="arm"><!-- two links -->
 <link name="base"><inertial><mass value="2"/><origin xyz="0 0 1" rpy="0 0 0.1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="1 1 1"/></geometry></collision></link>
 <link name="tip"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
 <joint name="j" type="revolute"><parent link="base"/><child link="tip"/>
  <origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/>
  <dynamics damping="0.1" friction="0"/></joint>
</robot>
"""
MJCF = b"""<mujoco model="m"><compiler angle="degree"/><option timestep="0.01" gravity="0 0 -9.8"/>
<default><geom density="500"/><default class="c"><joint damping="0.1"/></default></default>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
<worldbody><geom type="plane" size="5 5 1"/>
<body name="a" pos="0 0 1"><joint name="j" class="c" type="hinge" axis="0 1 0" range="-90 90"/>
<geom type="box" size=".1 .2 .3" friction="0.5"/>
<body name="b" pos="0 0 .5" euler="0 90 0"><joint type="slide"/><geom type="mesh" mesh="t"/>
</body></body>
<body name="f" pos="3 0 1"><freejoint/><geom type="capsule" size=".1 .2"/></body></worldbody>
<equality><connect body1="b" body2="f" anchor="0 0 0" active="false"/></equality>
<actuator><motor joint="j" gear="1"/></actuator></mujoco>
"""
OBJ = (
    b"# part\nmtllib x.mtl\no part\n"
    + b"".join(b"v %g %g %g\n" % tuple(row) for row in CORNERS)
    + b"vt 0 0\nvn 0 0 1\nf 1/1/1 3//1 2/1\nf 1 2 4\nf -3 -2 -1\nf 1 4 3\nl 1 2 3\n"
)
PLY = (
    b"ply\nformat %s 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty float y\n"
    b"property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
)


def _stl() -> bytes:
    rows = np.zeros(4, [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    rows["v"] = CORNERS[FACES]
    return b"solid".ljust(80) + struct.pack("<I", 4) + rows.tobytes()


def _stl_text() -> bytes:
    loops = (
        b"facet normal 0 0 0\nouter loop\n"
        + b"".join(b"vertex %g %g %g\n" % tuple(CORNERS[i]) for i in face)
        + b"endloop\nendfacet\n"
        for face in FACES
    )
    return b"solid t\n" + b"".join(loops) + b"endsolid t\n"


def _ply_binary() -> bytes:
    rows = np.zeros(4, [("n", "u1"), ("v", "<i4", 3)])
    rows["n"], rows["v"] = 3, FACES
    return PLY % b"binary_little_endian" + CORNERS.tobytes() + rows.tobytes()


def _ply_text() -> bytes:
    lines = [b"%g %g %g\n" % tuple(row) for row in CORNERS]
    lines += [b"3 %d %d %d\n" % tuple(row) for row in FACES]
    return PLY % b"ascii" + b"".join(lines)


def _off() -> bytes:
    body = _ply_text().partition(b"end_header\n")[2]
    return b"OFF\n4 4 6\n" + body


def _glb_bytes(folder: Path) -> bytes:
    accessors: list[dict[str, Any]] = [
        {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
        {"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"},
    ]
    header = _triangle(
        accessors=accessors, buffers=[{"byteLength": 96}],
        meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        bufferViews=[{"buffer": 0, "byteLength": 48},
                     {"buffer": 0, "byteOffset": 48, "byteLength": 48}],
    )  # fmt: skip
    _glb(folder, header, CORNERS.tobytes() + FACES.tobytes())
    return (folder / "m.glb").read_bytes()


def samples(folder: Path) -> dict[str, bytes]:
    """By file name. A mesh `m.*` is read through the scene that `scene_for` writes."""
    return {
        "s.yaml": YAML,
        "r.urdf": URDF,
        "m.xml": MJCF,
        "m.obj": OBJ,
        "m.stl": _stl(),
        "text/m.stl": _stl_text(),
        "m.ply": _ply_binary(),
        "text/m.ply": _ply_text(),
        "m.off": _off(),
        "m.glb": _glb_bytes(folder),
        "r.h5": whole_result(folder).read_bytes(),
    }


def written(folder: Path, name: str, data: bytes) -> str:
    """Write a file, and a scene that uses it if it is a mesh; what `dovetail check` is to read."""
    name = name.rpartition("/")[2]
    (folder / name).write_bytes(data)
    if not name.startswith("m.") or name == "m.xml":
        return name
    (folder / "s.yaml").write_text(SCENE.format(name=name))
    return "s.yaml"
