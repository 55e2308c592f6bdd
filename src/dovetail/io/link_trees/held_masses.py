"""Moving links without mass that hold others with mass rigidly."""

from dataclasses import replace

import numpy as np

from dovetail.io.link_trees.link import Link
from dovetail.model.shapes.shape import MassProperties, combined


def with_held_masses(links: list[Link]) -> list[Link]:
    """Links in which a moving one without mass has the mass of those it holds rigidly."""
    children: dict[int, list[int]] = {}
    for number, link in enumerate(links):
        if link.parent is not None and not link.movements and not link.free:
            children.setdefault(link.parent, []).append(number)
    result = list(links)
    for number, link in enumerate(links):
        if (link.movements or link.free) and link.mass == 0:
            heavy = [child for child in _held(number, children) if links[child].mass > 0]
            if heavy:
                result[number] = replace(link)
                sum_of(result[number], [links[child] for child in heavy])
                for child in heavy:
                    result[child] = replace(links[child], mass=0.0)
    return result


def _held(number: int, children: dict[int, list[int]]) -> list[int]:
    """All links that one holds rigidly, through others too."""
    held, waiting = [], list(children.get(number, ()))
    while waiting:
        child = waiting.pop()
        held.append(child)
        waiting.extend(children.get(child, ()))
    return held


def sum_of(link: Link, held: list[Link]) -> None:
    """Give a link the mass of links that move with it."""
    parts = []
    for one in held:
        relative = link.rotation.T @ one.rotation
        shift = link.rotation.T @ (one.position - link.position)
        parts.append(MassProperties(3, one.mass, one.centre, one.inertia).moved(relative, shift))
    whole = combined(parts)
    first = held[0]
    away = link.rotation @ whole.centre + link.position
    away = away - (first.rotation @ first.centre + first.position)
    link.velocity = first.velocity + np.cross(first.angular_velocity, away)
    link.angular_velocity = first.angular_velocity
    link.mass, link.centre, link.inertia = whole.measure, whole.centre, whole.inertia
