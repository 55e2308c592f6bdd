"""A result as a USD text file (.usda), for Omniverse, Blender, Houdini and usdview.

One Xform a body with samples of its pose over time; equal bodies refer to one mesh. USD knows
only y and z as up: a root Xform turns the world so that "up" (against gravity) is z.
Source: Pixar's OpenUSD documentation, "Usd file formats" and "UsdGeomXformable".
"""

import re
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path

import numpy as np

from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.results.blocks import body_groups, poses_of_bodies
from dovetail.view.appearance import body_colours, up_direction
from dovetail.view.page.recording import Recording
from dovetail.view.quaternion_tracks import shortest_turn, steady_quaternions

MAX_DIGITS = 9  # float32, as USD's points and quatf are


def write_usda(result: Result, path: str | PathLike[str], every: int = 1) -> None:
    """Write bodies and their motion; a unit of time is a frame of the result."""
    with Path(path).open("w", encoding="utf-8") as file:
        for line in _lines(Recording(result, "world", every)):
            file.write(line + "\n")


def _lines(recording: Recording) -> Iterator[str]:
    result, frames = recording.result, recording.frames
    times = result.time[frames] - result.time[0]
    rate = 1.0 / float(np.median(np.diff(times))) if len(times) > 1 else 24.0
    codes = [_number(code) for code in (times * rate).tolist()]
    yield "#usda 1.0\n("
    yield '    defaultPrim = "world"\n    doc = "written by dovetail"\n    metersPerUnit = 1'
    yield '    kilogramsPerUnit = 1\n    upAxis = "Z"'
    yield f"    startTimeCode = 0\n    endTimeCode = {codes[-1]}"
    yield f"    timeCodesPerSecond = {rate:.9g}\n    framesPerSecond = {rate:.9g}\n)\n"
    yield from _shapes(recording)
    turn = shortest_turn(up_direction(result), np.array([0.0, 0.0, 1.0]))
    yield 'def Xform "world"\n{'
    yield f"    quatf xformOp:orient = {_quaternion(turn)}"
    yield '    uniform token[] xformOpOrder = ["xformOp:orient"]'
    names = _identifiers(result.names)
    colours = body_colours(result)
    for group in body_groups(result.stored, range(len(names))):
        x, R = poses_of_bodies(result.stored, list(group), recording.every)
        for k, number in enumerate(group):
            poses = x[:, k], steady_quaternions(R[:, k])
            yield from _body(recording, number, names[number], colours[number], codes, poses)
    yield "}"


def _shapes(recording: Recording) -> Iterator[str]:
    """Each surface once, as a class that bodies refer to."""
    yield 'class "shapes"\n{'
    for number, surface in enumerate(recording.surfaces):
        yield f'    class Xform "shape_{number}"\n    {{'
        if len(surface.faces):
            yield from _mesh(surface)
        if len(surface.wires):
            yield from _wires(surface)
        if len(surface.points):
            yield from _points(surface)
        yield "    }"
    yield "}\n"


def _mesh(surface: Surface) -> Iterator[str]:
    corners = ", ".join(map(str, surface.faces.ravel().tolist()))
    low, high = surface.bounds
    yield '        def Mesh "surface"\n        {'
    yield f"            float3[] extent = {_tuples(np.array([low, high]))}"
    yield f"            int[] faceVertexCounts = [{', '.join(['3'] * len(surface.faces))}]"
    yield f"            int[] faceVertexIndices = [{corners}]"
    yield f"            point3f[] points = {_tuples(surface.vertices)}"
    yield '            uniform token subdivisionScheme = "none"\n            bool doubleSided = 1'
    yield "        }"


def _points(surface: Surface) -> Iterator[str]:
    yield '        def Points "points"\n        {'
    yield f"            point3f[] points = {_tuples(surface.vertices[surface.points])}"
    yield '            float[] widths = [0.01] (interpolation = "constant")\n        }'


def _wires(surface: Surface) -> Iterator[str]:
    yield '        def BasisCurves "wires"\n        {\n            uniform token type = "linear"'
    yield f"            int[] curveVertexCounts = [{', '.join(['2'] * len(surface.wires))}]"
    yield f"            point3f[] points = {_tuples(surface.vertices[surface.wires.ravel()])}"
    yield '            float[] widths = [0.002] (interpolation = "constant")\n        }'


def _body(
    recording: Recording,
    number: int,
    name: str,
    colour: tuple[float, float, float],
    codes: list[str],
    poses: tuple[Array, Array],
) -> Iterator[str]:
    result, shape = recording.result, recording.shape_of[number]
    refers = ""
    if shape >= 0:
        refers = f" (\n        prepend references = </shapes/shape_{shape}>\n    )"
    x, q = poses
    yield f'    def Xform "{name}"{refers}\n    {{'
    yield f'        custom string dovetail:name = "{_text(result.names[number])}"'
    linear = tuple(round(((c + 0.055) / 1.055) ** 2.4, 5) for c in colour)  # sRGB to linear
    yield f'        color3f[] primvars:displayColor = [{linear}] (interpolation = "constant")'
    yield from _track("double3 xformOp:translate", codes, x, _point)
    yield from _track("quatf xformOp:orient", codes, q, _quaternion)
    order = '["xformOp:translate", "xformOp:orient"]'
    yield f"        uniform token[] xformOpOrder = {order}\n    }}"


def _track(
    name: str, codes: list[str], values: Array, text: Callable[[Array], str]
) -> Iterator[str]:
    """A value that rests is written once."""
    if not np.any(values != values[0]):
        yield f"        {name} = {text(values[0])}"
        return
    yield f"        {name}.timeSamples = {{"
    for code, value in zip(codes, values):
        yield f"            {code}: {text(value)},"
    yield "        }"


def _point(x: Array) -> str:
    return f"({x[0]:.17g}, {x[1]:.17g}, {x[2]:.17g})"


def _quaternion(xyzw: Array) -> str:
    x, y, z, w = (f"{v:.{MAX_DIGITS}g}" for v in np.asarray(xyzw).tolist())
    return f"({w}, {x}, {y}, {z})"


def _tuples(rows: Array) -> str:
    points = (f"({x:.9g}, {y:.9g}, {z:.9g})" for x, y, z in np.asarray(rows).tolist())
    return f"[{', '.join(points)}]"


def _number(code: float) -> str:
    near = round(code)
    return str(near) if abs(code - near) < 1e-9 * max(1.0, abs(code)) else f"{code:.12g}"


def _identifiers(names: tuple[str, ...]) -> list[str]:
    """Names as USD allows them: letters, digits, underscores; made unique by a number."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "body"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        unique, count = plain, 1
        while unique in taken:
            count += 1
            unique = f"{plain}_{count}"
        taken.add(unique)
        found.append(unique)
    return found


def _text(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
