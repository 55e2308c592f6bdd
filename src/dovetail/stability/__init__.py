"""Solvability and stability of frictional contact; Painleve region.

>>> import dovetail as dt
>>> dt.stability.boundary_layer([[2.0, 0.0], [0.0, 1.0]]).stable
True
>>> float(dt.stability.rod(theta=0.0, mu=0.5).A)
4.0

What examines whole scenes is imported when first used: the rod's map needs no compiled kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dovetail.stability.body_contacts import BodyContacts, body_contacts
from dovetail.stability.boundary_layer import BoundaryLayer, boundary_layer
from dovetail.stability.contact_case import CaseSolution, ContactCase, contact_case
from dovetail.stability.kelvin import KelvinRun, kelvin_run
from dovetail.stability.kelvin_rod import kelvin_rod
from dovetail.stability.painleve import PainleveTip, critical_friction, painleve_tip
from dovetail.stability.rod import RollingRod, SlidingRod, rod, rod_drive, rod_tip, rolling_rod

if TYPE_CHECKING:
    from dovetail.stability.finding import Finding
    from dovetail.stability.island_contacts import IslandContacts, scene_contacts
    from dovetail.stability.monitor import Monitor

_HOME_OF = {
    "Finding": "finding",
    "IslandContacts": "island_contacts",
    "Monitor": "monitor",
    "scene_contacts": "island_contacts",
}

__all__ = [
    "BodyContacts",
    "BoundaryLayer",
    "CaseSolution",
    "ContactCase",
    "Finding",
    "IslandContacts",
    "KelvinRun",
    "Monitor",
    "PainleveTip",
    "RollingRod",
    "SlidingRod",
    "body_contacts",
    "boundary_layer",
    "contact_case",
    "critical_friction",
    "kelvin_rod",
    "kelvin_run",
    "painleve_tip",
    "rod",
    "rod_drive",
    "rod_tip",
    "rolling_rod",
    "scene_contacts",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'dovetail.stability' has no attribute {name!r}")
    value = getattr(import_module(f"dovetail.stability.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
