"""Bodies, joints and motions that are somewhere else than their neighbours."""

import numpy as np

from dovetail.model.joints import Joint
from dovetail.model.joints.equations import GAP
from dovetail.model.joints.motions import BallRotation, Helix, Rotation
from dovetail.model.values import quote, rotation_matrix, vector3
from dovetail.scene_check.finding import Finding, merged, place, points
from dovetail.scene_check.placed_body import PlacedBody

FAR = 100.0  # times the size of the rest of the scene
FAR_SHAPE = 1000.0  # times the size of a body, from the origin of its frame
FAR_JOINT = 10.0  # times the size of the bodies it joins
FAR_END = 100.0  # times their size, from one of the two


def find_far_bodies(bodies: list[PlacedBody]) -> list[Finding]:
    """Bodies much farther from all others than the others spread."""
    solid = [body for body in bodies if body.has_surface and not body.unbounded]
    if any(body.unbounded for body in bodies):
        return []  # a half-space is near everything
    if len(solid) < 3 and (len(solid) < 2 or all(body.moves for body in solid)):
        return []  # two that move may be meant to be far from each other
    boxes = np.array([body.bounds for body in solid])
    # A body away from the box of all others is the outermost one in some direction.
    outermost = {
        *np.argmin(boxes[:, :3], axis=0).tolist(),
        *np.argmax(boxes[:, 3:], axis=0).tolist(),
    }
    found = []
    for i in sorted(outermost):
        others = np.delete(boxes, i, axis=0)
        lower, upper = others[:, :3].min(axis=0), others[:, 3:].max(axis=0)
        away = np.maximum(0.0, np.maximum(lower - boxes[i, 3:], boxes[i, :3] - upper))
        distance, extent = float(np.linalg.norm(away)), float(np.linalg.norm(upper - lower))
        if len(solid) == 2 and not solid[i].moves:
            continue
        if distance > FAR * max(extent, solid[i].size):
            found.append(
                Finding(
                    "warning",
                    "far away",
                    (solid[i].name,),
                    f"body {quote(solid[i].name)} is {distance:.3g} m from everything else, which "
                    f"fits into {extent:.3g} m; check its `position` and units",
                    locations=points([solid[i].body.position]),
                )
            )
    return found


def find_far_surfaces(bodies: list[PlacedBody]) -> list[Finding]:
    """Shapes far from the origin of their own frame, as parts of an assembly are drawn."""
    found = []
    for body in bodies:
        if body.body.shape is None or body.unbounded or not body.has_surface:
            continue
        away = float(np.linalg.norm(body.body.centre))
        if body.given.center_of_mass is None and away > FAR_SHAPE * body.size:
            found.append(
                Finding(
                    "warning",
                    "far away",
                    (body.name,),
                    f"the shape of body {quote(body.name)} is {away:.3g} m from the origin of its "
                    f"own frame, which `position` places, but only {body.size:.3g} m long; it "
                    f"starts at {place(body.body.position)}: check the origin and units of its "
                    "file",
                )
            )
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def find_far_joints(
    joints: dict[str, tuple[Joint, str, str]], bodies: dict[str, PlacedBody]
) -> list[Finding]:
    """Joints whose point is far from every body they join."""
    found = []
    for name, (joint, body_a, body_b) in joints.items():
        ends = [bodies[end] for end in (body_a, body_b) if end in bodies]
        ends = [end for end in ends if end.has_surface and not end.unbounded]
        if not _rotates_about_point(joint) or not ends:
            continue
        point = vector3(joint.point, "point")
        gaps = [end.distance(point) for end in ends]
        size = max(end.size for end in ends)
        far = max(gaps) if len(ends) == 2 and max(gaps) > FAR_END * size else min(gaps)
        if far > FAR_JOINT * size:
            from_one = [end for end, gap in zip(ends, gaps) if gap == far]
            who = " and ".join(quote(end.name) for end in (from_one if min(gaps) < far else ends))
            found.append(
                Finding(
                    "warning",
                    "far joint",
                    (name,),
                    f"joint {quote(name)} at {place(point)} is {far:.3g} m from what "
                    f"it joins ({who}, {size:.3g} m long); `point` is in world coordinates at the "
                    "initial pose",
                    locations=points([point]),
                )
            )
    return found


def _rotates_about_point(joint: Joint) -> bool:
    """Whether `point` matters: a rotation about an axis that keeps a gap across it closed."""
    gaps = {equation.axis_a for equation in joint.equations if equation.kind == GAP}
    return any(
        bool(gaps) if isinstance(motion, BallRotation) else bool(gaps - {motion.axis})
        for motion in joint.motions
        if isinstance(motion, BallRotation | Rotation | Helix)
    )


def find_jumping_bodies(bodies: list[PlacedBody]) -> list[Finding]:
    """Kinematic bodies placed elsewhere than where the motion they are given begins."""
    found = []
    for body in bodies:
        given = body.given
        if given.trajectory is None or (given.rotation is None and not np.any(given.position)):
            continue  # no motion of its own, or no placement beside it
        origin, R = vector3(given.position, "position"), body.body.rotation
        if given.rotation is not None:
            R = rotation_matrix(given.rotation, "rotation")
        written = origin + R @ body.body.centre if given.shape is not None else origin
        shift = float(np.linalg.norm(body.body.position - written))
        cosine = (float(np.trace(body.body.rotation @ R.T)) - 1) / 2
        angle = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
        size = body.size if body.has_surface else 1.0
        if shift > 1e-6 * size or angle > 1e-3:
            found.append(
                Finding(
                    "warning",
                    "kinematic start",
                    (body.name,),
                    f"the motion of kinematic body {quote(body.name)} begins {shift:.3g} m and "
                    f"{angle:.3g} degrees away from where its `position` and `rotation` put it, "
                    "and the motion holds; let the two agree, or leave those out (poses of a "
                    "motion are those of the centre of mass)",
                    locations=points([body.body.position]),
                )
            )
    return found
