"""Table 1: solutions and stability of the rod's single sliding contact, by the signs of A and B."""

import itertools
import math

from dovetail.stability import contact_case, rod, rod_drive

# condition as printed: existence and uniqueness, stability ("-" where the table leaves it empty)
PUBLISHED = {
    "A > 0, B >= 0": ("no contact", "stable"),
    "A > 0, B < 0": ("contact", "stable"),
    "A = 0, B > 0": ("no contact", "stable"),
    "A = 0, B = 0": ("infinitely many", "-"),
    "A = 0, B < 0": ("none", "-"),
    "A < 0, B > 0": ("two solutions", "no contact stable, contact unstable"),
    "A < 0, B = 0": ("no contact", "stable"),
    "A < 0, B < 0": ("none", "-"),
}

# friction mu_s at tan(theta) = 2 for A > 0, = 0, < 0; forces Fz [N] for B > 0, = 0, < 0
FRICTIONS = (0.5, 4.0 / 3.0, 2.0)
FORCES = (3.0, 0.0, -3.0)


def table_1() -> list[tuple[str, str, str, bool, str]]:
    """Rows (what, published, ours, passes, why), one per combination of signs."""
    rows = []
    theta = math.atan(2.0)
    for mu, Fz in itertools.product(FRICTIONS, FORCES):
        found, B = rod(theta, mu), rod_drive(theta, Fz=Fz)
        A = float(found.A)
        case = contact_case(A, B, zero_A=float(found.rounding))
        name, stability = PUBLISHED[case.condition]
        passes = (case.name, case.stability) == (name, stability)
        forces = [s.normal_force for s in case.solutions if s.in_contact]
        passes &= all(abs(force + B / A) <= 1e-15 * abs(B / A) for force in forces)
        rows.append(
            (
                f"table 1, {case.condition} (mu_s = {mu:.3g}, Fz = {Fz:g} N)",
                f"{name}; {stability}",
                f"{case.name}; {case.stability}",
                passes,
                "all solutions of the LCP, contact force -B/A, stability of the boundary layer",
            )
        )
    return rows
