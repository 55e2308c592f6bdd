"""The software renderer, measured on shapes whose pictures are known."""

import numpy as np

import dovetail as dt
from dovetail.kernels.raster import fill_triangles
from dovetail.view.render import Camera, fitting_camera, render


def test_a_ball_covers_the_area_of_its_disc(still_ball: dt.Result) -> None:
    camera = Camera(np.eye(3), np.zeros(3), half_height=1.0)
    image = render(still_ball, 0, camera, 400, 400)
    covered = np.mean(np.any(image < 255, axis=2))
    # pi r^2 of a 2 m x 2 m view; the outline is one pixel wide on a circle of 100 pixels radius.
    assert abs(covered - np.pi * 0.5**2 / 4) < 2 * np.pi * 100 / 400**2


def test_the_camera_keeps_every_body_in_the_picture(flight: dt.Result) -> None:
    frames = [0, 25, 50]
    camera = fitting_camera(flight, frames, aspect=1.5)
    for frame in frames:
        image = render(flight, frame, camera, 300, 200)
        border = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
        assert np.all(border == 255)
        assert np.any(image < 255)


def test_the_nearer_triangle_hides_the_farther_one() -> None:
    square = np.array([[[0, 0, 0], [20, 0, 0], [0, 20, 0]], [[0, 0, 1], [20, 0, 1], [0, 20, 1]]])
    red_then_blue = np.array([[1.0, 0, 0], [0, 0, 1.0]])
    for order in ([0, 1], [1, 0]):
        image, depth = np.ones((10, 10, 3)), np.full((10, 10), -np.inf)
        fill_triangles(square[order].astype(float), red_then_blue[order], depth, image)
        np.testing.assert_array_equal(image[3, 3], [0, 0, 1])
