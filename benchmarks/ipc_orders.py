"""Errors of intersection-free contact against the step: python benchmarks/ipc_orders.py

Five scenes with defaults under ImplicitEuler and BarrierVerlet: a block that slides down a slope,
one that drops on it, a ball that rolls down, a crate that tumbles along a floor, a block that spins
to rest. Errors are those of a position or angle against the closed form, of the crate against
itself with a step of a quarter of the smallest. --picture FILE draws them, as
`python docs/make_images.py orders` does.
"""

import argparse
import os
from collections.abc import Callable
from functools import cache

os.environ.setdefault("DOVETAIL_QUIET", "1")
import numpy as np
from ipc_limit_scenes import ACROSS, SHAPES, G, floor, landing

import dovetail as dt
from dovetail.integrators import SCHEMES
from dovetail.linalg.lie import so3

STEPS = (1e-2, 5e-3, 2.5e-3, 1.25e-3)
BOTH = ("ImplicitEuler", "BarrierVerlet")


def ended(scene, scheme, h, duration, friction):
    """The motion after `duration` [s]."""
    stepper = SCHEMES[scheme]().start(scene.build(), dt.contact.IPC(friction=friction))
    for k in range(round(duration / h)):
        stepper.step((k + 1) * h)
    return stepper.bodies


def slope(scheme, h) -> float:
    """Slides down from rest for 1 s: relative error of the way."""
    scene, exact = landing(0.0, 1.0, mu=0.3)
    return abs((ended(scene, scheme, h, 1.0, 0.3).x[1, 0] + 1) / exact - 1)


def drop(scheme, h) -> float:
    """Drops by 1 cm on the slope and slides: relative error of the way after 1 s."""
    scene, exact = landing(1e-2, 1.0, mu=0.3)
    return abs((ended(scene, scheme, h, 1.0, 0.3).x[1, 0] + 1) / exact - 1)


def roll(scheme, h, angle=0.3) -> float:
    """A ball rolls down an incline for 1 s: relative error of the way."""
    scene = floor("half-space", (G * np.sin(angle), 0, -G * np.cos(angle)))
    shape, share = SHAPES["sphere"]
    scene.add_body("roller", shape, density=1000, position=(0, 0, 0.1), rotation=ACROSS)
    exact = 0.5 * G * np.sin(angle) / (1 + share)
    return abs(ended(scene, scheme, h, 1.0, 0.5).x[1, 0] / exact - 1)


def spin(scheme, h, mu=0.4, rate=5.0, side=0.4) -> float:
    """A block spins to rest on its corners: relative error of its angle, w^2 I / (2 mu m g r)."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.Box((4, 4, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("block", dt.Box((side,) * 3), density=1000, position=(0.3, 0.7, side / 2),
                   angular_velocity=(0, 0, rate))  # fmt: skip
    turned = so3.log(ended(scene, scheme, h, 0.4, mu).R[1])[2]
    return abs(turned / (rate**2 * side**2 / 6 / (2 * mu * G * side / np.sqrt(2))) - 1)


def crate_position(scheme, h):
    """A crate thrown along a floor, with a spin: where it is after 0.5 s."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.Box((6, 6, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("crate", dt.Box((0.4, 0.3, 0.2)), density=500, position=(-1, 0, 0.3),
                   velocity=(2, 0, 0), angular_velocity=(0, 1.0, 0))  # fmt: skip
    return ended(scene, scheme, h, 0.5, 0.4).x[1].copy()


@cache
def crate_reference(scheme):
    return crate_position(scheme, 0.25 * STEPS[-1])


def crate(scheme, h) -> float:
    """Its distance from where a quarter of the smallest step leads [m]."""
    return float(np.linalg.norm(crate_position(scheme, h) - crate_reference(scheme)))


SCENES: dict[str, Callable[[str, float], float]] = {
    f.__name__: f for f in (slope, drop, roll, spin, crate)
}


def measured(schemes=BOTH) -> dict[tuple[str, str], list[float]]:
    """Errors at STEPS by scheme and scene."""
    return {
        (s, name): [error(s, h) for h in STEPS] for s in schemes for name, error in SCENES.items()
    }


def draw(errors: dict[tuple[str, str], list[float]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(8, 3.6), sharey=True)
    for panel, scheme in zip(panels, BOTH):
        for name in SCENES:
            panel.loglog(STEPS, np.maximum(errors[scheme, name], 1e-12), "o-", label=name)
        panel.loglog(STEPS, [3.0 * h * h for h in STEPS], "k--", lw=0.8, label="order 2")
        panel.set_title(scheme)
        panel.set_xticks(STEPS, [f"{1e3 * h:g}" for h in STEPS])
        panel.minorticks_off()
        panel.set_xlabel("step h [ms]")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    panels[0].set_ylabel("error (relative; crate: m)")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--picture", default=None)
    parser.add_argument("--schemes", nargs="+", default=BOTH, choices=BOTH)
    options = parser.parse_args()
    errors = measured(options.schemes)
    print(f"{'scheme':15}{'scene':8}" + "".join(f"{f'h = {h:g}':>14}" for h in STEPS))
    for (scheme, name), row in errors.items():
        print(f"{scheme:15}{name:8}" + "".join(f"{e:14.3g}" for e in row))
    if options.picture:
        draw(errors, options.picture)


if __name__ == "__main__":
    main()
