"""The last millimetres of approaches off the axis, made cheap for studies of many.

A run starts 1 mm before the rings touch, with the latches already lifted onto the strikers and the
speed that this leaves. Legs weigh 0.21 kg beside a ring of 47.5 kg: they are springs without mass.
A latch of 0.063 kg is softer where it is touched. Then 0.4 ms resolve what is left,
where the whole mechanism needs 0.1 ms.
"""

import math

from dovetail.examples.docking.parameters import Docking

SPEED = 0.0384  # [m/s] what the whole example has left of 0.040 once its latches are lifted
SOFT = 1e5  # [N/m] of a point, latch against striker
BEFORE = 1e-3  # [m] before the rings touch


def approach(aside: float, above: float, light: bool = True) -> Docking:
    """The study of one approach, `aside` along y and `above` along z [m] of the axis.

    Without `light`, legs and latches are those of the whole example; the start is the same.
    """
    whole = Docking()
    off = math.hypot(aside, above)
    return Docking(
        gap=off / math.tan(math.radians(whole.cone_angle)) + BEFORE,
        speed=SPEED, offset=(aside, above), latches_lifted=True, light_legs=light,
        latch_contact=SOFT if light else whole.latch_contact,
    )  # fmt: skip
