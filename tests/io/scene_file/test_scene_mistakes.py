"""A bad scene file is refused with one sentence per mistake: where, what must hold, what came."""

import pytest

BODY = "{name: bolt, mass: 1, inertia: [1, 1, 1]}"


def body(keys: str, units: str = "") -> str:
    head = f"version: 1\n{units}\nbodies:\n  - {{name: nut, mass: 1, inertia: [1, 1, 1]}}\n"
    return f"{head}  - {{name: bolt, {keys}}}\n"


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("mass: -1, inertia: [1, 1, 1]", "`mass` must be >= 0 kg, got -1"),
        ("mass: heavy", "`mass` must be a finite number in kg, got 'heavy'"),
        ("mass: .inf", "`mass` must be a finite number in kg, got inf"),
        ("mass: .nan", "`mass` must be a finite number in kg, got nan"),
        ("mass: 1e999", "`mass` must be a finite number in kg, got inf"),
        ("mass: 1e90", "`mass` must be a number of size at most 1e+40 kg, got 1e+90"),
        ("mass: true", "`mass` must be a finite number in kg, got True"),
        ("mass: null", "`mass` is empty; give a value or leave the key out"),
        ("mas: 1", "`mas` is not a key here; did you mean `mass`?"),
        ("position: [1, 2]", "`position` must have 3 entries in m, got [1, 2]"),
        ("position: [1, 2, 3, 4]", "`position` must have 3 entries in m, got [1, 2, 3, 4]"),
        ("position: [1, x, 2]", "`position[1]` must be a finite number in m, got 'x'"),
        ("velocity: 3", "`velocity` must be a list, got 3"),
        ("motion: statc", "`motion` must be 'static', 'kinematic' or 'dynamic' "
         "(did you mean static?), got 'statc'"),
        ("rotation: [1, 0]", "`rotation` must be a 3x3 matrix, a unit quaternion [w, x, y, z], "
         "{axis, angle} or {euler, order}, got [1, 0]"),
        ("rotation: {axis: [0, 0, 1], angel: 3}",
         "`rotation.angel` is not a key here; did you mean `angle`?"),
        ("rotation: {euler: [0, 0, 0], order: xyy2}",
         "`rotation.order` must be three of the letters xyz, or three of XYZ, got 'xyy2'"),
        ("fixed: [1, 0, 0, 0, 0, 0]", "`fixed[0]` must be true or false, got 1"),
        ("shape: {box: [1, 1]}", "`shape.box` must have 3 entries in m, got [1, 1]"),
        ("shape: {box: [1, 1, 0]}", "`shape.box[2]` must be > 0 m, got 0"),
        ("shape: {box: [1, 1, 1], scale: 2}",
         "`shape.scale` is not a key here; known keys: box"),
        ("shape: {cylinder: {radius: 1, hieght: 2}}",
         "`shape.cylinder.hieght` is not a key here; did you mean `height`?"),
        ("shape: {sphere: 1, segments: 1.5}",
         "`shape.segments` must be a whole number, got 1.5"),
        ("shape: {compound: []}", "`shape.compound` must have at least 1 entry, got []"),
        ("shape: {compound: [{shape: {box: [1, 1, -1]}}]}",
         "`shape.compound[0].shape.box[2]` must be > 0 m, got -1"),
        ("shape: {mesh: {vertices: [[0, 0, 0]], faces: [[0, 1, -1]]}}",
         "`shape.mesh.faces[0][2]` must be >= 0, got -1"),
        ("shape: {mesh: 5}",
         "`shape.mesh` must be the path of a mesh file or {vertices, faces, edges}, got 5"),
        ("inertia: 5", "`inertia` must be three principal moments or a 3x3 matrix, got 5"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_with_its_body_and_unit(mistakes, keys, sentence):
    found = mistakes(body(keys), "bolt.yaml")
    assert f"bolt.yaml: bodies[1] 'bolt': {sentence}" in found


def test_a_range_is_said_in_the_units_of_the_file(mistakes):
    found = mistakes(body("mass: -1, inertia: [1, 1, 1]", "units: {mass: g}"))
    assert found == ["scene.yaml: bodies[1] 'bolt': `mass` must be >= 0 g, got -1"]


@pytest.mark.parametrize(
    ("keys", "part"),
    [
        ("mass: 1", "has no shape, so it needs inertia"),
        ("mass: 1, inertia: [1, 1, 9]", "`inertia` has moments"),
        ("shape: {box: [1, 1, 1]}, mass: 1, density: 2", "give `density` or `mass`, not both"),
        ("shape: {half_space: [0, 0, 1]}", "is unbounded, so its `motion` must be static"),
        ("mass: 1, inertia: [1, 1, 1], rotation: [1, 1, 0, 0]", "must be a unit quaternion"),
        ("mass: 1, inertia: [1, 1, 1], rotation: {axis: [0, 0, 0], angle: 1}",
         "`rotation.axis` must have a direction"),
        ("shape: {mesh: {vertices: [[0, 0, 0]], faces: [[0, 1, 2]]}}", "must name vertices"),
        ("mass: 1, inertia: [1, 1, 1], moves_until: 3", "`moves_until` needs motion 'kinematic'"),
    ],
)  # fmt: skip
def test_what_the_model_finds_is_said_at_its_place_in_the_file(mistakes, keys, part):
    (sentence,) = mistakes(body(keys), "bolt.yaml")
    assert sentence.startswith("bolt.yaml: bodies[1] 'bolt': ")
    assert part in sentence
    assert "of body" not in sentence


def test_all_mistakes_of_a_file_come_at_once(mistakes):
    found = mistakes(
        """
version: 1
gravty: [0, 0, -9.81]
run: {step: -1, contact: {method: ipc, frction: 0.1}}
bodies:
  - {name: a, mass: -1, inertia: [1, 1, 1]}
  - {name: b, mass: 1, inertia: [1, 1, 9]}
  - {name: c, mass: 1, inertia: [1, 1, 1]}
  - {name: c, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: on_a, type: revolute, bodies: [ground, a]}
  - {name: lost, type: revolut, bodies: [ground, c]}
loads:
  - {name: f, type: push, body: c}
materials:
  - {pair: [a], friction: -1}
""",
        "all.yaml",
    )
    assert any(s.startswith("all.yaml: bodies[1] 'b': `inertia` has moments") for s in found)
    assert "all.yaml: two bodies are named 'c'; names must be unique" in found
    assert "all.yaml: `gravty` is not a key here; did you mean `gravity`?" in found
    assert "all.yaml: `run.step` must be > 0 s, got -1" in found
    assert "all.yaml: bodies[0] 'a': `mass` must be >= 0 kg, got -1" in found
    assert any(s.startswith("all.yaml: joints[1] 'lost': `type` must be fixed") for s in found)
    assert any("screw" in s and "(did you mean revolute?)" in s for s in found)
    assert any(s.startswith("all.yaml: loads[0] 'f': must be a mapping with `type") for s in found)
    assert "all.yaml: materials[0] ['a']: `pair` must have 2 entries, got ['a']" in found
    assert "all.yaml: materials[0] ['a']: `friction` must be >= 0, got -1" in found


def test_mistakes_of_the_model_join_those_of_other_entries(mistakes):
    found = mistakes(
        """
version: 1
run: {step: 1, contact: {method: ipc, frction: 0.1}}
bodies:
  - {name: a, mass: -1, inertia: [1, 1, 1]}
  - {name: b, mass: 1, inertia: [1, 1, 9]}
  - {name: c, mass: 1, inertia: [1, 1, 1]}
  - {name: c, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: on_a, type: revolute, bodies: [ground, a]}
  - {name: lost, type: revolute, bodies: [ground, nobody], axis: [0, 0, 0]}
loads:
  - {name: f, type: spring, bodies: [c, c], point_a: [0, 0, 0], point_b: [0, 0, 0]}
materials:
  - {pair: [b, c], friction: [0.1, 0.2, 1, 2]}
  - {pair: [a, c], friction: 0.1}
""",
        "all.yaml",
    )
    starts = [
        "`run.contact.frction` is not a key here; did you mean `friction`?",
        "bodies[0] 'a': `mass` must be >= 0 kg, got -1",
        "bodies[1] 'b': `inertia` has moments",
        "two bodies are named 'c'; names must be unique",
        "joints[1] 'lost': `axis` must have a direction",
        "joints[1] 'lost': names body 'nobody', which is not in the scene",
        "loads[0] 'f': must join two different bodies, got 'c' twice",
        "materials[0] ['b', 'c']: `friction` must be a number or (mu_s",
    ]
    for start in starts:
        assert any(s.startswith(f"all.yaml: {start}") for s in found), (start, found)
    assert not any("on_a" in sentence for sentence in found)  # its body is the mistake
    assert len(found) == len(starts)


def test_thousands_of_mistakes_do_not_flood_the_reader(mistakes):
    found = mistakes("version: 1\nbodies:\n" + "  - {nam: a}\n" * 5000)
    assert len(found) == 51
    assert found[-1] == "scene.yaml: and more mistakes; correct these first"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bodies: []", "needs `version: 1`"),
        ("version: 2", "`version` must be 1, got 2"),
        ("version: '1'", "`version` must be 1, got '1'"),
        ("- version: 1", "must be a mapping that starts with `version: 1`, got [{'version': 1}]"),
        ("just text", "must be a mapping that starts with `version: 1`, got 'just text'"),
        ("version: 1\nbodies: {a: 1}",
         "`bodies` must be a list of at most 100000 entries, got {'a': 1}"),
        ("version: 1\nbodies:",
         "`bodies` must be a list of at most 100000 entries, got None"),
        ("version: 1\nbodies: [7]", "bodies[0]: must be a mapping of keys and values, got 7"),
        ("version: 1\nbodies: [{name: 5}]",
         "bodies[0]: `name` must be text (put it in quotes), got 5"),
        ("version: 1\nbodies: [{name: ground, mass: 1, inertia: [1, 1, 1]}]",
         "bodies[0] 'ground': name of a body must not be 'ground': that is the world itself"),
        ("version: 1\nunits: {length: mile}", "`units.length` must be 'm', 'km', 'cm', 'mm', "
         "'um', 'in' or 'ft', got 'mile'"),
        ("version: 1\nunits: {legnth: mm}",
         "`units.legnth` is not a key here; did you mean `length`?"),
        ("version: 1\nrun: {integrator: 5}",
         "`run.integrator` must be a name or {name, options}, got 5"),
        ("version: 1\nrun: {every: 0.5}", "`run.every` must be a whole number, got 0.5"),
        ("version: 1\njoints: [{name: j, type: screw, bodies: [ground, x], ptch: 1}]",
         "joints[0] 'j': `ptch` is not a key here; did you mean `pitch`?"),
        ("version: 1\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
         "joints: [{name: j, type: revolute, bodies: [ground, a], "
         "actuation: {motor: {position: 1, velocity: 2}}}]",
         "joints[0] 'j': `actuation[0].motor` must have just one of effort, position, velocity, "
         "got position, velocity"),
    ],
)  # fmt: skip
def test_a_wrong_document_is_refused_with_what_would_be_right(mistakes, text, sentence):
    assert f"scene.yaml: {sentence}" in mistakes(text)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.yaml", "version: 1\nname: a\nname: b\n",
         "a.yaml: line 3: the key 'name' was given before in line 2"),
        ("a.yaml", "version: 1\nbodies: [}\n",
         "a.yaml: line 2, column 10: is not valid YAML: while parsing a flow node, "
         "did not find expected node content"),
        ("a.yaml", "version: 1\nbodies: !!python/object/apply:os.system [ls]\n",
         "a.yaml: line 2: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not "
         "allowed; scenes are plain data"),
        ("a.yaml", "version: 1\nname: !secret x\n",
         "a.yaml: line 2: the tag '!secret' is not allowed; scenes are plain data"),
        ("a.yaml", "version: 1\nbase: &b {x: 1}\nrun:\n  <<: *b\n",
         "a.yaml: line 4: merge keys (<<) are not allowed; write the keys out"),
        ("a.yaml", "version: 1\nname: *nothing\n",
         "a.yaml: line 2: the alias *nothing names nothing above it"),
        ("a.yaml", "version: 1\n---\nversion: 1\n",
         "a.yaml: line 2: a second document (---) starts; a scene is one document"),
        ("a.yaml", "version: 1\n5: x\n",
         "a.yaml: line 2: a key must be text, got 5; put it in quotes if meant so"),
        ("a.yaml", "version: 1\n? [a, b]\n: x\n",
         "a.yaml: line 2: a key must be text, got a list or a mapping"),
        ("a.json", '{"version": 1,\n "run": {"step": 1,\n "step": 2}}',
         "a.json: line 3: the key 'step' was given before in line 2"),
        ("a.json", '{"version": 1,\n}',
         "a.json: line 2, column 1: is not valid JSON: Expecting property name enclosed in "
         "double quotes"),
        ("a.json", '{"version": 1, "gravity": [0, 0, NaN]}',
         "a.json: `gravity[2]` must be a finite number in m/s^2, got nan"),
        ("a.urdf", "<?xml version='1.0'?>\n<!-- hm -->\n<html/>",
         "a.urdf: must have the root <robot> (URDF) or <mujoco> (MJCF), got 'html'"),
        ("a.xml", "<!-- never closed", "a.xml: must have the root <robot> (URDF) or <mujoco> "
         "(MJCF), got None"),
    ],
)  # fmt: skip
def test_a_broken_text_is_refused_with_its_line(mistakes, name, text, sentence):
    assert mistakes(text, name) == [sentence]
