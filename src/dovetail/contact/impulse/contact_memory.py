"""The contacts of the last step with their impulses, for the first guess and for the record."""

from typing import Any

import numpy as np

from dovetail.contact.impulse.law import ImpulseLaw
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.warm_start import guess, in_frames, world_impulses
from dovetail.contact.law import ContactRecord
from dovetail.model.values import Array

CLOSE = 0.02  # of the smaller body: this near, it is the same contact as before


class ContactMemory:
    """Contacts in the order they were found, impulses in world axes [N s], step h [s]."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {
            "body": np.zeros((0, 2), np.int32), "place": np.zeros((0, 3)),
            "point": np.zeros((0, 3)), "normal": np.zeros((0, 3)), "gap": np.zeros(0),
            "impulse": np.zeros((0, 3)), "h": np.zeros(1),
        }  # fmt: skip

    def guess(self, law: ImpulseLaw, problem: ImpulseProblem, x: Array, R: Array, h: float) -> None:
        """Fill the contacts' `lam` of the problem from what is remembered."""
        old, n = self.arrays, law.count
        if not n or not len(old["gap"]):
            return
        body = law.touches.body[:n]
        place, close = self._places(law, x, R)
        many = len(law.surfaces.kind)
        keys = old["body"][:, 0].astype(np.int64) * many + old["body"][:, 1]
        order = np.argsort(keys, kind="stable")
        wanted = body[:, 0].astype(np.int64) * many + body[:, 1]
        low = np.searchsorted(keys[order], wanted, "left")
        high = np.searchsorted(keys[order], wanted, "right")
        guess(
            low, high, order, old["place"], old["impulse"], np.zeros(len(keys), np.int8), place,
            CLOSE * close, problem.n_joint, problem.J, h / float(old["h"][0]), problem.lam,
        )  # fmt: skip

    def take(
        self, law: ImpulseLaw, problem: ImpulseProblem, x: Array, R: Array, h: float, more: Array
    ) -> None:
        """Remember the contacts of `law` at x, R with the problem's impulses, `more` besides."""
        n = law.count
        impulse, extra = np.zeros((n, 3)), np.zeros((n, 3))
        world_impulses(n, problem.n_joint, problem.J, problem.lam, impulse)
        if len(more):
            world_impulses(n, problem.n_joint, problem.J, more, extra)
        touches = law.touches
        self.arrays = {
            "body": touches.body[:n].copy(), "place": self._places(law, x, R)[0],
            "point": touches.point[:n].copy(), "normal": touches.normal[:n].copy(),
            "gap": touches.gap[:n].copy(), "impulse": impulse, "h": np.array([h]),
            "blow": extra,
        }  # fmt: skip

    def record(self) -> ContactRecord:
        """As results keep them: forces are impulses, blows included, over the step."""
        arrays = self.arrays
        h = float(arrays["h"][0]) or 1.0
        force = (arrays["impulse"] + arrays.get("blow", 0.0)) / h
        return ContactRecord(
            arrays["body"], arrays["point"], arrays["normal"], force, arrays["gap"]
        )

    @staticmethod
    def _places(law: ImpulseLaw, x: Array, R: Array) -> tuple[Array, Array]:
        """Where each contact is on the smaller body, and that body's size."""
        n, size = law.count, law.surfaces.size
        body = law.touches.body[:n]
        smaller = size[body[:, 1]] < size[body[:, 0]]
        frame = np.where(smaller, body[:, 1], body[:, 0]).astype(np.int32)
        place = np.zeros((n, 3))
        in_frames(law.touches, n, frame, x, R, place)
        return place, np.minimum(size[body[:, 0]], size[body[:, 1]])
