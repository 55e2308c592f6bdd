"""`dovetail topology`: cut joints, labels, loops and a drawing of a system of joints."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dovetail.cli.reading_options import reading_options
from dovetail.errors import InputError
from dovetail.multibody.topology import Topology, analyse, draw_text
from dovetail.multibody.topology.reasons import reason_for_cut

LARGEST_FILE = 200_000_000  # bytes
MAX_LISTED = 200
SEPARATORS = str.maketrans(",;()[]", "      ")


@dataclass(frozen=True)
class Subject:
    """A topology with the names its bodies and joints have, if any."""

    topology: Topology
    body_names: list[str] | None
    joint_names: list[str] | None
    redundant: list[str]

    def body(self, number: int) -> str:
        if not number:
            return "ground"
        return f"body {number}" if self.body_names is None else self.body_names[number - 1]

    def joint(self, number: int) -> str:
        if self.joint_names is not None:
            return self.joint_names[number - 1]
        return "free joint" if number in self.topology.free_joints else f"joint {number}"


@click.command()
@click.argument("file")
@click.option(
    "--order",
    type=click.Choice(["as-given", "shallow"]),
    default="as-given",
    help="Which joints an incidence list keeps: the first ones, or those nearest the ground.",
)
@click.option("--floating", is_flag=True, help="Let islands of an incidence list float.")
@click.option("--picture", type=click.Path(path_type=Path), help="Draw to .png, .svg or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@reading_options
def command(
    file: str,
    order: str,
    floating: bool,
    picture: Path | None,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """Analyse FILE: a scene, a URDF or MJCF model, a built-in example or an incidence list.

    An incidence list is a text file with the two body numbers of one joint per line, ground = 0;
    text after # is ignored. A scene's joints are cut where the fewest loop equations result.
    """
    if file.lower().endswith((".txt", ".csv", ".dat", ".inc")):
        subject = _from_incidence(Path(file), order.replace("-", "_"), floating)
    else:
        subject = _from_scene(file, reading)
    if as_json:
        click.echo(json.dumps(_document(subject), indent=2))
    else:
        _report(subject)
    if picture is not None:
        from dovetail.view.topology_drawing import draw_topology  # matplotlib only when needed

        draw_topology(subject.topology, picture, subject.body_names, subject.joint_names)
        if not as_json:
            click.echo(f"wrote {picture}")


def _from_incidence(path: Path, order: str, floating: bool) -> Subject:
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if path.stat().st_size > LARGEST_FILE:
        raise InputError(f"{path}: an incidence list must have at most {LARGEST_FILE} bytes")
    pairs: list[Any] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        words = line.partition("#")[0].translate(SEPARATORS).split()
        if words:
            pairs.append([int(word) if word.lstrip("+-").isdigit() else word for word in words])
    try:
        topology = analyse(pairs, order=order, floating=floating)
    except InputError as error:
        raise InputError(f"{path}: {mistake}" for mistake in error.mistakes) from None
    return Subject(topology, None, None, [])


def _from_scene(file: str, reading: dict[str, Any]) -> Subject:
    from dovetail.cli.scene_argument import find_scene
    from dovetail.multibody.mechanism import Mechanism

    mechanism = Mechanism(find_scene(file, **reading).scene.build())
    parts, topology = mechanism.parts, mechanism.topology
    bodies = [parts.body_name(number) for number in range(1, topology.n_bodies + 1)]
    joints = [parts.joint_name(number) for number in range(1, topology.n_joints + 1)]
    redundant = [
        f"{equation.joint}: {equation.keeps}" for equation in mechanism.redundant_equations()
    ]
    return Subject(topology, bodies, joints, redundant)


def _report(subject: Subject) -> None:
    topology = subject.topology
    n_cut = len(topology.cut_joints)
    click.echo(
        f"{topology.n_bodies} bodies, {topology.n_joints} joints, {n_cut} cut, "
        f"{len(topology.free_joints)} free joints added for islands\n"
    )
    click.echo(draw_text(topology, subject.body_names, subject.joint_names, MAX_LISTED))
    if topology.n_bodies <= MAX_LISTED:
        click.echo("\nlabels")
        for number, label in enumerate(topology.body_labels, 1):
            click.echo(f"  {subject.body(number)} -> {label}")
        for number, label in enumerate(topology.joint_labels, 1):
            click.echo(f"  {subject.joint(number)} -> {label}")
    if subject.redundant:
        click.echo("\nequations of cut joints that follow from the others at this pose")
        for text in subject.redundant:
            click.echo(f"  {text}")


def _document(subject: Subject) -> dict[str, Any]:
    topology = subject.topology
    return {
        "bodies": topology.n_bodies,
        "joints": topology.n_joints,
        "body_names": subject.body_names,
        "joint_names": subject.joint_names,
        "cut_joints": list(topology.cut_joints),
        "reasons": [
            reason_for_cut(topology, number, subject.body, subject.joint)
            for number in topology.cut_joints
        ],
        "body_labels": list(topology.body_labels),
        "joint_labels": list(topology.joint_labels),
        "incidence": [list(pair) for pair in topology.incidence],
        "parents": list(topology.parents),
        "patterns": list(topology.patterns),
        "free_joints": list(topology.free_joints),
        "loops": [
            {"cut_joint": loop.cut_joint, "bodies": list(loop.bodies), "joints": list(loop.joints)}
            for loop in topology.loops
        ],
        "redundant_equations": subject.redundant,
    }
