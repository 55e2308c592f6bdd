"""Couplings of joint coordinates in terms of the coordinates of the tree."""

from dovetail.errors import InputError
from dovetail.model.couplings import PlacedCoupling
from dovetail.model.joints.motions import ANGLE
from dovetail.model.values import quote
from dovetail.multibody.loops import CouplingRow
from dovetail.multibody.mechanism.parts import Parts
from dovetail.multibody.tree import Tree

TreeTerm = tuple[int, int, tuple[float, ...]]


def held_couplings(parts: Parts, tree: Tree) -> list[CouplingRow]:
    """Those that are held, as equations."""
    model = parts.model
    return [
        CouplingRow(one.name, tree_terms(one, parts, tree), one.offset, _turns(one, parts))
        for one in model.couplings
        if one.is_held
    ]


def tree_terms(coupling: PlacedCoupling, parts: Parts, tree: Tree) -> list[TreeTerm]:
    """Where each coordinate has its value and velocity, and the coefficients of its powers."""
    numbers = {link.name: number for number, link in reversed(list(enumerate(parts.links, 1)))}
    found = []
    for term in coupling.terms:
        placed = parts.model.joints[term.joint]
        number = numbers.get(placed.name)
        if number is None:
            raise InputError(
                f"coupling {quote(coupling.name)} names joint {quote(placed.name)}, which connects "
                "no body that moves; leave it out"
            )
        coordinate = placed.joint.coordinates[term.coordinate]
        q, v = tree.q_of(number), tree.v_of(number)
        found.append((q.start + coordinate.q, v.start + coordinate.v, term.coefficients))
    return found


def _turns(coupling: PlacedCoupling, parts: Parts) -> bool:
    term = coupling.terms[0]
    return parts.model.joints[term.joint].joint.coordinates[term.coordinate].quantity == ANGLE
