"""SO(3), SE(3) and SO(3) x R^3: exp, log and tangent maps."""

from dovetail.linalg.lie import se3, so3, so3xr3

__all__ = ["se3", "so3", "so3xr3"]
