"""Forward dynamics of a tree against Pinocchio in the same run: python benchmarks/aba.py

Ours is timed twice: called from Python with arrays at hand, and from a compiled loop, which is
what an integrator pays. Pinocchio is timed through its Python binding, whose overhead is shown by
the time of a call that does next to nothing. For revolute joints it is also given the axes it is
fastest with (z, as our own frames have them).
"""

import sys
import time
from pathlib import Path

import numpy as np

from dovetail.model.joints.motions import ROTATION
from dovetail.multibody.tree import TreeJoint, aba, build_tree, crba, random_configuration, rnea
from dovetail.multibody.tree.records import CODE
from dovetail.runtime.jit import jit_in_place

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import pinocchio as pin

from pinocchio_model import depth_first, peer_of
from random_trees import random_body, random_kinds, random_rotation, random_tree_parts

GRAVITY = (0.0, 0.0, -9.81)


@jit_in_place
def repeat_aba(times, tree, workspace, q, v, tau, wrench, a):
    """Call forward dynamics from compiled code; the last result feeds back so none is skipped."""
    for _ in range(times):
        aba.forward_dynamics(tree, workspace, (0.0, 0.0, -9.81), q, v, tau, wrench, a)
        tau[0] += 1e-12 * a[0]


@jit_in_place
def repeat_rnea(times, tree, workspace, q, v, tau, wrench, a):
    for _ in range(times):
        rnea.inverse_dynamics(tree, workspace, (0.0, 0.0, -9.81), q, v, tau, wrench, a)
        tau[0] += 1e-12 * a[0]


@jit_in_place
def repeat_crba(times, tree, workspace, q, M):
    for _ in range(times):
        crba.mass_matrix(tree, workspace, q, M)
        q[0] += 1e-12 * M[0, 0]


def best_of_each(*calls, times, rounds=15):
    """Least time per call [us] of each, measured in turns so that all see the same machine."""
    least = [np.inf] * len(calls)
    for call in calls:
        call(1)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            started = time.perf_counter()
            call(times)
            least[k] = min(least[k], time.perf_counter() - started)
    return [seconds / times * 1e6 for seconds in least]


def from_python(function):
    def call(times):
        for _ in range(times):
            function()

    return call


def with_axes_along_z(tree):
    """Pinocchio's model of a tree of revolute joints in our frames."""
    model, arrays = pin.Model(), tree.arrays
    index = [0] * (tree.n_bodies + 1)
    for i in depth_first(tree.topology.parents):
        place = pin.SE3(arrays.joint_axes[i], arrays.joint_point[i])
        index[i] = model.addJoint(index[arrays.parent[i]], pin.JointModelRZ(), place, f"joint {i}")
        J = np.zeros((3, 3))
        J[np.triu_indices(3)] = arrays.inertia[i]
        J += np.triu(J, 1).T
        inertia = pin.Inertia(arrays.mass[i], arrays.com[i], J)
        model.appendBodyToJoint(index[i], inertia, pin.SE3.Identity())
    return model


def compare(title, bodies, joints, rng, times=1000):
    tree = build_tree(bodies, joints)
    peer = peer_of(tree, bodies, joints, GRAVITY)
    model, data = peer.model, peer.model.createData()
    q, v = random_configuration(tree, rng), rng.normal(size=tree.n_v)
    tau, a = rng.normal(size=tree.n_v), np.empty(tree.n_v)
    wrench = np.zeros((tree.n_bodies + 1, 6))
    arrays, workspace = tree.arrays, tree.workspace()
    M = np.empty((tree.n_v, tree.n_v))
    pq, pv, ptau = peer.q(q), peer.v(v), peer.v(tau)

    theirs = pin.aba(model, data, pq, pv, ptau).copy()
    aba.forward_dynamics(arrays, workspace, GRAVITY, q, v, tau, wrench, a)
    error = np.abs(peer.v(a) - theirs).max() / np.abs(theirs).max()
    print(f"\n{title}: {tree.n_bodies} bodies, {tree.n_v} velocities, difference {error:.1e}")
    aligned = model
    if (tree.arrays.motion[:, CODE] == ROTATION).all():
        aligned = with_axes_along_z(tree)
    work = aligned.createData()
    print(f"{'':6}{'compiled caller':>17}{'from Python':>14}{'Pinocchio':>12}{'ratio':>8}", end="")
    print(f"{'its fastest':>14}{'ratio':>8}")
    rows = (
        (
            "ABA",
            lambda n: repeat_aba(n, arrays, workspace, q, v, tau.copy(), wrench, a),
            lambda: aba.forward_dynamics(arrays, workspace, GRAVITY, q, v, tau, wrench, a),
            lambda: pin.aba(model, data, pq, pv, ptau),
            lambda: pin.aba(aligned, work, pq, pv, ptau),
        ),
        (
            "RNEA",
            lambda n: repeat_rnea(n, arrays, workspace, q, v, tau.copy(), wrench, a),
            lambda: rnea.inverse_dynamics(arrays, workspace, GRAVITY, q, v, tau, wrench, a),
            lambda: pin.rnea(model, data, pq, pv, ptau),
            lambda: pin.rnea(aligned, work, pq, pv, ptau),
        ),
        (
            "CRBA",
            lambda n: repeat_crba(n, arrays, workspace, q.copy(), M),
            lambda: crba.mass_matrix(arrays, workspace, q, M),
            lambda: pin.crba(model, data, pq),
            lambda: pin.crba(aligned, work, pq),
        ),
    )
    for name, compiled, *others in rows:
        ours, called, peers, fastest = best_of_each(
            compiled, *map(from_python, others), times=times
        )
        print(f"{name:6}{ours:14.2f} us{called:11.2f} us{peers:9.2f} us{ours / peers:8.2f}", end="")
        print(f"{fastest:11.2f} us{ours / fastest:8.2f}")
    empty = pin.Model()
    idle, none = empty.createData(), np.zeros(0)
    nothing = from_python(lambda: pin.aba(empty, idle, none, none, none))
    (overhead,) = best_of_each(nothing, times=times)
    print(f"Pinocchio's call from Python with no joints at all: {overhead:.2f} us")


def forward_costs(n, branches, kind):
    """[us] of forward dynamics of n bodies in a row or two on each: ours, Pinocchio's."""
    rng = np.random.default_rng(5)
    bodies = [random_body(rng) for _ in range(n)]
    joints = [
        TreeJoint(
            kind,
            (child // 2 if branches else child - 1, child),
            point=rng.uniform(-1, 1, 3),
            axis=random_rotation(rng)[0] if kind == "revolute" else (0, 0, 1),
        )
        for child in range(1, n + 1)
    ]
    tree = build_tree(bodies, joints)
    peer = peer_of(tree, bodies, joints, GRAVITY)
    model = peer.model
    if kind == "revolute":
        model = with_axes_along_z(tree)  # that it is fastest with
    data = model.createData()
    q, v = random_configuration(tree, rng), rng.normal(size=tree.n_v)
    tau, a, wrench = rng.normal(size=tree.n_v), np.empty(tree.n_v), np.zeros((n + 1, 6))
    arrays, workspace = tree.arrays, tree.workspace()
    pq, pv, ptau = peer.q(q), peer.v(v), peer.v(tau)
    ours, theirs = best_of_each(
        lambda times: repeat_aba(times, arrays, workspace, q, v, tau.copy(), wrench, a),
        from_python(lambda: pin.aba(model, data, pq, pv, ptau)),
        times=1000,
    )
    return ours, theirs


def growth(rng):
    print("\ntime per body, tree of revolute joints, from compiled code")
    for n in (10, 100, 1000, 10_000):
        bodies = [random_body(rng) for _ in range(n)]
        joints = [
            TreeJoint(
                "revolute",
                (int(rng.integers(max(0, child - 5), child)), child),
                point=rng.uniform(-1, 1, 3),
                axis=random_rotation(rng)[0],
            )
            for child in range(1, n + 1)
        ]
        tree = build_tree(bodies, joints)
        q, v = random_configuration(tree, rng), 0.01 * rng.normal(size=n)
        tau, a, wrench = np.zeros(n), np.empty(n), np.zeros((n + 1, 6))
        workspace = tree.workspace()
        (us,) = best_of_each(
            lambda k, t=tree, s=workspace, x=(q, v, tau, wrench, a): repeat_aba(k, t.arrays, s, *x),
            times=max(3, 50_000 // n),
        )
        print(f"{n:7d} bodies {us:10.2f} us {1000 * us / n:8.1f} ns per body")


def main():
    rng = np.random.default_rng(5)
    compare("revolute joints", *random_tree_parts(rng, ["revolute"] * 30), rng)
    compare("every kind of joint", *random_tree_parts(rng, random_kinds(rng, 30)), rng)
    growth(rng)


if __name__ == "__main__":
    main()
