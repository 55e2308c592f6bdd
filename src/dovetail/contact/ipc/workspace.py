"""Making the arrays of `ipc.records`."""

import numpy as np

from dovetail.contact.ipc.joints.rows import IpcJoints, bundle_joints, no_joints
from dovetail.contact.ipc.line_search.nonmonotone import ROOM as RISES_ROOM
from dovetail.contact.ipc.records import IpcBodies, IpcLists, IpcRoom
from dovetail.contact.ipc.step import IpcMotion
from dovetail.linalg.block_cholesky.workspace import factor_workspace

STACK = 512  # two trees of depth 48 + 31 each, see `bvh.build`
LEAVES = 64  # found before they are looked at


def list_room(bodies: IpcBodies, pairs: int, candidates: int) -> IpcLists:
    """Empty lists with room for so many pairs of bodies and candidates."""
    n = len(bodies.mass)
    return IpcLists(
        numbers=np.zeros(9, np.int64),
        pairs=np.zeros((2, pairs, 2), np.int32),
        start=np.zeros((2, pairs + 1), np.int64),
        made_reach=np.full((2, pairs), -1.0),
        made_x=np.zeros((2, pairs, 3)),
        made_turn=np.zeros((2, pairs, 2, 3, 3)),
        slack=np.zeros((2, pairs)),
        moved=np.zeros(pairs),
        nearest=np.zeros(pairs),
        closing=np.zeros(pairs),
        in_vain=np.zeros(pairs, np.uint8),
        pool=np.zeros((2, candidates, 4), np.int32),
        apart=np.zeros((2, candidates)),
        found=np.zeros((pairs, 2), np.int32),
        boxes=np.zeros((n, 6)),
        order=np.arange(n, dtype=np.int32),
        counts=np.zeros(n + 1, np.int64),
        swept_x=np.zeros((n, 3)),
        swept_turn=np.zeros((n, 3, 3)),
        swept_margin=np.zeros(n),
        stack=np.zeros((STACK, 2), np.int32),
        leaf=np.zeros((LEAVES, 2), np.int32),
        asleep=np.zeros(n, np.uint8),
        stillness=np.zeros(n, np.int32),
    )


def step_room(
    bodies: IpcBodies,
    pairs: int,
    candidates: int,
    knots: int,
    blocks: int,
    joints: IpcJoints | None = None,
) -> IpcRoom:
    """Working arrays for so many pairs, candidates, iterations and blocks of the factor."""
    n, n_vertices = len(bodies.mass), len(bodies.vertices)
    m = len(bodies.owner)
    if joints is None:
        joints = no_joints(n)
    links = pairs + len(joints.pairs)
    return IpcRoom(
        lever=np.zeros((n_vertices, 3)),
        placed=np.zeros(n_vertices, np.int64),
        facing=np.zeros((n, 3)),
        stood_x=np.zeros((n, 3)),
        stood_turn=np.zeros((n, 3, 3)),
        stood_still=np.zeros(n, np.uint8),
        stood=np.zeros(2),
        squared=np.zeros(candidates),
        rows=np.zeros((2 * pairs, 54)),
        active=np.zeros(pairs, np.uint8),
        diagonal=np.zeros((m, 6, 6)),
        off=np.zeros((links, 6, 6)),
        gradient=np.zeros((m, 6)),
        twist=np.zeros((n, 6)),
        path=np.zeros(n),
        x=np.zeros((n, 3)),
        R=np.zeros((n, 3, 3)),
        x_try=np.zeros((n, 3)),
        R_try=np.zeros((n, 3, 3)),
        x_hat=np.zeros((n, 3)),
        R_hat=np.zeros((n, 3, 3)),
        impulse=np.zeros((n, 3)),
        knot_x=np.zeros((knots, n, 3)),
        knot_turn=np.zeros((knots, n, 3, 3)),
        linked=np.zeros((links, 2), np.int32),
        right=np.zeros((m, 6)),
        factor=factor_workspace(m, links, blocks + m + 4 * len(joints.pairs)),
        seen=np.zeros((candidates, 16)),
        past=np.zeros(RISES_ROOM),
        most_turn=np.zeros(n),
        load=np.zeros(n),
        kept=np.zeros(knots, np.int64),
        joints=bundle_joints(*joints),
        still=np.zeros(n, np.uint8),
        island=np.zeros(n, np.int32),
        way=np.zeros(n),
    )


def motion_room(x, R, v, omega) -> IpcMotion:
    """A motion that shares the arrays it is given."""
    n = len(x)
    rate, force, torque = np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    return IpcMotion(
        x, R, v, omega, rate, force, torque, np.zeros(n), asleep=np.zeros(n, np.uint8),
        isle=np.zeros(n, np.int32), rest_loads=np.zeros((n, 7)), rest=np.zeros(3, np.int64),
    )  # fmt: skip


def no_bodies() -> IpcBodies:
    """No bodies, of the types every call has."""
    ints, bytes_ = np.zeros(0, np.int32), np.zeros(0, np.uint8)
    rows, pairs = np.zeros((0, 3)), np.zeros((0, 2), np.int32)
    return IpcBodies(
        mass=np.zeros(0), J=np.zeros((0, 3, 3)), free=np.zeros((0, 6), np.uint8), slot=ints,
        owner=ints, acts=bytes_, group=ints, joined=np.zeros(0, np.int64), radius=np.zeros(0),
        middle=rows, half=rows,
        first=np.zeros((1, 5), np.int32), vertices=rows, vertex_body=ints, edges=pairs,
        faces=np.zeros((0, 3), np.int32), wires=ints, points=ints,
        tree_root=np.zeros((0, 5), np.int32), tree_boxes=np.zeros((0, 6)), tree_right=ints,
        plane=bytes_, normal=rows,
        corner=bytes_, side=ints, patch=ints, open=bytes_, divided=bytes_,
    )  # fmt: skip
