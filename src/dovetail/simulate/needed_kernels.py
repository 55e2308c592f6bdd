"""Which kernels a run calls, so that those that are missing are compiled together.

A name that is too much here costs compilation that the run would not need; one that is missing is
compiled alone when it is called. Kernels are written as `module` or `module:kernel`.
"""

from typing import Any

import numpy as np

from dovetail.contact.law import ContactMethod
from dovetail.integrators.interface import Integrator
from dovetail.model.frozen import GROUND, STATIC, Model
from dovetail.model.loads import SpringDamper
from dovetail.model.shapes import Capsule, Cone, Cylinder, Sphere, Torus
from dovetail.scene_check.deep_overlaps import deep_pairs

_LOADS = ("multibody.loads.wrenches:wrenches", "multibody.loads.wrenches:potential_energy")
_CONSTRAINED = (  # bodies and constraint rows, and the bundles of these
    *_LOADS, "multibody.constraints.rows:bundle_Rows", "multibody.constraints.bodies",
    "linalg.kkt.articulated", "linalg.kkt.fronts", "linalg.kkt.records", "linalg.kkt.sparse",
    "integrators.shared.accelerations",
    "linalg.lie.each:each_so3_exp", "integrators.shared.joint_kernels:sum_rows",
)  # fmt: skip
_OBSERVED = (  # joints of schemes that report velocities and forces after the step
    "multibody.constraints.rows:bundle_Rows", "multibody.constraints.bodies",
    "linalg.kkt.articulated", "linalg.kkt.fronts", "linalg.kkt.records", "linalg.kkt.sparse",
    "integrators.shared.joint_kernels",
)  # fmt: skip
_TREE = (
    "multibody.loads.wrenches:potential_energy",
    "integrators.joint_coordinates.step", "multibody.loops.closures:jacobian",
    "multibody.loops.closures:residuals", "multibody.loops.independent_rows",
    "multibody.topology.labels", "multibody.topology.spanning_tree:assemble",
    "multibody.tree.bodies:body_motion", "multibody.tree.crba",
    "multibody.tree.efforts:stored_energy", "multibody.tree.factor:factor",
    "multibody.tree.kinematics", "multibody.tree.momenta",
)  # fmt: skip
_TREE_STEPS = (
    "multibody.loads.wrenches:wrenches", "multibody.tree.records",
    "multibody.loads.wrenches:potential_energy", "integrators.variational.tree.step",
    "integrators.variational.tree.frames", "integrators.variational.tree.records",
    "multibody.frame_quantities", "multibody.topology.labels",
    "multibody.topology.spanning_tree:assemble", "multibody.tree.kinematics:positions",
)  # fmt: skip
_IPC = (
    *_LOADS, "contact.ipc.step", "contact.ipc.queries", "contact.ipc.records",
    "contact.ipc.workspace", "contact.ipc.candidates.records", "contact.ipc.friction.records",
    "contact.ipc.joints.records", "collision.bvh.build", "collision.bvh.pairs:pairs_between",
    "collision.bvh.slabs:set_slabs",
    "collision.broad_phase.sweep_and_prune", "linalg.lie.each:each_so3_exp",
    "linalg.lie.each:each_so3_hat", "multibody.constraints.rows:bundle_Rows",
    "multibody.loads.wrenches:position_wrenches", "integrators.shared.rebound:contact_stops",
    "integrators.shared.impulse_poses:apply_loads", "integrators.shared.impulse_poses:momenta",
    "integrators.shared.impulse_poses:free_rotations",
    "integrators.shared.impulse_poses:turn_spins", "integrators.shared.lasting_forces",
)  # fmt: skip
_IPC_FRICTION = (
    "contact.ipc.friction.lagged_contacts", "contact.ipc.friction.presliding_update",
)  # fmt: skip
_IPC_SOLIDS = (
    "contact.ipc.solids.pair", "contact.ipc.report", "contact.ipc.barrier.contact_points",
    "contact.ipc.feature_pair:_points_at_solid",
)  # fmt: skip
_IPC_JOINTS = tuple(
    f"contact.ipc.joints.{name}"
    for name in ("hessian", "multipliers", "direction", "projection", "energies")
)
_CLUSTERS = 16  # bodies that can move, see `contact.ipc.clusters.partition`
_SPRINGS = tuple(
    f"multibody.loads.wrenches:{name}"
    for name in ("add_stiffness", "add_damping", "add_spring_energy")
)
_IPC_SPRINGS = ("contact.ipc.newton.spring_terms",)
_DEEP = (  # the exact test of bodies whose boxes start deep in each other
    "collision.broad_phase.sweep_and_prune:sweep_pairs", "collision.bvh.build",
    "collision.bvh.pairs:pairs_between", "collision.mesh.solid_angle:winding_number",
)  # fmt: skip
_SDF = (
    "linalg.exact.convex_hull:quickhull",
    "collision.broad_phase.near_bodies", "collision.sdf.point_octree",
    "collision.sdf.points_inside:least_gap", "contact.penalty.derivatives:contact_residual",
    "contact.penalty.force:add_wrenches", "contact.penalty.surface_contacts",
)  # fmt: skip
_COMPLIANT = (
    "linalg.exact.convex_hull:quickhull", "collision.broad_phase.near_bodies:mark_near",
    "collision.sdf.point_octree", "collision.field_contacts.feature_contacts",
    "collision.field_contacts.reduction", "contact.penalty.compliant.step_kernels:end_gaps",
    "contact.penalty.sphere_contacts", "integrators.compliant_euler.kernels",
    "integrators.shared.impulse_poses:momenta", "linalg.block_cholesky.pattern:prepare",
    "multibody.constraints.rows:evaluate", "multibody.loads.wrenches:potential_energy",
)  # fmt: skip
_COMPLIANT_JOINTS = (
    "integrators.compliant_euler.joint_kernels", "contact.impulse.newton.workspace",
    "contact.impulse.step_rows",
)  # fmt: skip
_IMPACTS = (
    "contact.friction_curve:coefficients",
    "contact.impulse.gauss_seidel:gauss_seidel", "contact.impulse.rows",
    "contact.impulse.joint_kernels", "contact.impulse.step_rows",
    "contact.impulse.newton.workspace",
    "integrators.shared.impulse_poses:apply_loads", "integrators.shared.impulse_poses:momenta",
)  # fmt: skip
_LCP = (
    *_IMPACTS, "multibody.loads.wrenches:wrenches",
    "multibody.loads.wrenches:position_wrenches",
    "multibody.loads.wrenches:potential_energy", "collision.narrow_phase.pairs:find_contacts",
    "collision.narrow_phase.surfaces", "collision.broad_phase.sweep_and_prune",
    "contact.impulse.contact_matching", "contact.impulse.newton.minimise",
    "contact.impulse.detection", "integrators.stewart_trinkle.piece_kernels",
    "integrators.stewart_trinkle.prepare_kernels",
    "integrators.stewart_trinkle.contact_kernels", "integrators.stewart_trinkle.rest_kernels",
    "integrators.shared.impulse_poses:drift", "integrators.shared.impulse_poses:load_speeds",
    "integrators.shared.impulse_poses:point_speeds", "linalg.block_cholesky.pattern:prepare",
    "multibody.constraints.rows:evaluate",
)  # fmt: skip
_SMOOTH = (
    "linalg.exact.convex_hull:quickhull", "collision.sdf.point_octree",
    "collision.field_contacts.feature_contacts", "collision.field_contacts.reduction",
    "collision.field_contacts.pairs",
)  # fmt: skip
_OF_SCHEME = {
    "JointCoordinates": _TREE,
    "LieGeneralizedAlpha": (*_CONSTRAINED, "integrators.lie_generalized_alpha.step"),
    "EulerParameterDAE": (*_CONSTRAINED, "integrators.euler_parameter_dae.stages"),
    "BarrierVerlet": (
        *_IMPACTS,
        "integrators.shared.impulse_poses:kinetic",
        "contact.impulse.newton.minimise",
        "linalg.block_cholesky.pattern:prepare",
        "integrators.lie_verlet.step:drift",
        "multibody.constraints.rows:evaluate",
    ),
}
_WITH_CONTACT = {  # schemes that hand the forces of contact to the end of their step, and without
    "LieVerlet": (
        (
            *_LOADS,
            *(f"integrators.lie_verlet.step:{part}" for part in ("drift", "finish", "commit")),
        ),
        (*_LOADS, "integrators.lie_verlet.step:step"),
    ),
    **dict.fromkeys(
        ("RATTLie", "DH", "DL"),
        (
            (
                *_CONSTRAINED,
                *(f"integrators.variational.step:{part}" for part in ("move", "close", "commit")),
            ),
            (*_CONSTRAINED, "integrators.variational.step:step"),
        ),
    ),
}
_OBSERVES = ("ImplicitEuler", "BarrierVerlet", "StewartTrinkle", "JointCoordinates")
_OF_CONTACT = {"ipc": _IPC, "sdf": _SDF, "lcp": _LCP}
_REGISTERS = {  # modules that register kernels of others
    "collision.field_contacts.pairs": "collision.field_contacts.feature_contacts",
    "contact.ipc.step": "contact.ipc.warmup",
    "multibody.constraints.bodies": "integrators.shared.warmup",
    "multibody.constraints.rows:evaluate": "integrators.shared.warmup",
}


def _is_tree(model: Model) -> bool:
    """Whether RATTLie steps the model in joint coordinates."""
    from dovetail.integrators.variational.tree.suited import suits  # with its kernels

    return bool(suits(model))


def _is_smooth(shape: Any) -> bool:
    """Whether LCP looks for the contacts of a shape in fields."""
    return isinstance(shape, Cylinder | Cone | Torus)


def _any_spring(model: Model) -> bool:
    return any(isinstance(placed.load, SpringDamper) for placed in model.loads)


def _any_round(model: Model) -> bool:
    """Whether there are bodies whose gaps at the start are those of round shapes."""
    return any(isinstance(body.shape, Sphere | Capsule) for body in model.bodies)


def _at_the_start(model: Model, contact: ContactMethod | None) -> tuple[str, ...]:
    """See `scene_check.deep_overlaps`."""
    if contact is None or contact.kind == "potential":
        return ()
    pairs = [(joint.body_a, joint.body_b) for joint in model.joints if joint.body_a != GROUND]
    pairs = [*model.excluded, *(pair for pair in pairs if pair[1] != GROUND)]
    apart = {frozenset(model.names[i] for i in pair) for pair in pairs}
    return _DEEP if deep_pairs(model.bodies, apart) else ()


def _of_ipc(model: Model, contact: ContactMethod) -> list[str]:
    """Kernels that are compiled when they are called (`runtime.later`), and will be called."""
    names: list[str] = []
    if model.materials or np.any(getattr(contact, "friction", 0.0)):
        names += _IPC_FRICTION
    if any(_is_smooth(body.shape) for body in model.bodies):
        names += _IPC_SOLIDS
    if model.joints:
        names += _IPC_JOINTS
    if _any_spring(model):
        names += _IPC_SPRINGS
    if model.joints or model.loads:
        names.append("multibody.topology.spanning_tree:assemble")  # mechanisms
    if np.count_nonzero(model.motion != STATIC) >= _CLUSTERS:
        names.append("contact.ipc.clusters.overlaps")
    if _any_round(model):
        names += ["collision.distance.nearest_pair", "contact.ipc.feature_pair:_time_of_lines"]
    return names


def needed_kernels(
    model: Model, contact: ContactMethod | None, integrator: Integrator
) -> tuple[list[str], list[str]]:
    """Modules that register the kernels of a run, and the kernels themselves."""
    if integrator.name == "CompliantEuler":
        parts = [*_COMPLIANT, *((*_COMPLIANT_JOINTS, *_OBSERVED) if model.joints else ())]
        parts += _SPRINGS if _any_spring(model) else ()
        return _modules_and_kernels([*parts, *_at_the_start(model, contact)])
    with_contact, without = _WITH_CONTACT.get(integrator.name, ((), ()))
    if integrator.name == "RATTLie" and contact is None and _is_tree(model):
        without = _TREE_STEPS
    names = [*_OF_SCHEME.get(integrator.name, ())]
    if contact is None:
        names += without
    else:
        names += [*with_contact, *_OF_CONTACT.get(contact.name, ()), *_at_the_start(model, contact)]
        if contact.name == "lcp" and any(_is_smooth(body.shape) for body in model.bodies):
            names += _SMOOTH
        if contact.name == "ipc":
            names += _of_ipc(model, contact)
        if model.joints:
            names += ["multibody.constraints.rows:evaluate", "multibody.constraints.rows:row_rate"]
    if _any_spring(model):
        names += _SPRINGS
    if model.joints and integrator.name == "StewartTrinkle":
        names += [f"integrators.stewart_trinkle.{one}_kernels" for one in ("jointed", "quiet")]
    if model.joints and integrator.name in _OBSERVES:
        names += _OBSERVED
    if model.joints and integrator.name == "ImplicitEuler":
        names.append("integrators.shared.mechanism_kernels")
    return _modules_and_kernels(names)


def _modules_and_kernels(names: list[str]) -> tuple[list[str], list[str]]:
    """Modules that register the kernels `names` and those of every frame, and these."""
    names = [*names, "multibody.frame_quantities:_measure", "multibody.motion_squares"]
    modules = [name.partition(":")[0] for name in names]
    modules += [_REGISTERS[name] for name in names if name in _REGISTERS]
    return [f"dovetail.{name}" for name in modules], [f"dovetail.{name}" for name in names]
