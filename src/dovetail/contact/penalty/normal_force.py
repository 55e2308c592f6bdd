"""Normal force laws of one's own at the points that the penalty method detects."""

from typing import Any, Protocol, runtime_checkable

from dovetail.model.values import Array
from dovetail.runtime.registry import Registry


@runtime_checkable
class NormalForce(Protocol):
    """The force that pushes two bodies apart at a point.

    It may also have `energy(gap)`, (m,) [J] stored; without it, that is the integral of the force
    at rate 0 over the depth.
    """

    def __call__(self, gap: Array, rate: Array, impact_speed: Array) -> Array:
        """(m,) [N] at points with gap < 0 [m], d gap / dt [m/s] (< 0 approaching).

        `impact_speed` (m,) [m/s] > 0 is the largest speed of approach since the contact began.
        """


class HertzDamped:
    """k d^n (1 + a d_dot), d = -gap, a v_0 from the restitution: the package's own law.

    Args:
        stiffness: k [N/m^n] of one point.
        restitution: 0 to 1.
        exponent: n.
    """

    def __init__(self, stiffness: float, restitution: float = 1.0, exponent: float = 1.5) -> None:
        from dovetail.contact.penalty.restitution import LEAST, exact

        self.stiffness, self.exponent = float(stiffness), float(exponent)
        self.restitution = float(restitution)
        self._a_v0 = exact(max(self.restitution, LEAST))

    def __call__(self, gap: Array, rate: Array, impact_speed: Array) -> Array:
        force: Array = self.stiffness * (-gap) ** self.exponent
        damped: Array = force * (1.0 - self._a_v0 * rate / impact_speed).clip(min=0.0)
        return damped

    def energy(self, gap: Array) -> Array:
        stored: Array = self.stiffness * (-gap) ** (self.exponent + 1) / (self.exponent + 1)
        return stored


def _mistakes(entry: Any) -> list[str]:
    made = callable(entry) and (not isinstance(entry, type) or "__call__" in dir(entry))
    return (
        [] if made else ["must be a class whose objects are called with (gap, rate, impact_speed)"]
    )


NORMAL_FORCES = Registry(
    "normal force", "dovetail.normal_forces", {"hertz": HertzDamped}, _mistakes
)
