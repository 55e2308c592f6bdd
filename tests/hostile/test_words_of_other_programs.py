"""Keys, joint types and ranges as other programs write them: what stands for them here is said."""

import pytest

import dovetail as dt
from dovetail.errors import DovetailError
from dovetail.io import load_scene

BODIES = """bodies:
  - {name: a, shape: {box: [1, 1, 1]}, density: 500}
  - {name: b, shape: {sphere: 1}, density: 500, position: [3, 0, 0]}
"""
JOINT = "joints: [{name: j, type: %s, bodies: [a, b], point: [0, 0, 0], axis: [0, 0, 1]}]\n"
MODEL = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" %s/>
<geom size=".1"/></body></worldbody></mujoco>"""

KEYS = [
    ("springs: [{bodies: [a, b]}]\n", "give `loads: [{type: spring"),
    ("forces: [{body: a}]\n", "`loads: [{type: force"),
    ("simulation: {duration: 1}\n", "give `run: {duration"),
    ("motors: []\n", "it belongs to a joint: `actuation"),
    ("friction: 0.3\n", "`run: {contact: {method: lcp, friction: 0.3}}`"),
    ("links: []\n", "give `bodies: [{name"),
    ("materials: [{bodies: [a, b], friction: 0.3}]\n", "give `pair: [a, b]`"),
    (JOINT % "hinge", "did you mean revolute?"),
    (JOINT % "slider", "did you mean prismatic?"),
    (JOINT % "ball", "did you mean spherical?"),
    (JOINT % "weld", "did you mean fixed?"),
]


@pytest.mark.parametrize(("written", "said"), KEYS)
def test_a_key_of_another_program_is_named_as_what_it_is_here(tmp_path, written, said):
    path = tmp_path / "scene.yaml"
    path.write_text("version: 1\n" + BODIES + written)
    with pytest.raises(DovetailError) as refused:
        load_scene(path)
    assert said in str(refused.value)


def test_friction_for_all_is_written_as_the_hint_says(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(f"version: 1\nrun: {{contact: {{method: lcp, friction: 0.3}}}}\n{BODIES}")
    assert load_scene(path).run.contact is not None


def test_a_body_paired_with_itself_is_refused_but_a_material_is_not():
    scene = dt.Scene()
    scene.add_body("a", dt.Sphere(1.0), density=1.0, material="steel")
    scene.add_material_pair("steel", "steel", friction=0.3)
    scene.build()
    scene.add_material_pair("a", "a", friction=0.3)
    with pytest.raises(DovetailError, match="a body does not touch itself"):
        scene.build()


def test_a_class_given_for_a_contact_method_is_named_with_how_to_call_it():
    scene = dt.Scene()
    scene.add_body("a", dt.Sphere(1.0), density=1.0)
    with pytest.raises(DovetailError, match=r"LCP is a class; call it: LCP\(\)"):
        dt.simulate(scene, 0.1, 0.01, contact=dt.contact.LCP, progress=False)


@pytest.mark.parametrize(("written", "noted"), [
    ('range="90 -90"', True), ('range="-90 90"', False), ('range="0 0"', False),
])  # fmt: skip
def test_a_reversed_range_is_said_to_limit_nothing(tmp_path, written, noted):
    pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    path.write_text(MODEL % written)
    notes = "\n".join(load_scene(path).notes)
    assert ("do not limit anything" in notes) is noted
