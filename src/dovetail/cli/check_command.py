"""`dovetail check`: a scene before its run, a result after it."""

from itertools import groupby

import click

from dovetail.cli.scene_argument import find_scene

MOST_CROSSINGS = 10


@click.command()
@click.argument("scene_or_result")
@click.option("--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from.")
def command(scene_or_result: str, allow_paths: tuple[str, ...]) -> None:
    """Examine SCENE_OR_RESULT.

    A scene: open, self-intersecting or flipped meshes, masses, units, bodies that overlap at the
    start; exit code 2 when there is an error. A result (.h5): every recorded state is tested
    exactly for intersections; exit code 1 when one is found.
    """
    if scene_or_result.lower().endswith((".h5", ".hdf5")):
        _check_result(scene_or_result)
    else:
        _check_scene(scene_or_result, allow_paths)


def _check_scene(argument: str, allow_paths: tuple[str, ...]) -> None:
    from dovetail.geometry.scene_check import check_scene

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


def _check_result(path: str) -> None:
    from dovetail.results import load
    from dovetail.results.examination import examine

    result = load(path)
    found = examine(result)
    click.echo(f"{path}: {found.frames} frames to t = {result.time[-1]:g} s, {result.status}")
    click.echo(f"  rotations orthogonal to {found.orthogonality:.1e}")
    click.echo(
        f"  total energy within {found.energy_change:.3g} J of its start "
        f"(energies up to {found.energy_scale:.3g} J)"
    )
    for crossing in found.crossings[:MOST_CROSSINGS]:
        click.echo(
            f"error: at t = {crossing.time:g} s '{crossing.body_a}' and '{crossing.body_b}' "
            f"intersect in {crossing.pairs} places, first triangles {crossing.triangle_a} "
            f"and {crossing.triangle_b}"
        )
    if len(found.crossings) > MOST_CROSSINGS:
        click.echo(f"  ... and {len(found.crossings) - MOST_CROSSINGS} more")
    if not found.finite:
        click.echo("error: the result has numbers that are not finite")
    if not found.sound:
        raise click.exceptions.Exit(1)
    click.echo(
        "  no two bodies intersect at any recorded time (exact test; paths between frames "
        "are not examined)"
    )
