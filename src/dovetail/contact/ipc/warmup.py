"""Which kernels of intersection-free contact `dovetail warmup` compiles."""

from typing import Any

import numpy as np

from dovetail.contact.ipc import queries
from dovetail.contact.ipc.barrier.function import Barrier, log_barrier
from dovetail.contact.ipc.candidates.records import bundle_lists
from dovetail.contact.ipc.friction.coefficients import no_friction
from dovetail.contact.ipc.friction.records import bundle_friction, empty_friction
from dovetail.contact.ipc.records import bundle_bodies, bundle_motion
from dovetail.contact.ipc.step import step
from dovetail.contact.ipc.workspace import (
    bundle_workspace,
    make_lists,
    make_motion,
    make_workspace,
    no_bodies,
)
from dovetail.runtime.warmup import warm, warm_later


def no_ipc_parts() -> Any:
    """The records of no bodies, of the types every call has."""
    bodies, rows, rotations = no_bodies(), np.zeros((0, 3)), np.zeros((0, 3, 3))
    return queries.bundle_parts(
        bundle_bodies(bodies),
        bundle_lists(*make_lists(bodies, 1, 1)),
        bundle_workspace(*make_workspace(bodies, 1, 1, 2, 1)),
        bundle_motion(*make_motion(rows, rotations, rows, rows)),
        bundle_friction(*empty_friction(no_friction(0), 0)),
    )


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    parts = no_ipc_parts()
    warm(step, parts, 0.0, 1.0, 0.0, 0.0, 0.0, 0, False)
    warm(log_barrier, 0.0, 0.0, 0.0)
    warm(queries.find_contacts, parts, Barrier(1.0, 0.0, 0.0))
    warm(queries.begin, parts, Barrier(1.0, 0.0, 0.0))
    warm(queries.check_path, parts, 0, 0.0)


warm_later(_register)
