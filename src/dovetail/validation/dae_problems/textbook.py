"""Linkages and geared mechanisms of textbooks, whose motion has a property that can be checked.

Each entry of `MECHANISMS` is a scene and a function of its result that gives what must vanish, such
as how far Peaucellier's point is off its straight line [m or rad]; None where energy and closure
are all there is to check. Lengths in m, bars of 1 kg/m unless a mass is given.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.model.values import Array
from dovetail.validation.dae_problems.andrews import andrews

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Point = tuple[float, ...] | Array


def _bar(scene: dt.Scene, name: str, a: Point, b: Point, mass: float | None = None) -> None:
    """A slender round bar between two points."""
    start, end = np.resize(np.append(a, 0.0), 3), np.resize(np.append(b, 0.0), 3)
    length = float(np.linalg.norm(end - start))
    z = (end - start) / length
    x = np.cross(z, Y if abs(z[1]) < 0.9 else X)
    x /= np.linalg.norm(x)
    m = length if mass is None else mass
    J = (m * length**2 / 12, m * length**2 / 12, m * length**2 / 300)
    R = np.column_stack([x, np.cross(z, x), z])
    scene.add_body(name, mass=m, inertia=J, position=(start + end) / 2, rotation=R)


def _pin(scene: dt.Scene, at: Point, a: str, b: str) -> None:
    """A hinge along z at a point of the plane."""
    scene.add_joint(f"{a}-{b}", dt.Revolute((at[0], at[1], 0.0), Z), a, b)


def _meet(a: Point, ra: float, b: Point, rb: float) -> Array:
    """The point at distances ra of a and rb of b, left of the line from a to b."""
    start, direction = np.array(a), np.array(b) - np.array(a)
    d = float(np.linalg.norm(direction))
    along = (ra**2 - rb**2 + d**2) / (2 * d)
    u = direction / d
    return np.asarray(start + along * u + np.sqrt(ra**2 - along**2) * np.array([-u[1], u[0]]))


def slider_crank(crank: float = 0.2, rod: float = 0.7) -> dt.Scene:
    """Flywheel, rod and piston; the wheel carries the piston through both dead centres."""
    scene = dt.Scene(gravity=(0, -9.81, 0))
    angle = 0.4
    B = crank * np.array([np.cos(angle), np.sin(angle)])
    x = B[0] + np.sqrt(rod**2 - B[1] ** 2)
    scene.add_body("wheel", dt.Cylinder(0.3, 0.05), mass=20, angular_velocity=(0, 0, 12))
    _bar(scene, "rod", B, (x, 0))
    scene.add_body("piston", dt.Box((0.1, 0.05, 0.05)), mass=1, position=(x, 0, 0))
    _pin(scene, (0, 0), "ground", "wheel")
    _pin(scene, B, "wheel", "rod")
    _pin(scene, (x, 0), "rod", "piston")
    scene.add_joint("guide", dt.Prismatic((x, 0, 0), X), "ground", "piston")
    return scene


def isosceles_slider_crank() -> dt.Scene:
    """Rod as long as the crank: two branches meet where the piston is over the shaft."""
    return slider_crank(0.3, 0.3)


def peaucellier() -> dt.Scene:
    """The inversor: two long bars, a rhombus and a crank through the fixed point."""
    scene = dt.Scene(gravity=(0.5, -9.81, 0))
    long, side, crank = 1.0, 0.4, 0.45
    A = np.array([crank, 0.0])  # the crank's pin; the other fixed point is the origin
    P = A + crank * np.array([np.cos(0.5), np.sin(0.5)])
    away, r = P / np.linalg.norm(P), float(np.linalg.norm(P))
    foot = (long**2 - side**2 + r**2) / (2 * r)
    rise = np.sqrt(long**2 - foot**2) * np.array([-away[1], away[0]])
    B, C = foot * away + rise, foot * away - rise
    Q = (long**2 - side**2) / r * away
    for name, p, q in (("long1", (0, 0), B), ("long2", (0, 0), C), ("crank", A, P),
                       ("in1", P, B), ("in2", P, C), ("out1", B, Q), ("out2", C, Q)):  # fmt: skip
        _bar(scene, name, p, q)
    for at, a, b in (((0, 0), "ground", "long1"), ((0, 0), "ground", "long2"),
                     (A, "ground", "crank"), (P, "crank", "in1"), (P, "crank", "in2"),
                     (B, "long1", "in1"), (C, "long2", "in2"), (B, "long1", "out1"),
                     (C, "long2", "out2"), (Q, "out1", "out2")):  # fmt: skip
        _pin(scene, at, a, b)
    return scene


def _end_of(result: Any, body: str, length: float) -> Array:
    """(k, 3) the end of a bar, in the direction of its z axis."""
    return np.asarray(result.position(body) + 0.5 * length * result.rotation(body)[:, :, 2])


def off_the_line(result: Any) -> float:
    """How far Peaucellier's point leaves its straight line x = const."""
    return float(np.ptp(_end_of(result, "out1", 0.4)[:, 0]))


JANSEN = {"a": 0.38, "b": 0.415, "c": 0.393, "d": 0.401, "e": 0.558, "f": 0.394, "g": 0.367,
          "h": 0.657, "i": 0.49, "j": 0.5, "k": 0.619, "l": 0.078, "m": 0.15}  # fmt: skip


def jansen() -> dt.Scene:
    """A leg of the Strandbeest, with the eleven lengths of its maker."""
    n = JANSEN
    scene = dt.Scene(gravity=(0, -9.81, 0))
    O, F = np.array([0.0, 0.0]), np.array([-n["a"], -n["l"]])
    K = n["m"] * np.array([np.cos(1.0), np.sin(1.0)])
    top, low = _meet(F, n["b"], K, n["j"]), _meet(K, n["k"], F, n["c"])
    left = _meet(F, n["d"], top, n["e"])
    knee = _meet(low, n["g"], left, n["f"])
    toe = _meet(low, n["i"], knee, n["h"])
    _bar(scene, "crank", O, K, 2.0)
    for name, p, q in (("upper", K, top), ("lower", K, low), ("shin", left, knee),
                       ("hold", F, low)):  # fmt: skip
        _bar(scene, name, p, q)
    _triangle(scene, "thigh", F, top, left)
    _triangle(scene, "foot", low, knee, toe)
    for at, a, b in ((O, "ground", "crank"), (K, "crank", "upper"), (K, "crank", "lower"),
                     (F, "ground", "thigh"), (F, "ground", "hold"), (top, "upper", "thigh"),
                     (low, "lower", "hold"), (low, "hold", "foot"), (left, "thigh", "shin"),
                     (knee, "shin", "foot")):  # fmt: skip
        _pin(scene, at, a, b)
    return scene


def _triangle(scene: dt.Scene, name: str, *corners: Array) -> None:
    """A plate of 1 kg with its mass in its corners."""
    centre = np.mean(corners, axis=0)
    J = sum(float(np.sum((corner - centre) ** 2)) for corner in corners) / 3
    scene.add_body(name, mass=1, inertia=(J / 2, J / 2, J), position=(*centre, 0.0))


def stephenson() -> dt.Scene:
    """Stephenson's six-bar: a four-bar whose coupler drives a dyad on the ground."""
    scene = dt.Scene(gravity=(0, -9.81, 0))
    A, D, G = (0.0, 0.0), (0.7, 0.0), (1.3, 0.1)
    B = 0.25 * np.array([np.cos(1.0), np.sin(1.0)])
    C = _meet(B, 0.7, D, 0.6)
    E = _meet(B, 0.5, C, 0.4)
    F = _meet(E, 0.9, G, 0.7)
    _bar(scene, "crank", A, B, 1.0)
    _triangle(scene, "coupler", B, C, E)
    for name, p, q in (("rocker", D, C), ("link", E, F), ("output", G, F)):
        _bar(scene, name, p, q)
    for at, a, b in ((A, "ground", "crank"), (B, "crank", "coupler"), (C, "coupler", "rocker"),
                     (D, "rocker", "ground"), (E, "coupler", "link"), (F, "link", "output"),
                     (G, "output", "ground")):  # fmt: skip
        _pin(scene, at, a, b)
    return scene


def sarrus() -> dt.Scene:
    """Two pairs of hinged plates at a right angle lift a table straight up: five equations too
    many of twelve.
    """
    scene = dt.Scene(gravity=(0, 0, -9.81))
    half, leg, rise = 0.3, 0.5, 0.35
    out = np.sqrt(leg**2 - rise**2)
    scene.add_body("table", dt.Box((0.6, 0.6, 0.02)), mass=4, position=(0, 0, 2 * rise),
                   velocity=(0, 0, 3.0))  # fmt: skip
    for name, direction, axis in (("x", np.array(X), Y), ("y", np.array(Y), (-1.0, 0.0, 0.0))):
        low, knee = half * direction, (half + out) * direction + rise * np.array(Z)
        high = half * direction + 2 * rise * np.array(Z)
        _bar(scene, f"{name} low", low, knee)
        _bar(scene, f"{name} high", knee, high)
        scene.add_joint(f"{name} foot", dt.Revolute(low, axis), "ground", f"{name} low")
        scene.add_joint(f"{name} knee", dt.Revolute(knee, axis), f"{name} low", f"{name} high")
        scene.add_joint(f"{name} hand", dt.Revolute(high, axis), f"{name} high", "table")
    return scene


def off_the_lift(result: Any) -> float:
    """How far the table of Sarrus moves aside or tilts."""
    aside = float(np.abs(result.position("table")[:, :2]).max())
    tilt = float(np.abs(result.rotation("table") - np.eye(3)).max())
    return max(aside, tilt)


def geneva() -> dt.Scene:
    """A wheel that a driver moves by a polynomial of its angle, q2 = q1^2 - q1^3 / 3."""
    scene = dt.Scene(gravity=(0, 0, 0))
    for name, x, spin in (("driver", 0.0, 1.0), ("wheel", 0.5, 0.0)):
        scene.add_body(name, dt.Cylinder(0.2, 0.05), mass=1, position=(x, 0, 0),
                       angular_velocity=(0, 0, spin))  # fmt: skip
        scene.add_joint(name, dt.Revolute((x, 0, 0), Z), "ground", name)
    scene.add_coupling("slot", dt.Coupling({"wheel": 1.0, "driver": (0.0, -1.0, 1 / 3)}))
    return scene


def off_the_slot(result: Any) -> float:
    q, p = (result.joint(name).position for name in ("driver", "wheel"))
    return float(np.abs(p - q**2 + q**3 / 3).max())


def double_cardan() -> dt.Scene:
    """Two joints of Hooke in a Z: what the first makes uneven the second makes even again."""
    scene = dt.Scene(gravity=(0, 0, 0))
    bend = 0.5
    direction = np.array([np.cos(bend), 0.0, np.sin(bend)])
    first, second = np.zeros(3), 0.6 * direction
    beyond = second + 0.3 * np.array(X)
    along_x = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    for name, at in (("in", -0.3 * np.array(X)), ("out", beyond)):
        scene.add_body(name, dt.Cylinder(0.1, 0.4), mass=5, position=at, rotation=along_x,
                       angular_velocity=(20, 0, 0))  # fmt: skip
    _bar(scene, "shaft", first, second)
    scene.add_joint("bearing in", dt.Revolute((-0.3, 0, 0), X), "ground", "in")
    scene.add_joint("cross 1", dt.Universal(first, Z, axis2=Y), "in", "shaft")
    scene.add_joint("cross 2", dt.Universal(second, Y, axis2=Z), "shaft", "out")
    scene.add_joint("bearing out", dt.Cylindrical(beyond, X), "ground", "out")
    return scene


def rubbing_andrews() -> dt.Scene:
    """The squeezing mechanism of the DAE test set with dry friction in its ten hinges."""
    return andrews(2e-3)


def uneven(result: Any) -> float:
    """Difference of the angles of the two outer shafts."""
    q = [result.joint(f"bearing {name}").position for name in ("in", "out")]
    q = [one[:, 0] if one.ndim > 1 else one for one in q]
    turned = [np.unwrap(np.asarray(one)) for one in q]
    return float(np.abs(turned[0] - turned[1]).max())


def gimbals() -> dt.Scene:
    """A fast flywheel in two rings, released so that the inner ring passes the outer axis."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("outer", dt.Box((0.5, 0.5, 0.05)), mass=0.5)
    scene.add_body("inner", dt.Box((0.4, 0.4, 0.05)), mass=0.3, position=(0, 0, 0.01))
    scene.add_body("wheel", dt.Cylinder(0.15, 0.04), mass=2, position=(0, 0, 0.02),
                   angular_velocity=(0, 0, 60))  # fmt: skip
    scene.add_joint("yaw", dt.Revolute((0, 0, 0), Z), "ground", "outer")
    scene.add_joint("pitch", dt.Revolute((0, 0, 0), X), "outer", "inner")
    scene.add_joint("spin", dt.Revolute((0, 0, 0), (0, 0.3, 1)), "inner", "wheel")
    return scene


def planetary() -> dt.Scene:
    """Sun, ring and three planets on a carrier; meshes are couplings of relative angles."""
    sun, planet = 0.2, 0.1
    ring = sun + 2 * planet
    scene = dt.Scene(gravity=(0, -9.81, 0))
    scene.add_body("carrier", dt.Cylinder(0.3, 0.02), mass=2)
    scene.add_body("sun", dt.Cylinder(sun, 0.05), mass=3, angular_velocity=(0, 0, 30))
    scene.add_body("ring", dt.Cylinder(ring, 0.05), mass=4)
    scene.add_joint("arm", dt.Revolute((0, 0, 0), Z), "ground", "carrier")
    for name in ("sun", "ring"):
        scene.add_joint(name, dt.Revolute((0, 0, 0), Z), "carrier", name)
    for k in range(3):
        angle = 2 * np.pi * k / 3
        at = (sun + planet) * np.array([np.cos(angle), np.sin(angle), 0.0])
        scene.add_body(f"planet{k}", dt.Cylinder(planet, 0.05), mass=1, position=at)
        scene.add_joint(f"planet{k}", dt.Revolute(at, Z), "carrier", f"planet{k}")
        scene.add_coupling(f"sun{k}", dt.Coupling({"sun": sun, f"planet{k}": planet}))
        scene.add_coupling(f"ring{k}", dt.Coupling({"ring": ring, f"planet{k}": -planet}))
    return scene


def willis(result: Any) -> float:
    """Willis' equation in relative angles: r_sun q_sun + r_ring q_ring = 0 [m]."""
    sun, ring = (result.joint(name).position for name in ("sun", "ring"))
    return float(np.abs(0.2 * sun + 0.4 * ring).max())


Check = Callable[[Any], float] | None
MECHANISMS: dict[str, tuple[Callable[[], dt.Scene], Check, float]] = {
    # scene, what must vanish, seconds that are simulated
    "slider-crank with flywheel": (slider_crank, None, 1.0),
    "isosceles slider-crank": (isosceles_slider_crank, None, 1.0),
    "Peaucellier": (peaucellier, off_the_line, 1.0),
    "Jansen's leg": (jansen, None, 1.0),
    "Stephenson's six-bar": (stephenson, None, 1.0),
    "Sarrus": (sarrus, off_the_lift, 0.3),
    "Geneva by a polynomial": (geneva, off_the_slot, 1.0),
    "double Cardan shaft": (double_cardan, uneven, 1.0),
    "flywheel in gimbals": (gimbals, None, 1.0),
    "planetary gear": (planetary, willis, 1.0),
    "Andrews' with dry friction": (rubbing_andrews, None, 0.03),
}
