"""`dovetail prove`: does an assembly move, and is it proven?"""

import json
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dovetail.cli.reading_options import reading_options
from dovetail.cli.scene_argument import find_scene
from dovetail.errors import InputError

if TYPE_CHECKING:
    from dovetail.model.scene import Scene
    from dovetail.prove import Proof
    from dovetail.prove.verdict import Units

    Question = tuple[Scene, dict[str, Any], Units, float, list[tuple[str, str]]]

MAX_REPORTED = 10


@click.command()
@click.argument("assembly")
@reading_options
@click.option(
    "--joint",
    "joints",
    multiple=True,
    metavar='"NAME: TYPE PART about AXIS, FROM..TO UNIT"',
    help='Joint of a CAD assembly and its sweep: "hinge: revolute leaf_b about pin, 0..90 deg".',
)
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    metavar='"JOINT: FROM..TO UNIT"',
    help='Joint of a scene to move through a range: "hinge: 0..90 deg" or "slide: 0..12 mm".',
)
@click.option("--clearance", help='Distance to keep, such as "0.2 mm"; default: the file\'s, or 0.')
@click.option("--unit", default="mm", show_default=True, help="Unit of a folder of meshes.")
@click.option("--tolerance", help='Of the triangles of a STEP file, such as "5 um".')
@click.option(
    "--ignore", "ignored", nargs=2, multiple=True, help="Two bodies that may touch each other."
)
@click.option("--json", "json_file", type=click.Path(), help="Write the proof as JSON.")
def command(
    assembly: str,
    reading: dict[str, Any],
    joints: tuple[str, ...],
    sweeps: tuple[str, ...],
    clearance: str | None,
    unit: str,
    tolerance: str | None,
    ignored: tuple[tuple[str, str], ...],
    json_file: str | None,
) -> None:
    """Prove that the parts of ASSEMBLY keep apart for every position of the swept joints.

    ASSEMBLY is a scene file, whose `prove` section or --sweep names what to sweep; or a STEP file,
    a 3MF file or a folder of meshes, with a --joint for everything that moves. Exit code 0 proven,
    1 parts meet, 3 undecided, 2 bad input.
    """
    from dovetail.io.cad.assembly import is_assembly
    from dovetail.prove import prove
    from dovetail.prove.spoken import length_in_si

    fine = None if tolerance is None else length_in_si(tolerance, "--tolerance")
    required = None if clearance is None else length_in_si(clearance, "--clearance")
    if is_assembly(Path(assembly)):
        question = _of_parts(assembly, joints, unit, fine)
    else:
        question = _of_scene(assembly, reading, joints, sweeps)
    scene, ranges, units, asked, excused = question
    proof = prove(scene, ranges, asked if required is None else required, [*excused, *ignored])
    if json_file is not None:
        try:
            Path(json_file).write_text(json.dumps(proof.as_data(units), indent=1) + "\n")
        except OSError as error:
            raise InputError(f"{json_file} could not be written: {error.strerror}") from error
    _report(proof, scene)
    if proof.exit_code:
        raise click.exceptions.Exit(proof.exit_code)


def _of_scene(
    assembly: str, reading: dict[str, Any], joints: tuple[str, ...], sweeps: tuple[str, ...]
) -> "Question":
    """What a scene file, and the command line, ask."""
    from dovetail.prove.spoken import sweeps_in_si

    if joints:
        raise InputError("--joint is for CAD assemblies; a scene file has joints of its own")
    loaded = find_scene(assembly, **reading)
    for note in loaded.notes:
        click.echo(f"note: {note}")
    asked = loaded.prove
    sweep = dict(asked.sweep) if asked is not None and not sweeps else {}
    ranges: dict[str, Any] = {
        name: pairs[0] if len(pairs) == 1 else pairs for name, pairs in sweep.items()
    }
    units: Units = asked.units if asked is not None else {}
    if sweeps:
        ranges, units = sweeps_in_si(sweeps, loaded.scene)
    if not ranges:
        raise InputError(
            f"{assembly}: nothing says which joints to sweep; add `prove: {{sweep: {{joint: "
            '[from, to]}}` to the file, or give --sweep "joint: 0..90 deg"'
        )
    excused = [] if asked is None else list(asked.ignore)
    return loaded.scene, ranges, units, 0.0 if asked is None else asked.clearance, excused


def _of_parts(
    assembly: str, joints: tuple[str, ...], unit: str, tolerance: float | None
) -> "Question":
    """What is asked of the parts of a CAD assembly."""
    from dovetail.io.cad.assembly import read_parts, scene_of_parts
    from dovetail.prove.coaxial import suggestions
    from dovetail.prove.spoken_joints import spoken_joint

    parts = read_parts(Path(assembly), unit, tolerance)
    if not joints:
        found = suggestions(parts)
        names = ", ".join(part.name for part in parts[:12])
        lines = [f"{assembly}: no --joint says what moves; its parts are {names}"]
        if found:
            lines.append("coaxial faces suggest: " + "; ".join(found[:8]))
        raise InputError(lines)
    made, mistakes = [], []
    for text in joints:
        try:
            made.append(spoken_joint(text, parts))
        except InputError as error:
            mistakes += error.mistakes
    if mistakes:
        raise InputError(mistakes)
    scene = scene_of_parts(parts, {one.part for one in made})
    for one in made:
        scene.add_joint(one.name, one.joint, one.parent, one.part)
    ranges = {one.name: one.sweep for one in made}
    return scene, ranges, {one.name: one.unit for one in made}, 0.0, []


def _report(proof: "Proof", scene: "Scene") -> None:
    def value(joint: str, number: float) -> str:
        """In degrees or millimetres."""
        kinds = scene.joints[joint.partition(" (")[0]][0].coordinates
        if kinds[0].quantity == "angle" and joint in scene.joints:
            return f"{degrees(number):.6g} deg"
        return f"{1e3 * number:.6g} mm" if joint in scene.joints else f"{number:.6g}"

    place = ", ".join(f"{joint} = {value(joint, number)}" for joint, number in proof.at.items())
    for meeting in proof.meets[:MAX_REPORTED]:
        a, b = meeting.between
        low, high = value(meeting.joint, meeting.low), value(meeting.joint, meeting.high)
        click.echo(f"meets: '{a}' and '{b}' for {meeting.joint} from {low} to {high}")
    for doubt in proof.doubts[:MAX_REPORTED]:
        a, b = doubt.between
        click.echo(f"undecided: '{a}' and '{b}': {doubt.reason}")
    hidden = max(0, len(proof.meets) - MAX_REPORTED) + max(0, len(proof.doubts) - MAX_REPORTED)
    if hidden:
        click.echo(f"  ... and {hidden} more")
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
    kept = f"all parts keep {1e3 * max(proof.clearance, proof.proven_clearance):.6g} mm"
    sentence = {
        "proven": f"proven: {kept} for every position of the swept joints",
        "meets": f"meets: parts come closer than {1e3 * proof.clearance:g} mm"
        if proof.clearance
        else "meets: parts touch or intersect",
        "undecided": "undecided: see above",
        "jams": "jams: the motion does not reach its end",
    }[proof.verdict]
    click.echo(f"{sentence} ({proof.pairs} pairs, {proof.tests} tests, {proof.seconds:.2f} s)")
