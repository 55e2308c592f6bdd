"""`dovetail prove`: does an assembly move, and is it proven?"""

import json
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dovetail.cli.scene_argument import find_scene
from dovetail.errors import InputError

if TYPE_CHECKING:
    from dovetail.model.scene import Scene
    from dovetail.prove import Proof
    from dovetail.prove.verdict import Units

MAX_REPORTED = 10


@click.command()
@click.argument("assembly")
@click.option("--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from.")
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    metavar='"JOINT: FROM..TO UNIT"',
    help='Joint to move through a range, such as "hinge: 0..90 deg" or "slide: 0..12 mm".',
)
@click.option("--clearance", help='Distance to keep, such as "0.2 mm"; default: the file\'s, or 0.')
@click.option(
    "--ignore", "ignored", nargs=2, multiple=True, help="Two bodies that may touch each other."
)
@click.option("--json", "json_file", type=click.Path(), help="Write the proof as JSON.")
def command(
    assembly: str,
    allow_paths: tuple[str, ...],
    sweeps: tuple[str, ...],
    clearance: str | None,
    ignored: tuple[tuple[str, str], ...],
    json_file: str | None,
) -> None:
    """Prove that the parts of ASSEMBLY keep apart for every position of the swept joints.

    ASSEMBLY is a scene file; what to sweep is in its `prove` section, or given by --sweep. Exit
    code 0 proven, 1 parts meet, 3 undecided, 2 bad input.
    """
    from dovetail.prove import prove
    from dovetail.prove.spoken import length_in_si, sweeps_in_si

    loaded = find_scene(assembly, allow_paths)
    for note in loaded.notes:
        click.echo(f"note: {note}")
    asked = loaded.prove
    sweep = dict(asked.sweep) if asked is not None and not sweeps else {}
    ranges = {name: pairs[0] if len(pairs) == 1 else pairs for name, pairs in sweep.items()}
    units: Units = asked.units if asked is not None else {}
    if sweeps:
        ranges, units = sweeps_in_si(sweeps, loaded.scene)
    if not ranges:
        raise InputError(
            f"{assembly}: nothing says which joints to sweep; add `prove: {{sweep: {{joint: "
            '[from, to]}}` to the file, or give --sweep "joint: 0..90 deg"'
        )
    required = asked.clearance if asked is not None else 0.0
    if clearance is not None:
        required = length_in_si(clearance, "--clearance")
    excused = [*(asked.ignore if asked is not None else ()), *ignored]
    proof = prove(loaded.scene, ranges, required, excused)
    if json_file is not None:
        try:
            Path(json_file).write_text(json.dumps(proof.as_data(units), indent=1) + "\n")
        except OSError as error:
            raise InputError(f"{json_file} could not be written: {error.strerror}") from error
    _report(proof, loaded.scene)
    if proof.exit_code:
        raise click.exceptions.Exit(proof.exit_code)


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
