"""Closed forms of contact under IPC, SDF and LCP: the error at four steps, and its order.

python benchmarks/contact_orders.py [FORM ...] [--methods LCP,SDF,IPC] [--list]

One line for each closed form and method: the errors at h = 8, 4, 2 and 1 ms relative to what is
given in brackets, the order from the last two, and PASS or FAIL. FAIL: the error does not become
smaller with the step, or is above 1 % at 1 ms; an error below 1e-8 has no order and passes.
Thresholds (toppling, wedge) pass if what is 5 % below stays and what is 5 % above does not. Exit
code 1 where one fails.
"""

import argparse
import os
import sys
import warnings

os.environ.setdefault("DOVETAIL_QUIET", "1")
import numpy as np

import dovetail as dt
from dovetail.linalg.lie import so3

G = 9.81
METHODS = {"LCP": dt.contact.LCP, "SDF": dt.contact.SDF, "IPC": dt.contact.IPC}
STEPS = (8e-3, 4e-3, 2e-3, 1e-3)
EXACT, MOST = 1e-8, 1e-2
SAME_LIMIT = 5e-3  # of the energy of Euler's disk
LYING = so3.exp([np.pi / 2, 0, 0])


def run(scene, method, duration, h, **options):
    contact = METHODS[method](**options)
    return dt.simulate(scene, duration, h, contact=contact, progress=False)


def on_floor(angle=0.0):
    """A floor whose downhill direction is x."""
    scene = dt.Scene(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("floor", dt.Box((20, 4, 1)), motion="static", position=(0, 0, -0.5))
    return scene


def sliding(method, h):
    """Stop distance v^2 / (2 mu g) [of it]."""
    scene = on_floor()
    scene.add_body("block", dt.Box((0.4, 0.4, 0.1)), mass=3, position=(0, 0, 0.05),
                   velocity=(2, 0, 0))  # fmt: skip
    way = run(scene, method, 0.8, h, friction=0.4).position("block")[-1, 0]
    return way / (4 / (2 * 0.4 * G)) - 1


def billiard(method, h):
    """Way of a ball that slips, then rolls at 5/7 v0, after 0.4 s [of it]."""
    v, mu, t = 2.0, 0.5, 0.4
    scene = on_floor()
    scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 0.1), velocity=(v, 0, 0))
    slides = 2 * v / (7 * mu * G)
    way = 12 * v**2 / (49 * mu * G) + 5 / 7 * v * (t - slides)
    return run(scene, method, t, h, friction=mu).position("ball")[-1, 0] / way - 1


def billiard_speed(method, h):
    """Speed in the end, 5/7 v0 [of it]."""
    scene = on_floor()
    scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 0.1), velocity=(2, 0, 0))
    return run(scene, method, 0.4, h, friction=0.5).velocity("ball")[-1, 0] / (10 / 7) - 1


def turntable(method, h):
    """A ball that rolls on a turntable circles at 2/7 of its rate [of it]."""
    rate, radius = 3.0, 0.05
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("table", dt.Cylinder(1.0, 0.2), motion="kinematic", position=(0, 0, -0.1),
                   angular_velocity=(0, 0, rate))  # fmt: skip
    scene.add_body("ball", dt.Sphere(radius), mass=1, position=(0.3, 0, radius),
                   velocity=(0, 0.1, 0),
                   angular_velocity=((rate * 0.3 - 0.1) / radius, 0, 0))  # fmt: skip
    result = run(scene, method, 0.48, h, friction=2.0)
    v, t = result.velocity("ball")[2:, :2], result.time[2:]
    turned = np.unwrap(np.arctan2(v[:, 1], v[:, 0]))
    return (turned[-1] - turned[0]) / (t[-1] - t[0]) / (2 / 7 * rate) - 1


def rolling(name, share):
    def error(method, h):
        angle, radius, t = 0.3, 0.1, 0.4
        scene = on_floor(angle)
        shape = dt.Sphere(radius) if name == "ball" else dt.Cylinder(radius, 0.1)
        about = (1 / share - 1) * radius**2
        moments = (about,) * 3 if name == "ball" else (0.006, 0.006, about)
        turn = np.eye(3) if name == "ball" else LYING
        scene.add_body("body", shape, mass=1, inertia=moments, position=(0, 0, radius),
                       rotation=turn)  # fmt: skip
        way = 0.5 * share * G * np.sin(angle) * t**2
        return run(scene, method, t, h, friction=0.6).position("body")[-1, 0] / way - 1

    error.__doc__ = f"A {name} rolls down 0.3 rad with {share:.3f} g sin(angle): way [of it]."
    return error


def bounces(e):
    def error(method, h):
        scene = on_floor()
        scene.add_body("ball", dt.Sphere(0.05), density=1000, position=(0, 0, 0.55))
        result = run(scene, method, 0.8, h, restitution=e)
        later = result.time > np.sqrt(2 * 0.5 / G) + 0.05
        z = result.position("ball")[later, 2]
        best = int(np.argmax(z))  # the top between frames, by a parabola
        top = z[best]
        if 0 < best < len(z) - 1:
            bend = z[best - 1] - 2 * z[best] + z[best + 1]
            top -= (z[best + 1] - z[best - 1]) ** 2 / (8 * bend) if bend else 0.0
        lowest = z[-1] if e == 0.0 else 0.05  # IPC rests a little above the floor
        return float(top - lowest - 0.5 * e**2) / 0.5

    error.__doc__ = f"A ball dropped by 0.5 m, e = {e:g}: height of the first rebound [0.5 m]."
    return error


def cradle(method, h):
    """Five balls, gaps of 1e-6 m, e = 1: speeds after the impacts [v]."""
    scene = dt.Scene()
    for k in range(5):
        scene.add_body(f"{k}", dt.Sphere(0.05), mass=1, velocity=(float(k == 0), 0, 0),
                       position=((0.1 + 1e-6) * k, 0, 0))  # fmt: skip
    result = run(scene, method, 8 * h, h, restitution=1.0)
    last = np.array([result.velocity(f"{k}")[-1, 0] for k in range(5)])
    return float(np.abs(last - np.eye(5)[-1]).max())


def disk(method, h):
    """Euler's disk rolls at 30 degrees: energy after 0.2 s, half the steps; all is kept."""
    radius, thick, tilt = 0.1, 0.004, np.radians(30)
    R = so3.exp([tilt, 0, 0])
    lowest = R @ np.array([0, -radius, -thick / 2])
    spin = np.sqrt(4 * G / (radius * np.sin(tilt))) * np.sin(tilt) * R[:, 1]
    scene = on_floor()
    scene.add_body("disk", dt.Cylinder(radius, thick), density=7800, rotation=R,
                   position=(0, 0, -lowest[2]), velocity=-np.cross(spin, lowest),
                   angular_velocity=spin)  # fmt: skip
    energy = run(scene, method, 0.2, h, friction=0.8).energy["total"]
    return energy[-1] / energy[0]


def topples(method, h, share):
    """tan(angle) = width / height of a block that does not slide."""
    scene = on_floor(np.arctan(share * 0.2 / 0.4))
    scene.add_body("block", dt.Box((0.2, 0.2, 0.4)), mass=1, position=(0, 0, 0.2))
    result = run(scene, method, 0.8, h, friction=2.0)
    return bool(so3.log(result.rotation("block")[-1])[1] > 0.01)


def slips(method, h, share):
    """A wedge under a weight locks itself up to an angle of 2 atan(mu)."""
    mu = 0.3
    angle = share * 2 * np.arctan(mu)
    x, z = 0.6, 0.6 * np.tan(angle)
    corners = np.array([[a, b, c] for b in (-0.2, 0.2) for a, c in ((0, 0), (x, 0), (x, z))])
    faces = [[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]]
    scene, above = on_floor(), np.array([0, 0, 1e-6])
    scene.add_body("wedge", dt.Mesh(corners, faces=faces), mass=0.1, position=above)
    place = np.array([0.3 - 0.1 * np.sin(angle), 0, 0.3 * np.tan(angle) + 0.1 * np.cos(angle)])
    scene.add_body("weight", dt.Sphere(0.1), mass=10, position=place + 2 * above,
                   fixed=(True, True, False, True, True, True))  # fmt: skip
    at = run(scene, method, 0.1, h, friction=mu).position("wedge")[:, 0]
    return bool(at[-1] - at[len(at) // 2] > 5e-4)


FORMS = {
    "sliding": sliding, "billiard": billiard, "billiard-speed": billiard_speed,
    "turntable": turntable, "ball": rolling("ball", 5 / 7), "cylinder": rolling("cylinder", 2 / 3),
    "hoop": rolling("hoop", 1 / 2), "bounce-0": bounces(0.0), "bounce-0.3": bounces(0.3),
    "bounce-0.8": bounces(0.8), "bounce-1": bounces(1.0), "cradle": cradle,
}  # fmt: skip
THRESHOLDS = {"topples": topples, "wedge": slips}


def line(name, method):
    """Print one; whether it passes."""
    if name in THRESHOLDS:
        found = [(THRESHOLDS[name](method, h, 0.95), THRESHOLDS[name](method, h, 1.05))
                 for h in STEPS[1:]]  # fmt: skip
        so = all(pair == (False, True) for pair in found)
        print(f"  {method:4} {' '.join('right' if p == (False, True) else f'{p}' for p in found)}",
              end="")  # fmt: skip
    elif name == "disk":
        shares = np.array([disk(method, h / 2) for h in STEPS])
        limit = 2 * shares[3] - shares[2]
        so = abs(limit - 1) <= SAME_LIMIT
        order = np.log2(abs(shares[2] - 1) / abs(shares[3] - 1))
        print(f"  {method:4} {' '.join(f'{s:.5f}' for s in shares)} -> {limit:.5f}, order "
              f"{order:.1f}", end="")  # fmt: skip
    else:
        errors = np.abs([FORMS[name](method, h) for h in STEPS])
        small = errors[-1] < EXACT
        order = np.log2(max(errors[-2], 1e-300) / max(errors[-1], 1e-300))
        so = bool(small or (errors[-1] <= MOST and errors[-1] <= errors[0]))
        said = "exact" if small else f"order {order:.1f}"
        print(f"  {method:4} {' '.join(f'{e:.1e}' for e in errors)}, {said}", end="")
    print(f"  {'PASS' if so else 'FAIL'}", flush=True)
    return so


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("forms", nargs="*")
    parser.add_argument("--methods", default="LCP,SDF,IPC")
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = 0
    for name, form in {**FORMS, "disk": disk, **THRESHOLDS}.items():
        if asked.forms and not any(name.startswith(f) for f in asked.forms):
            continue
        print(f"{name}: {form.__doc__}", flush=True)
        if not asked.list:
            failed += sum(not line(name, method) for method in asked.methods.split(","))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
