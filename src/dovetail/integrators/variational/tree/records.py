"""What a RATTLie step over a tree reads and writes."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.multibody.loads.wrenches import CompiledLoads
from dovetail.multibody.tree.bodies import BodyRows
from dovetail.multibody.tree.records import (
    TreeArrays,
    TreeWorkspace,
    bundle_tree,
    bundle_tree_workspace,
)
from dovetail.runtime.records import BoolArray, FloatArray, Int64Array, bundler

N_DIFFERENCES = 9  # of the predictor: the highest order is one less
KRYLOV = 24  # dimensions of the space in which Newton's equations are solved
LIMITS, PRESCRIBED, FRICTION, YIELDING = range(4)  # kinds of `TreeHolds.some`


class TreeForces(NamedTuple):
    """What acts along the n_v coordinates of a tree."""

    q_index: Int64Array  # (n_v,) where the coordinate has its value, -1 where it has none
    stiffness: FloatArray  # (n_v,) [N/m or N m/rad]
    rest: FloatArray  # (n_v,) [m or rad]
    damping: FloatArray  # (n_v,) [N s/m or N m s/rad]
    effort: FloatArray  # (n_v,) [N or N m] of motors at the end of the substep


class TreeHolds(NamedTuple):
    """What holds the n_v coordinates of a tree."""

    some: BoolArray  # (4,) whether there are limits, prescribed coordinates, friction, limits that
    # give
    lower: FloatArray  # (n_v,) [m or rad]
    upper: FloatArray  # (n_v,)
    stops: BoolArray  # (n_v,) whether a step that would pass a rigid limit ends at it
    prescribed: BoolArray  # (n_v,) whether a motor prescribes the coordinate
    goal: FloatArray  # (n_v,) [m or rad] of prescribed ones at the end of the substep
    rate: FloatArray  # (n_v,) [m/s or rad/s] at the end of the step, 0 of all others
    acceleration: FloatArray  # (n_v,) likewise, at the state
    friction: FloatArray  # (n_v,) [N or N m]
    creep: FloatArray  # (n_v,) [m/s^2 or rad/s^2] rate of sticking per second of step
    active: Int64Array  # (n_v,) -1 at the lower limit, 1 at the upper, 0 at none
    lock: FloatArray  # (n_v,) inf where locked, else the inertia of a limit that is pressed: what
    # the mass matrix has besides
    multiplier: FloatArray  # (n_v,) [N or N m] of friction at the state
    acting: FloatArray  # (n_v,) [N or N m] of friction, as solved for
    guess: FloatArray  # (n_v,) [m/s or rad/s] of friction
    steep: BoolArray  # (n_v,) whether its force is a secant
    impulse: FloatArray  # (n_v,) that holds a locked coordinate
    give: FloatArray  # (n_v, 3) stiffness, damping, inertia of a limit that gives, 0 of a rigid one
    pressed: Int64Array  # (n_v,) -1 beyond the lower limit that gives, 1 beyond the upper, 0 within
    rotor: FloatArray  # (n_v,) [kg or kg m^2] armature, and the inertia of a limit that is pressed


class TreeStepWorkspace(NamedTuple):
    """State and scratch of n bodies of a scene, labels 0..L, n_v velocities, s stages a step."""

    label: Int64Array  # (n,) label of each body; 0 does not move
    frames: FloatArray  # (L + 1, 3, 3) body axes in the tree's frame
    q: FloatArray  # (n_q,) the state: coordinates,
    eta: FloatArray  # (n_v,) velocities,
    kicked: FloatArray  # (L + 1, 6) momenta about centres of mass, after the half kick of loads,
    kick: FloatArray  # (n_v,) that of efforts: N^T kicked + kick = M eta,
    tau: FloatArray  # (n_v,) and efforts of springs, dampers and motors
    differences: FloatArray  # (s, N_DIFFERENCES, n_v) backward, of mean velocities of a stage
    known: Int64Array  # (s,) how many of them count
    order: Int64Array  # (s,) how many predict best
    last: FloatArray  # (s + 1,) [s] substep of each stage last time, and the rate of convergence
    q_next: FloatArray  # (n_q,)
    xi: FloatArray  # (n_v,) displacement of the substep
    rho: FloatArray  # (n_v,) what momenta miss along coordinates alone
    change: FloatArray  # (n_v,)
    zero: FloatArray  # (n_v,) zeros
    extra: FloatArray  # (n_v,) of the diagonal of the mass matrix
    rotation: FloatArray  # (L + 1, 4) displacement of each body: quaternion, vector part first,
    shift: FloatArray  # (L + 1, 3) and of its origin [m]
    arm: FloatArray  # (L + 1, 3) [m] of centres of mass, world axes
    inertia: FloatArray  # (L + 1, 6) [kg m^2] world axes
    target: FloatArray  # (L + 1, 6) momenta at the start of a substep, about centres of mass
    momentum: FloatArray  # (L + 1, 6) discrete ones, about centres of mass
    left: FloatArray  # (L + 1, 6) what momenta of bodies miss, about their origins
    nothing: FloatArray  # (L + 1, 6) zeros
    wrench: FloatArray  # (L + 1, 6) torque and force of loads on each body
    basis: FloatArray  # (KRYLOV + 1, n_v)
    hessenberg: FloatArray  # (KRYLOV + 1, KRYLOV + 3)
    kept: FloatArray  # (n_v,)
    kept_left: FloatArray  # (L + 1, 6)
    bodies: BodyRows  # motion of the bodies
    force: FloatArray  # (n, 3) [N]
    torque: FloatArray  # (n, 3) [N m]
    load: FloatArray  # (1,) sum of |force|^2 / mass
    constant: BoolArray  # (1,) whether forces and torques of loads never change


class TreeParts(NamedTuple):
    """Everything a step works on; bundles, which have no type of their own in Python."""

    tree: Any  # TreeArrays
    loads: Any  # CompiledLoads
    forces: Any  # TreeForces
    held: Any  # TreeHolds
    workspace: Any  # TreeWorkspace at the state, or where an iteration is
    factors: Any  # TreeWorkspace where the mass matrix was factored last
    work: Any  # TreeStepWorkspace


bundle_forces = bundler(TreeForces)
_bundle_holds = bundler(TreeHolds)
_bundle_work = bundler(TreeStepWorkspace)
_bundle_parts = bundler(TreeParts)


def bundled(
    tree: TreeArrays, loads: CompiledLoads, forces: TreeForces, held: TreeHolds,
    workspaces: list[TreeWorkspace], work: TreeStepWorkspace,
) -> Any:  # fmt: skip
    """One bundle of bundles that share their memory with the records given."""
    return _bundle_parts(
        bundle_tree(*tree), loads, bundle_forces(*forces), _bundle_holds(*held),
        *(bundle_tree_workspace(*workspace) for workspace in workspaces), _bundle_work(*work),
    )  # fmt: skip


def tree_forces(n_v: int) -> TreeForces:
    """Nothing acts along n_v coordinates."""
    return TreeForces(
        np.full(n_v, -1, np.int64), np.zeros(n_v), np.zeros(n_v), np.zeros(n_v), np.zeros(n_v)
    )


def tree_holds(n_v: int) -> TreeHolds:
    """Nothing is held."""
    v = [np.zeros(n_v) for _ in range(11)]
    return TreeHolds(
        some=np.zeros(4, np.bool_), lower=np.full(n_v, -np.inf), upper=np.full(n_v, np.inf),
        stops=np.ones(n_v, np.bool_), prescribed=np.zeros(n_v, np.bool_), goal=v[0],
        rate=v[1], acceleration=v[2], friction=v[3], creep=v[4],
        active=np.zeros(n_v, np.int64), lock=v[5], multiplier=v[6], guess=v[7],
        acting=v[10], steep=np.zeros(n_v, np.bool_), impulse=v[8],
        give=np.zeros((n_v, 3)), pressed=np.zeros(n_v, np.int64), rotor=v[9],
    )  # fmt: skip


def tree_step_workspace(
    label: Int64Array, frames: FloatArray, n_q: int, n_v: int, stages: int
) -> TreeStepWorkspace:
    """A workspace at rest."""
    n, rows = label.size, frames.shape[0]
    v = [np.zeros(n_v) for _ in range(8)]
    six = [np.zeros((rows, 6)) for _ in range(7)]
    rotation = np.zeros((rows, 4))
    rotation[:, 3] = 1.0
    last = np.zeros(stages + 1)
    last[stages] = 1.0
    bodies = BodyRows(
        np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3)), np.zeros((n, 3))
    )
    return TreeStepWorkspace(
        label=label, frames=frames, q=np.zeros(n_q), eta=v[0], kicked=six[0], kick=v[1], tau=v[2],
        differences=np.zeros((stages, N_DIFFERENCES, n_v)), known=np.zeros(stages, np.int64),
        order=np.zeros(stages, np.int64), last=last, q_next=np.zeros(n_q), xi=v[3], rho=v[4],
        change=v[5], zero=v[6], extra=v[7], rotation=rotation, shift=np.zeros((rows, 3)),
        arm=np.zeros((rows, 3)), inertia=np.zeros((rows, 6)), target=six[1], momentum=six[2],
        left=six[3], nothing=six[6], wrench=six[4], basis=np.zeros((KRYLOV + 1, n_v)),
        hessenberg=np.zeros((KRYLOV + 1, KRYLOV + 3)), kept=np.zeros(n_v), kept_left=six[5],
        bodies=bodies, force=np.zeros((n, 3)), torque=np.zeros((n, 3)), load=np.zeros(1),
        constant=np.zeros(1, np.bool_),
    )  # fmt: skip
