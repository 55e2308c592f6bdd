"""Does a file agree with itself? Its header with its scene, its times with its settings.

A seal says that nobody changed the file by accident. Whoever changes the scene of a result and
seals it again is found where masses, inertias or gravity no longer follow from it.
"""

import json
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.results.result import Result
from dovetail.results.status import FINISHED

SETTINGS = ("contact", "every", "step")  # without these nothing says how the run was made
BOUND = 1e-9  # relative: what a scene that was written and read again gives
SHORTER = 1e-6  # of a step: a last one that is shorter is not taken by itself
JOINED = 1e-3  # of the size: how far joints may move bodies to their start
OPENED = 1e-6  # of a body's diagonal: by this IPC opens what touches at the start
LAYERS = 64  # at most that often, in a stack


def refuse_disordered(result: Result) -> None:
    """Raises InputError where the recorded times do not rise: there is no path to verify."""
    time = result.time
    if not np.isfinite(time[0]):
        raise InputError(f"the recorded times must be finite, the first is {time[0]:g} s")
    bad = np.flatnonzero(~((np.diff(time) > 0.0) & np.isfinite(time[1:])))
    if len(bad):
        at = int(bad[0])
        raise InputError(
            f"the recorded times must rise, frame {at + 1} is at t = {time[at + 1]:g} s after "
            f"{time[at]:g} s; there is no certificate for such a result"
        )


def disagreement(result: Result) -> str:
    """What of the header does not follow from the scene and the settings; empty if all does."""
    settings = json.loads(result.stored.header.settings)
    missing = [key for key in SETTINGS if key not in settings]
    if missing:
        return f"the settings do not say `{'`, `'.join(missing)}`"
    return (
        _of_scene(result)
        or _of_duration(result, settings)
        or _of_gaps(result, settings)
        or _of_start(result, settings)
    )


def _of_scene(result: Result) -> str:
    header, model = result.stored.header, result.scene.build()
    if model.names != header.names:
        return "the bodies are not those of the scene"
    for name, ours, theirs in zip(header.names, model.bodies, header.motion, strict=True):
        if ours.motion != theirs:
            return f"'{name}' is {theirs} in the header and {ours.motion} in the scene"
    for what, given, recorded in (
        ("mass", model.mass, header.mass),
        ("inertia", model.inertia, header.inertia),
    ):
        for name, ours, theirs in zip(header.names, given, recorded, strict=True):
            largest = float(np.max(np.abs(ours), where=np.isfinite(ours), initial=0.0))
            if not np.allclose(ours, theirs, rtol=BOUND, atol=BOUND * largest):
                return f"the {what} of '{name}' does not follow from the scene"
    if not np.allclose(model.gravity, header.gravity, rtol=BOUND, atol=0.0):
        return "gravity is not that of the scene"
    return _of_static_bodies(result, model)


def _of_static_bodies(result: Result, model: Model) -> str:
    """They are where the scene has them, in every frame."""
    size = float(np.max(np.abs(model.position), initial=0.0))
    for k, name in enumerate(model.names):
        if model.bodies[k].motion != "static":
            continue
        moved = np.abs(result.position(name) - model.position[k]).max(axis=1)
        turned = np.abs(result.rotation(name) - model.rotation[k]).max(axis=(1, 2))
        bad = np.flatnonzero(~((moved <= BOUND * size) & (turned <= BOUND)))
        if len(bad):
            time = float(result.time[bad[0]])
            return f"'{name}' is static, and not where the scene has it at t = {time:g} s"
    return ""


def _of_duration(result: Result, settings: dict[str, Any]) -> str:
    """A run that finished got to its end, or to an event that ended it."""
    duration, last = settings.get("duration"), float(result.time[-1])
    if result.status != FINISHED or not isinstance(duration, int | float):
        return ""
    if last >= duration * (1.0 - BOUND) or result.reason.startswith("ended by event"):
        return ""
    return f"the run was to last {duration:g} s, the frames end at {last:g} s"


def _of_gaps(result: Result, settings: dict[str, Any]) -> str:
    """Frames of a run with equal steps are no farther apart than it records them."""
    step, every = settings["step"], settings["every"]
    recorded = isinstance(settings.get("duration"), int | float)
    equal = recorded and settings.get("step_control") is None
    if not equal or not isinstance(step, int | float) or not isinstance(every, int):
        return ""
    gaps = np.diff(result.time)
    bad = np.flatnonzero(~(gaps <= every * step * (1.0 + SHORTER)))
    if not len(bad):
        return ""
    return (
        f"{every} step{'s' * (every > 1)} of {step:g} s between two frames were to be recorded, "
        f"{gaps[bad[0]]:g} s are after t = {result.time[bad[0]]:g} s"
    )


def _of_start(result: Result, settings: dict[str, Any]) -> str:
    """A run begins where the scene has its bodies; a recording by hand may begin anywhere.

    Joints may change velocities at the start, and poses by what they were off. IPC opens
    bodies that touch.
    """
    if not isinstance(settings.get("duration"), int | float) or result.time[0] != 0.0:
        return ""
    model = result.scene.build()
    joined = bool(model.joints)
    size = float(np.ptp(model.position, axis=0).max(initial=0.0))
    speed = float(np.max(np.abs(model.velocity), initial=0.0))
    spin = float(np.max(np.abs(model.angular_velocity), initial=0.0))
    near = JOINED * min(1.0, size) if joined else 0.0
    opened = _opened(model) if (settings["contact"] or {}).get("type") == "IPC" else 0.0
    reach = float(np.max(np.abs(model.position), initial=0.0))
    for k, name in enumerate(model.names):
        if model.bodies[k].motion != "dynamic":
            continue
        for what, ours, theirs, bound in (
            ("place", model.position[k], result.position(name)[0], near + opened + BOUND * reach),
            ("rotation", model.rotation[k], result.rotation(name)[0], near + BOUND),
            ("velocity", model.velocity[k], result.velocity(name)[0], BOUND * speed),
            ("spin", model.angular_velocity[k], result.angular_velocity(name)[0], BOUND * spin),
        ):
            if joined and what in ("velocity", "spin"):
                continue
            if not np.abs(ours - theirs).max() <= bound:
                return f"the {what} of '{name}' at t = 0 s is not that of the scene"
    return ""


def _opened(model: Model) -> float:
    """[m] how far IPC may move bodies that touch at the start."""
    diagonals = [
        float(np.linalg.norm(np.ptp(body.surface.vertices, axis=0)))
        for body in model.bodies
        if body.motion == "dynamic" and len(body.surface.vertices)
    ]
    return OPENED * LAYERS * max(diagonals, default=0.0)
