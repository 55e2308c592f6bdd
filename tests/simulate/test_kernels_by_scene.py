"""Which kernels are compiled before a run follows from what the scene has: no more, no less."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import CompliantEuler, ImplicitEuler, LieVerlet, RATTLie, StewartTrinkle
from dovetail.simulate.needed_kernels import needed_kernels

IPC, LCP, SDF = dt.contact.IPC(), dt.contact.LCP(), dt.contact.SDF()


def scene(shape=None, joint=False, spring=False, material=False):
    """A box, and a body of another shape."""
    made = dt.Scene(gravity=(0, 0, -9.81))
    made.add_body("box", dt.Box((1, 1, 1)), mass=1)
    made.add_body("other", shape or dt.Box((1, 1, 1)), mass=1, position=(3, 0, 0))
    if joint:
        made.add_joint("hinge", dt.Revolute((0, 0, 0), (0, 0, 1)), "box", "other")
    if spring:
        made.add_spring("spring", "box", "other", (0, 0, 0), (3, 0, 0), stiffness=1.0)
    if material:
        made.add_material_pair("box", "other", friction=0.3)
    return made.build()


def needed(model, contact, integrator):
    modules, kernels = needed_kernels(model, contact, integrator)
    assert all(name.partition(":")[0] in modules for name in kernels)
    assert "dovetail.multibody.frame_quantities:_measure" in kernels
    return set(kernels)


def more(contact, integrator, **features):
    """Kernels that a feature of the scene needs, beside those of boxes alone."""
    plain, rich = (needed(scene(**one), contact, integrator) for one in ({}, features))
    assert plain <= rich
    return {name.removeprefix("dovetail.") for name in rich - plain}


@pytest.mark.parametrize(
    ("features", "names"),
    [
        ({"material": True}, {"contact.ipc.friction.lagged_contacts"}),
        ({"spring": True}, {"contact.ipc.newton.spring_terms"}),
        ({"shape": dt.Cylinder(1, 1)}, {"contact.ipc.solids.pair"}),
        ({"shape": dt.Torus(1, 0.2)}, {"contact.ipc.solids.pair"}),
        ({"shape": dt.Sphere(1)}, {"collision.distance.nearest_pair"}),
        ({"shape": dt.Capsule(1, 1)}, {"contact.ipc.feature_pair:_time_of_lines"}),
        ({"joint": True}, {"contact.ipc.joints.hessian", "linalg.kkt.records"}),
    ],
)
def test_a_feature_of_the_scene_needs_kernels_of_its_own_under_ipc(features, names):
    found = more(IPC, ImplicitEuler(), **features)
    assert names <= found
    of_others = {"spring_terms", "solids.pair", "lagged_contacts", "joints.hessian"}
    others = {one for one in of_others if not any(one in name for name in names)}
    assert not any(other in name for name in found for other in others)


def test_friction_of_the_method_is_friction_too():
    without, rough = (
        needed(scene(), dt.contact.IPC(friction=mu), ImplicitEuler()) for mu in (0, 1)
    )
    assert without < rough
    assert any("friction.lagged_contacts" in name for name in rough - without)


def test_fields_of_smooth_shapes_are_sought_under_lcp_only_where_there_are_any():
    assert more(LCP, StewartTrinkle(), shape=dt.Sphere(1)) == set()
    assert "collision.field_contacts.pairs" in more(LCP, StewartTrinkle(), shape=dt.Cone(1, 1))
    assert more(SDF, LieVerlet(), shape=dt.Cone(1, 1)) == set()


def test_joints_need_rows_under_contact_and_a_tree_without():
    of_lcp = more(LCP, StewartTrinkle(), joint=True)
    assert "integrators.stewart_trinkle.jointed_kernels" in of_lcp
    assert "multibody.constraints.rows:row_rate" in of_lcp
    assert "integrators.compliant_euler.joint_kernels" in more(SDF, CompliantEuler(), joint=True)
    hinged = scene(joint=True)
    tree, loops = (needed(hinged, contact, RATTLie()) for contact in (None, SDF))
    assert any("variational.tree.step" in name for name in tree)
    assert any("variational.step:move" in name for name in loops - tree)
    assert not any("variational.tree" in name for name in loops)


def test_a_scheme_steps_in_one_kernel_where_no_contact_has_to_come_between():
    free, touching = (needed(scene(), contact, LieVerlet()) for contact in (None, SDF))
    assert "dovetail.integrators.lie_verlet.step:step" in free - touching
    assert "dovetail.integrators.lie_verlet.step:finish" in touching - free
    assert np.all(["contact" not in name for name in free])


@pytest.mark.parametrize(
    ("contact", "integrator"),
    [
        (None, LieVerlet()),
        (None, RATTLie()),
        (IPC, ImplicitEuler()),
        (LCP, StewartTrinkle()),
        (SDF, CompliantEuler()),
    ],
)
def test_forces_of_springs_are_compiled_for_scenes_with_springs(contact, integrator):
    names = {"add_stiffness", "add_damping", "add_spring_energy"}
    assert {f"multibody.loads.wrenches:{name}" for name in names} <= more(
        contact, integrator, spring=True
    )


@pytest.mark.parametrize(("count", "moved"), [(15, False), (16, True)])
def test_many_bodies_that_move_are_solved_by_clusters(count, moved):
    made = dt.Scene()
    made.add_body("floor", dt.Box((9, 9, 1)), motion="static", position=(0, 0, -9))
    for k in range(count):
        motion = "kinematic" if k == 0 else "dynamic"
        made.add_body(f"box{k}", dt.Box((1, 1, 1)), mass=1, position=(2 * k, 0, 0), motion=motion)
    names = needed(made.build(), IPC, ImplicitEuler())
    assert (
        "dovetail.contact.ipc.clusters.overlaps" in {n.partition(":")[0] for n in names}
    ) == moved
