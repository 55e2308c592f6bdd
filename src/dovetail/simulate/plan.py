"""What was requested of a run, checked: times, frames, file, and whether it fits."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import KINEMATIC, Model
from dovetail.model.scene import Scene
from dovetail.model.values import Mistakes, positive, quote
from dovetail.results.columns import bytes_per_row, frame_columns
from dovetail.results.overwriting import refuse_foreign
from dovetail.simulate.events import Event
from dovetail.simulate.step_control import StepControl

OTHER_ENDINGS = (
    ".csv", ".txt", ".json", ".yaml", ".yml", ".png", ".jpg", ".gif", ".mp4", ".webm", ".glb",
    ".gltf", ".npz", ".npy", ".vtk", ".vtu", ".xlsx", ".mat", ".stl", ".obj", ".pdf", ".html",
)  # fmt: skip
MAX_STEPS = 10**15  # beyond, k * step no longer resolves a step
ROUND_OFF = 1e-9  # of a step: closer than this, the duration counts as a multiple


@dataclass(frozen=True, eq=False)
class Plan:
    """A checked request."""

    model: Model
    duration: float  # [s]
    step: float  # [s]
    every: int  # steps between recorded frames
    out: Path | None
    events: tuple[Event, ...]
    control: StepControl | None

    @cached_property
    def n_steps(self) -> int:
        """How many fixed steps; the last one may be shorter."""
        whole = self.duration / self.step
        near = round(whole)
        return max(1, near if abs(whole - near) <= ROUND_OFF else ceil(whole))

    @property
    def n_frames(self) -> int:
        """The initial frame, every `every`-th step, and the last."""
        return 1 + ceil(self.n_steps / self.every)

    def time_after(self, k: int) -> float:
        """t_k = k h [s], and exactly the duration at the end."""
        return self.duration if k >= self.n_steps else k * self.step


def checked_model(scene: Any, found: Mistakes) -> Model | None:
    """The model of a scene with bodies; None, and the mistake in `found`, where it is none."""
    if not isinstance(scene, Scene):
        found.append(f"`scene` must be a dt.Scene, got {quote(scene)}")
        return None
    model = found.take(scene.build)
    if model is not None and model.n_bodies == 0:
        found.append("the scene must have at least one body; use scene.add_body(...)")
    return model


def checked_plan(
    scene: Any,
    duration: Any,
    step: Any,
    every: Any,
    out: Any,
    resume: Any,
    events: Any,
    step_control: Any,
    functions: dict[str, Any],
) -> Plan:
    """Check everything and raise one InputError with all mistakes."""
    found = Mistakes()
    model = checked_model(scene, found)
    length = found.take(positive, duration, "`duration`", "s")
    h = found.take(positive, step, "`step`", "s")
    if length is not None and h is not None and length / h > MAX_STEPS:
        found.append(
            f"`step` must be at least {length / MAX_STEPS:.3g} s for a duration of "
            f"{length:g} s, got {h:g}"
        )
    if isinstance(every, bool) or not isinstance(every, Integral) or every < 1:
        found.append(f"`every` must be a whole number of steps >= 1, got {quote(every)}")
    path = found.take(checked_place, out, resume)
    watched = found.take(_events, events)
    if step_control is not None and not isinstance(step_control, StepControl):
        found.append(
            f"`step_control` must have first(step) and next(h, report), got {quote(step_control)}"
        )
    for name, function in functions.items():
        if function is not None and not callable(function):
            found.append(f"`{name}` must be a function, got {quote(function)}")
    found.raise_if_any()
    assert model is not None and length is not None and h is not None and watched is not None
    plan = Plan(model, length, h, int(every), path, watched, step_control)
    _refuse_too_large(plan, resume)
    return plan


def checked_place(out: Any, resume: Any, what: str = "`out`") -> Path | None:
    """The result file, in a folder that is there."""
    if out is None:
        if resume:
            raise InputError(f"`resume` needs {what}, the result file to continue")
        return None
    if not isinstance(out, str | os.PathLike):
        raise InputError(f"{what} must be a file name, got {quote(out)}")
    path = Path(out)
    try:
        if "\0" in str(path):  # which pathlib passes over
            raise ValueError("embedded null byte")
        if path.is_dir():
            raise InputError(f"{what} must be a file, but {path} is a folder")
        if path.suffix.lower() in OTHER_ENDINGS:
            raise InputError(
                f"{what} must be a result file, HDF5 with the ending .h5, got {quote(path.name)}; "
                f"for other formats use result.export({quote(path.name)}) after the run"
            )
        if not path.parent.is_dir():
            raise InputError(f"{what} must be in a folder that exists, but {path.parent} does not")
        if not resume:  # resuming says itself what it cannot read
            refuse_foreign(path, what)
    except (OSError, ValueError) as error:  # too long, a zero in it, not readable
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{what} must be a usable file name, got {quote(out)}: {why}") from error
    return path


def _events(events: Any) -> tuple[Event, ...]:
    found = Mistakes()
    if not isinstance(events, Event | Iterable):
        raise InputError(f"`events` must be a list of dt.Event objects, got {quote(events)}")
    watched = (events,) if isinstance(events, Event) else tuple(events)
    for event in watched:
        if isinstance(event, Event):
            found.extend(event.mistakes())
        else:
            found.append(f"`events` must be dt.Event objects, got {quote(event)}")
    found.raise_if_any()
    names = [event.name for event in watched]
    for name in sorted({name for name in names if names.count(name) > 1}):
        found.append(f"two events are named {quote(name)}; names must be unique")
    found.raise_if_any()
    return watched


def _refuse_too_large(plan: Plan, resume: bool) -> None:
    """Frames must fit where they go; contacts come on top and are not known yet."""
    if plan.control is not None:
        return  # the number of frames is not known either
    model = plan.model
    driven = int(np.sum(model.motion == KINEMATIC))
    needed = plan.n_frames * _frame_bytes(model.n_bodies, len(model.joints), driven)
    if plan.out is None:
        free, where = _free_memory(), "of memory are free; give `out` to write to a file,"
    else:
        free = shutil.disk_usage(plan.out.parent).free
        if resume and plan.out.exists():
            free += plan.out.stat().st_blocks * 512  # what is there already needs no more
        where = f"are free on the disk of {plan.out.parent};"
    if needed > free:
        raise InputError(
            f"{plan.n_frames} frames of {plan.model.n_bodies} bodies need {_size(needed)}, but "
            f"{_size(free)} {where} record fewer with `every` (every={plan.every} now)"
        )


@lru_cache(maxsize=64)
def _frame_bytes(n_bodies: int, n_joints: int, driven: int) -> int:
    """[bytes] of one frame without contacts; short runs of one scene ask again and again."""
    return bytes_per_row(frame_columns(n_bodies, n_joints, driven))


def _free_memory() -> int:
    """[bytes] the system can give without swapping; without /proc, all memory there is."""
    try:
        with Path("/proc/meminfo").open() as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
