"""The messages with which a step with impulses ends a run."""

from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import Outcome
from dovetail.errors import RunError
from dovetail.integrators.shared.impulse_poses import NOT_FINITE
from dovetail.model.frozen import Model
from dovetail.model.values import quote

GOOD_ANGLE = 0.2  # [rad] per step, what the advice aims at


class ResidualWarning(UserWarning):
    """The impulses of a step miss the laws of contact or joints by more than is acceptable."""


def unsolved(model: Model, problem: ImpulseProblem, outcome: Outcome, wanted: float) -> str:
    """The impulses miss the residual `wanted` [m/s]: a sentence that names the worst row."""
    body = problem.rows.body[outcome.row]
    own = [i for k, i in enumerate(body) if k < 2 or i >= 0]
    who = " and ".join(quote(model.names[i]) if i >= 0 else "ground" for i in own)
    what = "joint" if outcome.row < problem.n_joint else "contact"
    return (
        f"the impulses were not solved in {outcome.iterations} sweeps: the {what} of {who} is off "
        f"by {outcome.residual:.3g} m/s, wanted {wanted:.3g} m/s; use a smaller step, less "
        "friction, or masses that differ less"
    )


def pose_failure(model: Model, code: int, body: int, spin: float, h: float, t: float) -> RunError:
    """`code` of `impulse_poses.drift` for a body with the spin [rad/s] in a step h [s]."""
    who = f"body {quote(model.names[body])}"
    if code == NOT_FINITE:
        return RunError(
            f"{who} has a position or velocity that is no finite number; check its loads, or "
            f"use a smaller step than {h:.3g} s",
            t,
        )
    return RunError(
        f"{who} spins at {spin:.4g} rad/s, too fast for a step of {h:.3g} s: it must rotate by "
        f"less than pi rad in a step; use a step of at most {GOOD_ANGLE / spin:.2g} s",
        t,
    )
