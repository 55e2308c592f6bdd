"""`dt.prove`: the question as its user asks it."""

from math import isfinite
from typing import Any

from dovetail.errors import InputError
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.prove.kinematic import KinematicQuestion
from dovetail.prove.plan import plan_of
from dovetail.prove.refinement import refined_scene, tessellated
from dovetail.prove.verdict import Proof

REFINEMENTS = (1, 4, 16)  # times the segments that were given


def prove(
    scene: Any, sweep: Any = None, clearance: Any = 0.0, ignore: Any = (), path: Any = None
) -> Proof:
    """Does the assembly move? Decided for every position of the swept joints, not at samples.

    Args:
        scene: parts and joints; joints that are not swept keep their initial position.
        sweep: {joint: (from, to)} [rad or m] from the initial pose; several joints: all
            combinations of their ranges. A joint with several coordinates takes a list of pairs.
        path: {joint: (value, value, ...)} [rad or m], each joint the same number of values: all go
            straight from one to the next. Instead of `sweep`.
        clearance: [m] that parts must keep; 0: they must not touch.
        ignore: pairs of body names that may touch; they are listed in the proof as excused.

    Returns:
        A `Proof`: `.verdict` "proven", "meets" or "undecided", `.least_clearance` [m],
        `.between` which parts, `.at` which joint values, `.meets` the ranges in which parts meet.
        Where round shapes are examined as triangles, the deviation of these is `.tessellation`; it
        is taken off every clearance, so that the proof is about the true surfaces.

    Raises:
        InputError: the question makes no sense.
    """
    if not isinstance(scene, Scene):
        raise InputError(f"`scene` must be a dt.Scene, got {quote(scene)}")
    try:
        required = float(clearance)
    except (TypeError, ValueError):
        required = -1.0
    if not (isfinite(required) and required >= 0.0):
        raise InputError(f"`clearance` must be a length >= 0 [m], got {quote(clearance)}")
    pairs = _pairs(ignore, scene)
    proof = None
    seconds, tests = 0.0, 0
    for factor in REFINEMENTS:
        finer = scene if factor == 1 else refined_scene(scene, factor)
        model = finer.build()
        plan = plan_of(model, sweep, path)
        proof = KinematicQuestion(model, plan, required, pairs).answer()
        seconds, tests = seconds + proof.seconds, tests + proof.tests
        if proof.verdict != "undecided" or not tessellated(model):
            break
    assert proof is not None
    return proof.with_cost(seconds, tests)


def _pairs(ignore: Any, scene: Scene) -> frozenset[frozenset[str]]:
    """The pairs of names, each a body of the scene."""
    pairs = set()
    for pair in ignore:
        names = tuple(pair) if isinstance(pair, list | tuple | set | frozenset) else ()
        if len(names) != 2 or any(name not in scene.bodies for name in names):
            raise InputError(f"`ignore` must be pairs of body names, got {quote(pair)}")
        pairs.add(frozenset(names))
    return frozenset(pairs)
