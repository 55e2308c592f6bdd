"""`dovetail export-fmu`: a scene as a unit for co-simulation."""

from pathlib import Path

import click

from dovetail.cli.scene_argument import find_scene
from dovetail.errors import InputError


@click.command()
@click.argument("scene")
@click.option("--out", type=click.Path(path_type=Path), help="Unit; default: SCENE.fmu.")
@click.option("--step", type=float, help="Time step [s]; default: the scene's own.")
@click.option("--contact", "contact_name", help="ipc, sdf, lcp or none; default: the scene's own.")
@click.option("--integrator", "integrator_name", help="Scheme by name, such as RATTLie.")
@click.option("--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from.")
def command(
    scene: str,
    out: Path | None,
    step: float | None,
    contact_name: str | None,
    integrator_name: str | None,
    allow_paths: tuple[str, ...],
) -> None:
    """Write SCENE as a functional mock-up unit (FMI 2.0, co-simulation).

    Inputs are efforts of joints [N m or N], outputs their positions and velocities and the centres
    of mass of bodies. The package must be installed where the unit runs.
    """
    from dovetail.simulate.live.fmu import export_fmu

    loaded = find_scene(scene, allow_paths)
    run = loaded.run
    step = run.step if step is None else step
    if step is None:
        raise InputError(f"{scene}: the scene sets no `run.step`; add it there or give --step")
    name, options = contact_name, {}
    if run.contact is not None and contact_name in (None, run.contact.name):
        name, options = run.contact.name, dict(run.contact.options)
    if name == "none":
        name = None
    if integrator_name is None and run.integrator is not None:
        integrator_name = run.integrator.name
    target = out or Path(f"{loaded.source.stem}.fmu")
    export_fmu(loaded.scene, target, step, name, options, integrator_name)
    click.echo(f"wrote {target}")
