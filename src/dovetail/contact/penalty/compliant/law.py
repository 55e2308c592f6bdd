"""The prepared law of compliant contact: contacts within reach of a step, and their materials."""

import warnings
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from dovetail.collision.field_contacts.bodies import field_body
from dovetail.collision.sdf.features import has_sharp_hollow
from dovetail.contact.derived_settings import report_derived
from dovetail.contact.penalty.compliant.detection import FeatureDetector
from dovetail.contact.penalty.compliant.pairs import CompliantPairs
from dovetail.contact.penalty.compliant.records import RESTITUTION
from dovetail.contact.penalty.compliant.step_kernels import friction_at_slip
from dovetail.contact.penalty.penetration import DEEP, PenetrationWarning
from dovetail.contact.penalty.workspace import ContactWorkspace
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.runtime.records import FloatArray

if TYPE_CHECKING:
    from dovetail.contact.penalty.method import SDF

FIRST_REACH = 0.01  # of the largest body: how far the nearest other one is sought first


class CompliantLaw:
    """Contacts of one model as springs; `contacts` are those that `find` found last."""

    def __init__(self, model: Model, settings: "SDF") -> None:
        self._model = model
        bodies = [field_body(body, settings.resolution) for body in model.bodies]
        self.pairs = CompliantPairs(model, bodies, settings)
        self._thinnest = inf if settings.thinnest is None else settings.thinnest
        self._bodies = bodies
        self._detector = FeatureDetector(bodies, self.pairs, self._thinnest)
        self._far_detector: FeatureDetector | None = None  # with lists of its own
        self.contacts = ContactWorkspace()
        self._mu, self._warned = np.zeros(256), False
        radii = [0.0 if b is None or b.samples is None else b.samples.radius for b in bodies]
        self.bounding_radius: FloatArray = np.array(radii)  # (n,) [m] about the centres of mass

    @property
    def laws(self) -> FloatArray:
        """(pairs, N_COMPLIANT) parameters, columns see `records`."""
        return self.pairs.laws

    def report_stiffness(self, h: float) -> None:
        """Print how stiff pairs are in steps of h [s], and how deep bodies press."""
        self.pairs.step = h
        report_derived([*self._unresolved_fits(), *self.pairs.derived()])

    def _unresolved_fits(self) -> list[str]:
        """Of each hollow mesh with a sampled field, what play of a fit is not resolved."""
        found = []
        for body, prepared in zip(self._model.bodies, self._bodies):
            field = None if prepared is None else prepared.field
            if field is None or field.spacing is None or not has_sharp_hollow(body.surface):
                continue
            found.append(
                f"field of {body.name} has cells of {field.spacing:.2g} m: a fit in it "
                "with less play than that is not resolved; raise `resolution`, make it of boxes, "
                "or take dt.contact.LCP or IPC"
            )
        return found

    def find(
        self, x: Array, R: Array, displacement: Array, turned: Array | None = None,
        motion: Array | None = None,
    ) -> int:  # fmt: skip
        """Contacts that may close while points move by `displacement` (n,) [m]; how many.

        Bodies turn by `turned` (n,) [rad] meanwhile, None: not; `motion` (n, 6) [m, rad] is about
        what they do without contact.
        """
        if motion is None:
            motion = np.zeros((len(x), 6))
        if turned is None:
            turned = np.zeros(len(x))
        self._detector.contacts(x, R, displacement, turned, motion, self.contacts)
        return self.contacts.count

    def least_gap(self, x: Array, R: Array) -> float:
        """The least distance [m] of any two bodies that may touch, inf where there are none."""
        if self._far_detector is None:
            self._far_detector = FeatureDetector(self._bodies, self.pairs, self._thinnest)
        found, n = ContactWorkspace(), self._model.n_bodies
        reach = FIRST_REACH * float(self.bounding_radius.max(initial=0.0))
        extent = float(np.ptp(x, axis=0).max(initial=0.0)) + 2 * self.bounding_radius.max(
            initial=0.0
        )
        while reach > 0:
            self._far_detector.contacts(
                x, R, np.full(n, reach), np.zeros(n), np.zeros((n, 6)), found
            )
            gaps = -found.rows.depth[: found.count]
            if gaps.min(initial=np.inf) <= 2 * reach or reach > 2 * extent:
                return float(gaps.min(initial=np.inf))
            reach *= 4
        return np.inf

    def warn_if_deep(self, gaps: Array, t: float) -> None:
        """Warn once where bodies are further inside each other than they should."""
        deepest = float(gaps.min(initial=0.0))
        if self._warned or deepest >= -DEEP * float(self.pairs.size.min(initial=np.inf)):
            return
        rows = self.contacts.rows.pair[: len(gaps)]
        relative = -gaps / self.pairs.size[rows]
        c = int(np.argmax(relative))
        if relative[c] > DEEP:
            self._warned = True
            i, j = self.pairs.bodies[rows[c]].tolist()
            names = self._model.names
            warnings.warn(
                f"at t = {t:.6g} s {quote(names[i])} and {quote(names[j])} are {-gaps[c]:.3g} m "
                f"inside each other, {100 * relative[c]:.2g} % of the smaller one's size; use a "
                "larger `stiffness` or a smaller step",
                PenetrationWarning,
                stacklevel=2,
            )

    def friction(self, x: Array, u: Array) -> FloatArray:
        """Friction coefficients of the contacts at their slip in u (n, 6); a view."""
        contacts = self.contacts
        if contacts.count > len(self._mu):
            self._mu = np.zeros(2 * contacts.count)
        slip = np.empty(contacts.count) if self.pairs.curves else self._mu
        friction_at_slip(contacts.rows, contacts.count, self.laws, x, u, self._mu, slip)
        if self.pairs.curves:
            self._follow_curves(slip)
        return self._mu

    def _follow_curves(self, slip: Array) -> None:
        """Friction of pairs that have a curve of their own."""
        rows, n = self.contacts.rows, self._model.n_bodies
        for c in range(self.contacts.count):
            i, j = sorted((int(rows.point_body[c]), int(rows.field_body[c])))
            curve = self.pairs.curves.get(i * n + j)
            if curve is not None:
                self._mu[c] = np.asarray(curve.coefficient(slip[c : c + 1]), dtype=float)[0]

    def restitution(self) -> FloatArray:
        """(count,) of the contacts."""
        rows = self.contacts.rows.pair[: self.contacts.count]
        found: FloatArray = self.laws[rows, RESTITUTION]
        return found
