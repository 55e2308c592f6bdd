"""`dt.prove`: the question as its user asks it."""

from copy import deepcopy
from dataclasses import replace
from math import isfinite
from time import perf_counter
from typing import Any

from dovetail.errors import InputError
from dovetail.model.scene import Scene
from dovetail.model.unknown_names import unknown_body
from dovetail.model.values import quote
from dovetail.prove.assembling import AssemblyPath, assembling, assembly_plan
from dovetail.prove.kinematic.question import TESTS, KinematicQuestion
from dovetail.prove.motion.plan import plan_of
from dovetail.prove.output.progress import ProofProgress
from dovetail.prove.request.given import Reading, given_scene
from dovetail.prove.surfaces.refinement import refined_scene, tessellated, with_solid_half_spaces
from dovetail.prove.verdict import Proof
from dovetail.runtime.options import named_options

REFINEMENTS = (1, 4, 16)  # times the segments that were given
RANGE_REFINEMENTS = (4, 16, 64, 512)  # the same where the ends of meetings are narrowed
COARSE_SHARE = 4  # of the tests left: the part that triangles take which may be refined


@named_options
def prove(
    scene: Any,
    sweep: Any = None,
    clearance: Any = None,
    ignore: Any = (),
    path: Any = None,
    assemble: Any = None,
    drive: Any = None,
    contact: Any = None,
    by: str | None = None,
    force: Any = None,
    duration: Any = None,
    progress: bool | None = None,
    joints: Any = (),
    unit: str = "mm",
    tolerance: Any = None,
    any_size: bool = False,
) -> Proof:
    """Does the assembly move? Decided for every position of the swept joints, not at samples.

    Args:
        scene: parts and joints; joints that are not swept keep their initial position. A
            `dt.Scene`; the name of a scene file, whose `prove` section says what the call leaves
            open; the name of a STEP or 3MF file or of a folder of meshes; or {name: object} of a
            CAD library (build123d, CadQuery: what has `tessellate(tolerance)`), where an object may
            also be a list of shapes, a workplane or a builder; or an assembly or a labelled
            compound of such a library, nested or not.
        sweep: {joint: (from, to)} [rad or m] from the initial pose; several joints: all
            combinations of their ranges. A joint with several coordinates takes a list of pairs.
        path: {joint: (value, value, ...)} [rad or m], each joint the same number of values: all go
            straight from one to the next. Instead of `sweep`.
        assemble: {part: "up"} or {part: [(x, y, z), ...]} [m] from its place: can it be put in
            along this path, the others where they are? Instead of `sweep`.
        drive: {joint: (from, to)} [rad or m]: moved with contact, by a motor or by weight. Does it
            get there? Instead of `sweep`.
        contact: for `drive`: a method or its name; default: the file's, or `dt.contact.IPC()`.
        by: what drives: "motor" (default) or "weight".
        force: [N or N m] of a motor at most, or {joint: force}; default: 20 times the weight.
        duration: [s] in which a motor goes from one end to the other; default: from the length of
            the way, slowly.
        clearance: [m] that parts must keep; 0: they must not touch. Default: the file's, or 0.
        ignore: pairs of body names that may touch; they are listed in the proof as excused.
        progress: None: a bar if stderr is a terminal; True or False: a bar or none.
        joints: of parts from CAD, as texts: "hinge: revolute leaf about z through (0, 0, 5) mm,
            0..90 deg". Their ranges are swept where the call asks nothing else.
        unit: of a folder of meshes or of CAD objects: "mm", "cm", "m", "in".
        tolerance: [m] of the triangles of a STEP file or of CAD objects; it is taken off every
            clearance.
        any_size: True: parts from CAD may be of 20 m and more, or all smaller than 0.1 mm.

    Returns:
        A `Proof`: `.verdict` "proven", "meets", "jams" or "undecided", `.least_clearance` [m],
        `.between` which parts, `.at` which joint values, `.meets` the ranges in which parts meet;
        `.save("proof.json")` and `.save("proof.html")` write what the command writes.
        Where round shapes are examined as triangles, the deviation of these is `.tessellation`; it
        is taken off every clearance, so that the proof is about the true surfaces.

    Raises:
        InputError: the question makes no sense.
    """
    given = given_scene(scene, Reading(joints, unit, tolerance, any_size))
    scene, required = given.scene, _length(given.clearance if clearance is None else clearance)
    kinds = {"sweep": sweep, "path": path, "assemble": assemble, "drive": drive}
    question = {name: value for name, value in kinds.items() if value is not None}
    if len(question) > 1:
        raise InputError("a question must have one of `sweep`, `path`, `assemble`, `drive`")
    question = question or dict(given.question)
    options = {"contact": contact, "by": by, "force": force, "duration": duration}
    options = {name: value for name, value in options.items() if value is not None}
    if options and "drive" not in question:
        raise InputError(f"`{next(iter(options))}` is for driven motions; add `drive`")
    if "drive" in question and "contact" not in options:
        options["contact"] = given.contact
    question |= options
    pairs = _pairs([*given.ignore, *ignore], scene)
    with ProofProgress(progress) as shown:
        proof = _answer(scene, question, required, pairs, shown)
    return replace(proof, source=(scene, question))


def _answer(
    scene: Scene, question: dict[str, Any], required: float, pairs: frozenset[frozenset[str]],
    shown: ProofProgress,
) -> Proof:  # fmt: skip
    if "drive" in question:
        from dovetail.prove.driven.question import DrivenQuestion

        return DrivenQuestion(_excused(scene, pairs), required, **question).answer(shown)
    put = None
    if "assemble" in question:
        scene, put = assembling(scene, question["assemble"])
    return _swept(scene, question.get("sweep"), question.get("path"), put, required, pairs, shown)


def _length(clearance: Any) -> float:
    """[m], checked."""
    try:
        required = float(clearance)
    except (TypeError, ValueError):
        required = -1.0
    if not (isfinite(required) and required >= 0.0):
        raise InputError(f"`clearance` must be a length >= 0 [m], got {quote(clearance)}")
    return required


def _swept(
    scene: Scene, sweep: Any, path: Any, put: AssemblyPath | None, required: float,
    pairs: frozenset[frozenset[str]], shown: ProofProgress,
) -> Proof:  # fmt: skip
    """The answer with the coarsest triangles that decide."""

    def question(factor: int, tests: int, share: int = 1) -> tuple[KinematicQuestion, bool]:
        """With finer triangles; and whether there may be finer ones."""
        finer = scene if factor == 1 else refined_scene(scene, factor)
        model = finer.build()
        plan = plan_of(model, sweep, path) if put is None else assembly_plan(model, put)
        solid = with_solid_half_spaces(finer, model, plan.reach)
        model = model if solid is finer else solid.build()
        more = factor != REFINEMENTS[-1] and tessellated(model)
        budget = max(1, (TESTS - tests) // (share if more else 1))
        return KinematicQuestion(model, plan, required, pairs, factor, budget, shown), more

    started, tests = perf_counter(), 0
    for factor in REFINEMENTS:
        attempt, more = question(factor, tests, COARSE_SHARE)
        proof = attempt.answer(finer_may_follow=more)
        tests += attempt.tests
        if proof.verdict != "undecided" or not more or tests >= TESTS:
            break
    coarse = None
    for finer in (finer for finer in RANGE_REFINEMENTS if finer > factor):
        if not attempt.leaves_open(coarse) or tests >= TESTS:
            break
        coarse, (attempt, _) = attempt, question(finer, tests)
        proof = attempt.narrowed(proof, coarse)
        tests += attempt.tests
    return proof.with_cost(perf_counter() - started, tests)


def _excused(scene: Scene, pairs: frozenset[frozenset[str]]) -> Scene:
    """A copy of the scene with these contacts excluded."""
    made = deepcopy(scene) if pairs else scene
    for pair in pairs:
        made.exclude_contact(*sorted(pair))
    return made


def _pairs(ignore: Any, scene: Scene) -> frozenset[frozenset[str]]:
    """The pairs of names, each a body of the scene."""
    pairs = set()
    for pair in ignore:
        names = tuple(pair) if isinstance(pair, list | tuple | set | frozenset) else ()
        if len(names) != 2:
            raise InputError(f"`ignore` must be pairs of body names, got {quote(pair)}")
        for name in names:
            if name not in scene.bodies:
                why = unknown_body("`ignore`", name, scene.bodies, False)
                raise InputError(f"{why} (`ignore` must be pairs of body names)")
        pairs.add(frozenset(names))
    return frozenset(pairs)
