"""Mass and inertia of a URDF link, with what files get wrong by rounding."""

from dataclasses import dataclass, field

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.held_masses import sum_of
from dovetail.io.link_trees.link import Link
from dovetail.io.urdf.placement import origin_of
from dovetail.io.urdf.shared_moments import share_moments
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import number
from dovetail.model.shapes.shape import MassProperties, combined
from dovetail.model.values import Array, Mistakes, quote

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
DENSITY = 1000.0  # [kg/m^3] of links whose mass a file does not give; MuJoCo takes the same
POINT_RADIUS = 1e-3  # [m] of the ball that a mass without extent is taken for
SMALLEST = 1e-12  # of the largest moment: below that a rotation can make it negative
ROUNDING = 1e-6  # of the largest moment: a negative one below that is a zero
ROUNDED_TRIANGLE = 0.1  # of the largest moment: what digits left out can break of the rule


def mass_and_inertia(inertial: Element, link: Link) -> None:
    """Set mass [kg], centre [m] and inertia [kg m^2] about it, in the link's axes."""
    found = Mistakes()
    place = found.take(origin_of, inertial)
    mass_element, inertia_element = inertial.first("mass"), inertial.first("inertia")
    mass = 0.0
    if mass_element is None:
        found.append(f"{inertial.who} must have a <mass value=...>")
    else:
        mass = found.take(number, mass_element, "value") or 0.0
        if mass < 0:
            found.append(f"`value` of {mass_element.who} must be >= 0 kg, got {mass:g}")
    moments = dict.fromkeys(MOMENTS, 0.0)
    if inertia_element is not None:
        for key in MOMENTS:
            moments[key] = found.take(number, inertia_element, key, 0.0) or 0.0
    found.raise_if_any()
    assert place is not None
    xx, xy, xz, yy, yz, zz = (moments[key] for key in MOMENTS)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    link.mass, link.centre = mass, place[0]
    link.inertia = place[1] @ inertia @ place[1].T


@dataclass
class Corrected:
    """Names of links whose moments are other than they are written."""

    rounded: list[str] = field(default_factory=list)  # no body's, but for rounding
    shaped: list[str] = field(default_factory=list)  # of a mass without moments: by its shapes
    points: list[str] = field(default_factory=list)  # of one without shapes: of a small ball
    shared: list[str] = field(default_factory=list)  # no body's: partly with what carries it


def make_physical(tree: list[Link], corrected: Corrected) -> None:
    """Let every link that moves have the inertia of a body.

    Moments that no body can have are common on links that others hold rigidly, such as the frames
    of sensors. Their mass and inertia count with the link that holds them: only the sum matters.
    """
    found, grave = Mistakes(), []
    roots = _roots(tree)
    for own, link in enumerate(tree):
        if not (link.movements or link.free):
            continue
        held = [i for i, root in enumerate(roots) if root == own and tree[i].mass > 0]
        wrong = [i for i in held if not _is_physical(tree[i])]
        taken = held if own in wrong else wrong
        if not taken:
            continue
        together = sorted({own, *taken})
        sum_of(link, [tree[i] for i in together if tree[i].mass > 0])
        for i in together:
            if i != own:
                tree[i].mass = 0.0
        if not _is_physical(link):
            had_moments = bool(np.any(link.inertia))
            if not had_moments and _moments_of_shapes(link):
                corrected.shaped.append(link.name)
            elif had_moments and _breaks_triangle(link):
                grave.append(own)
            else:
                found.take(_correct, link)
                (corrected.rounded if had_moments else corrected.points).append(link.name)
    alone = share_moments(tree, roots, grave)
    for own in alone:
        found.take(_correct, tree[own])
    corrected.shared += [tree[own].name for own in grave if own not in alone]
    found.raise_if_any()


def take_over_moments(tree: list[Link], left_out: list[str]) -> None:
    """Moments of links without mass count with the link that holds them; others are left out."""
    for own, root in enumerate(_roots(tree)):
        link = tree[own]
        if root is None or link.mass > 0 or not np.any(link.inertia):
            continue
        if root == own or tree[root].mass == 0:
            left_out.append(link.name)
            continue
        turned = tree[root].rotation.T @ link.rotation
        tree[root].inertia = tree[root].inertia + turned @ link.inertia @ turned.T


def _roots(tree: list[Link]) -> list[int | None]:
    """The moving link that each is held by, itself for one that moves, None for the ground."""
    roots: list[int | None] = []
    for own, link in enumerate(tree):
        if link.movements or link.free:
            roots.append(own)
        else:
            roots.append(None if link.parent is None else roots[link.parent])
    return roots


def _is_physical(link: Link) -> bool:
    moments = np.linalg.eigvalsh(link.inertia)
    return bool(
        moments[0] > SMALLEST * moments[2] and moments[2] <= (moments[0] + moments[1]) * (1 + 1e-6)
    )


def _moments_of_shapes(link: Link) -> bool:
    """Give a mass without moments those of its shapes, evenly filled; False where it has none."""
    filled = _filled(link)
    if filled is not None:
        link.inertia = filled.inertia * (link.mass / filled.measure)
    return filled is not None and _is_physical(link)


def _least(link: Link) -> float:
    """[kg m^2] moments of a small ball of the link's mass."""
    return 0.4 * link.mass * POINT_RADIUS**2


def _raised(link: Link) -> tuple[Array, float]:
    """Moments (3,) ascending, none too small, and by how much the last is above the others' sum."""
    moments, least = np.linalg.eigvalsh(link.inertia), _least(link)
    changed = np.maximum(moments, 1e-3 * least if moments[2] > least else least)
    return changed, max(float(changed[2] - changed[0] - changed[1]), 0.0)


def _breaks_triangle(link: Link) -> bool:
    """Whether positive moments are further from those of a body than rounding can bring them."""
    moments, least = np.linalg.eigvalsh(link.inertia), _least(link)
    largest = max(float(moments[2]), least)
    return bool(moments[0] > 0.0 and _raised(link)[1] > ROUNDED_TRIANGLE * largest)


def _correct(link: Link) -> None:
    """Change moments that rounding keeps from being those of a body; refuse others."""
    moments, axes = np.linalg.eigh(link.inertia)
    largest, least = float(moments[2]), _least(link)
    changed, excess = _raised(link)
    choices = (
        "give those of the part, or leave <inertial> out to have them from the geometry at "
        f"{DENSITY:g} kg/m^3, or join the link to its parent by a fixed joint"
    )
    if moments[0] < -ROUNDING * max(largest, least):
        raise InputError(
            f"link {quote(link.name)} has the moments of inertia {quote(moments)} kg m^2, which "
            f"must be >= 0; {choices}"
        )
    if excess > ROUNDED_TRIANGLE * max(largest, least):
        raise InputError(
            f"link {quote(link.name)} has the moments of inertia {quote(moments)} kg m^2: no body "
            f"can have one larger than the sum of the other two; {choices}"
        )
    changed[:2] += 0.5 * excess * (1.0 + 1e-9)
    link.inertia = axes @ np.diag(changed) @ axes.T


def from_geometry(link: Link) -> bool:
    """Give a link the mass of its shapes at the usual density; False where they have none."""
    whole = _filled(link)
    if whole is None:
        return False
    link.mass, link.centre, link.inertia = whole.measure, whole.centre, whole.inertia
    return True


def _filled(link: Link) -> MassProperties | None:
    """The shapes of a link at the usual density; open meshes as their convex hulls."""
    parts = []
    for piece in link.pieces:
        rotation, position = piece.pose
        shape = piece.shape
        if hasattr(shape, "weighed") and shape.diagnosis.dimension < 3:
            shape = shape.weighed(fill="hull")
        properties = shape.mass_properties()
        if properties.dimension == 3 and 0 < properties.measure < np.inf:
            parts.append(properties.weighted(DENSITY).moved(rotation, position))
    return combined(parts) if parts else None
