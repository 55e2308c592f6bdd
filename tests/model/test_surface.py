"""Surfaces: which edges faces have, what is closed, what hangs together."""

import numpy as np

from dovetail.model import Box, Surface
from dovetail.model.connected import component_labels
from dovetail.model.shapes.winding import shared_edges

CUBE = Box((1.0, 1.0, 1.0)).surface()


def test_a_surface_is_closed_only_when_every_edge_runs_in_both_directions():
    assert shared_edges(CUBE.faces).closed
    assert not shared_edges(CUBE.faces[1:]).closed
    one_flipped = np.concatenate([CUBE.faces[1:], CUBE.faces[:1, ::-1]])
    assert not shared_edges(one_flipped).closed


def test_wires_are_the_edges_that_no_face_has():
    vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 2]]
    surface = Surface.of(vertices, faces=[(0, 1, 2)], edges=[(4, 3), (1, 0), (0, 3), (3, 4)])
    assert surface.edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [3, 4]]
    assert surface.wires.tolist() == [[0, 3], [3, 4]]
    assert len(CUBE.wires) == 0
    assert Surface.of(vertices, edges=[(4, 0)]).wires.tolist() == [[0, 4]]


def test_pieces_are_numbered_by_their_smallest_node():
    links = np.array([[5, 1], [4, 0], [1, 3], [3, 5]])
    assert component_labels(6, links).tolist() == [0, 1, 2, 1, 0, 1]
    assert component_labels(2, links[:0]).tolist() == [0, 1]
