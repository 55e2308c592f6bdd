"""Intersection-free contact: an implicit step that minimises an incremental potential.

A step (`step`) predicts the motion without contact, chooses the stiffness of the barrier and
minimises inertia, barriers and lagged friction over all poses:
    candidates/   Verlet lists of feature pairs that can come into contact, and their distances
    feature_pair  what depends on the kind of a candidate: distance, time of impact, derivatives
    barrier/      energy and derivatives of all contacts, stiffness
    friction/     lagged friction and its presliding state
    joints/       joints, motors, limits and springs of the same solve
    newton/       potential, direction, Hessian projection, rotation trust region, minimisation
    line_search/  collision-free step size (CCD), nonmonotone search
    islands/      groups of bodies that have converged, or that sleep
`records` are the constants and the motion, `workspace` the working arrays, `entry_points` what else
Python asks: contacts, waypoints, free paths; `solver` owns the arrays. `method` has the settings,
`law` what is derived from them for a model.
"""
