"""One model from many starts, on all cores: the motion of each as arrays."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError, RunError
from dovetail.integrators.interface import Integrator
from dovetail.model.scene import Scene
from dovetail.model.values import Array, Mistakes, quote
from dovetail.runtime.options import named_options
from dovetail.simulate.live.saved_state import SavedState
from dovetail.simulate.live.simulation import Simulation


@dataclass(eq=False)
class Rollouts:
    """The motion of n runs in f frames; after a run failed its numbers are nan."""

    time: Array
    """(f,) [s], from 0."""
    q: Array
    """(n, f, n_q) as `Simulation.q`."""
    v: Array
    """(n, f, n_v) as `Simulation.v`."""
    position: Array
    """(n, f, bodies, 3) [m] of centres of mass."""
    rotation: Array
    """(n, f, bodies, 3, 3)."""
    velocity: Array
    """(n, f, bodies, 3) [m/s]."""
    angular_velocity: Array
    """(n, f, bodies, 3) [rad/s] in the bodies' axes."""
    body_names: tuple[str, ...]
    failures: dict[int, RunError] = field(default_factory=dict)
    """Why runs ended early, by their number."""

    def __len__(self) -> int:
        return len(self.q)


@named_options
def rollout(
    scene: Scene,
    starts: Any,
    steps: int,
    step: float,
    *,
    efforts: Any = None,
    every: int = 1,
    contact: ContactMethod | str | None = None,
    integrator: Integrator | str | None = None,
    threads: int | None = None,
) -> Rollouts:
    """Run one scene from many starts at once; each run is that of a `dt.Simulation`, to the bit.

    Args:
        scene: what moves.
        starts: one entry per run: (q, v) or {"q": ..., "v": ...} as `Simulation.set_state` takes
            them, or None for the start of the scene.
        steps: how many steps each run takes.
        step: [s] of every step.
        efforts: (runs, steps, n_v) or (steps, n_v) [N m or N], what is set as
            `Simulation.efforts` before each step.
        every: steps between two frames.
        contact: as in `dt.simulate`.
        integrator: as in `dt.simulate`.
        threads: default: one per core. The result does not depend on it.
    """
    found = Mistakes()
    count = found.take(_whole, steps, "`steps`")
    each = found.take(_whole, every, "`every`")
    if threads is not None:
        threads = found.take(_whole, threads, "`threads`")
    entries = _entries(starts, found)
    found.raise_if_any()
    assert count is not None and each is not None
    workers = max(1, min(threads or os.cpu_count() or 1, len(entries)))
    first = Simulation(scene, step, contact, integrator)
    given = _efforts(efforts, len(entries), count, first.meter.n_v)
    others = (Simulation(scene, step, contact, integrator, check=False) for _ in range(workers - 1))
    runners = [_Runner(simulation, count, each) for simulation in (first, *others)]
    made = _space_for(first, len(entries), count, each, step)

    def work(number: int) -> None:
        for run in range(number, len(entries), workers):
            own = None if given is None else given[min(run, len(given) - 1)]
            runners[number].run(run, entries[run], own, made)

    if workers == 1:
        work(0)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(work, range(workers)))
    made.failures = dict(sorted(made.failures.items()))
    return made


def _whole(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InputError(f"{what} must be a whole number >= 1, got {quote(value)}")
    return int(value)


def _entries(starts: Any, found: Mistakes) -> list[Any]:
    wanted = '`starts` must be a list of (q, v), {"q": ..., "v": ...} or None, one per run'
    if isinstance(starts, Mapping | str) or not isinstance(starts, Sequence | np.ndarray):
        found.append(f"{wanted}; got {quote(starts)}")
        return []
    if not len(starts):
        found.append(f"{wanted}; it is empty")
    for run, start in enumerate(starts):
        pair = isinstance(start, Sequence | np.ndarray) and len(start) == 2
        if start is not None and not isinstance(start, Mapping | SavedState) and not pair:
            found.append(f"{wanted}; number {run} is {quote(start)}")
    return list(starts)


def _efforts(given: Any, runs: int, steps: int, n_v: int) -> Array | None:
    if given is None:
        return None
    array = np.asarray(given, dtype=float)
    if array.shape not in ((runs, steps, n_v), (steps, n_v)) or not np.isfinite(array).all():
        raise InputError(
            f"`efforts` must be finite numbers of shape ({runs}, {steps}, {n_v}) or ({steps}, "
            f"{n_v}): runs, steps, one for each of `Simulation.v`; got shape {array.shape}"
        )
    return array.reshape(-1, steps, n_v)


def _space_for(simulation: Simulation, runs: int, steps: int, every: int, step: float) -> Rollouts:
    f, n, meter = steps // every + 1, simulation.model.n_bodies, simulation.meter
    shape = (runs, f)
    return Rollouts(
        step * every * np.arange(f, dtype=np.float64), np.full((*shape, meter.n_q), np.nan),
        np.full((*shape, meter.n_v), np.nan), np.full((*shape, n, 3), np.nan),
        np.full((*shape, n, 3, 3), np.nan), np.full((*shape, n, 3), np.nan),
        np.full((*shape, n, 3), np.nan), simulation.model.names,
    )  # fmt: skip


class _Runner:
    """Makes runs one after the other with a simulation of its own."""

    def __init__(self, simulation: Simulation, steps: int, every: int) -> None:
        self._simulation, self._steps, self._every = simulation, steps, every

    def run(self, run: int, start: Any, efforts: Array | None, made: Rollouts) -> None:
        simulation = self._simulation
        try:
            simulation.reset(start)
        except InputError as error:
            raise InputError(f"start number {run}: {error}") from error
        state = simulation.state
        q, v = simulation.q_and_v()
        made.q[run, 0], made.v[run, 0] = q, v
        arrays = made.position, made.rotation, made.velocity, made.angular_velocity
        for array, own in zip(arrays, (state.x, state.R, state.v, state.omega)):
            array[run, 0] = own
        try:
            ahead = simulation.steps_ahead(self._steps, self._every, efforts)
            if ahead is None:
                self._step_by_step(run, efforts, made)
                return
            motion, failure = ahead
            for array, own in zip(arrays, motion):
                array[run, 1 : len(own) + 1] = own
            times = made.time[1 : len(motion[0]) + 1]
            coordinates, rates = simulation.meter.history(times, *motion)
            made.q[run, 1 : len(times) + 1], made.v[run, 1 : len(times) + 1] = coordinates, rates
            if failure is not None:
                raise failure
        except RunError as error:
            made.failures[run] = error

    def _step_by_step(self, run: int, efforts: Array | None, made: Rollouts) -> None:
        simulation = self._simulation
        for k in range(1, self._steps + 1):
            if efforts is not None:
                simulation.efforts = efforts[k - 1]
            simulation.step()
            if k % self._every == 0:
                frame, state = k // self._every, simulation.state
                made.q[run, frame], made.v[run, frame] = simulation.q_and_v()
                made.position[run, frame], made.rotation[run, frame] = state.x, state.R
                made.velocity[run, frame] = state.v
                made.angular_velocity[run, frame] = state.omega
