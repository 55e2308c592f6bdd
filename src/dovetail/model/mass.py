"""Mass, centre and inertia of one body, from its shape or as given."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.mesh_files.raw import RawMesh
from dovetail.model.shapes.compound import Compound
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.shapes.mesh_topology import welded_closed
from dovetail.model.shapes.shape import DENSITY_UNITS, MEASURE_UNITS, MassProperties, Shape
from dovetail.model.values import (
    ZERO,
    Array,
    Mistakes,
    frozen,
    inertia_matrix,
    not_negative,
    positive,
    quote,
    vector3,
)

DEFAULT_DENSITY = 1000.0  # kg per m^3, m^2, m or point, by the shape's dimension
SINGULAR = 1e-13  # a smallest moment below this part of the largest is round-off


LIGHTEST, HEAVIEST = 1e-100, 1e100  # [kg], [kg m^2]: far from where doubles end


@dataclass(frozen=True, eq=False)
class Amount:
    """Mass [kg], density (None: no measure), inertia about the centre [kg m^2], centre [m]."""

    mass: float
    density: float | None
    inertia: Array  # (3, 3)
    centre: Array  # (3,) in the shape's frame
    derived: dict[str, str]  # what was not given, for the printout


def mass_and_inertia(
    shape: Any,
    density: Any,
    mass: Any,
    inertia: Any,
    center_of_mass: Any,
    *,
    who: str,
    dynamic: bool,
) -> Amount:
    """Check what was given, derive the rest; raises one InputError with all mistakes."""
    found = Mistakes()
    integrals = found.take(_integrals, shape, who)
    if density is not None and mass is not None:
        found.append(f"give `density` or `mass` of {who}, not both")
    if density is not None:
        dimension = 3 if integrals is None else integrals.dimension
        density = found.take(positive, density, f"`density` of {who}", DENSITY_UNITS[dimension])
        if shape is None:
            found.append(f"`density` of {who} needs a shape; give `mass` and `inertia` instead")
    if mass is not None:
        allowed = not_negative if dynamic else positive
        mass = found.take(allowed, mass, f"`mass` of {who}", "kg")
    if mass == 0.0:
        return _without_mass(integrals, inertia, center_of_mass, found, who)
    moments = None
    if inertia is not None:
        moments = found.take(inertia_matrix, inertia, f"`inertia` of {who}")
    centre = None
    if center_of_mass is not None:
        centre = found.take(vector3, center_of_mass, f"`center_of_mass` of {who}", "m")
        if dynamic and inertia is None and shape is not None:
            found.append(
                f"`center_of_mass` of {who} is not that of its shape, "
                "so give `inertia` about it too"
            )
    if shape is None and dynamic:
        missing = [n for n, v in (("mass", mass), ("inertia", inertia)) if v is None]
        if missing and not found:
            found.append(f"{who} has no shape, so it needs {' and '.join(missing)}")
    found.raise_if_any()
    if integrals is None:
        amount = Amount(
            np.inf if mass is None else mass,
            None,
            frozen(np.diag([np.inf] * 3)) if moments is None else moments,
            ZERO if centre is None else centre,
            {},
        )
        if dynamic:
            _check_size(amount, who)
        return amount
    if dynamic:
        _check_integrals(integrals, mass, moments, who)
        if mass is None:
            _refuse_open(shape, who)
    amount = _of_shape(integrals, density, mass, moments, centre)
    if dynamic:
        _check_size(amount, who)
    return amount


def _without_mass(
    integrals: MassProperties | None, inertia: Any, center_of_mass: Any, found: Mistakes, who: str
) -> Amount:
    """A link between joints; its centre is the middle of its shape, or its position."""
    if inertia is not None and np.any(np.asarray(inertia) != 0.0):
        found.append(f"{who} has `mass` 0, so it can have no `inertia`; leave it out")
    found.raise_if_any()
    centre = np.zeros(3)
    if center_of_mass is not None:
        centre = vector3(center_of_mass, f"`center_of_mass` of {who}", "m")
    elif integrals is not None and 0 < integrals.measure < np.inf:
        centre = integrals.centre
    return Amount(0.0, None, frozen(np.zeros((3, 3))), frozen(np.array(centre)), {})


def _check_size(amount: Amount, who: str) -> None:
    """Numbers whose inverses and squares are numbers too."""
    moments = amount.inertia.diagonal()
    if not all(LIGHTEST < size < HEAVIEST for size in (amount.mass, *moments.tolist())):
        raise InputError(
            f"mass and inertia of {who} must be between {LIGHTEST:g} and {HEAVIEST:g} kg and "
            f"kg m^2, got {amount.mass:g} kg and {quote(moments)} kg m^2; check the units of its "
            "size and density"
        )


def _refuse_open(shape: Shape, who: str) -> None:
    """A density says nothing about an open surface until somebody says what it encloses."""
    for mesh in open_meshes(shape):
        file = "" if mesh.path is None else f" ({mesh.path.name})"
        rim = mesh.diagnosis.boundary_edges
        what = f"{rim} boundary edges" if rim else "edges with more than two faces"
        area = surface_area(mesh)
        raise InputError(
            f"the mesh of {who}{file} is open ({what}), so a density in kg/m^3 gives it no mass; "
            "choose one: `fill='holes'` caps the holes, `fill='winding'` fills where the winding "
            "number is above 1/2, `fill='hull'` fills the convex hull, `shell=0.002` is a sheet 2 "
            f"mm thick, `shell=True` takes the density per m^2 of its {area:.3g} m^2; or give "
            f"`mass`, or close the mesh{_why_open(mesh)}"
        )


def _why_open(mesh: Mesh) -> str:
    """Where only the numbering of arrays keeps a surface from being closed."""
    surface = mesh.surface()
    joined = welded_closed(RawMesh(surface.vertices, surface.faces, surface.wires))
    if joined is None:
        return ""
    return (
        f" (its triangles do not share their {len(surface.vertices)} vertices: number each of the "
        f"{len(joined.vertices)} places once)"
    )


def open_meshes(shape: Any) -> list[Mesh]:
    """The meshes of a shape that carry mass and nobody has said how."""
    if isinstance(shape, Compound):
        heavy = [part.shape for part in shape.placed if float(part.weight) > 0]
        return [mesh for part in heavy for mesh in open_meshes(part)]
    return [shape] if isinstance(shape, Mesh) and shape.needs_choice else []


def surface_area(mesh: Mesh) -> float:
    """[m^2]."""
    return mesh.weighed(shell=True).mass_properties().measure


def _integrals(shape: Any, who: str) -> MassProperties | None:
    if shape is None:
        return None
    if not isinstance(shape, Shape):
        raise InputError(f"`shape` of {who} must be a shape such as dt.Box, got {quote(shape)}")
    mistakes = shape.mistakes()
    if mistakes:
        raise InputError(f"{who}: {sentence}" for sentence in mistakes)
    return shape.mass_properties()


def _check_integrals(
    integrals: MassProperties, mass: float | None, inertia: Array | None, who: str
) -> None:
    """What a dynamic body needs from its shape, unless it is given."""
    measure, unit = integrals.measure, MEASURE_UNITS[integrals.dimension]
    if not np.isfinite(measure):
        raise InputError(f"{who} is unbounded, so its `motion` must be static or kinematic")
    if mass is not None and inertia is not None:
        return
    if not measure > 0:
        raise InputError(
            f"the shape of {who} must have more than {measure:.6g} {unit}; check for triangles "
            "without area or inside out, or give `mass` and `inertia`"
        )
    if inertia is not None:
        return
    moments = np.linalg.eigvalsh(integrals.inertia)
    blur = measure * (1e-14 * float(np.linalg.norm(integrals.centre))) ** 2
    if moments[0] < -SINGULAR * abs(moments[2]):
        raise InputError(
            f"the shape of {who} must not overlap itself inside out: its moments of inertia are "
            f"{quote(moments)} for density 1; repair the mesh, or give `mass` and `inertia`"
        )
    if moments[0] <= max(SINGULAR * moments[2], blur):
        where = "at one point" if moments[2] <= blur else "on one straight line"
        raise InputError(
            f"all mass of {who} lies {where}, which has no inertia about it; give `inertia` "
            "in kg m^2, or motion 'static' or 'kinematic'"
        )


def _of_shape(
    integrals: MassProperties,
    density: float | None,
    mass: float | None,
    inertia: Array | None,
    centre: Array | None,
) -> Amount:
    derived = {}
    measure = integrals.measure
    bounded = 0 < measure < np.inf
    if mass is None and density is None:
        density = DEFAULT_DENSITY
        derived["density"] = f"{density:g} {DENSITY_UNITS[integrals.dimension]} (not given)"
    with np.errstate(over="ignore", under="ignore"):
        if mass is None:
            assert density is not None
            mass = density * measure if bounded else np.inf
        else:
            density = mass / measure if bounded else None
        if inertia is None and bounded and np.isfinite(mass):
            inertia = frozen((mass / measure) * integrals.inertia)
    if inertia is None:
        inertia = frozen(np.diag([np.inf] * 3))
    return Amount(
        mass, density, inertia, frozen(integrals.centre if centre is None else centre), derived
    )
