"""The pairs of bodies that a question is about."""

from dataclasses import dataclass

from dovetail.collision.bvh.forest import forest_of
from dovetail.collision.bvh.tree import Bvh, bvh_of
from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.prove.kinematic.pair import Pair
from dovetail.prove.motion.chains import PairMotion, moving_pairs
from dovetail.prove.motion.plan import Plan
from dovetail.prove.pairs.pair_search import PairSearch
from dovetail.prove.surfaces.behind import Behind
from dovetail.prove.surfaces.examined import examined

Excuse = tuple[str, str, str]  # two bodies, and why they are not examined


@dataclass(frozen=True, eq=False)
class PairRequest:
    """Clearances to examine within ranges of parameters."""

    plan: Plan
    low: Array  # of all parameters
    high: Array
    clearance: float  # [m]
    ignored: frozenset[frozenset[str]]
    factor: int = 1  # times the segments of cylinders and cones


def prepared_pairs(model: Model, request: PairRequest) -> tuple[list[Pair], list[Excuse]]:
    """All that move against each other, and those among them that are excused."""
    bodies = [Behind(body, examined(body, request.factor)) for body in model.bodies]
    trees: dict[tuple[int, bytes], Bvh] = {}
    own: list[Bvh] = []
    place: dict[int, int] = {}
    for i, (body, behind) in enumerate(zip(model.bodies, bodies, strict=True)):
        surface = behind.seen.surface
        if not len(surface.vertices):
            continue
        key = (id(body.shape), body.centre.tobytes())
        if key not in trees:
            trees[key] = bvh_of(surface)
        place[i] = len(own)
        own.append(trees[key])
    forest = forest_of(own)
    pairs: list[Pair] = []
    excused: list[Excuse] = []
    for motion in moving_pairs(model, request.plan):
        why = _excuse(model, motion, request)
        if why is not None:
            excused.append((model.names[motion.a], model.names[motion.b], why))
            continue
        search = PairSearch(forest, (place[motion.a], place[motion.b]), motion)
        numbers = list(motion.parameters)
        low, high = request.low[numbers], request.high[numbers]
        both = bodies[motion.a], bodies[motion.b]
        pairs.append(Pair(model, search, both, request.clearance, low, high))
    if not pairs and not excused:
        raise InputError(
            "no two bodies with a surface move relative to each other in this sweep; check "
            "which bodies the swept joints connect"
        )
    return pairs, excused


def _excuse(model: Model, motion: PairMotion, request: PairRequest) -> str | None:
    """Why a pair is not examined; None where it is."""
    a, b = model.bodies[motion.a], model.bodies[motion.b]
    excluded = set(model.excluded)
    if a.group is not None and a.group == b.group:
        return f"both in group {quote(a.group)}"
    if (motion.a, motion.b) in excluded or (motion.b, motion.a) in excluded:
        return "their contact is excluded"
    if frozenset((a.name, b.name)) in request.ignored:
        return "may touch, as requested"
    return None
