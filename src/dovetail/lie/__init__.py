"""SO(3), SE(3) and SO(3) x R^3: exp, log and tangent maps."""

from dovetail.lie import so3

__all__ = ["so3"]
