"""`dovetail check`: a scene before its run, a result after it."""

from itertools import groupby
from typing import TYPE_CHECKING

import click

from dovetail.cli.scene_argument import find_scene

if TYPE_CHECKING:
    from dovetail.verifier.certificate import PathFinding
    from dovetail.verifier.recorded_states import Crossing

MAX_REPORTED = 10
_KERNELS = (  # that the verifier calls
    "dovetail.collision.broad_phase.sweep_and_prune",
    "dovetail.collision.broad_phase.world_boxes",
    "dovetail.collision.bvh.build",
    "dovetail.linalg.lie.each:each_so3_exp",
    "dovetail.linalg.lie.each:each_so3_log",
    "dovetail.verifier.crossing_states",
    "dovetail.verifier.pair_paths",
)
NOT_EXAMINED = {
    "prescribed": "that both have a prescribed motion",
    "group": "of one group, which do not collide",
    "joint": "that a joint connects",
}


@click.command()
@click.argument("scene_or_result")
@click.option("--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from.")
@click.option(
    "--clearance",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Distance [m] that the bodies of a result must keep at all times.",
)
def command(scene_or_result: str, allow_paths: tuple[str, ...], clearance: float) -> None:
    """Examine SCENE_OR_RESULT.

    A scene: open, self-intersecting or flipped meshes, masses, units, bodies that overlap at the
    start; exit code 2 when there is an error. A result (.h5): every recorded state is tested
    exactly for intersections, and so is the path between recorded states; exit code 1 when one is
    found, 3 when it could not be decided.
    """
    if scene_or_result.lower().endswith((".h5", ".hdf5")):
        _check_result(scene_or_result, clearance)
    else:
        _check_scene(scene_or_result, allow_paths)


def _check_scene(argument: str, allow_paths: tuple[str, ...]) -> None:
    from dovetail.scene_check import check_scene

    loaded = find_scene(argument, allow_paths)
    findings = check_scene(loaded.scene)
    for note in loaded.notes:
        click.echo(f"note: {note}")
    for finding in findings:
        click.echo(str(finding))
    counts = [
        f"{len(list(members))} {severity}(s)"
        for severity, members in groupby(findings, key=lambda finding: finding.severity)
    ]
    count = len(loaded.scene.bodies)
    bodies = "1 body" if count == 1 else f"{count} bodies"
    click.echo(f"{loaded.source.name}: {bodies}, {', '.join(counts) or 'nothing to report'}")
    if any(finding.severity == "error" for finding in findings):
        raise click.exceptions.Exit(2)


def _check_result(path: str, clearance: float) -> None:
    from dovetail.results import load
    from dovetail.runtime.compile_ahead import compile_ahead
    from dovetail.verifier.certificate import certify

    result = load(path, verify=True)
    if result.status == "damaged":
        click.echo(f"error: {path}: {result.reason}")
        click.echo("undecided: no certificate for a damaged result")
        raise click.exceptions.Exit(3)
    modules = [kernel.partition(":")[0] for kernel in _KERNELS]
    with compile_ahead(modules, _KERNELS):
        certificate = certify(result, clearance=clearance)
    states = certificate.states
    waypoints = f" and {states.waypoints} waypoints" if states.waypoints else ""
    click.echo(
        f"{path}: {states.frames} frames{waypoints} to t = {result.time[-1]:g} s, {result.status}"
    )
    click.echo(f"  rotations orthogonal to {states.orthogonality:.1e}")
    click.echo(
        f"  total energy within {states.energy_change:.3g} J of its start "
        f"(energies up to {states.energy_scale:.3g} J)"
    )
    if not states.finite:
        click.echo("error: the result has numbers that are not finite")
    _report([_state_line(crossing) for crossing in states.crossings])
    for verdict in ("intersecting", "undecided"):
        found = [path for path in certificate.paths if path.verdict == verdict]
        _report([_path_line(path, clearance) for path in found])
    for why, count in certificate.unexamined.items():
        click.echo(f"  not examined: {count} pair(s) of bodies {NOT_EXAMINED[why]}")
    if certificate.verdict == "intersecting":
        raise click.exceptions.Exit(1)
    click.echo("  no two bodies intersect at any recorded time (exact test)")
    if certificate.verdict == "undecided":
        click.echo("undecided: whether they do so between recorded times")
        raise click.exceptions.Exit(3)
    click.echo(
        "  nor on the path from any recorded time to the next, at constant velocity and spin "
        f"({certificate.tests} tests)"
    )
    if clearance > 0:
        click.echo(f"  all bodies keep {clearance:g} m from each other at all of these times")


def _report(lines: list[str]) -> None:
    for line in lines[:MAX_REPORTED]:
        click.echo(line)
    if len(lines) > MAX_REPORTED:
        click.echo(f"  ... and {len(lines) - MAX_REPORTED} more")


def _state_line(crossing: "Crossing") -> str:
    return (
        f"error: at t = {crossing.time:g} s '{crossing.body_a}' and '{crossing.body_b}' "
        f"intersect in {crossing.pairs} places, first triangles {crossing.triangle_a} "
        f"and {crossing.triangle_b}"
    )


def _path_line(path: "PathFinding", clearance: float) -> str:
    between = f"between t = {path.begin:g} s and {path.end:g} s"
    if path.verdict == "undecided":
        return f"undecided: '{path.body_a}' and '{path.body_b}' {between}: {path.reason}"
    meet = f"come closer than {clearance:g} m" if clearance > 0 else "intersect"
    return (
        f"error: {between} '{path.body_a}' and '{path.body_b}' {meet}, at t = {path.time:.9g} s "
        f"triangles {path.simplex_a} and {path.simplex_b}"
    )
