"""Pictures of single frames, by the player in a browser and by the own renderer."""

import numpy as np
import pytest
from browser import needs_browser
from PIL import Image

import dovetail as dt
from dovetail.view.chromium import find_chromium
from dovetail.view.picture import drawing, write_picture


@pytest.fixture
def browser(monkeypatch):
    monkeypatch.setenv("DOVETAIL_RENDERER", "auto")


def colours(path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"), float) / 255


def test_the_own_renderer_draws_where_it_is_asked_for(flight, tmp_path):
    assert find_chromium() is None  # the suite's setting
    result = flight.export(tmp_path / "flight.png", size=(120, 90), time=0.2)
    assert colours(result).shape == (90, 120, 3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"colour": "mass"}, "must be one of body, speed"),
        ({"view": "below"}, "must be one of corner"),
        ({"forces": True}, "need Chromium"),
    ],
)
def test_options_that_make_no_sense_are_refused(flight, tmp_path, options, words):
    with pytest.raises(dt.InputError, match=words):
        write_picture(flight, tmp_path / "a.png", **options)


@needs_browser
@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.usefixtures("browser")
def test_the_browser_draws_the_ball_where_it_is_with_a_shadow_below(tmp_path):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("plate", dt.Box((2, 2, 0.1)), position=(0, 0, -0.05), motion="static")
    scene.add_body("ball", dt.Sphere(0.3), density=1000, position=(0, 0, 0.6))
    result = dt.simulate(scene, 0.01, 0.01, contact="none", progress=False)
    with drawing(result, [0], (160, 120)) as painter:
        picture = painter.picture(0).astype(float) / 255
        again = painter.picture(0).astype(float) / 255
    np.testing.assert_array_equal(picture, again)
    blue = picture[..., 2] - picture[..., 0] > 0.15  # the first colour of bodies
    rows, columns = np.nonzero(blue)
    assert 300 < blue.sum() < 6000
    assert abs(columns.mean() - 80) < 8  # the ball is in the middle
    below = picture[rows.max() :, :]
    plate = (below.max(axis=2) - below.min(axis=2) < 0.06) & (below.mean(axis=2) < 0.8)
    assert np.percentile(below.mean(axis=2)[plate], 5) < 0.85 * np.median(below.mean(axis=2))


@needs_browser
@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.usefixtures("browser")
def test_forces_are_drawn_into_the_picture(tmp_path):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=3), motion="static")
    scene.add_body("box", dt.Box((1, 1, 1)), mass=1, position=(0, 0, 0.5))
    result = dt.simulate(scene, 0.05, 0.01, contact=dt.contact.LCP(), progress=False)
    write_picture(result, tmp_path / "box.png", forces=True, size=(160, 120))
    picture = colours(tmp_path / "box.png")
    arrow = (np.abs(picture - np.array([0xC2, 0x18, 0x5B]) / 255) < 0.12).all(axis=2)
    assert arrow.sum() > 30
