"""Every row of the mechanisms' table in one run, peers beside: PASS or FAIL for each measurement.

python benchmarks/mechanism_limits.py [ROW ...] [--list] [--steps 1000000]

One line each: what is measured, ours, the peer's, what is wanted. ROW is the beginning of a row's
name. Exit code 1 where one fails. Peers are MuJoCo (RK4 where accuracy counts, Euler where cost
does), Exudyn and Pinocchio; without one its column is empty and ours is compared with numbers.
Times are processor times, the least of several blocks; where both are short, in turns.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

os.environ.setdefault("DOVETAIL_QUIET", "1")
import chain_and_loop_cost as cost
import loop_peers
import mechanisms
import numpy as np
from verdict_rows import failed_rows

import dovetail as dt
from dovetail import examples
from dovetail.integrators import EulerParameterDAE, RATTLie
from dovetail.io import load_scene
from dovetail.validation.dae_problems import four_bars, table
from dovetail.validation.dae_problems.andrews import ANGLES, andrews, angles_of
from dovetail.validation.dae_problems.scenes import governor
from dovetail.validation.dae_problems.textbook import MECHANISMS

Measured = Iterator[tuple[str, float, float, str, bool]]  # what, ours, peer's, wanted, whether so
NONE = float("nan")
STEPS = 10**6
SHARED = Path(os.environ.get("DOVETAIL_SHARED", Path(__file__).parents[2] / "shared"))
MODELS = SHARED / "data" / "models"
GRIPPER = "robotiq_2f85_v4/2f85.xml"
BUILT_IN = (
    "bennett", "double-pendulum", "four-bar", "hanging-chain", "heavy-top", "scissor-lift",
    "slider-crank", "stewart", "tree-robot",
)  # fmt: skip


def or_none(peer, *given):
    """What a peer measures, nan where it is not installed or refuses."""
    try:
        return peer(*given)
    except Exception:  # what a peer refuses is a result too
        return NONE


@cache
def in_turns():
    """[s] of 50 000 steps of the double pendulum by name."""
    return mechanisms.best_in_turns()


def pendulum() -> Measured:
    """Spatial double pendulum, h = 1 ms: error of the position after 10 s [m]."""
    peer = or_none(mechanisms.mujoco_error, "RK4")
    for name, scheme in {"default": None, "RATTLie(order=6)": RATTLie(6)}.items():
        off = mechanisms.error_of(scheme)
        yield f"{name}, MuJoCo RK4 beside", off, peer, "<= 1e-5 m", off <= 1e-5


def top() -> Measured:
    """Heavy top, 2 s, h = 1 ms: the default against every other scheme of its cost or less."""
    scene = examples.get("heavy-top").build()
    exact = dt.simulate(
        scene, 2.0, 1e-4, integrator=RATTLie(6), every=10**6, progress=False
    ).position("top")[-1]
    found = {}
    for name in ("default", "RATTLie", "DH", "DL", "JointCoordinates", "LieGeneralizedAlpha",
                 "EulerParameterDAE"):  # fmt: skip
        options = {} if name == "default" else {"integrator": name}

        def run(options=options):
            result = dt.simulate(scene, 2.0, 1e-3, every=10**6, progress=False, **options)
            return result.position("top")[-1]

        spent = mechanisms.least(run, 2)
        found[name] = float(np.abs(run() - exact).max()), spent
    off, spent = found.pop("default")
    cheap = [other for other, cost_of in found.values() if cost_of <= 1.1 * spent]
    best = min(cheap, default=np.inf)
    yield "error, best of equal cost beside [m]", off, best, "< 10 times it", off < 10 * best


def steps() -> Measured:
    """50 000 steps of the double pendulum [s], in turns with MuJoCo RK4; recording [us a frame]."""
    spent = in_turns()
    peer = spent.get("MuJoCo RK4", NONE)
    ours = spent["RATTLie(order=4)"]
    yield "50 000 steps, default [s]", ours, peer, "<= 0.4 s or MuJoCo", ours <= max(0.4, peer)
    frame = mechanisms.frame_cost(None)
    yield "recording of 2 bodies [us a frame]", frame, NONE, "<= 5 us", frame <= 5.0


def band() -> Measured:
    """Energy of the default over a million steps of 1 ms: the last tenth beside the first [J]."""
    for name, count, first, last in table.energy_band(STEPS):
        yield (
            f"{name}, {count:.0e} steps, first tenth beside", last, first,
            "< 10 times the first", last < 10 * first,
        )  # fmt: skip


def orders() -> Measured:
    """Order of the default on smooth motion."""
    for name in table.ORDERS:
        _, _, order = table.order_of(name)
        yield name, order, NONE, "4 +- 0.1", abs(order - 4) < 0.1


def flat() -> Measured:
    """Through singular positions: energy error of the N-four-bar [J], 10 s, h = 0.01 s."""
    for n in (2, 40):
        result = dt.simulate(four_bars(n), 10.0, 0.01, progress=False)
        off = table.energy_error(result)
        yield f"N = {n}", off, NONE, "<= 0.1 J", off <= 0.1
        apart = table.apart(result)
        yield f"N = {n}, joints [m]", apart, NONE, "<= 1e-12 m", apart <= 1e-12


def gripper() -> Measured:
    """Robotiq 2F-85 v4 through its flat position, default: energy gained over what acts [J]."""
    if not (MODELS / GRIPPER).exists():
        print("  its model is not beside this clone: not measured")
        return
    for h, seconds in ((1e-3, 1.0), (1e-4, 0.4), (1e-5, 0.16)):
        try:
            gained = gripper_energy(h, seconds)
        except dt.errors.RunError as error:
            yield f"h = {h:g}: {error}", NONE, NONE, "passes", False
            continue
        yield f"h = {h:g}, {seconds:g} s, energy gained", gained, NONE, "<= 2 %", gained <= 0.02


def gripper_energy(h, seconds):
    """Largest rise of the energy over what falls, without contact and without its motor."""
    scene = load_scene(MODELS / GRIPPER).scene
    result = dt.simulate(scene, seconds, h, every=max(1, round(1e-3 / h)), progress=False)
    total = result.energy["total"]
    return float((total - np.minimum.accumulate(total)).max() / np.ptp(result.energy["potential"]))


def small_steps() -> Measured:
    """Built-in mechanisms under the default at h = 1e-2 ... 1e-7: largest gap of a joint [m]."""
    for h in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7):
        worst, failed = 0.0, []
        for name in BUILT_IN:
            try:
                result = dt.simulate(examples.get(name).build(), 30 * h, h, progress=False)
                worst = max(worst, table.apart(result))
            except dt.errors.RunError:
                failed.append(name)
        what = f"h = {h:g}" + ("; failed: " + ", ".join(failed) if failed else "")
        yield what, worst, NONE, "<= 1e-12 m", not failed and worst <= 1e-12


def textbook() -> Measured:
    """Textbook mechanisms under the default, h = 1 ms: energy error over that of its motion."""
    for name, (build, check, seconds) in MECHANISMS.items():
        try:
            scene = build()
            result = dt.simulate(scene, min(seconds, 2.0), 1e-3, every=10, progress=False)
        except dt.errors.RunError as error:
            yield f"{name}: {error}", NONE, NONE, "runs", False
            continue
        total = result.energy["total"]
        if not any(one.motor for placed in scene.build().joints for one in placed.joint.actuation):
            gained = (total - np.minimum.accumulate(total)).max() / result.energy["kinetic"].max()
            yield f"{name}, energy gained", float(gained), NONE, "<= 1e-3", gained <= 1e-3
        apart = max(table.apart(result), check(result) if check else 0.0)
        yield f"{name}, joints and property", apart, NONE, "<= 1e-9", apart <= 1e-9


def trees() -> Measured:
    """Joint coordinates of chains and trees at linear cost [us a body and step]."""
    for what, tree in (("chain", False), ("tree", True)):
        for n in (30, 300, 3000):
            ours = mechanisms.ours(n, tree)[0] / n
            peer = NONE if n > 300 and not tree else or_none(mechanisms.mujoco_cost, n, tree) / n
            yield f"{what} of {n}, MuJoCo beside", ours, peer, "<= 1.5 us", ours <= 1.5


def loops() -> Measured:
    """RATTLie() against the best peer [us a step]: tree, chain, ladder, scissor lift."""
    ours, _ = mechanisms.ours(1000, True)
    peer = or_none(mechanisms.mujoco_cost, 1000, True)
    yield "tree of 1000, MuJoCo beside", ours, peer, "<= peer", not ours > peer
    for build, size, names in (
        (cost.chain, 300, ("Exudyn",)), (cost.ladder, 30, ("MuJoCo", "Exudyn")),
        (cost.ladder, 300, ("Exudyn",)), (cost.scissor_lift, 30, ("MuJoCo", "Exudyn")),
        (cost.scissor_lift, 300, ("Exudyn",)),
    ):  # fmt: skip
        scene = build(size)
        peers = {name: 1e6 * or_none(cost_of, name, scene) for name in names}
        ours = 1e6 * loop_peers.ours(scene)[0]
        best = min((p for p in peers.values() if p == p), default=NONE)
        what = build.__name__.replace("_", " ")
        beside = " and ".join(names)
        yield f"{what} of {size}, {beside} beside", ours, best, "<= best peer", not ours > best


def cost_of(name, scene):
    """[s] a step of a peer."""
    return loop_peers.PEERS[name](scene)[0]


def governors() -> Measured:
    """Fly-ball governor, 10 s, h = 1 ms: distance from RATTLie at 0.1 ms [m]."""
    wanted = table.ran(governor(), 10.0, 1e-4, RATTLie(), 1000)[0].position("sleeve")[-1, 2]
    for name, scheme in {"EulerParameterDAE": EulerParameterDAE(), "default": None}.items():
        result, _ = table.ran(governor(), 10.0, 1e-3, scheme, 1000)
        off = abs(float(result.position("sleeve")[-1, 2] - wanted))
        yield name, off, NONE, "<= 1e-4 m", off <= 1e-4


def links() -> Measured:
    """100 000 links, joints implicit: us a link and step, set-up [s], gaps [m]."""
    for what, tree in (("chain", False), ("tree", True)):
        spent, set_up, gap = mechanisms.ours(100_000, tree, gaps=True)
        ours = spent / 100_000
        yield f"{what}, us a link and step (M-ABD 0.84)", ours, 0.84, "<= 2 us", ours <= 2.0
        yield f"{what}, set-up [s]", set_up, NONE, "<= 5 s", set_up <= 5.0
        yield f"{what}, largest gap [m]", gap, NONE, "<= 1e-12 m", gap <= 1e-12


def squeezer() -> Measured:
    """Andrews' squeezing mechanism at 0.03 s: seven angles against the DAE test set [rad]."""
    result, _ = table.ran(andrews(), 0.03, 1e-5, None, 20)
    R = np.stack([result.rotation(f"K{k}") for k in range(1, 8)], axis=1)
    off = float(np.abs(angles_of(R) - ANGLES).max())
    yield "default, h = 1e-5 s", off, NONE, "<= 1e-8 rad", off <= 1e-8


def rollouts() -> Measured:
    """64 rollouts of 1000 steps of the double pendulum, one thread [us a step]."""
    try:
        import rollouts as many
    except ImportError:
        return
    ours, peer = many.ours(None, 1), many.peer("RK4", 1)
    yield "default, MuJoCo RK4 beside", ours, peer, "<= 1.2 times peer", ours <= 1.2 * peer
    cores = os.cpu_count() or 1
    ours, peer = many.ours(None, cores), many.peer("RK4", cores)
    yield f"on {cores} threads", ours, peer, "<= 1.2 times peer", ours <= 1.2 * peer


def dynamics() -> Measured:
    """Forward dynamics by articulated bodies beside Pinocchio's [us], from compiled code."""
    try:
        import aba
    except ImportError:
        return
    for what, tree in (("chain", False), ("tree", True)):
        for kind in ("revolute", "spherical"):
            ours, peer = aba.forward_costs(30, tree, kind)
            yield f"{what} of 30 {kind} joints", ours, peer, "<= 1.1 peer", ours <= 1.1 * peer


def acting() -> Measured:
    """What acts along a coordinate: pairs of scheme and contact that take it, alike (a test)."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integrators"))
    import test_actuation_table as actuation

    for kind in (*actuation.ACTING, *actuation.COUPLED):
        refused = [name for name, _ in actuation.PAIRS if name in actuation.REFUSED.get(kind, ())]
        try:
            actuation.test_every_scheme_takes_it_alike_or_says_which_one_does(kind)
            so = True
        except AssertionError:
            so = False
        pairs = len(actuation.PAIRS)
        yield f"{kind}, pairs of {pairs}", pairs - len(refused), NONE, "alike or refused", so


ROWS = {
    f.__name__: f
    for f in (
        pendulum, top, steps, band, orders, flat, gripper, small_steps, textbook, trees, loops,
        governors, links, squeezer, rollouts, dynamics, acting,
    )
}  # fmt: skip


def main() -> None:
    global STEPS
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--steps", type=int, default=STEPS, help="of the energy band")
    options = parser.parse_args()
    STEPS = options.steps
    warnings.simplefilter("ignore")
    sys.exit(failed_rows(ROWS, options.rows, options.list) > 0)


if __name__ == "__main__":
    main()
