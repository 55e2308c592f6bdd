"""What `dovetail prove` prints."""

from math import degrees
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dovetail.model.scene import Scene
    from dovetail.prove import Proof

MAX_REPORTED = 10


def _quantities(scene: "Scene") -> dict[str, str]:
    """Of each coordinate of the joints: angle or length."""
    return {
        name if len(joint.coordinates) == 1 else f"{name} ({k})": coordinate.quantity
        for name, (joint, *_) in scene.joints.items()
        for k, coordinate in enumerate(joint.coordinates, 1)
    }


def report(proof: "Proof", scene: "Scene") -> None:
    quantities = _quantities(scene)

    def value(joint: str, number: float) -> str:
        """In degrees or millimetres; of a path the number of its leg and the share of that."""
        if joint in scene.bodies and joint not in scene.joints:
            return f"{1e3 * number:.6g} mm from its place"
        if joint in quantities:
            quantity = quantities[joint]
            return f"{degrees(number):.6g} deg" if quantity == "angle" else f"{1e3 * number:.6g} mm"
        return f"{number:.6g}"

    place = ", ".join(f"{joint} = {value(joint, number)}" for joint, number in proof.at.items())
    for meeting in proof.meets[:MAX_REPORTED]:
        a, b = meeting.between
        low, high = value(meeting.joint, meeting.low), value(meeting.joint, meeting.high)
        known = ""
        if meeting.is_open:
            open_by = value(meeting.joint, meeting.bracket)
            known = f" (free outside of that; its ends are open by up to {open_by})"
        click.echo(f"meets: '{a}' and '{b}' for {meeting.joint} from {low} to {high}{known}")
    for doubt in proof.doubts[:MAX_REPORTED]:
        a, b = doubt.between
        ends = [(name, doubt.low.get(name), doubt.high.get(name)) for name in doubt.at]
        open_ranges = [
            f" for {name} from {value(name, low)} to {value(name, high)}"
            for name, low, high in ends
            if low is not None and high is not None and high > low
        ]
        click.echo(f"undecided: '{a}' and '{b}'{''.join(open_ranges)}: {doubt.reason}")
    hidden = max(0, len(proof.meets) - MAX_REPORTED) + max(0, len(proof.doubts) - MAX_REPORTED)
    if hidden:
        click.echo(f"  ... and {hidden} more")
    for held in proof.holds[:MAX_REPORTED]:
        a, b = held.between
        click.echo(f"held: '{a}' and '{b}' press on each other with {held.strength:.4g} N")
    for joint, effort in proof.needed.items():
        angle = quantities[joint] == "angle"
        click.echo(f"  {joint} needs up to {effort:.4g} {'N m' if angle else 'N'}")
    for a, b, reason in proof.excused:
        click.echo(f"  not examined: '{a}' and '{b}', {reason}")
    if proof.between is not None:
        a, b = proof.between
        click.echo(
            f"least clearance {1e3 * proof.least_clearance:.6g} mm between '{a}' and '{b}' "
            f"at {place}"
        )
    if proof.tessellation:
        click.echo(f"  tessellation of up to {1e3 * proof.tessellation:.3g} mm is taken off")
    for one in proof.measured[:MAX_REPORTED]:
        click.echo(
            f"  '{one.part}' has curved faces without a formula: {1e3 * one.deviation:.3g} mm is "
            "measured on finer triangles; the verdict rests on it"
        )
    for note in proof.notes:
        click.echo(f"  note: {note}")
    kept = f"all parts keep {1e3 * max(proof.clearance, proof.proven_clearance):.6g} mm"
    driven = proof.motion is not None
    if driven and not proof.clearance:
        kept = "the motion reaches its end, and no two parts meet on the way"
    elif driven:
        kept = f"the motion reaches its end, and {kept}"
    sentence = {
        "proven": f"proven: {kept}" + ("" if driven else " for every position of the motion"),
        "meets": f"meets: parts come closer than {1e3 * proof.clearance:g} mm"
        if proof.clearance
        else "meets: parts touch or intersect",
        "undecided": "undecided: see above",
        "jams": f"jams: the motion stops short of its end, at {place}",
    }[proof.verdict]
    click.echo(f"{sentence} ({proof.pairs} pairs, {proof.tests} tests, {proof.seconds:.2f} s)")
