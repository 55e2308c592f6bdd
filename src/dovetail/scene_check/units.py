"""Numbers that look like another unit: millimetres, grams, degrees."""

from collections.abc import Iterator

import numpy as np

from dovetail.model.shapes.shape import DENSITY_UNITS
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

LARGEST_SIZE, SMALLEST_SIZE = 1e3, 1e-4  # [m] of a moving part
DENSEST, THINNEST = 25e3, 0.1  # [kg/m^3]: osmium has 22 600, air 1.2
STRONGEST_GRAVITY = 300.0  # [m/s^2]: at the surface of the Sun 274
FASTEST, FASTEST_SPIN = 3e3, 1e5  # [m/s], [rad/s]


def find_unit_mistakes(bodies: list[PlacedBody], gravity: Array) -> list[Finding]:
    """Each kind of mistake once, with the names of all bodies that have it."""
    found = list(_gravity(bodies, float(np.linalg.norm(gravity))))
    moving = [body for body in bodies if body.moves]
    driven = [body for body in bodies if body.body.motion != "static"]
    for rule, subjects in (
        (_size, [body for body in moving if body.has_surface]),
        (_density, moving),
        (_speed, driven),
        (_spin, driven),
        (_degrees, driven),
    ):
        same = [finding for body in subjects for finding in rule(body)]
        if same:
            found.append(merged(same[0], [name for one in same for name in one.subject]))
    return found


def _warning(subject: str, message: str) -> Finding:
    return Finding("warning", "units", (subject,) if subject else (), message)


def _gravity(bodies: list[PlacedBody], g: float) -> Iterator[Finding]:
    if g <= STRONGEST_GRAVITY:
        return
    hint = (
        "that is 9.81 m/s^2 in mm/s^2; give lengths in m and gravity 9.81"
        if 9000 < g < 10500
        else "lengths are in m and times in s; check it"
    )
    sizes = [body.size for body in bodies if body.moves and body.has_surface]
    size = f" for parts of {np.median(sizes):.2g} m" if sizes else ""
    yield _warning("", f"`gravity` is {g:.4g} m/s^2{size}: {hint}")


def _size(body: PlacedBody) -> Iterator[Finding]:
    who = f"body {quote(body.name)}"
    if body.size > LARGEST_SIZE:
        yield _warning(
            body.name,
            f"{who} is {body.size:.3g} m long; if its file is in mm, give `scale=1e-3`",
        )
    elif body.size < SMALLEST_SIZE:
        yield _warning(
            body.name,
            f"{who} is only {body.size:.3g} m long; lengths are in m, check `scale`",
        )


def _density(body: PlacedBody) -> Iterator[Finding]:
    density, shape = body.body.density, body.body.shape
    if density is None or shape is None or shape.mass_properties().dimension != 3:
        return
    if density > DENSEST or density < THINNEST:
        than = "more than any metal" if density > DENSEST else "less than air"
        yield _warning(
            body.name,
            f"body {quote(body.name)} has {body.body.mass:.3g} kg, a density of {density:.3g} "
            f"{DENSITY_UNITS[3]}, {than}; check its `mass` or `density` and the `scale` of its "
            "lengths (1 g/cm^3 is 1000 kg/m^3)",
        )


def _speed(body: PlacedBody) -> Iterator[Finding]:
    speed = float(np.linalg.norm(body.body.velocity))
    if speed > FASTEST:
        yield _warning(
            body.name,
            f"body {quote(body.name)} starts at {speed:.3g} m/s; velocities are in m/s, check for "
            "mm/s",
        )


def _spin(body: PlacedBody) -> Iterator[Finding]:
    spin = float(np.linalg.norm(body.body.angular_velocity))
    if spin > FASTEST_SPIN:
        yield _warning(
            body.name,
            f"body {quote(body.name)} starts rotating at {spin:.3g} rad/s; angular velocities are "
            "in rad/s, check for degrees or revolutions per minute",
        )


def _degrees(body: PlacedBody) -> Iterator[Finding]:
    components = np.abs(body.body.angular_velocity)
    rates = components[components > 0]
    if len(rates) and np.all(rates % 45 == 0):
        yield Finding(
            "note",
            "units",
            (body.name,),
            f"body {quote(body.name)} starts rotating at {np.linalg.norm(rates):g} rad/s, a "
            "multiple of 45; if degrees per second were meant, give radians",
        )
