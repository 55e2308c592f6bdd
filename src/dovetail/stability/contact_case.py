"""One contact, a_N = A lambda_N + B: which row of the paper's table 1 it is, found by solving."""

from dataclasses import dataclass

import numpy as np

from dovetail.errors import InputError
from dovetail.runtime.options import named_options
from dovetail.stability.boundary_layer import boundary_layer


@dataclass(frozen=True)
class CaseSolution:
    """One answer: normal force [N], whether the bodies press on each other, and stability."""

    normal_force: float
    in_contact: bool
    stable: bool

    def __str__(self) -> str:
        verdict = "stable" if self.stable else "unstable"
        force = f"contact, lambda = {self.normal_force:.6g} N" if self.in_contact else "no contact"
        return f"{force}: {verdict}"


@dataclass(frozen=True)
class ContactCase:
    """A row of table 1.

    Attributes:
        condition: the signs, as "A < 0, B > 0".
        name: "no contact", "contact", "two solutions", "infinitely many" or "none".
        solutions: the isolated ones, with their stability.
    """

    condition: str
    name: str
    solutions: tuple[CaseSolution, ...]

    @property
    def stability(self) -> str:
        """As the table says it: "stable", "no contact stable, contact unstable", or "-"."""
        words = {True: "stable", False: "unstable"}
        if len(self.solutions) == 1:
            return words[self.solutions[0].stable]
        named = (
            f"{'contact' if s.in_contact else 'no contact'} {words[s.stable]}"
            for s in self.solutions
        )
        return ", ".join(named) or "-"


CONDITIONS = {
    (1, 1): "A > 0, B >= 0", (1, 0): "A > 0, B >= 0", (1, -1): "A > 0, B < 0",
    (0, 1): "A = 0, B > 0", (0, 0): "A = 0, B = 0", (0, -1): "A = 0, B < 0",
    (-1, 1): "A < 0, B > 0", (-1, 0): "A < 0, B = 0", (-1, -1): "A < 0, B < 0",
}  # fmt: skip


@named_options
def contact_case(A: float, B: float, zero_A: float = 0.0, zero_B: float = 0.0) -> ContactCase:
    """The row of table 1 for A [1/kg] and B [m/s^2], from the LCP and the boundary layer.

    |A| <= zero_A and |B| <= zero_B count as zero, for values that rounding keeps from it.
    """
    from dovetail.linalg.lcp import classify

    if not (np.isfinite(A) and np.isfinite(B)):
        raise InputError(f"`A` and `B` of a contact must be finite numbers, got {A!r} and {B!r}")
    A = 0.0 if abs(A) <= zero_A else float(A)
    B = 0.0 if abs(B) <= zero_B else float(B)
    condition = CONDITIONS[int(np.sign(A)), int(np.sign(B))]
    verdict = classify([[A]], [B])
    if verdict.solutions is None or verdict.kind in ("none", "infinite"):
        name = "none" if verdict.kind == "none" else "infinitely many"
        return ContactCase(condition, name, ())
    layer_is_stable = boundary_layer(A).stable
    solutions = tuple(
        CaseSolution(float(s.x[0]), bool(s.x[0] > 0), bool(s.x[0] == 0) or layer_is_stable)
        for s in sorted(verdict.solutions, key=lambda s: float(s.x[0]))
    )
    if len(solutions) == 2:
        return ContactCase(condition, "two solutions", solutions)
    return ContactCase(condition, "contact" if solutions[0].in_contact else "no contact", solutions)
