"""`dovetail check` on a run under IPC of a nut on its bolt, tens of thousands of triangles each."""

import numpy as np
from click.testing import CliRunner

import dovetail as dt
from dovetail.cli.main import group
from dovetail.results.loading import load
from dovetail.verifier.certificate import certify

FLANK = 0.0029128451  # [m] where the threads touch
PITCH, TURN = 1.25e-3, 2.0  # [m], [rad/s]


def test_every_interval_of_a_nut_that_turns_on_its_bolt_is_decided(shared_data, tmp_path):
    folder, out = shared_data / "factory", tmp_path / "nut.h5"
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("bolt", dt.Mesh(folder / "factory_bolt_m8_loose.obj"), motion="static")
    scene.add_body(
        "nut", dt.Mesh(folder / "factory_nut_m8_loose_subdiv_3x.obj"), mass=0.01,
        inertia=(1e-6, 1e-6, 1e-6), position=(0, 0, FLANK + 1e-5),
        rotation=np.diag([-1.0, -1.0, 1.0]), angular_velocity=(0, 0, TURN),
        velocity=(0, 0, TURN * PITCH / (2 * np.pi)),
    )  # fmt: skip
    dt.simulate(scene, duration=0.01, step=1e-3, contact=dt.contact.IPC(), out=out)
    result = load(out)
    assert np.nanmin(result.min_distance) < 2e-5  # [m] the threads come within the barrier
    found = certify(result)
    assert found.verdict == "free" and found.intervals == 10
    assert all(path.verdict != "undecided" for path in found.paths)
    answer = CliRunner().invoke(group, ["check", str(out)])
    assert answer.exit_code == 0, answer.output
    assert "trusted: every pair of bodies is apart" in answer.output
