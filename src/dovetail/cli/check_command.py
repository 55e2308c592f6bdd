"""`dovetail check`: a scene before its run, a result after it."""

from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from dovetail.cli.reading_options import reading_options
from dovetail.cli.scene_argument import find_scene

if TYPE_CHECKING:
    from dovetail.io.run_settings import RunSettings
    from dovetail.scene_check import Finding

_KERNELS = (  # that the verifier calls
    "dovetail.collision.broad_phase.sweep_and_prune",
    "dovetail.collision.broad_phase.world_boxes",
    "dovetail.collision.bvh.build",
    "dovetail.linalg.lie.each:each_so3_exp",
    "dovetail.linalg.lie.each:each_so3_log",
    "dovetail.verifier.crossing_states",
    "dovetail.verifier.pair_paths",
)


@click.command()
@click.argument("scene_or_result")
@reading_options
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
@click.option("--sign", metavar="KEY", help="Sign a trusted result with this Ed25519 key (PEM).")
@click.option("--signed-by", metavar="KEY", help="Require the signature of this key (PEM).")
def command(
    scene_or_result: str,
    reading: dict[str, Any],
    clearance: float,
    tolerance: float,
    sign: str | None,
    signed_by: str | None,
) -> None:
    """Examine SCENE_OR_RESULT.

    A scene: open, self-intersecting or flipped meshes, masses, units, bodies that overlap at the
    start. The exit code is 2 if there is an error. A result (.h5): every recorded state, and the
    path between recorded states, is tested for intersections. The exit code is 0 if the result can
    be trusted, 1 if bodies meet or touch, 3 if that could not be decided, 4 if they are apart but
    the run did not finish or breaks an invariant such as the conservation of energy.
    """
    if scene_or_result.lower().endswith((".h5", ".hdf5")):
        code = _check_result(scene_or_result, clearance, tolerance, signed_by)
        if code:
            if sign is not None:
                click.echo("not signed: only a result that can be trusted is")
            raise click.exceptions.Exit(code)
        if sign is not None:
            _sign(scene_or_result, sign)
    else:
        _check_scene(scene_or_result, reading)


def _check_scene(argument: str, reading: dict[str, Any]) -> None:
    from dovetail.scene_check import check_scene

    loaded = find_scene(argument, **reading)
    findings = _refused_methods(loaded.run) + check_scene(loaded.scene)
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


def _refused_methods(run: "RunSettings") -> list["Finding"]:
    """What the contact method and the integrator of the file say against their options."""
    from dovetail.errors import InputError
    from dovetail.scene_check import Finding
    from dovetail.simulate.requested import requested_contact, requested_integrator

    found = []
    for requested in (requested_contact, requested_integrator):
        try:
            requested(run)
        except InputError as error:
            found += [Finding("error", "input", (), f"`run`: {one}") for one in error.mistakes]
    return found


def _check_result(path: str, clearance: float, tolerance: float, signed_by: str | None) -> int:
    """The exit code of a result, after all is said about it."""
    import json
    import traceback

    from dovetail.cli.check_report import exit_code, report_lines, seal_lines
    from dovetail.errors import DovetailError
    from dovetail.results import load
    from dovetail.runtime.compile_ahead import compile_ahead
    from dovetail.verifier.certificate import certify

    result = load(path, verify=True)
    if result.status == "damaged":
        click.echo(f"error: {path}: {result.reason}")
        click.echo("undecided: no certificate for a damaged result")
        return 3
    modules = [kernel.partition(":")[0] for kernel in _KERNELS]
    try:
        with compile_ahead(modules, _KERNELS):
            certificate = certify(result, clearance=clearance, tolerance=tolerance)
    except DovetailError:
        raise
    except Exception as error:  # whose exit code would be that of bodies that intersect
        traceback.print_exc()
        click.echo(f"undecided: the verifier failed ({type(error).__name__}); please report this")
        return 3
    seal, sealed = seal_lines(result.stored.seal, signed_by)
    method = (json.loads(result.stored.header.settings).get("contact") or {}).get("type", "")
    for line in report_lines(path, float(result.time[-1]), certificate, seal, method.lower()):
        click.echo(line)
    return exit_code(certificate, sealed)


def _sign(path: str, key: str) -> None:
    from pathlib import Path

    from dovetail.results.signing import sign_file
    from dovetail.results.stored import StoredInFile

    seal = StoredInFile(Path(path), verify=True).seal
    assert seal is not None  # a trusted result has one
    signed = sign_file(Path(path), seal, key)
    click.echo(f"signed by the key {signed.key}")
