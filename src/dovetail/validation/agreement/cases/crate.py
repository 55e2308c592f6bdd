"""A crate thrown on a flat floor: it tumbles, slides and comes to rest."""

from dovetail.model import Box, Scene
from dovetail.validation.agreement.case import Case, Outcome

SIZE = (0.3, 0.2, 0.15)  # [m]
START, SPEED, SPIN = (0.0, 0.0, 0.5), (1.5, 0.3, 0.0), (1.0, 2.0, 3.0)
DENSITY = 500.0


def build() -> Scene:
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", Box((6, 6, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("crate", Box(SIZE), density=DENSITY, position=START, velocity=SPEED,
                   angular_velocity=SPIN)  # fmt: skip
    return scene


def mjcf() -> str:
    half = " ".join(str(side / 2) for side in SIZE)
    return (
        '<worldbody><geom name="floor" type="box" size="3 3 .5" pos="0 0 -.5"/>'
        f'<body name="crate" pos="0 0 .5"><freejoint/><geom type="box" size="{half}" '
        f'density="{DENSITY}"/></body></worldbody>'
        '<keyframe><key qpos="0 0 .5 1 0 0 0" qvel="1.5 .3 0 1 2 3"/></keyframe>'
    )


def values(outcome: Outcome) -> dict[str, float]:
    x, y, z = outcome.position["crate"][-1]
    carried = outcome.force["floor", "crate"][-100:, 2].mean()
    return {"x [m]": x, "y [m]": y, "z [m]": z, "force at rest [N]": carried}


WEIGHT = DENSITY * SIZE[0] * SIZE[1] * SIZE[2] * 9.81
CASE = Case(
    "Thrown crate, mu = 0.4, at rest", build, mjcf, 1.5, values, friction=0.4,
    pairs=(("floor", "crate"),), expected={"force at rest [N]": WEIGHT},
    key="x [m]",
)  # fmt: skip
