"""Moments that no body has are shared with what carries the link, and nothing moves otherwise."""

from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import InputError
from dovetail.io import load_scene


def link(name: str, *moments: float, mass: float = 0.4) -> str:
    xx, yy, zz = moments
    return (
        f'<link name="{name}"><inertial><origin xyz="0.02 -0.01 0.05"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def joint(name: str, kind: str, parent: str, child: str, axis: str) -> str:
    limit = '<limit lower="-1" upper="1" effort="9" velocity="9"/>' if kind == "prismatic" else ""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0.1 0.2 0.3" rpy="0.4 -0.3 0.2"/>'
        f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>{limit}</joint>'
    )


ARM = link("arm", 0.02, 0.03, 0.025, mass=2.0) + joint("x", "continuous", "base", "arm", "0 1 0")
ROBOTS = {
    "rotor about its axis": (
        ARM + link("tip", 2e-4, 2e-4, 2e-3) + joint("y", "continuous", "arm", "tip", "0 0 1")
    ),
    "rotor about another axis, on a slide": (
        ARM + link("tip", 2e-3, 2e-4, 2e-4) + joint("y", "prismatic", "arm", "tip", "0 0 1")
    ),
    "one on the other": (
        link("arm", 1e-4, 1e-4, 5e-4) + joint("x", "continuous", "base", "arm", "0 0 1")
        + link("tip", 2e-4, 2e-4, 2e-3)
        + joint("y", "continuous", "arm", "tip", "0 0 1").replace("0.4 -0.3 0.2", "0 0 0.7")
    ),
    "on the ground": (
        link("tip", 2e-4, 2e-4, 2e-3) + joint("y", "continuous", "base", "tip", "0 0 1")
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(ROBOTS))
def test_motion_is_that_of_the_moments_as_written(tmp_path: Path, name: str) -> None:
    pin = pytest.importorskip("pinocchio")
    text = f'<robot name="r"><link name="base"/>{ROBOTS[name]}</robot>'
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    loaded = load_scene(file)
    assert any("shared with the links that carry it" in note for note in loaded.notes)
    sim = dt.Simulation(loaded.scene, step=1e-3, check=False)
    model = pin.buildModelFromXML(text.replace("continuous", "revolute").replace(
        "/></joint>", '/><limit lower="-9" upper="9" effort="9" velocity="9"/></joint>'
    ))  # fmt: skip
    data, rng = model.createData(), np.random.default_rng(2)
    for _ in range(5):
        q, v, a = (rng.uniform(-1, 1, model.nv) for _ in range(3))
        wanted = pin.rnea(model, data, q, v, a)
        assert sim.inverse_dynamics(q, v, a) == pytest.approx(wanted, abs=1e-12)


def test_what_its_carrier_cannot_give_is_refused_by_name(tmp_path: Path) -> None:
    across = ARM + link("tip", 2e-3, 2e-4, 2e-4) + joint("y", "continuous", "arm", "tip", "0 0 1")
    too_much = link("tip", 2e-4, 2e-4, 2.0) + joint("y", "continuous", "arm", "tip", "0 0 1")
    free = ARM.replace("continuous", "floating")
    for robot in (across, free + too_much):
        file = tmp_path / "robot.urdf"
        file.write_text(f'<robot name="r"><link name="base"/>{robot}</robot>')
        with pytest.raises(InputError, match=r"link 'tip' has the moments.*no body can have"):
            load_scene(file)
