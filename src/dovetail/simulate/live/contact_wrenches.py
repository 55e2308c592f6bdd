"""Contacts of one state added up: per pair of bodies, and per body."""

from typing import NamedTuple

import numpy as np

from dovetail.contact.law import ContactRecord
from dovetail.model.values import Array


class Wrench(NamedTuple):
    """A force [N] and a torque [N m] about `point` [m], world axes."""

    force: Array
    torque: Array
    point: Array


def between(contacts: ContactRecord, a: int, b: int) -> Wrench:
    """What body `b` does to body `a` by contact.

    Its point is the mean of the points of contact, weighted by their normal forces; nan where the
    two do not touch.
    """
    first, second = contacts.bodies[:, 0], contacts.bodies[:, 1]
    straight, swapped = (first == a) & (second == b), (first == b) & (second == a)
    own = straight | swapped
    sign = np.where(straight, 1.0, -1.0)[own, None]
    forces, couples = sign * contacts.forces[own], sign * contacts.torques[own]
    return _summed(forces, couples, contacts.points[own], sign * contacts.normals[own])


def _summed(forces: Array, couples: Array, points: Array, normals: Array) -> Wrench:
    if not len(points):
        return Wrench(np.zeros(3), np.zeros(3), np.full(3, np.nan))
    weights = np.abs(np.einsum("mi,mi->m", forces, normals))
    if not weights.sum() > 0.0:
        weights = np.ones(len(points))
    point = weights @ points / weights.sum()
    torque = couples.sum(axis=0) + np.cross(points - point, forces).sum(axis=0)
    return Wrench(forces.sum(axis=0), torque, point)


def on_body(contacts: ContactRecord, body: int, centre: Array) -> Wrench:
    """What all others do to a body by contact, about its centre of mass."""
    force, torque = np.zeros(3), np.zeros(3)
    for side, sign in ((0, 1.0), (1, -1.0)):
        own = contacts.bodies[:, side] == body
        forces = sign * contacts.forces[own]
        force += forces.sum(axis=0)
        torque += sign * contacts.torques[own].sum(axis=0)
        torque += np.cross(contacts.points[own] - centre, forces).sum(axis=0)
    return Wrench(force, torque, centre.copy())
