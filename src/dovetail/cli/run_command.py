"""`dovetail run`: from a scene to a result file."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dovetail.cli.reading_options import reading_options
from dovetail.cli.scene_argument import find_scene
from dovetail.errors import InputError
from dovetail.io import LoadedScene
from dovetail.results import Result, load
from dovetail.runtime.compile_notice import PATIENCE, notice
from dovetail.runtime.extras import require
from dovetail.simulate import LargeAndSmallSteps, simulate
from dovetail.simulate.requested import requested_integrator
from dovetail.simulate.scene_argument import contact_of_run

if TYPE_CHECKING:
    from dovetail.stability.monitor import Monitor


@click.command()
@click.argument("scene")
@click.option("--duration", type=float, help="Simulated time [s]; default: the scene's own.")
@click.option("--step", type=float, help="Time step [s]; default: the scene's own.")
@click.option("--large-step", type=float, help="Time step [s] while no two bodies are near.")
@click.option("--every", type=int, help="Record one frame every so many steps.")
@click.option("--contact", "contact_name", help="ipc, sdf, lcp or none.")
@click.option("--integrator", "integrator_name", help="Scheme by name, such as LieVerlet.")
@click.option("--out", type=click.Path(path_type=Path), help="Result file; default: SCENE.h5.")
@click.option(
    "--resume", is_flag=True, help="Continue a run that was stopped, or extend one (--duration)."
)
@click.option("--picture", is_flag=True, help="Also draw the motion to a .png beside the result.")
@click.option(
    "--monitor", is_flag=True, help="Report contacts that are inconsistent, not unique or unstable."
)
@click.option("--check", is_flag=True, help="Check the scene as `dovetail check` does first.")
@click.option("--quiet", is_flag=True, help="No progress bar, no summary.")
@reading_options
def command(
    scene: str,
    duration: float | None,
    step: float | None,
    large_step: float | None,
    every: int | None,
    contact_name: str | None,
    integrator_name: str | None,
    out: Path | None,
    resume: bool,
    picture: bool,
    monitor: bool,
    check: bool,
    quiet: bool,
    reading: dict[str, Any],
) -> None:
    """Simulate SCENE, a file or a built-in example, and write its result (HDF5)."""
    loaded = find_scene(scene, **reading)
    run = loaded.run
    duration = run.duration if duration is None else duration
    step = run.step if step is None else step
    large_step = run.large_step if large_step is None else large_step
    every = run.every if every is None else every
    if picture:
        require("matplotlib")  # before the run, not after it
    missing = [
        f"{scene}: the scene sets no `run.{name}`; add it there or give --{name}"
        for name, value in (("duration", duration), ("step", step))
        if value is None
    ]
    if missing:
        raise InputError(missing)
    assert duration is not None and step is not None
    target = out or Path(f"{loaded.source.stem}.h5")
    if not quiet:
        _announce(loaded, duration, step)
        if not resume and _is_unfinished(target):
            click.echo(f"  {target} was not finished; starting again (--resume would continue it)")
    started, compiling = notice.run_clock(), notice.seconds
    result = simulate(
        loaded.scene,
        duration,
        step,
        contact=contact_of_run(contact_name, run),
        integrator=requested_integrator(run, integrator_name),
        out=target,
        every=1 if every is None else every,
        resume=resume,
        step_control=None if large_step is None else LargeAndSmallSteps(large_step, step),
        progress=False if quiet else None,
        monitor=_monitor(quiet) if monitor or run.monitor else None,
        check=True if check else (False if quiet else None),
    )
    if result.status == "interrupted":
        click.echo(f"{target}: {result.reason}; `--resume` continues it", err=True)
        raise click.exceptions.Exit(130)
    if not quiet:
        _summarise(result, target, notice.run_clock() - started)
        if notice.seconds - compiling > PATIENCE:
            click.echo(f"compiling kernels took {notice.seconds - compiling:.1f} s more, once")
    if picture:
        _draw(result, target, quiet)


def _is_unfinished(target: Path) -> bool:
    """Whether a run to this file can be continued to its own end."""
    if not Path(f"{target}.checkpoint").exists():
        return False
    try:
        return load(target, verify=False).status == "interrupted"
    except InputError:
        return False


def _monitor(quiet: bool) -> "Monitor":
    from dovetail.stability.monitor import Monitor  # with kernels that other runs do not need

    return Monitor(report=not quiet)


def _announce(loaded: LoadedScene, duration: float, step: float) -> None:
    """What will be run, with every value that was derived rather than given."""
    bodies = loaded.scene.bodies
    count = "1 body" if len(bodies) == 1 else f"{len(bodies)} bodies"
    click.echo(f"{loaded.source.name}: {count}, {duration:g} s in steps of {step:g} s")
    for note in loaded.notes:
        click.echo(f"  note: {note}")
    for name, body in bodies.items():
        if body.motion != "dynamic":
            continue  # its mass plays no part
        for quantity, value in body.checked.derived.items():
            click.echo(f"  {name}: {quantity} = {value}")


def _summarise(result: Result, target: Path, seconds: float) -> None:
    change = result.energy["total"][-1] - result.energy["total"][0]
    click.echo(
        f"wrote {target}: {len(result.time)} frames to t = {result.time[-1]:g} s "
        f"in {seconds:.2f} s; total energy changed by {change:.3g} J"
    )
    if result.findings is not None:
        counts = Counter(finding.kind for finding in result.findings)
        report = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        click.echo(f"contacts that are inconsistent, not unique or unstable: {report or 'none'}")


def _draw(result: Result, target: Path, quiet: bool) -> None:
    from dovetail.view.plots import plot  # matplotlib only when a picture is requested

    path = target.with_suffix(".png")
    plot(result, "motion", path)
    if not quiet:
        click.echo(f"wrote {path}")
