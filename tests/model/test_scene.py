"""Scenes: every mistake at once, bodies where they belong, frozen when built."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dovetail.errors import InputError
from dovetail.model import (
    GROUND,
    Actuation,
    Box,
    Compound,
    Cone,
    Fixed,
    HalfSpace,
    Joint,
    Mesh,
    Placed,
    PoseTable,
    Prismatic,
    Revolute,
    Scene,
    Screw,
    Sphere,
    Universal,
)
from garbage import garbage
from random_solids import bumpy_ball, random_rotation
from rounding import ORTHOGONALITY, rounding


def mistakes_of(scene):
    with pytest.raises(InputError) as caught:
        scene.build()
    return caught.value.mistakes


def assert_builds_or_explains(scene):
    sentences, model = ["unused"], None
    try:
        model = scene.build()
    except InputError as error:
        sentences = error.mistakes
    assert sentences
    assert all(isinstance(sentence, str) and sentence for sentence in sentences)
    if model is not None:
        for array in (model.position, model.rotation, model.velocity, model.gravity):
            assert np.all(np.isfinite(array))
        assert np.all(model.mass > 0)


def one_body(**options):
    scene = Scene()
    scene.add_body("a", options.pop("shape", Box((1, 1, 1))), **options)
    return scene


def test_one_error_lists_every_mistake_of_the_scene():
    scene = Scene(gravity=(0, 0))
    scene.add_body("link1", Box((1, 1, 0)), density=-5, position="here", motion="floating")
    scene.add_body("link2", Sphere(1), mass=-1.0, density=2, rotation=[1, 1, 0, 0])
    scene.add_body("link2", Sphere(-3))
    scene.add_body("ground", Box((1, 1, 1)), velocity=[np.nan, 0, 0])
    scene.add_body("bare")
    scene.add_joint("hinge", Revolute(point=(0, 0), axis=(0, 0, 0)), "link1", "link9")
    scene.add_joint("loop", Fixed(), "link2", "link2")
    scene.add_joint("odd", "revolute", "link1", "link2")
    scene.add_force("push", "ground", force=(1, 2), frame="moon")
    scene.add_spring("spring", "link1", "link1", (0, 0, 0), None, stiffness=-1)
    scene.add_load("wind", 3)
    scene.add_material_pair("steel", "ice", friction=-0.1, restitution=2)
    found = mistakes_of(scene)
    expected = [
        "two bodies are named 'link2'",
        "name of a body must not be 'ground'",
        "`gravity` of the scene must be 3 finite numbers in m/s^2, got (0, 0)",
        "`motion` of body 'link1' must be one of static, kinematic, dynamic, got 'floating'",
        "`position` of body 'link1' must be 3 finite numbers in m, got 'here'",
        "body 'link1': `size` along z of Box must be > 0 m, got 0.0",
        "`density` of body 'link1' must be > 0 kg/m^3, got -5",
        "`rotation` of body 'link2' must be a unit quaternion",
        "give `density` or `mass` of body 'link2', not both",
        "`mass` of body 'link2' must be >= 0 kg, got -1.0",
        "body 'link2': `radius` of Sphere must be > 0 m, got -3",
        "`velocity` of body 'ground' must be 3 finite numbers in m/s",
        "body 'bare' has no shape, so it needs mass and inertia",
        "`point` of joint 'hinge' must be 3 finite numbers in m",
        "`axis` of joint 'hinge' must have a direction",
        "joint 'hinge' names body 'link9', which is not in the scene (it has: bare, link1, link2)",
        "joint 'loop' must join two different bodies, got 'link2' twice",
        "joint 'odd' must be a joint such as dt.Revolute, got 'revolute'",
        "`force` of load 'push' must be 3 finite numbers in N",
        "`frame` of load 'push' must be world or body, got 'moon'",
        "load 'push' names body 'ground', which is not in the scene",
        "`point_b` of load 'spring' must be 3 finite numbers",
        "`stiffness` of load 'spring' must be >= 0 N/m, got -1",
        "load 'spring' must join two different bodies",
        "`function` of load 'wind' must be callable, got 3",
        "`friction` of materials 'steel' and 'ice' must be >= 0, got -0.1",
        "`restitution` of materials 'steel' and 'ice' must be <= 1, got 2",
    ]
    for part in expected:
        assert sum(part in sentence for sentence in found) == 1, (part, found)
    assert len(found) == len(expected), found


@given(st.integers(0, 2**32 - 1))
def test_body_frame_is_at_the_centre_of_mass_and_world_is_rotation_v_plus_position(seed):
    rng = np.random.default_rng(seed)
    vertices, faces = bumpy_ball(rng)
    rotation, origin = random_rotation(rng), rng.normal(size=3)
    scene = Scene()
    mesh = Mesh(vertices, faces)
    body = scene.add_body("a", mesh, density=3, position=origin, rotation=rotation)
    centre = mesh.mass_properties().centre
    assert np.allclose(body.position, rotation @ centre + origin, rtol=0, atol=1e-13)
    world = body.vertices @ body.rotation.T + body.position
    assert np.allclose(world, vertices @ rotation.T + origin, rtol=0, atol=1e-13)
    here = Mesh(body.vertices, body.faces).mass_properties()
    assert np.max(np.abs(here.centre)) < rounding(len(faces))
    assert np.allclose(3 * here.inertia, body.inertia, rtol=1e-12, atol=1e-12)
    assert body.mass == pytest.approx(3 * here.measure, rel=1e-13)


def test_cone_stands_on_its_base_and_its_position_is_its_centre_of_mass():
    body = Scene().add_body("cone", Cone(1, 4), position=(0, 0, 2))
    assert body.position == pytest.approx([0, 0, 3])
    assert body.vertices[:, 2].min() == pytest.approx(-1)


def test_quaternion_and_matrix_say_the_same():
    half = np.pi / 6
    quaternion = (np.cos(half), 0, 0, np.sin(half))
    c, s = np.cos(2 * half), np.sin(2 * half)
    by_quaternion = Scene().add_body("a", Sphere(1), rotation=quaternion)
    by_matrix = Scene().add_body("a", Sphere(1), rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]])
    assert np.allclose(by_quaternion.rotation, by_matrix.rotation, rtol=0, atol=rounding(8))


def test_rotation_written_with_seven_digits_is_made_exact():
    rotation = np.round(random_rotation(np.random.default_rng(5)), 7)
    found = one_body(rotation=rotation).bodies["a"].rotation
    assert np.max(np.abs(found.T @ found - np.eye(3))) < ORTHOGONALITY


def test_mirror_is_no_rotation():
    assert "turn, not mirror" in mistakes_of(one_body(rotation=np.diag([1.0, 1, -1])))[0]


@pytest.mark.parametrize(
    ("shape", "unit"),
    [
        (Box((1, 1, 1)), "kg/m^3"),
        (Mesh([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], shell=True), "kg/m^2"),
        (Mesh([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], edges=[[0, 1], [1, 2]]), "kg/m"),
        (Mesh([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), "kg per point"),
    ],
)
def test_density_is_per_the_dimension_of_the_shape(shape, unit):
    assert f"must be > 0 {unit}, got -1" in mistakes_of(one_body(shape=shape, density=-1))[0]
    body = one_body(shape=shape).bodies["a"]
    assert body.checked.derived["density"] == f"1000 {unit} (not given)"
    assert body.mass == pytest.approx(1000 * shape.mass_properties().measure)


def test_given_mass_scales_the_inertia_of_the_shape():
    body = one_body(mass=6.0).bodies["a"]
    assert body.mass == 6.0
    assert np.allclose(body.inertia, np.eye(3))
    assert body.checked.density == 6.0


def test_given_inertia_overrides_the_shape_and_may_be_principal():
    body = one_body(mass=2, inertia=(1, 2, 2.5)).bodies["a"]
    assert np.array_equal(body.inertia, np.diag([1, 2, 2.5]))


@pytest.mark.parametrize(
    ("inertia", "part"),
    [
        ((1, 1, 3), "larger than the sum of the other two"),
        ((1, 0, 1), "must have moments > 0 kg m^2"),
        ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "must be symmetric"),
        ([1, 2], "3x3 finite numbers"),
        ((1e308, 1e308, 1e308), "must be between 1e-100 and 1e+100"),
    ],
)
def test_inertia_must_be_that_of_a_body(inertia, part):
    assert part in mistakes_of(one_body(mass=1, inertia=inertia))[0]


@pytest.mark.parametrize("mass", [5e-324, 1e-320, 1e300])
def test_a_mass_whose_inverse_or_square_is_no_number_is_refused(mass):
    assert "must be between 1e-100 and 1e+100 kg" in mistakes_of(one_body(mass=mass))[0]


def test_centre_of_mass_may_be_given_with_its_inertia():
    turned = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    options = {"mass": 1, "center_of_mass": (0.25, 0, 0), "rotation": turned}
    body = one_body(inertia=(1, 1, 1), **options).bodies["a"]
    assert body.position == pytest.approx([0, 0.25, 0])
    assert body.vertices[:, 0].max() == pytest.approx(0.25)
    assert "give `inertia` about it too" in mistakes_of(one_body(**options))[0]


def test_body_without_shape_is_mass_and_inertia():
    scene = Scene()
    body = scene.add_body("top", mass=2, inertia=(1, 1, 1.5), position=(1, 2, 3))
    assert body.position == pytest.approx([1, 2, 3])
    assert len(body.vertices) == 0
    scene.build()


def test_dynamic_body_needs_inertia_about_every_axis():
    line = np.outer(np.linspace(-1, 2, 7), [0.3, -0.2, 0.9]) + np.array([5, 6, 7])
    straight = Mesh(line, edges=[[i, i + 1] for i in range(6)])
    point, twice = Mesh([[1.0, 2, 3]]), Mesh([[0.1, 0.2, 0.3]] * 3)
    for shape, where in ((straight, "one straight line"), (point, "one point"), (twice, "one po")):
        assert where in mistakes_of(one_body(shape=shape))[0]
        assert one_body(shape=shape, motion="static").build().n_bodies == 1
        assert one_body(shape=shape, inertia=(1, 1, 1)).build().inertia[0, 2, 2] == 1
    plate = Mesh([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], shell=True)
    assert one_body(shape=plate).build().n_bodies == 1


def test_sheet_without_volume_cannot_fall_freely():
    sheet = Mesh([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 1]])
    assert "must have more than 0 m^3" in mistakes_of(one_body(shape=sheet))[0]


def test_half_space_cannot_be_dynamic():
    assert "is unbounded" in mistakes_of(one_body(shape=HalfSpace()))[0]
    compound = Compound([Placed(HalfSpace(), (0, 0, -1)), Box((1, 1, 1))])
    assert "is unbounded" in mistakes_of(one_body(shape=compound))[0]
    for motion in ("static", "kinematic"):
        for mass in (None, 3.0):
            model = one_body(shape=HalfSpace(), motion=motion, mass=mass).build()
            assert not np.any(np.isnan(model.inertia))
            assert model.mass[0] == (mass or np.inf)


def test_compound_weights_are_densities_when_the_body_has_density_one():
    """Steel and aluminium in one body, as scene readers need it."""
    parts = [Placed(Box((1, 1, 1)), weight=7850), Placed(Box((1, 1, 1)), (1, 0, 0), weight=2700)]
    body = one_body(shape=Compound(parts), density=1).bodies["a"]
    assert body.mass == pytest.approx(7850 + 2700)
    assert body.position == pytest.approx([2700 / 10550, 0, 0])


def test_built_model_cannot_be_changed():
    model = one_body(velocity=(1, 2, 3)).build()
    body = model.bodies[0]
    arrays = [
        model.gravity, model.mass, model.inertia, model.position, model.rotation, model.velocity,
        model.angular_velocity, model.motion, model.fixed, body.inertia, body.centre,
        body.position, body.rotation, body.velocity, body.angular_velocity, body.surface.vertices,
        body.surface.edges, body.surface.faces, body.surface.points, body.surface.bounds,
    ]  # fmt: skip
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        model.gravity = np.zeros(3)


def test_model_does_not_see_later_changes_of_the_users_arrays():
    position = np.array([1.0, 2, 3])
    model = one_body(position=position).build()
    position[:] = 9
    assert model.position[0].tolist() == [1, 2, 3]


def test_static_body_has_no_velocity():
    model = one_body(motion="static", velocity=(1, 1, 1), angular_velocity=(1, 1, 1)).build()
    assert not np.any(model.velocity) and not np.any(model.angular_velocity)


def test_joints_know_their_bodies_and_the_ground():
    scene = one_body()
    scene.add_body("b", Sphere(1))
    scene.add_joint("hinge", Revolute(), "ground", "b")
    placed = scene.build().joints[0]
    assert (placed.body_a, placed.body_b) == (GROUND, 1)


@pytest.mark.parametrize(
    ("joint", "part"),
    [
        (Universal(axis=(0, 0, 1), axis2=(0, 1, 1)), "must be at right angles"),
        (Screw(pitch=None), "`pitch` of joint 'j' must be a finite number in m per turn"),
        (Revolute(actuation=(Actuation(lower=2, upper=1),)), "must be <= its `upper`"),
        (Revolute(actuation=(Actuation(),) * 2), "leaves 1 motions, got actuation for 2"),
        (Revolute(actuation=5), "`actuation` of joint 'j' must be a dt.Actuation or a list"),
        (Prismatic(actuation=[3]), "actuation of joint 'j' must be dt.Actuation, got 3"),
        (Prismatic(actuation=[Actuation(motor="fast")]), "`motor` of coordinate 1 of joint 'j'"),
        (Prismatic(actuation=[Actuation(motor=("speed", 1))]), "one of position, velocity"),
        (Prismatic(actuation=[Actuation(effort_limit=-1)]), "`effort_limit` of coordinate 1"),
        (Joint(), "must be a joint such as dt.Revolute"),
    ],
)
def test_joint_mistakes_have_their_sentence(joint, part):
    scene = one_body()
    scene.add_joint("j", joint, "ground", "a")
    found = mistakes_of(scene)
    assert len(found) == 1 and part in found[0], found


def test_pair_of_names_goes_before_pair_of_materials():
    scene = Scene()
    for name, material in (("a", "steel"), ("b", "ice"), ("c", "ice")):
        scene.add_body(name, Sphere(1), material=material)
    scene.add_material_pair("ice", "steel", friction=0.1)
    scene.add_material_pair("c", "steel", friction=0.2)
    scene.add_material_pair("b", "a", friction=(0.4, 0.3, 1e-4, 1e-3))
    model = scene.build()
    assert model.pair_material(0, 1).friction == (0.4, 0.3, 1e-4, 1e-3)
    assert model.pair_material(1, 0).friction == (0.4, 0.3, 1e-4, 1e-3)
    assert model.pair_material(0, 2).friction == 0.2
    assert model.pair_material(2, 0).friction == 0.2
    assert model.pair_material(1, 2) is None
    assert model.pair_material(GROUND, 2) is None


def test_material_pairs_must_be_given_once_and_name_materials_in_use():
    scene = one_body(material="steel")
    scene.add_material_pair("steel", "a", friction=0.1)
    scene.add_material_pair("a", "steel", friction=0.2)
    scene.add_material_pair("steel", "stel", friction=0.2)
    scene.add_material_pair(None, "steel", friction=[1, [2]])
    found = mistakes_of(scene)
    assert ["are paired twice" in found[0], "named 'stel' or made of it" in found[1]] == [True] * 2
    assert "name of a material or body in a pair" in found[2]
    assert "`friction` of materials None and 'steel' must be a number >= 0 or (mu_s" in found[3]
    assert len(found) == 4


def test_flags_hold_single_motions():
    model = one_body(fixed=[True, False, False, False, True, False]).build()
    assert model.fixed[0].tolist() == [True, False, False, False, True, False]
    assert "six true/false values" in mistakes_of(one_body(fixed=(1, 0, 0)))[0]


OPTIONS = (
    "density", "mass", "inertia", "center_of_mass", "position", "rotation", "velocity",
    "angular_velocity", "motion", "trajectory", "moves_until", "fixed", "group", "material",
)  # fmt: skip


@example("a", Box((1, 1, 1)), {"fixed": np.array("x")}, (0, 0, 0))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(garbage, garbage, st.dictionaries(st.sampled_from(OPTIONS), garbage), garbage)
def test_garbage_for_a_body_raises_nothing_but_input_error(name, shape, options, gravity):
    scene = Scene(gravity)
    scene.add_body(name, shape, **options)
    scene.add_body("fine", Sphere(1), **options)
    assert_builds_or_explains(scene)


@example(["", np.zeros(0), 0, 0, 0, 0, 0, 0])
@settings(deadline=None)
@given(st.lists(garbage, min_size=8, max_size=8))
def test_garbage_for_joints_loads_and_materials_raises_nothing_but_input_error(things):
    a, b, c, d, e, f, g, h = things
    scene = one_body()
    scene.add_joint(a, Revolute(b, c, actuation=d), e, "a")
    scene.add_joint("u", Universal(b, c, d), "ground", f)
    scene.add_joint("v", b, c, d)
    scene.add_joint("w", Revolute(actuation=[Actuation(*things)]), "ground", "a")
    scene.add_force(b, "a", c, d, e, f)
    scene.add_force("f", g)
    scene.add_spring("s", a, b, c, d, e, f, g)
    scene.add_load("l", h)
    scene.add_material_pair(a, b, c, d, e, f)
    assert_builds_or_explains(scene)


def test_an_array_changed_after_it_was_given_does_not_change_the_scene():
    here, ends = np.zeros(3), np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    sides = [1.0, 1.0, 1.0]
    scene = Scene(gravity=here)
    tetrahedron = Mesh(ends, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    for i in range(3):
        here[2] = 5.0 * i
        scene.add_body(f"box {i}", Box(sides), position=here)
    scene.add_body("tetrahedron", tetrahedron, mass=1)
    force = scene.add_force("push", "box 0", force=here)
    joint = scene.add_joint("hinge", Revolute(point=here), "box 0", "box 1")
    table = PoseTable([0.0, 1.0], ends[:2])
    here[:], ends[:], sides[0] = 77.0, 77.0, 77.0
    assert [scene.bodies[f"box {i}"].position[2] for i in range(3)] == [0, 5, 10]
    assert scene.bodies["box 0"].vertices.max() == 0.5
    assert np.ptp(scene.bodies["tetrahedron"].vertices) == 1
    assert list(scene.build().gravity) == [0, 0, 0]
    assert list(force.force) == list(joint.point) == [0, 0, 10]
    assert np.max(table.positions) == 1
