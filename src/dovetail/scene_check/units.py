"""Numbers that look like another unit: millimetres, grams, degrees."""

from collections.abc import Iterator

import numpy as np

from dovetail.model.shapes import Compound
from dovetail.model.shapes.shape import DENSITY_UNITS, Shape
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

LARGEST_SIZE, SMALLEST_SIZE = 1e3, 1e-4  # [m] of a moving part
LARGE, HEAVY = 20.0, 1e5  # [m], [kg]: a part that is both may be one of 20 mm and 0.1 g
DENSEST, LIGHTEST = 25e3, 25.0  # [kg/m^3]: osmium has 22 600, polystyrene foam 15 to 30
FOAM = 15.0  # [kg/m^3] the lightest of them
AIR = 1.2  # [kg/m^3]
NOTHING = 1e-3  # [kg/m^3]
UNIFORM = 1e-3  # of the largest entry: what a given inertia may be off from that of the shape
HEAVY_LINK, LONG_LINK = 100.0, 5.0  # [kg], [m] of a part of a machine
STRONGEST_GRAVITY = 300.0  # [m/s^2]: at the surface of the Sun 274
WEAKEST_GRAVITY = 0.05  # [m/s^2], but not zero: of small asteroids
LEAST_MOMENT, MOST_MOMENT = 1e-4, 1e2  # of m R^2, R the radius of what others can touch
MASS_MARGIN = 20.0  # by which a given mass may belie a density: shapes may be parts or envelopes
FASTEST, FASTEST_SPIN = 3e3, 1e5  # [m/s], [rad/s]


def find_unit_mistakes(bodies: list[PlacedBody], gravity: Array) -> list[Finding]:
    """Each kind of mistake once, with the names of all bodies that have it."""
    found = list(_gravity(bodies, float(np.linalg.norm(gravity))))
    moving = [body for body in bodies if body.moves]
    driven = [body for body in bodies if body.body.motion != "static"]
    for rule, subjects in (
        (_size, [body for body in moving if body.has_surface]),
        (_density, moving),
        (_mass_for_its_moments, moving),
        (_light_for_its_size, [body for body in moving if body.has_surface]),
        (_moments, moving),
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
    if 0 < g < WEAKEST_GRAVITY:
        yield _warning(
            "", f"`gravity` is {g:.4g} m/s^2, {9.81 / g:.3g} times less than on Earth; it is in "
            "m/s^2, check for other units"
        )  # fmt: skip
    if g == 1.0 and any(body.moves and body.given.density is not None for body in bodies):
        yield _warning(
            "", "`gravity` is 1 m/s^2, as if it were in g; on Earth it is 9.81 m/s^2"
        )  # fmt: skip
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
    elif body.size > LARGE and HEAVY < body.body.mass < np.inf:
        yield _warning(
            body.name,
            f"{who} is {body.size:.3g} m long and has {body.body.mass:.3g} kg; if its lengths are "
            f"in mm, give `scale=1e-3` ({body.size / 1e3:.3g} m, {body.body.mass / 1e9:.3g} kg)",
        )
    elif body.size < SMALLEST_SIZE:
        yield _warning(
            body.name,
            f"{who} is only {body.size:.3g} m long; lengths are in m, check `scale`",
        )


def _density(body: PlacedBody) -> Iterator[Finding]:
    shape, given = body.body.shape, body.given
    if body.body.density is None or shape is None or shape.mass_properties().dimension != 3:
        return
    both = given.mass is not None and given.inertia is not None
    if both and not _is_uniform(body, shape):
        return  # then the shape may be only the part that others touch
    density = body.body.mass / volume_of(shape)
    margin = 1.0 if given.mass is None else MASS_MARGIN
    lightest = FOAM if both else LIGHTEST / margin
    if density > DENSEST * margin or density < lightest:
        light = "less than air" if density < AIR else "as light as foam or lighter"
        than = "more than any metal" if density > DENSEST else light
        yield _warning(
            body.name,
            f"body {quote(body.name)} has {body.body.mass:.3g} kg, a density of {density:.3g} "
            f"{DENSITY_UNITS[3]}, {than}; check its `mass` or `density` and the `scale` of its "
            "lengths (1 g/cm^3 is 1000 kg/m^3: steel has 7850, not 7.85)",
        )


def _is_uniform(body: PlacedBody, shape: Shape) -> bool:
    """Whether the given inertia is that of the shape filled evenly, so that it is all of it."""
    if isinstance(shape, Compound):
        return False
    whole = shape.mass_properties()
    if not 0 < whole.measure < np.inf:
        return False
    even = body.body.mass / whole.measure * whole.inertia
    return bool(np.max(np.abs(even - body.body.inertia)) <= UNIFORM * np.max(np.abs(even)))


def _mass_for_its_moments(body: PlacedBody) -> Iterator[Finding]:
    """A mass in g: with its moments in g m^2 it is that of a ball far denser than any metal.

    The ball of mass m and mean moment I has the radius sqrt(5 I / 2 m).
    """
    if body.given.inertia is None or not HEAVY_LINK < body.body.mass < np.inf:
        return
    radius = np.sqrt(2.5 * float(np.trace(body.body.inertia)) / 3 / body.body.mass)
    density = body.body.mass / (4 / 3 * np.pi * radius**3)
    if density > DENSEST * MASS_MARGIN:
        yield _warning(
            body.name,
            f"body {quote(body.name)} has {body.body.mass:.3g} kg, with moments of inertia as of a "
            f"ball of radius {radius:.2g} m: {density / DENSEST:.2g} times the density of any "
            f"metal; check its `mass` for g ({body.body.mass / 1e3:.3g} kg)",
        )


def _light_for_its_size(body: PlacedBody) -> Iterator[Finding]:
    """Lengths in mm read as m, of a body whose mass and inertia are given beside its shape."""
    shape = body.body.shape
    if body.given.inertia is None or shape is None or shape.mass_properties().dimension != 3:
        return
    density = body.body.mass / max(volume_of(shape), 1e-300)
    if body.size <= LONG_LINK:
        if 0.0 < density < NOTHING:
            yield _warning(
                body.name,
                f"body {quote(body.name)} is {body.size:.3g} m long but has only "
                f"{body.body.mass:.3g} kg, less than a thousandth of the air in it; check its "
                "`mass`, which is in kg",
            )
    elif density < AIR / MASS_MARGIN:
        yield _warning(
            body.name,
            f"body {quote(body.name)} is {body.size:.3g} m long but has only "
            f"{body.body.mass:.3g} kg, less than the air in it; if its lengths are in mm, give "
            f"`scale=1e-3` ({body.size / 1e3:.3g} m)",
        )


def volume_of(shape: Shape) -> float:
    """[m^3] of a solid; that of the parts of a compound that have mass, whatever their weight."""
    if isinstance(shape, Compound):
        heavy = [part.shape for part in shape.placed if float(part.weight) > 0]
        return sum(volume_of(part) for part in heavy)
    return shape.mass_properties().measure


def _moments(body: PlacedBody) -> Iterator[Finding]:
    """No part of a body is farther from its centre than R, so that no moment exceeds m R^2.

    The shape may be a part of the body only; units are off by a thousand and more.
    """
    if body.given.inertia is None or not body.has_surface:
        return
    largest = float(np.linalg.eigvalsh(body.body.inertia)[2])
    radius = float(np.linalg.norm(body.body.surface.vertices, axis=1).max())
    bound = body.body.mass * radius**2
    if not bound > 0 or LEAST_MOMENT * bound <= largest <= MOST_MOMENT * bound:
        return
    than = f"at most {bound:.3g}" if largest > bound else f"about {0.4 * bound:.3g}"
    yield _warning(
        body.name,
        f"the largest moment of inertia of body {quote(body.name)} is {largest:.3g} kg m^2, but "
        f"{body.body.mass:.3g} kg within {radius:.3g} m of the centre of mass have {than}; check "
        "the units of `inertia`, which is in kg m^2 about the centre of mass",
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
