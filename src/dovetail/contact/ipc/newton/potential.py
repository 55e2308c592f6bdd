"""The incremental potential of a step: its energy, gradient and Hessian.

    E(x, R) = sum of inertia terms + h^2 sum of barriers K m B(D^2) + friction + loads
(Ferguson et al., Rigid IPC (2021), section 4), K [J] of each pair of bodies (`barrier.stiffness`),
over the poses of all bodies with unknowns; friction is lagged (`friction.potential`), and how loads
change in the step is a quadratic form (`newton.load_terms`).
"""

from dovetail.contact.ipc.barrier.contacts import add_barrier_terms, barrier_energy
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.feature_pair import features_at
from dovetail.contact.ipc.friction.lagged_contacts import add_friction_derivatives
from dovetail.contact.ipc.friction.potential import friction_energy
from dovetail.contact.ipc.newton.inertia_terms import set_inertia_terms, total_inertia_energy
from dovetail.contact.ipc.newton.load_terms import add_load_blocks, evaluate_loads
from dovetail.contact.ipc.newton.projection import project_pairs
from dovetail.contact.ipc.newton.spring_terms import add_spring_terms, any_springs, spring_energy
from dovetail.contact.ipc.newton.system import add_contact_blocks, fix_unknowns
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def energy_at(bodies, lists, workspace, friction, poses, start, barrier):
    """E [kg m^2] at poses whose distances are up to date; the step begins at `start`."""
    inertia = total_inertia_energy(
        bodies.mass, bodies.J, workspace.two_step.weight, bodies.slot, poses, workspace.predicted,
        start.R, workspace.impulse,
    )  # fmt: skip
    of_barrier = barrier_energy(
        active_candidates(lists), workspace.squared, poses.x,
        features_at(bodies, lists, workspace, poses.R), barrier, lists.barriers,
    )  # fmt: skip
    of_friction = friction_energy(friction.contacts, poses.x, poses.R, start.x)
    of_loads = evaluate_loads(workspace.loads, bodies.slot, poses, start)
    if any_springs(workspace.springs):
        of_loads += spring_energy(workspace.springs, poses, workspace.predicted)
    return inertia + of_barrier + of_friction + of_loads


@jit_in_place
def differentiate(bodies, lists, workspace, friction, start, barrier, theta, positive):
    """Gradient and Hessian blocks at the iterate: (energy, contacts, blocks off the diagonal).

    `theta` is the part of what is not a sum of squares, GRADIENT_ONLY for the gradient alone;
    `positive` projects the blocks of inertia, and with theta > 0 those of pairs.
    """
    iterate, system, terms = workspace.iterate, workspace.system, workspace.terms
    candidates, geometry = active_candidates(lists), bodies.geometry
    loads = workspace.loads
    energy = evaluate_loads(loads, bodies.slot, iterate, start)
    energy += set_inertia_terms(
        bodies.mass, bodies.J, workspace.two_step.weight, bodies.slot, iterate,
        workspace.predicted, start.R, workspace.impulse, loads.pull, system.gradient,
        system.diagonal, positive,
    )  # fmt: skip
    of_barrier, contacts = add_barrier_terms(
        candidates, workspace.squared, iterate.x, features_at(bodies, lists, workspace, iterate.R),
        geometry.patches.inner, barrier, lists.barriers, theta, terms,
    )  # fmt: skip
    of_friction = 0.0
    if friction.contacts.n_contacts[0] > 0:
        add_friction_derivatives(lists, workspace, friction, start.x, theta)
        of_friction = friction_energy(friction.contacts, iterate.x, iterate.R, start.x)
    if positive and theta > 0.0:
        project_pairs(candidates, terms, geometry.radius, workspace.square)
    n_linked = add_contact_blocks(candidates, terms, bodies.slot, system)
    n_linked = add_load_blocks(loads, bodies.slot, iterate, start, system, n_linked)
    if any_springs(workspace.springs):
        of_springs, n_linked = add_spring_terms(
            workspace.springs, iterate, workspace.predicted, system, n_linked,
            0.0 if positive else theta,
        )  # fmt: skip
        energy += of_springs
    fix_unknowns(system, n_linked, bodies.owner, bodies.free, workspace.islands.state)
    return energy + of_barrier + of_friction, contacts, n_linked
