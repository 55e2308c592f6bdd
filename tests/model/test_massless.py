"""Links without mass, and joints one after the other between two bodies."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.model.massless import IN_CONTACT, connected_through_links, for_contact

AXES = [(1, 0, 0), (0, 0.2, 1), (0, 1, 0)]
POINTS = [(0, 0, 0), (0.02, 0, 0), (0, 0.01, -0.02)]
TORQUES = [0.6, 0.9, 0.7]


def three_hinges(floor=False):
    """A thigh on three hinges whose axes neither meet nor are at right angles."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    if floor:
        scene.add_body("floor", dt.Box((4, 4, 0.1)), motion="static", position=(0, 0, -0.9))
    scene.add_body("thigh", dt.Box((0.1, 0.12, 0.5)), mass=3.0, position=(0, 0, -0.3))
    hinges = {
        f"hip {k}": dt.Revolute(POINTS[k], AXES[k], actuation=[dt.Actuation(motor=TORQUES[k])])
        for k in range(3)
    }
    scene.add_joint_chain(hinges, "ground", "thigh")
    return scene


def mujoco_thigh(time):
    mujoco = pytest.importorskip("mujoco")
    hinges = "".join(
        f'<joint name="j{k}" type="hinge" axis="{" ".join(map(str, AXES[k]))}" '
        f'pos="{" ".join(str(p - o) for p, o in zip(POINTS[k], (0, 0, -0.3)))}"/>'
        for k in range(3)
    )
    motors = "".join(f'<motor joint="j{k}"/>' for k in range(3))
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="1e-4" integrator="RK4"/><worldbody><body pos="0 0 -0.3">'
        f'{hinges}<geom type="box" size="0.05 0.06 0.25" mass="3"/></body></worldbody>'
        f"<actuator>{motors}</actuator></mujoco>"
    )
    data = mujoco.MjData(model)
    data.ctrl[:] = TORQUES
    mujoco.mj_step(model, data, round(time / 1e-4))
    return data.xpos[1]


def test_three_hinges_on_one_body_move_as_in_mujoco():
    wanted = mujoco_thigh(0.3)
    found = dt.simulate(three_hinges(), duration=0.3, step=5e-4).position("thigh")[-1]
    np.testing.assert_allclose(found, wanted, atol=2e-6)


@pytest.mark.parametrize(
    ("settings", "within"),
    [
        ({"integrator": dt.integrators.JointCoordinates()}, 2e-5),
        ({"integrator": dt.integrators.DH()}, 4e-5),
        ({"integrator": dt.integrators.LieGeneralizedAlpha()}, 6e-5),
        ({"integrator": dt.integrators.EulerParameterDAE()}, 5e-6),
        ({"contact": "lcp"}, 2e-3),
        ({"contact": "sdf"}, 2e-3),
        ({"contact": "ipc"}, 6e-3),
    ],
)
def test_every_scheme_takes_three_hinges(settings, within):
    scene = three_hinges(floor="contact" in settings)
    found = dt.simulate(scene, duration=0.3, step=1e-3, **settings).position("thigh")[-1]
    np.testing.assert_allclose(found, mujoco_thigh(0.3), atol=within)


def test_links_take_a_small_share_and_the_scene_has_none():
    scene = three_hinges()
    model = scene.build()
    assert scene.bodies["hip 0.link"].mass == 0.0
    assert 0.0 < model.mass[model.index("hip 0.link")] < 1e-6 * 3.0
    assert for_contact(model).mass[model.index("hip 1.link")] == pytest.approx(IN_CONTACT * 3.0)


def test_bodies_that_links_part_do_not_collide():
    scene = dt.Scene()
    for name, x in (("a", 0.0), ("b", 0.5)):
        scene.add_body(name, dt.Box((1, 1, 1)), density=1000, position=(x, 0, 0))
    hinges = {"u": dt.Revolute((0.25, 0, 0), (0, 0, 1)), "v": dt.Revolute((0.25, 0, 0), (0, 1, 0))}
    scene.add_joint_chain(hinges, "a", "b")
    model = scene.build()
    assert connected_through_links(model.bodies, model.joints) == [(0, 1)]
    result = dt.simulate(scene, duration=0.02, step=0.01, contact="ipc")  # overlaps are allowed
    assert len(result.contacts.at(-1).bodies) == 0


def test_scene_files_keep_links(tmp_path):
    scene = three_hinges()
    scene.save(tmp_path / "thigh.yaml")
    again = dt.Scene.load(tmp_path / "thigh.yaml")
    assert again.bodies["hip 1.link"].mass == 0.0
    assert (again.build().mass == scene.build().mass).all()


def test_links_that_carry_nothing_are_refused():
    scene = dt.Scene()
    scene.add_body("arm", dt.Box((1, 1, 1)), density=1000)
    scene.add_body("tool", mass=0, position=(1, 0, 0))
    scene.add_joint("wrist", dt.Revolute((1, 0, 0), (0, 0, 1)), "arm", "tool")
    with pytest.raises(dt.InputError, match="joint 'wrist' moves body 'tool', which has no mass"):
        scene.build()
    scene = dt.Scene()
    scene.add_body("tool", mass=0)
    with pytest.raises(dt.InputError, match="'tool' has no mass, and joints connect it to no"):
        scene.build()


def test_frames_without_mass_may_be_fixed_to_a_body():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("arm", dt.Box((1, 1, 1)), density=1000)
    scene.add_body("tool", mass=0, position=(1, 0, 0))
    scene.add_joint("flange", dt.Fixed((1, 0, 0)), "arm", "tool")
    result = dt.simulate(scene, duration=0.1, step=0.01)
    np.testing.assert_allclose(result.position("tool")[-1], (1, 0, -0.04905), atol=1e-9)


def test_a_link_has_no_inertia():
    scene = dt.Scene()
    scene.add_body("tool", mass=0, inertia=(1, 1, 1))
    with pytest.raises(dt.InputError, match="has `mass` 0, so it can have no `inertia`"):
        scene.build()
