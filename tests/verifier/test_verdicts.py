"""What a verdict says of solids, smooth shapes, wires, tolerances, and of the run itself."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.results.result import Result
from dovetail.simulate import simulate
from dovetail.verifier.certificate import certify


def flown(scene, duration=1.0, step=0.25, every=4):
    return simulate(scene, duration, step, every=every)


def body(scene, name, shape, **given):
    """With a mass of its own, for meshes of any kind."""
    scene.add_body(name, shape, mass=1.0, inertia=(1, 1, 1), **given)


def hollow_box(side=1.0, wall=0.1):
    outer = dt.Box((side, side, side)).surface()
    inner = dt.Box((side - 2 * wall,) * 3).surface()
    faces = np.concatenate([outer.faces, inner.faces[:, ::-1] + len(outer.vertices)])
    return dt.Mesh(np.concatenate([outer.vertices, inner.vertices]), faces)


@pytest.mark.parametrize("order", [("big", "small"), ("small", "big")])
def test_a_solid_inside_a_solid_intersects(order):
    scene = dt.Scene()
    shapes = {"big": dt.Box((1, 1, 1)), "small": dt.Box((0.2, 0.2, 0.2))}
    for name in order:
        scene.add_body(name, shapes[name], velocity=(1, 0, 0))
    found = certify(flown(scene))
    assert found.verdict == "intersecting"
    assert [(one.inner, one.outer) for one in found.nested] == [("small", "big")]
    (overlap,) = found.overlaps
    assert overlap.depth == pytest.approx(0.6, rel=2e-3)  # out through the nearest face


def test_a_solid_in_the_cavity_of_another_is_free():
    scene = dt.Scene()
    scene.add_body("shell", hollow_box())
    scene.add_body("core", dt.Sphere(0.2))
    assert certify(flown(scene)).verdict == "free"


def test_one_piece_of_a_compound_inside_a_solid_is_found():
    scene = dt.Scene()
    pair = dt.Compound([dt.Placed(dt.Box((0.1,) * 3), (x, 0, 0)) for x in (0.0, 3.0)])
    scene.add_body("pair", pair)
    scene.add_body("block", dt.Box((1, 1, 1)), position=(0, 0, 0))
    assert certify(flown(scene)).nested[0].inner == "pair"


@pytest.mark.parametrize("shape", [dt.Sphere(1.0), dt.Cylinder(1.0, 2.0), dt.Capsule(1.0, 1.0)])
def test_a_solid_inside_a_smooth_solid_intersects(shape):
    scene = dt.Scene()
    scene.add_body("outer", shape)
    scene.add_body("inner", dt.Box((0.2, 0.2, 0.2)))
    assert [one.inner for one in certify(flown(scene)).nested] == ["inner"]


def test_ipc_refuses_a_solid_inside_a_solid_at_the_start():
    scene = dt.Scene()
    scene.add_body("big", dt.Box((1, 1, 1)))
    scene.add_body("small", dt.Box((0.2, 0.2, 0.2)))
    with pytest.raises(dt.InputError, match="'small' must not be inside the solid of body 'big'"):
        dt.simulate(scene, 0.1, 0.01, contact=dt.contact.IPC(), progress=False)


def passing(shape_a, shape_b, gap, tilt=(0.3, -0.2, 0.5)):
    """Two bodies that pass each other; at the closest, at t = 0.5 s, their gap is `gap`."""
    R = Rotation.from_rotvec(tilt).as_matrix()
    scene = dt.Scene()
    body(scene, "a", shape_a[0], motion="static", rotation=R)
    at = shape_a[1] + shape_b[1] + gap
    body(
        scene, "b", shape_b[0], rotation=R, position=R @ (at, -1.0, 0), velocity=R @ (0, 2.0, 0),
        angular_velocity=R @ shape_b[2],
    )  # fmt: skip
    return scene


BALL, BAR = (dt.Sphere(1.0), 1.0, (1, 2, 9)), (dt.Capsule(0.5, 2.0), 0.5, (0, 0, 3))
DRUM, RING = (dt.Cylinder(1.0, 0.5), 1.0, (0, 0, 0)), (dt.Torus(1.0, 0.25), 1.25, (0, 0, 1))
CONE = (dt.Cone(1.0, 0.5), 1.0, (0, 0, 2))


@pytest.mark.parametrize(
    ("a", "b", "gap"),
    [(BALL, BALL, 1e-9), (BALL, BAR, 1e-9), (BALL, DRUM, 1e-5), (BAR, BAR, 1e-9),
     (RING, BALL, 1e-5), (DRUM, DRUM, 1e-5), (CONE, BALL, 1e-5)],
)  # fmt: skip
def test_smooth_shapes_are_verified_as_they_are(a, b, gap):
    """A polyhedron with 32 sides would be 5e-3 off."""
    assert certify(flown(passing(a, b, gap))).verdict == "free"
    found = certify(flown(passing(a, b, -gap)))
    assert found.verdict == "intersecting"
    assert found.paths[0].time == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("shape", [BALL, BAR, DRUM, RING, CONE])
@pytest.mark.parametrize(("gap", "verdict"), [(1e-9, "free"), (-1e-9, "intersecting")])
def test_smooth_shapes_that_roll_over_a_half_space_are_verified_as_they_are(shape, gap, verdict):
    solid, radius, spin = shape
    scene = dt.Scene()
    scene.add_body("wall", dt.HalfSpace((1, 0, 0)), motion="static")
    body(scene, "b", solid, position=(radius + gap, 0, 0), velocity=(0, 2, 0),
         angular_velocity=spin if shape is not DRUM else (0, 0, 2))  # fmt: skip
    found = certify(flown(scene))
    assert (found.verdict, found.tests < 100) == (verdict, True)


def test_a_ring_that_was_simulated_as_a_polyhedron_is_verified_as_one_and_its_error_stated():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    ring = dt.Torus(0.5, 0.1, segments=16)
    scene.add_body("ring", ring, density=100, position=(0, 0, 0.102))
    scene.add_body("ball", dt.Sphere(0.2), density=100, position=(1, 0, 0.202))
    result = dt.simulate(scene, 0.05, 0.01, contact=dt.contact.IPC(), progress=False)
    found = certify(result)
    assert found.verdict == "free"
    error = 0.6 * (1 - np.cos(np.pi / 16)) + 0.1 * (1 - np.cos(np.pi / 8))
    assert found.smooth == {"ring": pytest.approx(error)}


def wire(*points):
    rows = np.array(points, float)
    return dt.Mesh(rows, edges=[(k, k + 1) for k in range(len(rows) - 1)])


SQUARE = dt.Mesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)])
ALONG_X, ALONG_Y = wire((-1, 0, 0), (1, 0, 0)), wire((0, -1, 0), (0, 1, 0))


@pytest.mark.parametrize("spin", [(0, 0, 0), (0.1, 0.3, 0.2)])
@pytest.mark.parametrize(
    ("a", "b"), [(ALONG_X, ALONG_Y), (SQUARE, ALONG_X), (SQUARE, SQUARE), (ALONG_Y, SQUARE)]
)
def test_what_has_no_thickness_and_passes_through_certainly_crosses(a, b, spin):
    for aside, verdict in ((0.1, "intersecting"), (2.5, "free")):
        scene = dt.Scene()
        body(scene, "a", a, position=(0.05, 0.02, 0.0))
        body(scene, "b", b, position=(aside, aside, 1 / 3), velocity=(0, 0, -1),
             angular_velocity=spin)  # fmt: skip
        found = certify(flown(scene))
        assert found.verdict == verdict
        if aside < 1 and not any(spin):
            assert found.paths[0].time == pytest.approx(1 / 3, abs=0.2)


def test_wires_that_pass_beyond_their_ends_do_not_cross():
    for past, verdict in ((1 + 1e-6, "free"), (1 - 1e-6, "intersecting")):
        scene = dt.Scene()
        body(scene, "a", ALONG_X)
        body(scene, "b", ALONG_Y, position=(past, 0, 0.37), velocity=(0, 0, -1))
        assert certify(flown(scene)).verdict == verdict


def resting(result=None):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("box", dt.Box((1, 1, 1)), density=500, position=(0, 0, 0.5),
                   velocity=(0.3, 0, 0), angular_velocity=(0, 0, 0.2))  # fmt: skip
    scene.add_body("ball", dt.Sphere(0.3), density=500, position=(3, 0, 0.31))
    return dt.simulate(scene, 0.2, 0.01, contact=dt.contact.LCP(friction=0.3), progress=False)


def test_what_rests_on_a_half_space_is_decided_with_its_depth_and_allowed_by_a_tolerance():
    result = resting()
    found = certify(result)
    assert found.verdict == "intersecting"
    assert not [path for path in found.paths if path.verdict == "undecided"]
    assert found.tests < 1000
    deepest = found.overlaps[0]
    assert deepest.depth == pytest.approx(-result.min_distance.min(), rel=0.3)
    allowed = certify(result, tolerance=1e-9)
    assert allowed.trusted
    assert {one.body_b for one in allowed.allowed} == {"box", "ball"}
    assert not certify(result, tolerance=1e-13).trusted


@pytest.mark.parametrize("shape", [dt.Box((1, 1, 1)), dt.Sphere(0.5), dt.Cylinder(0.5, 1.0)])
@pytest.mark.parametrize(("tolerance", "verdict"), [(0.011, "free"), (0.009, "intersecting")])
def test_an_overlap_of_one_centimetre_is_allowed_by_more_and_not_by_less(shape, tolerance, verdict):
    scene = dt.Scene()
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    body(scene, "b", shape, position=(0, 0, 0.49), velocity=(0.3, 0.1, 0),
         angular_velocity=(0, 0, 0.5))  # fmt: skip
    found = certify(flown(scene, every=1), tolerance=tolerance)
    assert found.verdict == verdict
    (overlap,) = found.allowed or found.overlaps
    assert overlap.depth == pytest.approx(0.01, rel=0.02)
    assert abs(overlap.place[2]) < 0.02


def test_bodies_that_pass_through_each_other_are_not_within_a_small_tolerance():
    """Each pair of their small triangles is; the solids are not."""
    scene = dt.Scene()
    for k in range(2):
        fine = dt.Sphere(0.5, segments=64).surface()
        body(scene, f"b{k}", dt.Mesh(fine.vertices, fine.faces), position=(k * 0.7, 0, 0),
             velocity=(0.1, 0, 0))  # fmt: skip
    found = certify(flown(scene), tolerance=0.1)
    assert found.verdict == "intersecting"
    assert found.overlaps[0].depth == pytest.approx(0.3, rel=0.05)


def changed(result, path, change):
    """The result with other values in a column."""
    values = result.stored.column(path)
    values[...] = change(values.copy())
    return Result(result.stored, scene=result.scene)


def tumbling():
    scene = dt.Scene()
    scene.add_body("top", dt.Box((1, 0.5, 0.2)), density=10, angular_velocity=(0.4, 0.2, 1.0),
                   velocity=(1, 0, 0))  # fmt: skip
    scene.add_body("far", dt.Box((1, 1, 1)), density=10, position=(0, 5, 0))
    return simulate(scene, 2.0, 0.01)


@pytest.mark.parametrize(
    ("change", "says"),
    [(lambda R: 0 * R, "off by"), (lambda R: 0.1 * R, "off by"),
     (lambda R: R * [1, 1, -1], "a reflection"), (lambda R: R + 1e-6, "off by")],
)  # fmt: skip
def test_what_is_no_rotation_is_refused(change, says):
    with pytest.raises(dt.InputError, match=says):
        certify(changed(tumbling(), "rotation", change))


def broken(result):
    return [one.name for one in certify(result).broken]


def test_a_sound_run_breaks_no_invariant():
    found = certify(tumbling())
    assert found.trusted
    assert all(one.examined for one in found.invariants if one.name != "least distance")


@pytest.mark.parametrize("factor", [0.0, 2.0, -1.0])
@pytest.mark.parametrize("path", ["angular_velocity", "velocity"])
def test_velocities_that_do_not_fit_the_poses_are_found(path, factor):
    assert "velocities" in broken(changed(tumbling(), path, lambda v: factor * v))


@pytest.mark.parametrize("path", ["energy/kinetic", "momentum/linear", "energy/total"])
def test_columns_that_do_not_follow_from_the_motion_are_found(path):
    assert "columns" in broken(changed(tumbling(), path, lambda e: e * (1 + 1e-6)))


def test_energy_that_appears_is_found_with_its_time_and_body():
    result = tumbling()
    faster = changed(result, "velocity", lambda v: v * np.where(np.arange(len(v)) < 120, 1, 1.2)[
        :, None, None])  # fmt: skip
    (one,) = [i for i in certify(faster).broken if i.name == "columns"]
    extra = result.stored.column("energy/kinetic")
    extra[120:] *= 1.44
    result.stored.column("energy/total")[120:] = extra[120:]
    (one,) = [i for i in certify(Result(result.stored, scene=result.scene)).broken
              if i.name == "energy"]  # fmt: skip
    assert one.time == pytest.approx(1.2)
    assert one.bodies == ("top",)


def test_momentum_that_vanishes_is_found():
    result = changed(tumbling(), "velocity", lambda v: v * (1 - 0.001 * np.arange(len(v)))[
        :, None, None])  # fmt: skip
    assert "linear momentum" in broken(result)


def test_friction_that_did_not_settle_is_found_with_its_time():
    result = changed(tumbling(), "stats/unsettled", lambda n: n + (np.arange(len(n)) == 70))
    (one,) = certify(result).broken
    assert (one.name, one.time) == ("friction", pytest.approx(0.7))


def test_steps_that_did_not_converge_are_found_with_their_time():
    result = changed(tumbling(), "stats/unconverged", lambda n: n + (np.arange(len(n)) == 70))
    (one,) = certify(result).broken
    assert (one.name, one.time) == ("convergence", pytest.approx(0.7))
    assert "1 step(s)" in one.note


def test_a_distance_that_the_run_measured_itself_is_compared_with_the_verdict():
    result = changed(tumbling(), "min_distance", lambda d: np.where(d == d, -1.76e-3, d))
    assert broken(result) == ["least distance"]


def test_work_from_outside_is_named_and_no_energy_verified():
    scene = dt.Scene()
    scene.add_body("top", dt.Box((1, 0.5, 0.2)), density=10)
    scene.add_force("push", body="top", force=(1, 0, 0), frame="body")
    (energy,) = [i for i in certify(simulate(scene, 1.0, 0.1)).invariants if i.name == "energy"]
    assert not energy.examined and "load 'push'" in energy.note


def test_excused_pairs_are_named_with_the_reason_and_static_overlaps_too():
    scene = dt.Scene()
    for k, motion in enumerate(["static", "static", "kinematic", "dynamic", "dynamic"]):
        given = {"position": (0.3 * k, 0, 0), "motion": motion}
        scene.add_body(f"b{k}", dt.Box((0.5, 1, 1)), **given, group="g" if k > 2 else None)
    found = certify(flown(scene))
    reasons = {(e.body_a, e.body_b): e.reason for e in found.excused}
    assert reasons["b0", "b1"] == "both are static"
    assert reasons["b1", "b2"] == "the motion of both is prescribed"
    assert reasons["b3", "b4"] == "both are of group 'g'"
    assert {(o.body_a, o.body_b) for o in found.overlaps} == {("b2", "b3")}


def test_the_verdict_does_not_depend_on_the_number_of_threads(monkeypatch):
    scene = dt.Scene()
    rng = np.random.default_rng(5)
    for k in range(8):
        velocity, spin = rng.normal(size=(2, 3))
        scene.add_body(f"b{k}", dt.Box((0.5, 0.4, 0.3)), position=rng.uniform(-1.5, 1.5, 3),
                       velocity=velocity, angular_velocity=spin)  # fmt: skip
    result = simulate(scene, 6.0, 0.01)
    certificates = []
    for threads in ("1", "4"):
        monkeypatch.setenv("DOVETAIL_THREADS", threads)
        certificates.append(certify(result))
    first, second = certificates
    assert first.paths and (first.paths, first.tests) == (second.paths, second.tests)
    assert first.states.crossings == second.states.crossings
