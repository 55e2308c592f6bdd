"""What is said once at the start of a run: what `dovetail check` would find cheaply."""

import os
import sys
from collections.abc import Iterator
from math import isinf
from typing import Any

import numpy as np

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.default import follows_limits_that_give, limits_that_give
from dovetail.integrators.interface import Integrator
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.scene_check import check_quickly, check_scene
from dovetail.simulate.plan import Plan

HALF_TURN = np.pi  # [rad] of a body in one step: beyond, its sense is not known
LEAP = 10.0  # lengths of a body in one step, where contact is only looked for at its ends
FAR = 1e4  # lengths of a body that it falls in one step: a step in ms
ROUGHEST = 5.0  # coefficient of friction
MAX_SAID = 12  # sentences
MAX_NAMED = 4  # joints in a sentence

_said: set[str] = set()


def warnings_at_start(
    scene: Scene, plan: Plan, contact: ContactMethod | None, integrator: Integrator,
    silent_about_contact: bool, check: Any,
) -> tuple[str, ...]:  # fmt: skip
    """Sentences to say before a run; raises InputError where a thorough check finds errors.

    `check` None looks at what is cheap, True at all that `dovetail check` does, False at nothing.
    """
    if check is not None and not isinstance(check, bool):
        raise InputError(f"`check` must be None, True or False, got {quote(check)}")
    if check is False:
        return ()
    without = "none" if silent_about_contact else None
    found = check_quickly(scene, without if contact is None else contact.kind)
    if isinf(plan.duration):  # a live simulation, moved by its inputs
        found = [one for one in found if one.topic != "at rest"]
    if check:
        errors = [one.message for one in check_scene(scene) if one.severity == "error"]
        if errors:
            raise InputError(errors)
        said = {one.message for one in found}
        found += [
            one for one in check_scene(scene)
            if one.severity == "warning" and one.message not in said
        ]  # fmt: skip
    said_of = (
        *_of_the_step(plan),
        *_of_a_fall(plan.model, plan.step, contact),
        *_of_contact(plan.model, contact),
        *_of_separation(plan.model, contact),
        *_of_limits(plan.model, contact, integrator),
        *_of_stiff_contact(plan, contact, integrator),
    )
    return (*(finding.message for finding in found), *said_of)


def _of_contact(model: Model, contact: ContactMethod | None) -> Iterator[str]:
    """Options of the contact method that look like another unit."""
    friction = getattr(contact, "friction", None)
    pairs = [pair.friction for pair in model.materials]
    for value in (friction, *pairs):
        if isinstance(value, int | float) and value > ROUGHEST:
            yield (
                f"a coefficient of friction is {value:g}, but rubber on rubber has 1 to 2; if it "
                f"is in percent, give {value / 100:g}"
            )
            break
    dhat = getattr(contact, "dhat", None)
    sizes = [
        body.surface.diagonal
        for body, motion in zip(model.bodies, model.motion)
        if motion == DYNAMIC and len(body.surface.vertices)
    ]
    if isinstance(dhat, int | float) and sizes and dhat > min(sizes):
        yield (
            f"`dhat` of the contact is {dhat:g} m, more than the smallest body is long "
            f"({min(sizes):.3g} m), so bodies push each other from afar; it is in m"
        )


def _of_separation(model: Model, contact: ContactMethod | None) -> Iterator[str]:
    """A gap that bodies must keep and that is as large as they are."""
    gap = getattr(contact, "min_separation", None)
    sizes = {
        name: body.surface.diagonal
        for name, body, motion in zip(model.names, model.bodies, model.motion)
        if motion == DYNAMIC and len(body.surface.vertices)
    }
    if isinstance(gap, int | float) and sizes and gap > 0.1 * min(sizes.values()):
        name = min(sizes, key=lambda one: sizes[one])
        yield (
            f"`min_separation` of the contact is {gap:g} m, but {quote(name)} is {sizes[name]:.3g} "
            "m long; it is in m, and all bodies must start farther apart than that"
        )


def _of_limits(
    model: Model, contact: ContactMethod | None, integrator: Integrator
) -> Iterator[str]:
    """Limits that give where the integrator takes them as rigid."""
    if follows_limits_that_give(integrator, contact, model):
        return
    joints = limits_that_give(model)
    more = ", ..." if len(joints) > MAX_NAMED else ""
    yield (
        f"limits of joints give (`limit_stiffness` of "
        f"{', '.join(map(quote, joints[:MAX_NAMED]))}{more}), but {integrator.name} takes them as "
        "rigid here; JointCoordinates, without contact, lets them give"
    )


def _of_stiff_contact(
    plan: Plan, contact: ContactMethod | None, integrator: Integrator
) -> Iterator[str]:
    """Contact that the scheme resolves in time, with steps that are too long for it."""
    method: Any = contact
    if not hasattr(method, "stiffest_contact") or integrator.name == "CompliantEuler":
        return
    stiffest = method.stiffest_contact(plan.model)
    if stiffest is None or not stiffest.is_refused(plan.step):
        return
    a, b = map(quote, stiffest.bodies)
    compliant = method.is_compliant(plan.model)
    other = ", or CompliantEuler, which takes longer ones" if compliant else ""
    yield (
        f"{integrator.name} resolves the contact of {a} and {b} in time, and it is too stiff for a "
        f"step of {plan.step:g} s: the run will end when they meet; use a step below "
        f"{stiffest.longest:.1g} s, less where they meet at many points{other}"
    )


def _of_the_step(plan: Plan) -> Iterator[str]:
    """Steps that are too long for what the bodies do at the start."""
    model, h = plan.model, plan.step
    if h > plan.duration:
        yield (
            f"`step` is {h:g} s, longer than the duration of {plan.duration:g} s; one step is made"
        )
    steps = plan.duration / h  # infinite where a run is stepped by hand
    if plan.every > max(steps, 1.0):
        yield (
            f"`every` is {plan.every} steps, more than the {steps:.0f} of the run; only its start "
            "and its end are recorded"
        )
    spin = np.linalg.norm(model.angular_velocity[model.motion == DYNAMIC], axis=1)
    if len(spin) and float(spin.max()) * h > HALF_TURN and plan.control is None:
        body = _fastest(model)
        yield (
            f"body {quote(body)} rotates by {spin.max() * h:.3g} rad in one step of {h:g} s, more "
            f"than half a turn; use a step below {0.2 / spin.max():.2g} s"
        )


def _of_a_fall(model: Model, h: float, contact: ContactMethod | None) -> Iterator[str]:
    """Steps in which a body falls farther than it is long: contact is then found by chance."""
    sizes = {
        name: body.surface.diagonal
        for name, body, motion in zip(model.names, model.bodies, model.motion)
        if motion == DYNAMIC and len(body.surface.vertices)
    }
    g = float(np.linalg.norm(model.gravity))
    fall = 0.5 * g * h * h
    if not sizes:
        return
    name = min(sizes, key=lambda one: sizes[one])
    if contact is None:
        if fall > FAR * sizes[name]:
            yield (
                f"in one step of {h:g} s a body falls {fall:.3g} m, {fall / sizes[name]:.2g} times "
                f"the length of {quote(name)}; `step` and `duration` are in s"
            )
        return
    if contact.kind != "potential":  # which looks between the ends of steps
        yield from _of_a_leap(model, sizes, h)
    if fall <= sizes[name]:
        return
    yield (
        f"in one step of {h:g} s a body falls {fall:.3g} m, farther than {quote(name)} is long "
        f"({sizes[name]:.3g} m); use a step below {np.sqrt(0.02 * sizes[name] / g):.1g} s"
    )


def _of_a_leap(model: Model, sizes: dict[str, float], h: float) -> Iterator[str]:
    """A body that passes many of its lengths in one step, and may pass through others."""
    speeds = {name: float(np.linalg.norm(model.velocity[model.index(name)])) for name in sizes}
    leaps = {name: h * speeds[name] / max(sizes[name], 1e-300) for name in sizes}
    name = max(leaps, key=lambda one: leaps[one])
    if leaps[name] > LEAP:
        yield (
            f"body {quote(name)} moves {h * speeds[name]:.3g} m in one step of {h:g} s, "
            f"{leaps[name]:.2g} times its length, and may pass through others; check its "
            f"`velocity`, which is in m/s, or use a step below {sizes[name] / speeds[name]:.1g} s"
        )


def _fastest(model: Model) -> str:
    spin = np.where(model.motion == DYNAMIC, np.linalg.norm(model.angular_velocity, axis=1), -1.0)
    return model.names[int(np.argmax(spin))]


def say(sentences: tuple[str, ...]) -> None:
    """Print them on stderr, each once in a process; DOVETAIL_QUIET=1 silences it."""
    if os.environ.get("DOVETAIL_QUIET") == "1":
        return
    sentences = tuple(sentence for sentence in sentences if sentence not in _said)
    _said.update(sentences)
    for sentence in sentences[:MAX_SAID]:
        print(f"dovetail: warning: {sentence}", file=sys.stderr)
    if len(sentences) > MAX_SAID:
        print(
            f"dovetail: and {len(sentences) - MAX_SAID} more warnings; `dovetail check` has all",
            file=sys.stderr,
        )
