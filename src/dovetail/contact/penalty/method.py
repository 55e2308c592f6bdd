"""Settings of contact by signed distance fields."""

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dovetail.collision.sdf.building import MAX_CELLS, MIN_CELLS
from dovetail.contact.law import LawKind
from dovetail.contact.material import add_material
from dovetail.contact.penalty.collision_body import CollisionBody
from dovetail.contact.penalty.detection import ContactDetector
from dovetail.contact.penalty.law import SdfLaw
from dovetail.contact.penalty.normal_force import NORMAL_FORCES
from dovetail.contact.penalty.pairs import ContactPairs
from dovetail.contact.penalty.point_forces import PointForceLaw
from dovetail.contact.penalty.resolved_steps import ResolvedStep, stiffest_contact
from dovetail.contact.penalty.restitution import MODELS
from dovetail.model.friction_curve import FrictionCurve, curve_of
from dovetail.model.frozen import Model
from dovetail.model.materials import Material, check_friction
from dovetail.model.values import Mistakes, not_negative, number, positive, quote
from dovetail.runtime.options import named_options

if TYPE_CHECKING:
    from dovetail.contact.penalty.compliant.law import CompliantLaw


class SDF:
    """Contact of compliant bodies by distance fields.

    By default contact forces are solved for at the end of each step (`CompliantEuler`). With
    `damping` or `normal_force`, or under an integrator that takes forces, they are penalty forces
    at points of one body inside another, resolved in time: f_N = k d^n + chi d^n d_dot.

    Args:
        friction: a coefficient, (mu_s, mu_d, v_s, v_d), or a friction curve, see `dt.Material`.
        restitution: 0 to 1, how much of the speed of impact is left; None: 0, or by `damping`.
        stiffness: k [N/m^n] of one detection point, or of a whole patch where `shared`; None:
            from masses, sizes and speeds.
        damping: chi [N s/m^(n+1)], instead of `restitution`.
        exponent: n of a given `stiffness`, 1 to 3; 1.5 is Hertz's. A derived one is linear.
        resolution: cells along the longest side of a body's field.
        damping_model: how damping follows from restitution: "exact", "hunt_crossley",
            "lankarani_nikravesh" or "flores", where contacts are resolved in time.
        thinnest: [m] the thinnest rib or blade of any body, so that edges longer than half of it
            are searched between their corners; None: no thinner than the bodies themselves.
        shared: the points of a pair share the stiffness, so that it does not grow with the number
            of samples; False: each point has it, as in the paper. Where resolved in time.
        normal_force: instead of stiffness, damping, restitution and exponent: an object that is
            called with (gap, rate, impact_speed), its registered name, or {name: {options}}.
        material: a `dt.Material` in place of friction, restitution, stiffness and damping.

    Materials of pairs in the scene override friction, restitution, stiffness and damping.
    """

    name: ClassVar[str] = "sdf"
    kind: ClassVar[LawKind] = "force"

    @named_options
    def __init__(
        self,
        friction: Any = 0.0,
        restitution: Any = None,
        stiffness: Any = None,
        damping: Any = None,
        exponent: Any = 1.5,
        resolution: Any = 128,
        damping_model: str = "exact",
        thinnest: Any = None,
        shared: bool = False,
        normal_force: Any = None,
        material: Material | None = None,
    ) -> None:
        found = Mistakes()
        given = {
            "friction": friction, "restitution": restitution, "stiffness": stiffness,
            "damping": damping,
        }  # fmt: skip
        friction, restitution, stiffness, damping = add_material(material, given, found).values()
        if restitution is None and damping is None and normal_force is None:
            restitution = 0.0
        checked = found.take(check_friction, friction, "`friction`")
        friction = checked if isinstance(checked, FrictionCurve) else friction
        if restitution is not None:
            e = found.take(not_negative, restitution, "`restitution`")
            if e is not None and e > 1:
                found.append(f"`restitution` must be 0 to 1, got {e:g}")
            if damping is not None:
                found.append("give `restitution` or `damping`, not both")
        if stiffness is not None:
            found.take(positive, stiffness, "`stiffness`", "N/m^n")
        if damping is not None:
            found.take(not_negative, damping, "`damping`", "N s/m^(n+1)")
        if thinnest is not None:
            thinnest = found.take(positive, thinnest, "`thinnest`", "m")
        n = found.take(number, exponent, "`exponent`")
        if n is not None and not 1 <= n <= 3:
            found.append(f"`exponent` must be 1 to 3, got {n:g}")
        fits = isinstance(resolution, int | np.integer) and not isinstance(resolution, bool)
        if not (fits and MIN_CELLS <= resolution <= MAX_CELLS):
            found.append(
                f"`resolution` must be {MIN_CELLS} to {MAX_CELLS} cells, got {quote(resolution)}"
            )
        if damping_model not in MODELS:
            found.append(
                f"`damping_model` must be one of {', '.join(MODELS)}, got {quote(damping_model)}"
            )
        if normal_force is not None:
            normal_force = found.take(NORMAL_FORCES.resolve, normal_force)
            given = {"stiffness": stiffness, "damping": damping, "restitution": restitution}
            for name in (name for name, value in given.items() if value is not None):
                found.append(f"give `normal_force` or `{name}`, not both")
        found.raise_if_any()
        self.friction, self.restitution, self.stiffness = friction, restitution, stiffness
        self.damping, self.exponent, self.resolution = damping, float(exponent), int(resolution)
        self.damping_model, self.thinnest = damping_model, thinnest
        self.shared, self.normal_force = bool(shared), normal_force

    def __repr__(self) -> str:
        return f"SDF({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    def prepare(self, model: Model) -> SdfLaw | PointForceLaw:
        materials = [pair.friction for pair in model.materials]
        curves = any(curve_of(friction) is not None for friction in (self.friction, *materials))
        return PointForceLaw(model, self) if curves or self.normal_force else SdfLaw(model, self)

    def detector(
        self, model: Model, bodies: list[CollisionBody | None], pairs: ContactPairs
    ) -> ContactDetector:
        """What finds the points of bodies inside others."""
        return ContactDetector(bodies, pairs, self.thinnest)

    def is_compliant(self, model: Model) -> bool:
        """Whether contacts are solved for, not resolved in time with dampers or one's own law."""
        given = self.damping is not None or self.normal_force is not None
        return not given and all(pair.damping is None for pair in model.materials)

    def stiffest_contact(self, model: Model) -> ResolvedStep | None:
        """What bounds the steps of schemes that resolve contact in time; None if not known."""
        return None if self.normal_force else stiffest_contact(model, self)

    def prepare_compliant(self, model: Model) -> "CompliantLaw":
        """The law for steps that solve for contact forces."""
        from dovetail.contact.penalty.compliant.law import CompliantLaw

        return CompliantLaw(model, self)

    def frictionless(self, own_force: bool) -> "SDF":
        """The same detection without friction, and without stiffness unless `own_force`."""
        settings = copy(self)
        settings.friction, settings.normal_force = 0.0, None
        if not own_force:  # impact speeds are followed, the forces are not used
            settings.stiffness, settings.restitution, settings.damping = 1.0, 1.0, None
        return settings
