"""Which kernels of intersection-free contact `dovetail warmup` compiles."""

import numpy as np

from dovetail.kernels import ipc
from dovetail.kernels.ipc_friction_set import bundle_friction, friction_room
from dovetail.kernels.ipc_layout import bundle_bodies, bundle_lists, bundle_room
from dovetail.kernels.ipc_room import list_room, motion_room, no_bodies, step_room
from dovetail.kernels.ipc_step import bundle_motion
from dovetail.kernels.warmup import warm, warm_later


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    bodies, rows, turns = no_bodies(), np.zeros((0, 3)), np.zeros((0, 3, 3))
    parts = (
        bundle_bodies(*bodies),
        bundle_lists(*list_room(bodies, 1, 1)),
        bundle_room(*step_room(bodies, 1, 1, 2, 1)),
        bundle_motion(*motion_room(rows, turns, rows, rows)),
        bundle_friction(*friction_room(0, 0, 0)),
    )
    warm(ipc.perform, ipc.STEP, ipc.bundle_parts(*parts), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0)


warm_later(_register)
