"""SO(3), SE(3) and SO(3) x R^3 on arrays: exp, log and tangent maps; public as `dt.lie`.

Every function applies a kernel of `linalg.so3`, `se3` or `so3xr3` to the rows of arrays.
"""

from dovetail.linalg.lie import se3, so3, so3xr3

__all__ = ["se3", "so3", "so3xr3"]
