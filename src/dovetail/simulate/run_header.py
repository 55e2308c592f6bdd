"""The header of a result: what was run, and how."""

from collections.abc import Iterable
from typing import Any

from dovetail import __version__
from dovetail.contact.law import ContactMethod
from dovetail.integrators.interface import Integrator
from dovetail.model.frozen import Model
from dovetail.model.scene import Scene
from dovetail.results.header import Header, header_of
from dovetail.simulate.embedded_scene import embedded_scene
from dovetail.simulate.events import Event
from dovetail.simulate.fingerprint import canonical, described, described_scene


def run_header(
    scene: Scene,
    model: Model,
    contact: ContactMethod | None,
    integrator: Integrator,
    *,
    step: float,
    every: int,
    duration: float | None = None,
    control: Any = None,
    events: Iterable[Event] = (),
    not_kept: Iterable[str] = (),
) -> Header:
    """`not_kept`: what else acted that no file can keep."""
    document, meshes, left_out = embedded_scene(scene)
    events = tuple(events)
    settings = {
        "dovetail": __version__,
        "duration": duration,
        "step": step,
        "every": every,
        "contact": described(contact),
        "integrator": described(integrator),
        "step_control": described(control),
        "events": described(events),
        "scene": described_scene(model),
        "functions_not_kept": [*left_out, *not_kept],
    }
    potential = contact is not None and contact.kind == "potential"
    waypoints = bool(getattr(integrator, "leaves_waypoints", potential))
    names = tuple(event.name for event in events)
    return header_of(model, names, canonical(settings), __version__, document, meshes, waypoints)
