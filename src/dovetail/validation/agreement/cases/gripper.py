"""The example `gripper`: two fingers close on a box, lift it by friction and hold it."""

from dovetail.examples.gripper import GAP, GRIP, RISE, SIZE, build, height
from dovetail.validation.agreement.case import Case, Outcome


def mjcf() -> str:
    x, half = SIZE / 2 + GAP + 0.01, SIZE / 2
    fingers = "".join(
        f'<body name="{name}" pos="{side * x} 0 -.1"><joint name="{name} slide" type="slide" '
        f'axis="{-side} 0 0" damping="20"/><geom type="box" size=".01 .04 .06" mass=".2"/></body>'
        for name, side in (("left", -1), ("right", 1))
    )
    return (
        '<worldbody><geom name="floor" type="box" size=".5 .5 .05" pos="0 0 -.05"/>'
        f'<body name="box" pos="0 0 {half + 1e-4}"><freejoint/>'
        f'<geom type="box" size="{half} {half} {half}" mass="1"/></body>'
        '<body name="palm" pos="0 0 .2"><joint name="lift" type="slide" axis="0 0 1"/>'
        f'<geom type="box" size=".15 .05 .02" mass="2" contype="0" conaffinity="0"/>{fingers}'
        '</body></worldbody><actuator><position joint="lift" kp="1e6" kv="5e3"/>'
        '<motor joint="left slide"/><motor joint="right slide"/></actuator>'
    )


def values(outcome: Outcome) -> dict[str, float]:
    box, palm = outcome.position["box"][:, 2], outcome.position["palm"][:, 2]
    late = outcome.time > outcome.time[-1] - 0.1
    grip = outcome.force["left", "box"][late]
    return {
        "box lifted [m]": float(box[-1] - box[0]),
        "slip [mm]": 1e3 * float((palm - palm[0] - box + box[0])[-1]),
        "finger presses [N]": float(grip[:, 0].mean()),
        "finger carries [N]": float(grip[:, 2].mean()),
    }


CASE = Case(
    "Gripper: friction lifts a box, mu = 0.6", build, mjcf, 1.0, values, friction=0.6,
    pairs=(("left", "box"),), driven=True, controls=lambda t: [height(t), GRIP, GRIP],
    expected={
        "box lifted [m]": RISE, "slip [mm]": 0.0, "finger presses [N]": GRIP,
        "finger carries [N]": 9.81 / 2,
    },
    key="slip [mm]",
)  # fmt: skip
