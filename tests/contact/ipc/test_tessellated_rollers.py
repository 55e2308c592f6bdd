"""Meshes that are meant to be round are told what their facets cost; others are not."""

import math

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.start_check import checked_start
from dovetail.contact.ipc.tessellated_rollers import roller_of, stopping_speed
from dovetail.model.surface import Surface

make = trimesh.creation


def of(mesh, turn=None):
    size = np.ptp(mesh.vertices)  # that of trimesh is for parts of about 1 m
    middle = trimesh.Trimesh(mesh.vertices / size, mesh.faces, process=False).center_mass
    vertices = mesh.vertices - size * middle
    return roller_of(Surface.of(vertices if turn is None else turn.apply(vertices), mesh.faces))


@pytest.mark.parametrize("sides", [12, 33, 256])
@pytest.mark.parametrize("height", [0.02, math.sqrt(3), 2.0, 90.0])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_a_prism_of_many_sides_is_a_cylinder(sides, height, unit):
    for turn in (None, Rotation.random(rng=np.random.default_rng(sides))):
        for bore in (0.0, 0.6):
            size = {"height": height, "sections": sides}
            mesh = make.annulus(bore, 1.0, **size) if bore else make.cylinder(1.0, **size)
            mesh.vertices *= unit
            found = of(mesh, turn)
            assert found.shape == "Cylinder"
            assert found.facets == sides
            assert found.radius == pytest.approx(unit, rel=1e-9)
            assert found.height == pytest.approx(height * unit, rel=1e-9)
            assert found.bump == pytest.approx(unit * (1 - math.cos(math.pi / sides)), rel=1e-6)


def test_balls_of_both_kinds_of_meshes_are_found():
    for mesh in (make.icosphere(2, 0.05), make.uv_sphere(0.05, count=[24, 24])):
        found = of(mesh, Rotation.random(rng=np.random.default_rng(1)))
        assert (found.shape, found.facets) == ("Sphere", len(mesh.faces))
        assert found.radius == pytest.approx(0.05)
        assert 0.0 < found.bump < 1e-3


def screw():
    """A round head on a shank, the centre of mass in the shank."""
    profile = [(0, -1), (1.0, -1), (1.0, 0), (0.5, 0), (0.5, 8), (0, 8)]
    return make.revolve(np.array(profile, float))


@pytest.mark.parametrize(
    "mesh",
    [
        make.box((1, 1, 1)), make.box((1, 1, 1)).subdivide().subdivide().subdivide(),
        make.cylinder(1.0, 2.0, sections=6), make.cylinder(1.0, 2.0, sections=8),
        make.cone(1.0, 2.0, sections=32), make.torus(1.0, 0.3), make.icosahedron(), screw(),
    ],
    ids=["box", "fine box", "hexagon", "octagon", "cone", "torus", "die", "screw"],
)  # fmt: skip
def test_what_is_not_meant_to_roll_is_none(mesh):
    assert of(mesh) is None


def test_gears_and_threads_are_none():
    for name in ("gears", "geneva", "bolt", "gripper", "chain"):
        for body in dt.examples.get(name).build().build().bodies:
            if isinstance(body.shape, dt.Mesh):
                assert roller_of(body.surface) is None, (name, body.name)


def on_floor(sides, **more):
    """A prism that lies on one of its sides, its axis along -y."""
    mesh = make.cylinder(0.1, 0.1, sections=sides)
    spun = Rotation.from_euler("z", math.pi / 2 - math.pi / sides)
    turn = Rotation.from_euler("x", math.pi / 2) * spun
    low = turn.apply(mesh.vertices)[:, 2].min()
    assert -low == pytest.approx(0.1 * math.cos(math.pi / sides))
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body(
        "roller", dt.Mesh(mesh.vertices, mesh.faces), density=1000, position=(0, 0, 1e-5 - low),
        rotation=turn.as_quat(scalar_first=True), **more,
    )  # fmt: skip
    return scene


def test_the_note_has_the_numbers_and_is_for_bodies_that_roll(capsys, monkeypatch):
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    checked_start(on_floor(16).build(), 0.0)
    said = capsys.readouterr().err
    assert "'roller' is a cylinder of 16 facets around its axis" in said
    assert "rises by 0.0019 m over each edge and stops on a level floor below 0.16 m/s" in said
    assert "dt.Cylinder(0.1, 0.1)" in said
    for more in ({"motion": "static"}, {"fixed": (False,) * 3 + (True,) * 3}):
        checked_start(on_floor(16, **more).build(), 0.0)
        assert "facets" not in capsys.readouterr().err


@pytest.mark.parametrize(("part", "passes"), [(0.9, False), (1.1, True)])
def test_below_the_speed_that_is_named_it_does_not_get_over_an_edge(part, passes):
    sides = 16
    model = on_floor(sides).build()
    roller = roller_of(model.bodies[1].surface)
    spin = part * stopping_speed(roller, model, 1) / roller.radius  # about the corner in front
    half = math.pi / sides
    velocity = 0.1 * spin * np.array([math.cos(half), 0.0, math.sin(half)])
    scene = on_floor(sides, velocity=velocity, angular_velocity=(0.0, spin, 0.0))
    result = dt.simulate(scene, 0.25, 1e-3, dt.contact.IPC(friction=1.0), progress=False)
    farthest = result.position("roller")[:, 0].max()
    assert (farthest > 0.1 * math.sin(half)) == passes
