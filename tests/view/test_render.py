"""The software renderer, measured on shapes whose pictures are known."""

import numpy as np

import dovetail as dt
from dovetail.view.filmstrip import draw_filmstrip
from dovetail.view.raster import fill_triangles
from dovetail.view.render import Camera, fitting_camera, render
from dovetail.view.skeleton import skeletons


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


def test_a_body_without_a_surface_is_drawn_by_its_axes_and_lines_to_its_joints() -> None:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("bob", mass=1, inertia=(1, 1, 1), position=(1, 0, 0))
    scene.add_joint("hinge", dt.Revolute(point=(0, 0, 0), axis=(0, 1, 0)), "ground", "bob")
    result = dt.simulate(scene, duration=0.1, step=0.01)
    (bare,) = skeletons(result)
    np.testing.assert_allclose(bare.lines[0], [(0, 0, 0), (-1, 0, 0)], atol=1e-12)
    camera = fitting_camera(result, [0], aspect=1.0, view="front")
    image = render(result, 0, camera, 200, 200)
    along = np.any(image < 200, axis=2).any(axis=0)  # columns with something dark in them
    assert along[12:180].mean() > 0.9, "the arm goes from the hinge to the body"
    colours = image.reshape(-1, 3).astype(float)
    for axis in (0, 2):  # the second points to the viewer
        others = [k for k in range(3) if k != axis]
        assert np.any(colours[:, axis] - colours[:, others].max(axis=1) > 60)


def test_a_film_strip_can_end_early_and_be_seen_from_above() -> None:
    from matplotlib.figure import Figure

    scene = dt.Scene()
    scene.add_body("shot", dt.Box((1, 1, 1)), velocity=(0, 0, 500))
    result = dt.simulate(scene, duration=1.0, step=0.1)
    figure = Figure()
    draw_filmstrip(figure, result, columns=3, rows=1, view="top", until=0.4)
    assert [axes.get_title() for axes in figure.axes] == ["t = 0 s", "t = 0.2 s", "t = 0.4 s"]
    first, *_, last = (axes.images[0].get_array() for axes in figure.axes)
    assert np.array_equal(first, last)  # it flies towards the viewer


def test_the_camera_leaves_out_endless_floors_and_the_one_body_that_flies_away() -> None:
    scene = dt.Scene()
    scene.add_body("floor", dt.Box((100, 100, 1)), position=(0, 0, -2), motion="static")
    for i in range(3):
        scene.add_body(f"box {i}", dt.Box((1, 1, 1)), position=(2 * i, 0, 0))
    scene.add_body("shot", dt.Box((1, 1, 1)), position=(6, 0, 0), velocity=(500, 0, 0))
    result = dt.simulate(scene, duration=1.0, step=0.5)
    camera = fitting_camera(result, [0, 1, 2], aspect=1.0)
    assert camera.half_height < 6.0  # [m] the boxes fill 7 x 1 x 1
    alone = dt.Scene()
    alone.add_body("shot", dt.Box((1, 1, 1)), velocity=(500, 0, 0))
    flown = dt.simulate(alone, duration=1.0, step=0.5)
    assert fitting_camera(flown, [0, 1, 2], aspect=1.0).half_height > 100.0
