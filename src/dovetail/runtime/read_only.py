"""Arrays as kernels take them: of one type, contiguous and read-only.

Numba compiles a kernel again for arrays that are writable and for those that are not.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


def read_only(array: ArrayLike, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """A contiguous, read-only view, or copy where it takes one."""
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view
