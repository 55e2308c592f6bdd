"""A ball set down sliding: friction makes it roll, and rolling it keeps 5/7 of its speed."""

from dovetail.model import HalfSpace, Scene, Sphere
from dovetail.validation.agreement.case import Case, Outcome

RADIUS, SPEED = 0.05, 1.0  # [m], [m/s]


def build() -> Scene:
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("ball", Sphere(RADIUS), mass=0.5, position=(0, 0, RADIUS),
                   velocity=(SPEED, 0, 0))  # fmt: skip
    return scene


def mjcf() -> str:
    return (
        '<worldbody><geom name="floor" type="plane" size="9 9 1"/>'
        f'<body name="ball" pos="0 0 {RADIUS}"><freejoint/><geom type="sphere" size="{RADIUS}" '
        'mass=".5"/></body></worldbody>'
        f'<keyframe><key qpos="0 0 {RADIUS} 1 0 0 0" qvel="{SPEED} 0 0 0 0 0"/></keyframe>'
    )


def values(outcome: Outcome) -> dict[str, float]:
    speed, spin = outcome.velocity["ball"][-1, 0], outcome.spin["ball"][-1, 1]
    return {
        "speed [m/s]": float(speed),
        "slip [m/s]": float(speed - RADIUS * spin),
        "carried [N]": float(outcome.force["floor", "ball"][-100:, 2].mean()),
    }


CASE = Case(
    "Billiard ball, mu = 0.2, after 3 s", build, mjcf, 3.0, values, friction=0.2,
    pairs=(("floor", "ball"),),
    expected={"speed [m/s]": 5 / 7 * SPEED, "slip [m/s]": 0.0, "carried [N]": 0.5 * 9.81},
    key="speed [m/s]",
)  # fmt: skip
