"""Will a frictional contact stay? Boundary-layer stability and the Painleve region.

>>> import dovetail as dt
>>> dt.stability.boundary_layer([[2.0, 0.0], [0.0, 1.0]]).stable
True
"""

from dovetail.stability.boundary_layer import BoundaryLayer, boundary_layer

__all__ = ["BoundaryLayer", "boundary_layer"]
