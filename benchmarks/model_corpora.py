"""Robot models of others: how many load, and how they agree with MuJoCo and Pinocchio.

python benchmarks/model_corpora.py FOLDER [--motion] [--contact] [--bare] [--only PART] [--limit N]

Every MJCF file below FOLDER that MuJoCo loads, and every URDF file that Pinocchio loads, is read.
A row says: loaded, or refused and why; moving mass against the peer's; with --motion mass matrix,
bias and accelerations at the start, and the largest distance of a centre of mass from MuJoCo's
after 0.2 s without contact, controls zero, MuJoCo in steps of 0.1 ms, and of 0.01 ms where that is
more than 1 mm; with --contact whether the
first steps from each keyframe work under each method. Pinocchio gets the masses of links without
<inertial> from their geometry too (`urdf_peer.py`); files whose moments of inertia no body can
have, which are corrected with a note, and files whose mass matrix is singular for Pinocchio are
counted apart. --bare leaves the geometry of URDF files out where masses do not come from it. The
last lines are a table for a page (docs/lab-notes/models.md).
"""

import argparse
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from corpus_table import METHODS, Row, heading, printed, table_row
from urdf_peer import completed, without_geometry

import dovetail as dt
from dovetail.errors import DovetailError, InputError
from dovetail.io import load_scene
from dovetail.multibody.mechanism import exact_mechanism
from dovetail.multibody.tree import forward_dynamics, inverse_dynamics, mass_matrix

TIME_LIMIT = 300  # [s] for one file
STILL = 1e-3  # [rad/s^2, m/s^2]: an acceleration of rounding
MUJOCO_STEPS = 1e-4, 1e-5  # [s]; the second where they are far apart after the first
NEAR = 1e-3  # [m]


class TooLongError(Exception):
    """One file takes longer than it may."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def mjcf_files(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.rglob("*.xml")):
        if "<mujoco" in path.read_text(errors="replace")[:20_000]:
            found.append(path)
    return found


def mjcf_row(path: Path, folder: Path, options: argparse.Namespace) -> Row | None:
    """None where MuJoCo itself does not load the file."""
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except Exception:
        return None
    row = Row(path)
    loaded = load(path, folder, row)
    if loaded is None:
        return row
    moves = (model.body_weldid != 0) & (model.body_mocapid[model.body_weldid] < 0)
    moving = float(np.sum(model.body_mass[moves]))
    row.mass_off = mass_off(loaded.scene, moving)
    if options.motion:
        row.moves = moving > 0.0
        attempt(row, lambda: mjcf_motion(row, model, loaded.scene))
    if options.contact:
        for method in METHODS:
            for key in keys_of(mujoco, model):
                attempt(row, lambda m=method, k=key: start(row, path, folder, m, k))
    return row


def load(path: Path, folder: Path, row: Row) -> Any:
    try:
        with limited(TIME_LIMIT):
            loaded = load_scene(path, allow_paths=[folder])
    except InputError as error:
        row.outcome, row.why = "refused", " | ".join(error.mistakes)[:300]
        return None
    except TooLongError:
        row.outcome, row.why = "failed", f"more than {TIME_LIMIT} s"
        return None
    except Exception as error:
        row.outcome, row.why = "failed", f"{type(error).__name__}: {error}"[:300]
        return None
    row.outcome = "loaded"
    return loaded


def attempt(row: Row, work: Any) -> None:
    try:
        with limited(TIME_LIMIT):
            work()
    except (DovetailError, TooLongError, ArithmeticError, ValueError, IndexError) as error:
        row.why = row.why or f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def mass_off(scene: dt.Scene, wanted: float) -> float:
    dynamic = [b.mass for b in scene.bodies.values() if b.motion == "dynamic"]
    return abs(sum(dynamic) - wanted) / max(wanted, 1e-12)


def mjcf_motion(row: Row, model: Any, scene: dt.Scene) -> None:
    import mujoco

    mjcf_dynamics(row, model, scene)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    step = 0.2 / max(1, round(0.2 / min(model.opt.timestep, 1e-3)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = dt.simulate(scene, duration=0.2, step=step, progress=False)
    for theirs in MUJOCO_STEPS:  # their own error: Euler falls g h t / 2 too far
        model.opt.timestep = min(model.opt.timestep, theirs)
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, max(1, round(0.2 / model.opt.timestep)))
        mujoco.mj_kinematics(model, data)
        row.distance = farthest(model, data, scene, result)
        if row.distance <= NEAR:
            return


def farthest(model: Any, data: Any, scene: dt.Scene, result: dt.Result) -> float:
    """[m] between centres of mass here and there at the end, less what was moved at the start."""
    import mujoco

    start = mujoco.MjData(model)
    mujoco.mj_kinematics(model, start)
    distances = []
    for body in range(1, model.nbody):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body) or f"body-{body}"
        if name in scene.bodies and scene.bodies[name].motion == "dynamic":
            lifted = scene.bodies[name].position - start.xipos[body]
            where = result.position(name)[-1] - lifted
            distances.append(float(np.linalg.norm(where - data.xipos[body])))
    return max(distances, default=0.0)


def mjcf_dynamics(row: Row, model: Any, scene: dt.Scene) -> None:
    """Largest relative differences of mass matrix, bias forces and accelerations.

    Over the joints of one axis; accelerations are those of the tree that falls freely, without
    actuators, springs and constraints.
    """
    import mujoco

    frozen = scene.build()
    mechanism = exact_mechanism(frozen)
    q = mechanism.neutral()
    M = mass_matrix(mechanism.tree, q)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    theirs = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, theirs)
    ours_at, theirs_at = [], []
    names = {link.name for link in mechanism.parts.links}
    cut = {mechanism.parts.joint_name(number) for number in mechanism.topology.cut_joints}
    theirs_cut = {mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j) for j in range(model.njnt)}
    if cut & theirs_cut:
        return  # loops are cut elsewhere than in MuJoCo: another tree has another mass matrix
    for joint in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint)
        if model.jnt_type[joint] >= 2 and name in names:
            ours_at.append(mechanism.v_of(name).start)
            theirs_at.append(int(model.jnt_dofadr[joint]))
    if not ours_at:
        return
    scale = np.sqrt(np.diag(theirs))[theirs_at]
    scale = np.outer(scale, scale)
    off = np.abs(M[np.ix_(ours_at, ours_at)] - theirs[np.ix_(theirs_at, theirs_at)]) / scale
    zero = np.zeros(mechanism.n_v)
    bias = inverse_dynamics(mechanism.tree, q, zero, zero, gravity=np.asarray(frozen.gravity))
    size = float(np.max(np.abs(data.qfrc_bias), initial=0.0)) + 1e-12
    worst = np.abs(bias[ours_at] - data.qfrc_bias[theirs_at]).max() / size
    row.dynamics_off = float(max(off.max(), worst))
    acceleration = np.zeros((1, model.nv))
    mujoco.mj_solveM(model, data, acceleration, -data.qfrc_bias[None, :])
    ours = forward_dynamics(mechanism.tree, q, zero, zero, gravity=np.asarray(frozen.gravity))
    row.forward_off = relative(ours[ours_at], acceleration[0], theirs_at)


def relative(ours: Any, theirs: Any, at: list[int]) -> float:
    """Largest difference at these places, by the largest value of all.

    The joints of a robot that falls freely do not accelerate; its free joint does. Where nothing
    does, an upright robot, there is rounding alone.
    """
    return float(np.abs(ours - theirs[at]).max() / (np.abs(theirs).max() + STILL))


def keys_of(mujoco: Any, model: Any) -> list[str | None]:
    names = [
        mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_KEY, i) or str(i) for i in range(model.nkey)
    ]
    return [name for name in names if "home" in name] or [None]


def start(row: Row, path: Path, folder: Path, method: str, key: str | None) -> None:
    """The first steps from a keyframe."""
    scene = load_scene(path, allow_paths=[folder], keyframe=key).scene
    label = f"{method} {key or 'qpos0'}"
    row.starts[label] = "failed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dt.simulate(scene, duration=0.004, step=0.002, contact=method, progress=False)
    row.starts[label] = "starts"


def urdf_row(path: Path, folder: Path, options: argparse.Namespace) -> Row | None:
    """None where Pinocchio itself does not load the file."""
    import pinocchio as pin

    try:
        model = pin.buildModelFromUrdf(str(path))
    except Exception:
        return None
    row = Row(path)
    loaded = load_bare(path, folder, row) if options.bare else load(path, folder, row)
    if loaded is None:
        return row
    notes = " | ".join(loaded.notes)
    if "have the mass of their geometry" in notes:
        model = pin.buildModelFromXML(completed(path, folder)[0])
    moving = sum(inertia.mass for inertia in list(model.inertias)[1:])
    if model.nv:
        row.mass_off = mass_off(loaded.scene, moving)
    if "moments of inertia are corrected" in notes or "no moments of inertia" in notes:
        row.apart = "moments corrected"
    if options.motion and model.nv:
        attempt(row, lambda: urdf_dynamics(row, model, loaded.scene))
    return row


def load_bare(path: Path, folder: Path, row: Row) -> Any:
    """Read a file without its geometry, where that does not give masses."""
    text = without_geometry(path)
    if text is None:
        return load(path, folder, row)
    with TemporaryDirectory() as place:
        bare = Path(place) / path.name
        bare.write_text(text)
        return load(bare, folder, row)


def urdf_dynamics(row: Row, model: Any, scene: dt.Scene) -> None:
    """Mass matrix and bias against Pinocchio's at coordinates zero."""
    import pinocchio as pin

    mechanism = exact_mechanism(scene.build())
    data = model.createData()
    q = pin.neutral(model)
    theirs = pin.crba(model, data, q)
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    diagonal = np.diag(theirs)
    if (
        not diagonal.min() > 0
        or np.linalg.cond(theirs / np.sqrt(np.outer(diagonal, diagonal))) > 1e12
    ):
        row.apart = "singular for the peer"
        return
    gravity = pin.nle(model, data, q, np.zeros(model.nv))
    M = mass_matrix(mechanism.tree, mechanism.neutral())
    zero = np.zeros(mechanism.n_v)
    bias = inverse_dynamics(
        mechanism.tree, mechanism.neutral(), zero, zero,
        gravity=np.asarray(mechanism.model.gravity),
    )  # fmt: skip
    known = {link.name for link in mechanism.parts.links}
    pairs = [
        (mechanism.v_of(name).start, model.joints[i].idx_v)
        for i, name in enumerate(model.names)
        if i and name in known and model.joints[i].nv == 1
    ]
    if not pairs:
        return
    ours, others = map(list, zip(*pairs))
    scale = np.sqrt(np.abs(np.outer(np.diag(theirs), np.diag(theirs))))[np.ix_(others, others)]
    off = np.abs(M[np.ix_(ours, ours)] - theirs[np.ix_(others, others)]) / (scale + 1e-300)
    weight = 9.81 * sum(inertia.mass for inertia in model.inertias)
    size = np.abs(gravity).max() + 1e-6 * weight + 1e-12  # an upright arm has moments of rounding
    worst = np.abs(bias[ours] - gravity[others]).max() / size
    row.dynamics_off = float(max(off.max(), worst))
    acceleration = pin.aba(model, data, q, np.zeros(model.nv), np.zeros(model.nv))
    found = forward_dynamics(
        mechanism.tree, mechanism.neutral(), zero, zero,
        gravity=np.asarray(mechanism.model.gravity),
    )  # fmt: skip
    row.forward_off = relative(found[ours], acceleration, others)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--motion", action="store_true")
    parser.add_argument("--contact", action="store_true")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int, default=10**9)
    options = parser.parse_args()
    folder, lines = options.folder.resolve(), []
    for kind, files, made in (
        ("MJCF", mjcf_files(folder), mjcf_row),
        ("URDF", sorted(folder.rglob("*.urdf")), urdf_row),
    ):
        rows, began = [], time.monotonic()
        for path in [f for f in files if options.only in str(f)][: options.limit]:
            row = made(path, folder, options)
            if row is None:
                continue
            rows.append(row)
            said = [f"{row.outcome:8s}", f"mass {row.mass_off:.0e}", f"M {row.dynamics_off:.0e}"]
            said.append(f"a {row.forward_off:.0e}")
            said += [f"x {row.distance:.1e}", *(f"{k}:{v}" for k, v in row.starts.items())]
            said += [row.apart, row.why]
            print(path.relative_to(folder), *said, flush=True)
        if rows:
            printed(kind, rows, folder, time.monotonic() - began)
            lines.append(table_row(f"{folder.name}, {kind}", rows))
    print("", heading(), *lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()
