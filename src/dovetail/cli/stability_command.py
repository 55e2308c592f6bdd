"""`dovetail stability`: is a frictional contact solvable, unique, stable?"""

from pathlib import Path

import click

from dovetail.errors import InputError


class _OrScene(click.Group):
    """A group whose first argument may also be a scene or result."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["scene", *args]
        return super().resolve_command(ctx, args)


@click.group(cls=_OrScene)
def command() -> None:
    """LCP solvability and boundary-layer stability of frictional contact.

    `dovetail stability SCENE` analyses the contacts of a scene or result.
    """


@command.command()
@click.argument("source", metavar="SCENE_OR_RESULT")
@click.option("--time", type=float, help="When [s]; default: the start, or the end of a result.")
@click.option("--friction", type=float, help="Instead of the scene's own.")
@click.option("--damping", default=1.0, show_default=True, help="c of Kelvin's contact.")
@click.option("--stiffness", default=1.0, show_default=True, help="k of Kelvin's contact.")
@click.option("--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from.")
def scene(
    source: str, time: float | None, friction: float | None, damping: float, stiffness: float,
    allow_paths: tuple[str, ...],
) -> None:  # fmt: skip
    """Say which contacts of a scene or result are inconsistent, not unique or unstable."""
    from dovetail.cli.stability_report import analyse_result, analyse_scene
    from dovetail.stability.monitor import Monitor

    monitor = Monitor(damping, stiffness, report=False)
    if source.endswith((".h5", ".hdf5")):
        lines = analyse_result(source, time, friction, monitor)
    else:
        lines = analyse_scene(source, time, friction, monitor, allow_paths)
    for line in lines:
        click.echo(line)


@command.command()
@click.option("--theta", required=True, help="Angle from the ground [rad], or as 63.4deg.")
@click.option(
    "--mu", required=True, type=float,
    help="Friction; > 0 where it pushes the end under the centre, < 0 away from it.",
)  # fmt: skip
@click.option("--mass", default=1.0, show_default=True, help="[kg]")
@click.option("--half-length", default=1.0, show_default=True, help="l of the rod 2 l [m].")
@click.option("--inertia", type=float, help="J1 [kg m^2]; m l^2/3 by default.")
@click.option("--theta-rate", default=0.0, show_default=True, help="[rad/s]")
@click.option("--force-z", type=float, help="Fz [N]; -9.81 m by default.")
@click.option("--torque", default=0.0, show_default=True, help="F_theta [N m]")
@click.option("--damping", default=1.0, show_default=True, help="c of Kelvin's contact.")
@click.option("--stiffness", default=1.0, show_default=True, help="k of Kelvin's contact.")
def rod(
    theta: str, mu: float, mass: float, half_length: float, inertia: float | None,
    theta_rate: float, force_z: float | None, torque: float, damping: float, stiffness: float,
) -> None:  # fmt: skip
    """Say which row of table 1 the sliding rod is in, its solutions and their stability."""
    from dovetail.stability import boundary_layer, contact_case, rod, rod_drive

    angle = _angle(theta)
    found = rod(angle, mu, mass, half_length, inertia)
    weight = -9.81 * mass if force_z is None else force_z
    B = rod_drive(angle, theta_rate, weight, torque, mass, half_length, inertia)
    case = contact_case(float(found.A), B, float(found.rounding))
    layer = boundary_layer(float(found.A), damping, stiffness)
    click.echo(f"A = D = {float(found.A):.9g} 1/kg")
    click.echo(f"B = {B:.9g} m/s^2")
    click.echo(f"case: {case.condition}: {case.name}")
    for solution in case.solutions:
        click.echo(f"solution: {solution}")
    click.echo(f"boundary layer: {layer.message}")


@command.command(name="map")
@click.option("--out", default="rod-map.png", show_default=True, type=click.Path(path_type=Path))
@click.option("--size", default=1000, show_default=True, help="Values along each axis.")
@click.option("--largest-friction", default=4.0, show_default=True, help="End of the mu axis.")
@click.option("--mass", default=1.0, show_default=True, help="[kg]")
@click.option("--half-length", default=1.0, show_default=True, help="[m]")
@click.option("--inertia", type=float, help="J1 [kg m^2]; m l^2/3 by default.")
def draw_map(
    out: Path, size: int, largest_friction: float, mass: float, half_length: float,
    inertia: float | None,
) -> None:  # fmt: skip
    """Draw where contact of the sliding rod is unstable, over friction and angle."""
    from dovetail.stability.rod_map import draw_rod_map, rod_map

    found = rod_map(size, largest_friction, mass, half_length, inertia)
    draw_rod_map(found, out)
    share = 100.0 * float(found.unstable.mean())
    click.echo(f"wrote {out}: {size} x {size} values, {share:.2f} % unstable")


def _angle(text: str) -> float:
    import math

    number, is_degrees = text.removesuffix("deg"), text.endswith("deg")
    try:
        value = float(number)
    except ValueError:
        raise InputError(
            f"--theta must be a number in rad, or in degrees as 63.4deg, got {text!r}"
        ) from None
    return math.radians(value) if is_degrees else value
