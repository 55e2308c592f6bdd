"""Joints inside the intersection-free solve: equations, energies, and their multipliers.

Rows phi of `constraints.rows` in world twists of the bodies. Those that hold a joint are equations:
Newton's direction d solves (`joints.direction`)
    [ H  G^T ] [ d ]   [ -g   ]
    [ G   0  ] [ l ] = [ -phi ]
and every trial pose is projected back onto phi = 0 by the same factor (`joints.projection`) before
its energy counts: iterates satisfy the joints to rounding, the energy alone decides, and what the
CCD tests is the path to the pose that is taken. All other rows are energies (`joints.energies`),
those of motors and limits with multipliers of their own (`joints.multipliers`).
"""
