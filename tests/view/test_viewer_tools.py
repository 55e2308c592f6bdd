"""The tools of the viewer in a real browser: framing, hiding, section, measuring, forces, keys."""

import base64
import json
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest
from browser import Watched, browser_page, needs_browser

import dovetail as dt
from dovetail.model.shapes import HalfSpace
from dovetail.view.page.server import PageServer
from dovetail.view.viewer import serve

pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.slow,
    needs_browser,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def scale() -> Iterator[PageServer]:
    """Boxes of 3 and 1 kg at rest, and a bracket beside them that never moves."""
    scene = dt.Scene(gravity=(0, 0, -10))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=3), motion="static")
    scene.add_body("bracket", dt.Box((0.2, 4, 2)), motion="static", position=(-2, 0, 1.01))
    scene.add_body("heavy", dt.Box((0.6, 0.6, 0.6)), mass=3, position=(0, 0, 0.3))
    scene.add_body("light", dt.Box((0.2, 0.2, 0.2)), mass=1, position=(0, 0, 0.7))
    result = dt.simulate(scene, 0.2, 0.01, contact=dt.contact.LCP(), progress=False)
    server = serve([result], ["scale"], port=0)
    yield server
    server.close()


@pytest.fixture(scope="module")
def shown(scale: PageServer) -> Iterator[Watched]:
    with browser_page(1000, 640) as watched:
        watched.open(scale.address)
        watched.page.click("#play")
        watched.page.fill("#frame", "20")
        watched.until("dovetail.stages[0].frame === 20")
        watched.settle()
        yield watched
        assert watched.problems == []


def on_screen(watched: Watched, points: np.ndarray) -> np.ndarray:
    """(n, 2) places of world points in the picture, -1 to 1."""
    matrices = watched.page.evaluate(
        """() => { const { camera } = dovetail.theatre; camera.updateMatrixWorld();
        return [camera.projectionMatrix.elements, camera.matrixWorldInverse.elements]; }"""
    )
    P, V = (np.array(m).reshape(4, 4).T for m in matrices)
    seen = np.column_stack([points, np.ones(len(points))]) @ V.T @ P.T
    assert np.all(seen[:, 3] > 0), "behind the camera"
    return seen[:, :2] / seen[:, 3:]


def corners(result: dt.Result, frame: int) -> np.ndarray:
    """All vertices of all parts, and the middle of those that have none."""
    found = []
    for name in result.names:
        body = result.scene.bodies[name]
        if not isinstance(body.checked.shape, HalfSpace):
            local = body.vertices if len(body.vertices) else np.zeros((1, 3))
            found.append(local @ result.rotation(name)[frame].T + result.position(name)[frame])
    return np.concatenate(found)


def test_first_view_and_see_all_contain_every_part_of_every_example():
    with browser_page(1000, 640) as watched:
        for name in dt.examples.names():
            example = dt.examples.get(name)
            scene, step = example.build(), example.RUN["step"]
            result = dt.simulate(scene, 4 * step, step, contact="none", progress=False)
            server = serve([result], [name], port=0)
            watched.open(server.address)
            watched.page.evaluate("dovetail.clock.playing = false")
            first = on_screen(watched, corners(result, 0))
            assert np.abs(first).max() < 1, f"{name}: first view"
            if len(first) > 20:  # not only points without a surface
                assert np.ptp(first, axis=0).max() > 0.6, f"{name}: small in the picture"
            watched.page.evaluate("dovetail.theatre.camera.position.multiplyScalar(0.1)")
            watched.page.evaluate("dovetail.goto(Infinity)")
            watched.until(f"dovetail.stages[0].frame === {len(result.time) - 1}")
            watched.page.click("#home")
            assert np.abs(on_screen(watched, corners(result, -1))).max() < 1, f"{name}: see all"
            server.close()
        assert watched.problems == []


def pixels(watched: Watched) -> np.ndarray:
    """The picture as it would be saved, (height, width, 3)."""
    from matplotlib.image import imread

    url = watched.page.evaluate("dovetail.capture.picture(1).toDataURL()")
    return np.asarray(imread(BytesIO(base64.b64decode(url.partition(",")[2]))))[..., :3]


def test_the_face_of_a_section_is_filled_inside_of_the_body_only():
    """Across the axis of a torus: a ring is hatched, the hole in it shows what is below."""
    scene = dt.Scene()
    scene.add_body("ring", dt.Torus(0.3, 0.1), density=1000)
    server = serve([dt.simulate(scene, 0.02, 0.01, progress=False)], ["ring"], port=0)
    with browser_page(640, 640) as watched:
        watched.open(server.address)
        page = watched.page
        page.click("#play")
        page.check("#section-on")
        page.select_option("#section-axis", "2")
        for flip in (False, True):
            page.set_checked("#section-flip", flip)
            page.select_option("#views", "bottom" if flip else "top")
            watched.settle()
            picture = pixels(watched)
            height, width = picture.shape[:2]
            at = {}
            for name, radius in (("hole", 0.05), ("ring", 0.3), ("outside", 0.6)):
                angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
                circle = radius * np.column_stack(
                    [np.cos(angles), np.sin(angles), np.zeros_like(angles)]
                )
                x, y = on_screen(watched, circle).T
                columns = ((0.5 + 0.5 * x) * width).astype(int).clip(0, width - 1)
                rows = ((0.5 - 0.5 * y) * height).astype(int).clip(0, height - 1)
                at[name] = picture[rows, columns]
            blue = {name: (one[:, 2] - one[:, 0] > 0.05).mean() for name, one in at.items()}
            assert blue["ring"] > 0.9 and blue["hole"] < 0.1 and blue["outside"] < 0.1, (flip, blue)
            assert np.ptp(at["ring"].mean(axis=1)) > 0.1, "no hatching"
        assert watched.problems == []
    server.close()


def test_bodies_are_hidden_shown_alone_and_made_transparent(shown: Watched):
    page = shown.page
    row = '.body-row[data-body="1"]'
    before = pixels(shown)
    page.click(f"{row} .hide")
    shown.settle()
    hidden = pixels(shown)
    assert page.evaluate("dovetail.stages[0].stateOf(1)") == "hidden"
    page.click(f"{row} .hide")
    page.click(f"{row} .ghost")
    shown.settle()
    ghost = pixels(shown)
    page.click("#show-all")
    page.click('.body-row[data-body="3"] .isolate')
    states = page.evaluate(
        "dovetail.stages[0].recording.bodies.map((_, b) => dovetail.stages[0].stateOf(b))"
    )
    assert states == ["hidden", "hidden", "hidden", "shown"]
    page.click("#show-all")
    shown.settle()
    np.testing.assert_array_equal(pixels(shown), before)
    lost = np.any(hidden != before, axis=2)  # where the bracket was, and its shadow
    assert lost.mean() > 0.02
    assert np.any(ghost != before, axis=2)[lost].mean() > 0.5
    assert np.any(ghost != hidden, axis=2)[lost].mean() > 0.2


def test_a_section_takes_away_what_is_in_front_of_it(shown: Watched):
    page = shown.page
    before = pixels(shown)
    page.check("#section-on")
    page.select_option("#section-axis", "0")
    page.fill("#section-share", "0.02")
    shown.settle()
    cut = pixels(shown)
    planes = page.evaluate("dovetail.stages[0].groups[0].solid.material.clippingPlanes.length")
    assert planes == 1 and np.any(cut != before, axis=2).mean() > 0.02
    page.uncheck("#section-on")
    shown.settle()
    np.testing.assert_array_equal(pixels(shown), before)


OUTLINE = """dovetail.stages[0].caps.caps.map(({ line }) => {
  const { array } = line.geometry.attributes.instanceStart.data;
  let length = 0;
  for (let i = 0; i < array.length; i += 6) {
    length += Math.hypot(...[0, 1, 2].map((k) => array[i + k] - array[i + 3 + k]));
  }
  return length;
})"""


def test_a_section_has_one_outlined_face_for_each_body_it_cuts(shown: Watched):
    page = shown.page
    page.check("#section-on")
    page.select_option("#section-axis", "1")
    page.fill("#section-share", "0.5")
    shown.settle()
    # bracket, heavy and light are cut at y = 0
    assert page.evaluate(OUTLINE) == pytest.approx([4.4, 2.4, 0.8], rel=1e-5)
    page.click('.body-row[data-body="3"] .hide')
    shown.settle()
    assert page.evaluate(OUTLINE) == pytest.approx([4.4, 2.4], rel=1e-5)
    page.click("#show-all")
    page.uncheck("#section-on")
    shown.settle()
    assert page.evaluate(OUTLINE) == []


def test_a_picture_at_rest_becomes_the_mean_of_many(shown: Watched):
    page = shown.page
    page.select_option("#quality", "fine")
    shown.until("dovetail.theatre.refinement.count > 2")
    page.evaluate("dovetail.touch()")  # anything that changes begins from one picture again
    shown.until("dovetail.theatre.refinement.count < 2")
    page.select_option("#quality", "auto")
    shown.settle()
    page.uncheck("#grid")
    shown.settle()
    one, many = (page.evaluate(f"dovetail.capture.picture(1, {n}).toDataURL()") for n in (1, 16))
    page.check("#grid")
    hard, soft = (steps_of_grey(url) for url in (one, many))
    assert soft > 1.5 * hard, f"{soft} and {hard} pixels between light and shadow"


def steps_of_grey(url: str) -> int:
    """How many pairs of grey neighbours in the picture differ by 1 to 6 of 255."""
    from matplotlib.image import imread

    picture = np.asarray(imread(BytesIO(base64.b64decode(url.partition(",")[2]))))[..., :3]
    grey = np.ptp(picture, axis=2) < 0.05
    step = 255 * np.abs(np.diff(picture[..., 0], axis=1))
    return int((grey[:, 1:] & grey[:, :-1] & (step > 0.5) & (step < 6.5)).sum())


def place(watched: Watched, point: tuple[float, float, float]) -> tuple[float, float]:
    box = watched.page.query_selector("#picture > canvas").bounding_box()
    x, y = on_screen(watched, np.array([point]))[0]
    return box["x"] + (0.5 + 0.5 * x) * box["width"], box["y"] + (0.5 - 0.5 * y) * box["height"]


def test_a_distance_is_measured_between_two_clicks(shown: Watched):
    page = shown.page
    page.keyboard.press("m")
    page.mouse.click(*place(shown, (0.08, -0.1, 0.72)))  # the front of the small box
    page.mouse.click(*place(shown, (0.08, -0.3, 0.5)))  # the front of the large one
    shown.settle()
    distance = page.evaluate("dovetail.measure.distance")
    assert distance == pytest.approx(np.hypot(0.2, 0.22), abs=0.01)
    assert "from light to heavy" in page.inner_text("#measured")
    title, measured = (page.query_selector(one).bounding_box() for one in (".title", "#measured"))
    assert title["y"] + title["height"] <= measured["y"]  # below the title in narrow windows too
    page.keyboard.press("m")
    assert page.evaluate("dovetail.measure.on") is False


def test_net_forces_are_arrows_with_their_numbers(shown: Watched):
    page = shown.page
    page.keyboard.press("c")
    shown.settle()
    forces = page.evaluate("dovetail.stages[0].netForces.shown.map(({ force }) => force)")
    assert sorted(forces) == pytest.approx([10, 40], rel=1e-4)
    text = page.evaluate(
        """() => { const said = []; const c = document.createElement('canvas').getContext('2d');
        const write = c.fillText.bind(c);
        c.fillText = (text, ...rest) => { said.push(text); write(text, ...rest); };
        dovetail.labels.paint(c, 700, 640, dovetail); return said; }"""
    )
    assert {"10 N", "40 N"} <= set(text) and "x" in text
    assert any(one.startswith("grid ") for one in text)
    page.keyboard.press("c")


def test_arrows_are_shorter_than_the_bodies_that_move(shown: Watched):
    """A large floor or bracket beside small parts must not make arrows that hide them."""
    length = shown.page.evaluate("dovetail.stages[0].netForces.length")
    assert length == pytest.approx(0.8 * 0.2 * 3**0.5, rel=1e-4)


def test_colours_of_forces_are_not_those_of_one_impact(shown: Watched):
    """One force of 5 MN among a hundred of 10 N: the scale ends at 10 N and says so."""
    found = shown.page.evaluate(
        """() => { const { colouring } = dovetail.stages[0]; const { values, by } = colouring;
        colouring.values = (frame) => [frame === 7 ? 5e6 : 10]; colouring.by = 'force';
        colouring.ranges = {}; const range = colouring.range();
        colouring.values = values; colouring.by = by; colouring.ranges = {}; return range; }"""
    )
    assert found == {"low": 0, "high": 10, "cut": True}


def test_bodies_are_coloured_by_contact_force(shown: Watched):
    page = shown.page
    page.select_option("#colour-by", "force")
    shown.settle()
    values = page.evaluate("Array.from(dovetail.stages[0].colouring.values(20))")
    assert values[2:] == pytest.approx([50, 10], rel=1e-4)  # below and above the large box
    colours = page.evaluate(
        """dovetail.stages[0].groups.flatMap(
            (group) => group.members.map((body, i) => [body, group.colours[i].getHex()]))"""
    )
    assert len({colour for body, colour in colours if body >= 2}) == 2
    page.select_option("#colour-by", "body")


def test_keys_step_frame_and_change_the_theme(shown: Watched):
    page = shown.page
    page.mouse.click(5, 300)
    for key, frame in (("ArrowLeft", 19), ("Home", 0), ("ArrowRight", 1), ("End", 20)):
        page.keyboard.press(key)
        shown.until(f"dovetail.stages[0].frame === {frame}")
    page.keyboard.press("t")
    shown.settle()
    dark = pixels(shown)
    assert (
        page.evaluate("document.documentElement.dataset.theme") == "dark" and dark[0, 0].max() < 0.3
    )
    page.keyboard.press("t")
    page.keyboard.press("5")  # from the right
    towards = page.evaluate(
        "dovetail.theatre.camera.position.clone().sub(dovetail.theatre.controls.target).normalize().toArray()"
    )
    np.testing.assert_allclose(towards, (1, 0, 0), atol=1e-6)
    page.keyboard.press("1")
    page.keyboard.press("?")
    assert "measure a distance" in page.inner_text("#help")
    page.keyboard.press("Escape")
    assert page.is_hidden("#help")
    page.keyboard.press(" ")
    assert page.evaluate("dovetail.clock.playing")
    page.keyboard.press(" ")


def test_a_movie_and_a_picture_are_saved(shown: Watched):
    page = shown.page
    with page.expect_download() as saved:
        page.click("#screenshot")
    assert saved.value.suggested_filename == "scale.png"
    page.evaluate("dovetail.clock.speed = 0.1")  # 2 s
    with page.expect_download() as saved:
        page.click("#movie")
        shown.until("dovetail.capture.recorder === null && !!dovetail.capture.movie")
    assert page.evaluate("dovetail.capture.movie.size") > 1000
    assert saved.value.suggested_filename.startswith("scale.")
    page.evaluate("dovetail.clock.playing = false")


def test_ticks_are_round_numbers(shown: Watched):
    """Labels like 1e-4.2 were drawn once: powers of ten, or 1, 2, 5 times one."""
    rows = shown.page.evaluate("dovetail.panel.charts.map((chart) => chart.marks)")
    for row in json.loads(json.dumps(rows)):
        assert row and all("e" not in text and len(text) <= 8 for text in row)
