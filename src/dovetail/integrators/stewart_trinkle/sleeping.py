"""Bodies at rest that are left out of steps, and when they are needed again.

An island (bodies that press on each other) falls asleep when all its bodies were slower than
REST times what loads add in a step, for RESTING times sqrt(radius / acceleration), the time in
which they would tip over or fall by their own size, and MIN_STEPS steps. It wakes, with its
impulses, in the step in which another body would press on it or its loads change. A sleeping body
still has its mass: if the solved step moves it, the step is done again with it awake. So what wakes
it acts on it as if it had never slept.
"""

from typing import Any

import numpy as np

from dovetail.contact.impulse.contact_matching import SolvedContacts
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet
from dovetail.contact.impulse.warm_start import WarmStart, joined_contacts, some_contacts
from dovetail.contact.law import ContactRecord
from dovetail.integrators.stewart_trinkle.rest_kernels import count_rest, loads_changed
from dovetail.model.connected import component_labels
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, Int64Array

TOUCHING = 1e-7  # of the smaller body

_NOBODY = np.zeros(0, np.int64)


class Sleeping:
    """Which of n bodies sleep; `may` (n,) sleep, with the bounding `radius` (n,) [m]."""

    def __init__(self, may: BoolArray, radius: Array) -> None:
        n = len(may)
        self._may, self._radius = may, radius
        self.asleep: BoolArray = np.zeros(n, np.bool_)
        self._island: Int64Array = np.full(n, -1, np.int64)
        self.still, self.steps = np.zeros(n), np.zeros(n, np.int64)  # at rest, see `count_rest`
        self.loads = np.zeros((n, 6))  # with which they fell asleep
        self.ready, self.changed = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self._contacts = WarmStart().solved  # of sleeping bodies

    def wake_by_loads(self, loads: Array, warm_start: WarmStart) -> bool:
        """Wake islands whose loads (n, 6) are not those with which they fell asleep; any?"""
        if not loads_changed(loads, self.loads, self.asleep, self.changed):
            return False
        return self._wake(np.flatnonzero(self.changed), warm_start)

    def wake_by_contacts(
        self, contacts: ContactSet, problem: ImpulseProblem, u: Array, h: float,
        warm_start: WarmStart,
    ) -> bool:  # fmt: skip
        """Wake islands that contacts reach within h [s] at velocities u (n, 6); whether any."""
        if not contacts.count:
            return False
        body = contacts.points.body
        sleeps = self.asleep[body]
        if not sleeps.any():
            return False
        ends = contacts.points.gap + h * problem.rates(u)[problem.normals()]
        reached = sleeps & (ends <= TOUCHING * contacts.smaller_size)[:, None]
        return self._wake(body[reached], warm_start)

    def wake_by_impulses(
        self, contacts: ContactSet, problem: ImpulseProblem, warm_start: WarmStart
    ) -> bool:
        """Wake islands that impulses of the solved step act on; whether there are any."""
        if not contacts.count or not self.asleep.any():
            return False
        body = contacts.points.body
        pressed = self.asleep[body] & (problem.lam[problem.normals()] > 0.0)[:, None]
        return self._wake(body[pressed], warm_start)

    def _wake(self, bodies: Any, warm_start: WarmStart) -> bool:
        """Wake the islands of `bodies`; their contacts are known to the warm start again."""
        if not len(bodies):
            return False
        woken = np.isin(self._island, np.unique(self._island[bodies])) & self.asleep
        self.asleep[woken] = False
        self.still[woken], self.steps[woken] = 0.0, 0
        theirs = np.asarray(woken[self._contacts.body].any(axis=1))
        warm_start.add(some_contacts(self._contacts, theirs))
        self._contacts = some_contacts(self._contacts, ~theirs)
        return True

    def update(
        self, u: Array, loads: Array, inverse_mass: Array, h: float, warm_start: WarmStart,
        moving_others: BoolArray,
    ) -> Int64Array:  # fmt: skip
        """After a step: the bodies that fall asleep, whose velocities the caller makes zero.

        u and loads (n, 6) are those of the step, moving_others (n,) are kinematic bodies that move.
        """
        ready = self.ready
        if not count_rest(
            u, loads, inverse_mass, self._radius, self._may, self.asleep, h, self.still,
            self.steps, ready,
        ):  # fmt: skip
            return _NOBODY
        return self.choose(loads, warm_start, moving_others)

    def choose(self, loads: Array, warm_start: WarmStart, moving_others: BoolArray) -> Int64Array:
        """The same of bodies of which some are `ready`."""
        ready, last = self.ready, warm_start.solved
        pressing = last.impulse.any(axis=1)
        body = last.body[pressing].astype(np.int64)
        both = (self._may[body]).all(axis=1)
        label = component_labels(len(ready), body[both])
        bad = ~ready & self._may & ~self.asleep
        bad[body[moving_others[body].any(axis=1)].ravel()] = True
        held = np.zeros(len(ready), np.bool_)
        held[body.ravel()] = True
        bad |= ~held
        good = ready & ~np.isin(label, label[bad & self._may])
        chosen = np.flatnonzero(good)
        if len(chosen):
            self.asleep[chosen] = True
            self._island[chosen] = np.array(
                [chosen[label[chosen] == k].min() for k in label[chosen]]
            )
            self.loads[chosen] = loads[chosen]
            theirs = np.asarray(good[last.body].any(axis=1))
            self._contacts = joined_contacts(self._contacts, some_contacts(last, theirs))
            warm_start.remove(theirs)
        return chosen

    def record(self) -> ContactRecord:
        """The contacts of sleeping bodies, with the forces they fell asleep with."""
        kept = self._contacts
        return ContactRecord(
            kept.body, kept.point, kept.normal, kept.impulse / (float(kept.h[0]) or 1.0), kept.gap
        )

    def snapshot(self) -> dict[str, Any]:
        own = {
            "asleep": self.asleep, "island": self._island, "still": self.still,
            "steps": self.steps, "loads": self.loads,
        }  # fmt: skip
        kept = {f"contacts_{name}": rows for name, rows in self._contacts._asdict().items()}
        return {name: array.copy() for name, array in (own | kept).items()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        self.asleep[...], self._island = snapshot["asleep"], snapshot["island"].copy()
        self.still[...], self.steps[...] = snapshot["still"], snapshot["steps"]
        self.loads = snapshot["loads"].copy()
        names = SolvedContacts._fields
        self._contacts = SolvedContacts(*(snapshot[f"contacts_{name}"].copy() for name in names))
