"""Driven by a motor or by weight, with contact: does it reach the end, and if not, what holds it?

The whole run is recorded and verified between its steps too. The least clearance is that of the
recorded positions.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from dovetail.contact import IPC, named
from dovetail.model.scene import Scene
from dovetail.prove.driven.clearance import (
    least_at_frames,
    not_measured,
    pairs_that_move,
)
from dovetail.prove.driven.drive import Drive, without_motors
from dovetail.prove.driven.examination import Examined, examine
from dovetail.prove.driven.recorded import history_of, least_recorded, motion_of, times_of
from dovetail.prove.driven.run import DrivenRun, Outcome
from dovetail.prove.output.progress import ProofProgress
from dovetail.prove.surfaces.measured import measured_parts
from dovetail.prove.verdict import Doubt, Meeting, Proof, Verdict
from dovetail.results import Result
from dovetail.results.loading import load


class DrivenQuestion:
    """A scene and its driven joints."""

    def __init__(
        self, scene: Scene, clearance: float, drive: Any, contact: Any = None,
        by: str | None = None, force: Any = None, duration: Any = None,
    ) -> None:  # fmt: skip
        self._scene, self._clearance = scene, clearance
        if isinstance(contact, str):
            contact = named(contact, {})
        self._contact = IPC() if contact is None else contact
        self._model = scene.build()
        self._drive = Drive(self._model, drive, by, force, duration)
        freed = without_motors(scene, self._drive.names)
        self._notes: list[str] = []
        if freed is not scene:
            self._scene, self._model = freed, freed.build()
            self._notes.append(
                "a motor of the scene that prescribes the motion of a driven joint is left out"
            )

    def answer(self, progress: ProofProgress | None = None) -> Proof:
        progress = ProofProgress() if progress is None else progress
        self._started = perf_counter()
        with TemporaryDirectory() as folder:
            file = Path(folder) / "driven.h5"
            run = DrivenRun(self._scene, self._model, self._drive, self._contact, progress)
            outcome = run.record(file)
            result = load(file)
            examined = examine(result, self._model, self._clearance)
            if examined.deviation > 0.0 and self._clearance == 0.0:
                outcome.notes.append(examined.note)
            return self._proof(result, examined, outcome)

    def _proof(self, result: Result, known: Examined, outcome: Outcome) -> Proof:
        reached, held, needed, notes, failure = outcome
        notes = [*self._notes, *notes]
        meets, doubts, certificate = [], [], known.surely
        histories = {one.name: history_of(result, self._model, one) for one in self._drive.joints}
        driver = self._drive.joints[0].name

        def at(t: float) -> dict[str, float]:
            return {
                name: float(np.interp(t, result.time, values)) for name, values in histories.items()
            }

        for overlap in certificate.overlaps:
            low, high = (at(t)[driver] for t in times_of(certificate, overlap))
            meets.append(Meeting(driver, low, high, (overlap.body_a, overlap.body_b)))
        for path in certificate.paths:
            if path.verdict == "undecided":
                doubts.append(Doubt((path.body_a, path.body_b), at(path.time), path.reason))
        if known.is_in_doubt:
            reason = f"triangles may be {known.deviation:.3g} m off the true surfaces"
            for overlap in known.perhaps.overlaps:
                pair = overlap.body_a, overlap.body_b
                doubts.append(Doubt(pair, at(overlap.time), reason))
            for path in known.perhaps.paths:
                if path.verdict == "undecided":
                    doubts.append(Doubt((path.body_a, path.body_b), at(path.time), path.reason))
        if failure and not reached:
            doubts.append(Doubt(("", ""), at(float(result.time[-1])), failure))
        verdict: Verdict = "proven"
        if meets or certificate.verdict == "intersecting":
            verdict = "meets"
        elif doubts:
            verdict = "undecided"
        elif not reached:
            verdict = "jams"
        gap, between, when, point = least_recorded(result)
        off = {frozenset((e.body_a, e.body_b)) for e in certificate.excused}
        names = self._model.names
        off |= {frozenset((names[a], names[b])) for a, b in self._model.excluded}
        examined = pairs_that_move(self._model, off)
        unknown = not_measured(result, self._model, examined, certificate.smooth)
        near = least_at_frames(result, self._model, unknown)
        if near.clearance < gap:
            gap, between, point = max(0.0, near.clearance), near.between, near.point
            when = float(result.time[near.frame])
        proven = self._clearance if verdict == "proven" else 0.0
        # boxes around the paths tell most pairs apart: one test between two recorded positions
        boxes = len(examined) * (len(result.time) - 1)
        return Proof(
            verdict, self._clearance, gap, proven, between,
            at(float(result.time[-1]) if verdict == "jams" else when), point,
            tuple(meets), tuple(doubts),
            tuple((e.body_a, e.body_b, e.reason) for e in certificate.excused),
            max([known.deviation, *certificate.smooth.values()]),
            len(examined), boxes + certificate.tests + near.tests, perf_counter() - self._started,
            tuple(notes), tuple(held), needed, measured_parts(self._model),
            motion_of(result, histories[driver], driver),
        )  # fmt: skip
