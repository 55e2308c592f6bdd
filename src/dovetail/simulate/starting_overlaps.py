"""Bodies that overlap at the start, searched for where a run had trouble with them."""

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.interface import Integrator, Stepper
from dovetail.integrators.pairing import started
from dovetail.model.frozen import Model
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.scene_check import Finding, find_overlapping_bodies

APART = "move them apart"


def started_apart(
    integrator: Integrator, model: Model, contact: ContactMethod | None, scene: Scene
) -> Stepper:
    """The stepper of a run; where bodies intersect, the refusal has the translation that frees."""
    try:
        return started(integrator, model, contact)
    except InputError as error:
        if contact is None or not any(APART in sentence for sentence in error.mistakes):
            raise
        found = find_overlapping_bodies(scene)
        raise InputError([_advised(sentence, found) for sentence in error.mistakes]) from None


def overlaps_behind(gain_begins: float | None, scene: Scene, contact: object) -> tuple[str, ...]:
    """Sentences about overlaps where energy appears from the start on under contact."""
    if contact is None or gain_begins is None or gain_begins > 0.0:
        return ()
    return tuple(one.message for one in find_overlapping_bodies(scene) if one.severity == "error")


def _advised(sentence: str, found: list[Finding]) -> str:
    for one in found:
        if all(quote(name) in sentence for name in one.subject):
            advice = one.message.rpartition("; ")[2]
            return sentence.replace(APART, advice)
    return sentence
