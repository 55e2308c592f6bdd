"""Joints and loads that do nothing, and bodies that joints hold still."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from dovetail.model.couplings import Coupling
from dovetail.model.joints import Joint, Screw
from dovetail.model.loads import ConstantForce, SpringDamper
from dovetail.model.values import GROUND_NAME, quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

Joints = Mapping[str, tuple[Any, str, str]]
SHORT = 1e-9  # of its rest length: a spring without direction


def find_without_effect(
    bodies: list[PlacedBody], joints: Joints, loads: Mapping[str, Any],
    couplings: Mapping[str, Any] = MappingProxyType({}),
) -> list[Finding]:  # fmt: skip
    """Each kind of mistake once, with the names of all joints or loads that have it."""
    held = {GROUND_NAME} | {body.name for body in bodies if body.body.motion == "static"}
    driven = held | {body.name for body in bodies if body.body.motion == "kinematic"}
    found = []
    for group in (
        [_joint(name, a, b) for name, (_, a, b) in joints.items() if {a, b} <= driven],
        [_load(name, load) for name, load in loads.items() if _acts_on(load) <= driven],
        [_slack(name) for name, load in loads.items() if _is_slack(load)],
        [_nothing(name) for name, load in loads.items() if _is_nothing(load)],
        [_pointless(name) for name, load in loads.items() if _has_no_direction(load)],
        [_waiting(body.name) for body in bodies if _stands_still(body)],
        [_no_lead(name) for name, (joint, _, _) in joints.items() if _has_no_lead(joint)],
        [_one(name) for name, coupling in couplings.items() if _is_one(coupling)],
        _all_fixed(bodies, joints, held),
    ):
        if group:
            found.append(merged(group[0], [one.subject[0] for one in group]))
    return found


def _warning(topic: str, subject: str, message: str) -> Finding:
    return Finding("warning", topic, (subject,), message)


def _joint(name: str, a: str, b: str) -> Finding:
    return _warning(
        "joint",
        name,
        f"joint {quote(name)} has no effect: neither {quote(a)} nor {quote(b)} is moved by forces; "
        "set `motion` of one of them to 'dynamic', or leave the joint out",
    )


def _acts_on(load: Any) -> set[str]:
    """The bodies that a load pushes; 'dynamic' stands for those of a function."""
    if isinstance(load, ConstantForce | SpringDamper):
        return set(load.bodies())
    return {""}


def _load(name: str, load: Any) -> Finding:
    who = " and ".join(map(quote, load.bodies()))
    return _warning(
        "load",
        name,
        f"load {quote(name)} has no effect: forces do not move {who}; name a dynamic body, or set "
        "its `motion` to 'dynamic'",
    )


def _is_slack(load: Any) -> bool:
    return isinstance(load, SpringDamper) and not load.stiffness and not load.damping


def _slack(name: str) -> Finding:
    return _warning(
        "load",
        name,
        f"spring {quote(name)} has no effect: `stiffness` [N/m] and `damping` [N s/m] are both 0; "
        "give one of them",
    )


def _is_nothing(load: Any) -> bool:
    return isinstance(load, ConstantForce) and not np.any(load.force) and not np.any(load.torque)


def _nothing(name: str) -> Finding:
    return _warning(
        "load",
        name,
        f"load {quote(name)} has no effect: `force` [N] and `torque` [N m] are both 0; give one of "
        "them",
    )


def _has_no_direction(load: Any) -> bool:
    """Whether a spring that should push has no length to push along."""
    if not isinstance(load, SpringDamper) or load.mistakes("spring"):
        return False
    length = np.linalg.norm(np.asarray(load.point_b, float) - np.asarray(load.point_a, float))
    return bool(load.stiffness and load.rest_length and length <= SHORT * load.rest_length)


def _pointless(name: str) -> Finding:
    return _warning(
        "load",
        name,
        f"spring {quote(name)} has no direction: its points are at one place at the start, where "
        "it pushes nowhere; give `point_a` and `point_b` in world coordinates, apart",
    )


def _stands_still(body: PlacedBody) -> bool:
    given = body.given
    moving = np.any(body.body.velocity) or np.any(body.body.angular_velocity)
    return given.motion == "kinematic" and given.trajectory is None and not moving


def _waiting(name: str) -> Finding:
    return _warning(
        "at rest",
        name,
        f"body {quote(name)} is kinematic, but has no `trajectory` and no velocity, so it stands "
        "still; give it one of them, or motion='static'",
    )


def _has_no_lead(joint: Any) -> bool:
    return isinstance(joint, Screw) and not joint.pitch


def _no_lead(name: str) -> Finding:
    return _warning(
        "joint",
        name,
        f"joint {quote(name)} is a screw that does not advance: `pitch` is 0; give it in m per "
        "turn, or use dt.Revolute",
    )


def _is_one(coupling: Any) -> bool:
    is_held = isinstance(coupling, Coupling) and coupling.actuation is None
    return is_held and len(coupling.terms) == 1


def _one(name: str) -> Finding:
    return _warning(
        "coupling",
        name,
        f"coupling {quote(name)} names one joint, so it holds that joint still; name the other "
        "joint too, such as {'wheel': 1, 'pinion': -3}",
    )


def _all_fixed(bodies: list[PlacedBody], joints: Joints, held: set[str]) -> list[Finding]:
    """Fixed joints that hold all that could move to what does not."""
    still = set(held)
    rigid = [
        {a, b} for joint, a, b in joints.values() if isinstance(joint, Joint) and not joint.freedoms
    ]
    grew = True
    while grew:
        grew = False
        for ends in rigid:
            if ends & still and not ends <= still:
                still |= ends
                grew = True
    names = [body.name for body in bodies]
    if not rigid or any(name not in still for name in names) or set(names) <= held:
        return []
    name = next(n for n, (joint, _, _) in joints.items() if not joint.freedoms)
    return [
        _warning(
            "at rest",
            name,
            f"nothing will move: fixed joints such as {quote(name)} hold all bodies to what does "
            "not move; use a joint that leaves a motion, such as dt.Revolute",
        )
    ]
