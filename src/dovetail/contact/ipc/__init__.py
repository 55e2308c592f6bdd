"""Intersection-free contact: an implicit step that minimises an incremental potential.

A step (`step`) predicts the motion without contact, chooses the barriers of pairs that meet and
minimises inertia, barriers and lagged friction over all poses:
    candidates/   Verlet lists of feature pairs that can come into contact, and their distances
    feature_pair  what depends on the kind of a candidate: distance, time of impact, derivatives
    barrier/      energy and derivatives of all contacts, stiffness and dhat of every pair
    friction/     lagged friction and its presliding state
    joints/       joints, motors, limits and springs of the same solve
    newton/       potential, direction, Hessian projection, rotation trust region, minimisation
    line_search/  collision-free step size (CCD), nonmonotone search
    islands/      groups of bodies that have converged, or that sleep
`records` are the constants and the motion, `poses` the arithmetic on poses of all bodies,
`workspace` the working arrays, `status` how a step can end. `queries` is what else Python asks:
contacts (`report` lists them), waypoints, free paths; `warmup` compiles all of it. `solver` owns
the arrays, `model_bodies` makes the constants from a model, `start_check` refuses a start with
intersections, `touching_start` opens what touches. `method` has the settings,
`law` what is derived from them for a model.
"""
