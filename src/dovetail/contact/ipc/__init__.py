"""Intersection-free rigid bodies: one implicit Euler step as the minimum of a potential.

Frictionless so far, for bodies with triangles, wires and points. Not offered as `dt.contact.IPC`
until half-spaces, kinematic bodies and sparse solves are there.
"""
