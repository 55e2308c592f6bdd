"""`dovetail check`: a scene before its run, a result after it."""

from itertools import groupby

import click

from dovetail.cli.scene_argument import find_scene


@click.command()
@click.argument("scene_or_result")
@click.option("--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from.")
@click.option(
    "--clearance",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Distance [m] that the bodies of a result must keep at all times.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Depth [m] to which bodies may overlap, for methods that let them.",
)
def command(
    scene_or_result: str, allow_paths: tuple[str, ...], clearance: float, tolerance: float
) -> None:
    """Examine SCENE_OR_RESULT.

    A scene: open, self-intersecting or flipped meshes, masses, units, bodies that overlap at the
    start; exit code 2 when there is an error. A result (.h5): every recorded state is tested
    for intersections, and so is the path between recorded states; exit code 1 when bodies meet or
    touch, 3 when that could not be decided, 4 when they do not but the run did not finish or breaks
    an invariant such as the conservation of energy. 0 is said of a result that can be trusted.
    """
    if scene_or_result.lower().endswith((".h5", ".hdf5")):
        _check_result(scene_or_result, clearance, tolerance)
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


def _check_result(path: str, clearance: float, tolerance: float) -> None:
    from dovetail.cli.check_report import exit_code, report_lines
    from dovetail.results import load
    from dovetail.verifier.certificate import certify

    result = load(path, verify=True)
    if result.status == "damaged":
        click.echo(f"error: {path}: {result.reason}")
        click.echo("undecided: no certificate for a damaged result")
        raise click.exceptions.Exit(3)
    certificate = certify(result, clearance=clearance, tolerance=tolerance)
    for line in report_lines(path, float(result.time[-1]), certificate):
        click.echo(line)
    code = exit_code(certificate)
    if code:
        raise click.exceptions.Exit(code)
