"""`dovetail prove`: does an assembly move, and is it proven?"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dovetail.cli.prove_report import report
from dovetail.cli.prove_request import Request, force_of
from dovetail.cli.reading_options import reading_options
from dovetail.cli.scene_argument import find_scene
from dovetail.errors import InputError

if TYPE_CHECKING:
    from dovetail.io.cad.parts import Part
    from dovetail.model.scene import Scene
    from dovetail.prove.verdict import Units

    Question = tuple[Scene, dict[str, Any], Units, float, list[tuple[str, str]]]


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
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar='"JOINT: VALUE, VALUE, ... UNIT"',
    help='Values of a joint in order, several joints in step: "push: 0, 10, 10 mm".',
)
@click.option(
    "--assemble",
    metavar='"PART: up" or "PART: (X, Y, Z), ... UNIT"',
    help="Put a part in straight from above, or through these places, relative to its final one.",
)
@click.option(
    "--drive",
    "drives",
    multiple=True,
    metavar='"JOINT: FROM..TO UNIT"',
    help="Joint to move by a motor, with contact: does it reach the end?",
)
@click.option("--by", type=click.Choice(["motor", "weight"]), help="What drives; default: motor.")
@click.option(
    "--force",
    "forces",
    multiple=True,
    metavar='FORCE or "JOINT: FORCE"',
    help="Largest force [N] or torque [N m] of the motors, or of one.",
)
@click.option("--duration", type=float, help="Time [s] of a driven motion; default: derived, slow.")
@click.option(
    "--contact", "contact_name", help="Contact method of --drive: ipc, sdf or lcp; default: ipc."
)
@click.option("--clearance", help='Distance to keep, such as "0.2 mm"; default: the file\'s, or 0.')
@click.option("--unit", default="mm", show_default=True, help="Unit of a folder of meshes.")
@click.option("--tolerance", help='Deviation of the triangles of a STEP file, such as "5 um".')
@click.option("--any-size", is_flag=True, help="Do not refuse assemblies of 20 m and more.")
@click.option(
    "--ignore", "ignored", nargs=2, multiple=True, help="Two bodies that may touch each other."
)
@click.option(
    "--progress/--no-progress", default=None, help="Show the progress; default: on a terminal."
)
@click.option("--html", "html_file", type=click.Path(), help="Write the proof as a page.")
@click.option("--json", "json_file", type=click.Path(), help="Write the proof as JSON.")
def command(
    assembly: str,
    reading: dict[str, Any],
    joints: tuple[str, ...],
    sweeps: tuple[str, ...],
    paths: tuple[str, ...],
    assemble: str | None,
    drives: tuple[str, ...],
    by: str | None,
    forces: tuple[str, ...],
    duration: float | None,
    contact_name: str | None,
    clearance: str | None,
    unit: str,
    tolerance: str | None,
    any_size: bool,
    ignored: tuple[tuple[str, str], ...],
    progress: bool | None,
    html_file: str | None,
    json_file: str | None,
) -> None:
    """Prove that the parts of ASSEMBLY keep apart in every position of a motion.

    ASSEMBLY is a scene file, whose `prove` section or --sweep, --path, --assemble or --drive says
    what moves; or a STEP file, a 3MF file or a folder of meshes, with a --joint for everything that
    moves. Exit code 0 proven, 1 parts meet or the motion jams, 3 undecided, 2 bad input.
    """
    from dovetail.io.cad.assembly import is_assembly, read_parts
    from dovetail.io.cad.size import refuse_odd_size
    from dovetail.prove import prove
    from dovetail.prove.request.spoken import length_in_si

    fine = None if tolerance is None else length_in_si(tolerance, "--tolerance")
    if fine is not None and not fine > 0.0:
        raise InputError(f"--tolerance must be > 0, got {tolerance!r}")
    required = None if clearance is None else length_in_si(clearance, "--clearance")
    request = Request(sweeps, paths, assemble, drives, by, force_of(forces), duration, contact_name)
    request.refuse_several()
    if is_assembly(Path(assembly)):
        parts = read_parts(Path(assembly), unit, fine)
        if not any_size:
            refuse_odd_size(parts, assembly)
        question = _of_parts(assembly, parts, joints, request)
    else:
        question = _of_scene(assembly, reading, joints, request)
    scene, wanted, units, kept, excused = question
    request.refuse_options(wanted)
    required = kept if required is None else required
    _writable(json_file, html_file)
    proof = prove(
        scene, clearance=required, ignore=[*excused, *ignored], progress=progress, **wanted
    )
    for file, ending in ((json_file, ".json"), (html_file, ".html")):
        if file is not None:
            proof.write(file, ending, units, Path(assembly).name)
    report(proof, scene)
    if proof.exit_code:
        raise click.exceptions.Exit(proof.exit_code)


def _writable(*files: str | None) -> None:
    """Refuse folders that are missing before the work, not after it."""
    for file in files:
        if file is not None and not Path(file).absolute().parent.is_dir():
            raise InputError(f"{file} could not be written: there is no such folder")


def _of_scene(
    assembly: str, reading: dict[str, Any], joints: tuple[str, ...], request: Request
) -> "Question":
    """What a scene file, and the command line, ask."""
    from dovetail.simulate.requested import requested_contact

    if joints:
        raise InputError("--joint is for CAD assemblies; a scene file has joints of its own")
    loaded = find_scene(assembly, **reading)
    for note in loaded.notes:
        click.echo(f"note: {note}")
    settings = loaded.prove
    excused = [] if settings is None else list(settings.ignore)
    kept = 0.0 if settings is None else settings.clearance
    if request.something:
        wanted, units = request.in_si(loaded.scene)
    elif settings is not None:
        wanted, units = settings.question(), settings.units
        request.add_options(wanted)
    else:
        raise InputError(
            f"{assembly}: nothing says what is to move; add `prove: {{sweep: {{joint: "
            '[from, to]}}` to the file, or give --sweep "joint: 0..90 deg"'
        )
    if "drive" in wanted:
        contact = requested_contact(loaded.run, request.contact)
        if contact is not None:
            wanted["contact"] = contact
    return loaded.scene, wanted, units, kept, excused


def _of_parts(
    assembly: str, parts: "list[Part]", joints: tuple[str, ...], request: Request
) -> "Question":
    """What is requested of the parts of a CAD assembly."""
    from dovetail.io.cad.assembly import scene_of_parts
    from dovetail.prove.request.coaxial import suggestions
    from dovetail.prove.request.spoken_joints import spoken_joints

    if request.sweeps:
        raise InputError("--sweep is for scene files; the --joint of a CAD assembly has its range")
    if not joints and not request.assemble:
        found = suggestions(parts)
        names = ", ".join(part.name for part in parts[:12])
        lines = [f"{assembly}: no --joint says what moves; its parts are {names}"]
        if found:
            lines.append("coaxial faces suggest: " + "; ".join(found[:8]))
        raise InputError(lines)
    made = spoken_joints(joints, parts)
    scene = scene_of_parts(parts, {one.part for one in made})
    for one in made:
        scene.add_joint(one.name, one.joint, one.parent, one.part)
    if request.something:
        wanted, units = request.in_si(scene)
        if "drive" in wanted and request.contact is not None:
            from dovetail.io.run_settings import RunSettings
            from dovetail.simulate.requested import requested_contact

            wanted["contact"] = requested_contact(RunSettings(), request.contact)
        return scene, wanted, units, 0.0, []
    ranges = {one.name: one.sweep for one in made}
    return scene, {"sweep": ranges}, {one.name: one.unit for one in made}, 0.0, []
