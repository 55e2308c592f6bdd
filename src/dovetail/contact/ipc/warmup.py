"""Which kernels of intersection-free contact `dovetail warmup` compiles."""

import numpy as np

from dovetail.contact.ipc import entry_points
from dovetail.contact.ipc.friction.coefficients import no_friction
from dovetail.contact.ipc.friction.records import bundle_friction, empty_friction
from dovetail.contact.ipc.records import bundle_bodies, bundle_lists, bundle_room
from dovetail.contact.ipc.step import bundle_motion
from dovetail.contact.ipc.workspace import list_room, motion_room, no_bodies, step_room
from dovetail.runtime.warmup import warm, warm_later


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    bodies, rows, turns = no_bodies(), np.zeros((0, 3)), np.zeros((0, 3, 3))
    parts = (
        bundle_bodies(*bodies),
        bundle_lists(*list_room(bodies, 1, 1)),
        bundle_room(*step_room(bodies, 1, 1, 2, 1)),
        bundle_motion(*motion_room(rows, turns, rows, rows)),
        bundle_friction(*empty_friction(no_friction(0), 0)),
    )
    warm(
        entry_points.perform,
        entry_points.STEP,
        entry_points.bundle_parts(*parts),
        0.0,
        0.0,
        1.0,
        0.0,
        0.0,
        0.0,
        0,
    )


warm_later(_register)
