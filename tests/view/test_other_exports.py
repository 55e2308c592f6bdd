"""USD, VTKHDF and movies, read back by the programs they are for."""

from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.view.movie import write_movie
from dovetail.view.usd import write_usda
from dovetail.view.vtkhdf import write_vtkhdf
from rounding import rounding


def test_usd_moves_every_body_as_the_result_does(flight: dt.Result, tmp_path: Path) -> None:
    Usd = pytest.importorskip("pxr.Usd")
    UsdGeom = pytest.importorskip("pxr.UsdGeom")
    write_usda(flight, tmp_path / "flight.usda")
    stage = Usd.Stage.Open(str(tmp_path / "flight.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetTimeCodesPerSecond() == pytest.approx(100.0)
    box = UsdGeom.Xformable(stage.GetPrimAtPath("/world/box"))
    for frame in (0, 7, 50):
        matrix = np.array(box.ComputeLocalToWorldTransform(float(frame))).T  # rows become columns
        np.testing.assert_allclose(matrix[:3, 3], flight.position("box")[frame], atol=1e-12)
        np.testing.assert_allclose(matrix[:3, :3], flight.rotation("box")[frame], atol=1e-6)


def test_usd_bodies_carry_their_surface_and_colour(flight: dt.Result, tmp_path: Path) -> None:
    UsdGeom = pytest.importorskip("pxr.UsdGeom")
    Usd = pytest.importorskip("pxr.Usd")
    write_usda(flight, tmp_path / "flight.usda")
    stage = Usd.Stage.Open(str(tmp_path / "flight.usda"))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/world/left/surface"))
    ball = flight.scene.bodies["left"]
    np.testing.assert_allclose(np.array(mesh.GetPointsAttr().Get()), ball.vertices, atol=1e-7)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    np.testing.assert_array_equal(corners, ball.faces)
    primvars = UsdGeom.PrimvarsAPI(mesh)
    assert primvars.FindPrimvarWithInheritance("displayColor").IsDefined()
    assert stage.GetPrimAtPath("/world/wire/wires").GetTypeName() == "BasisCurves"


def test_usd_names_that_it_does_not_allow_are_changed_and_kept_beside(tmp_path: Path) -> None:
    Usd = pytest.importorskip("pxr.Usd")
    scene = dt.Scene()
    for name, x in (("7 bolts", 0), ("7_bolts", 2), ('say "hi"', 4)):
        scene.add_body(name, dt.Box((1, 1, 1)), position=(x, 0, 0))
    write_usda(dt.simulate(scene, duration=0.1, step=0.1), tmp_path / "names.usda")
    stage = Usd.Stage.Open(str(tmp_path / "names.usda"))
    bodies = stage.GetPrimAtPath("/world").GetChildren()
    kept = [body.GetAttribute("dovetail:name").Get() for body in bodies]
    assert kept == ["7 bolts", "7_bolts", 'say "hi"']


def test_vtk_reads_the_bodies_where_they_are_at_every_time(
    flight: dt.Result, tmp_path: Path
) -> None:
    vtk = pytest.importorskip("vtkmodules.vtkIOHDF")
    numpy_support = pytest.importorskip("vtkmodules.util.numpy_support")
    pipeline = pytest.importorskip("vtkmodules.vtkCommonExecutionModel")
    write_vtkhdf(flight, tmp_path / "flight.vtkhdf")
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(tmp_path / "flight.vtkhdf"))
    reader.UpdateInformation()
    key = pipeline.vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    times = reader.GetOutputInformation(0).Get(key)
    np.testing.assert_array_equal(times, flight.time)
    surfaces = {name: flight.scene.bodies[name] for name in flight.names}
    for frame in (0, 20, 50):
        reader.UpdateTimeStep(float(flight.time[frame]))
        data = reader.GetOutputDataObject(0)
        points = numpy_support.vtk_to_numpy(data.GetPoints().GetData())
        world = [
            body.vertices @ flight.rotation(name)[frame].T + flight.position(name)[frame]
            for name, body in surfaces.items()
        ]
        np.testing.assert_allclose(points, np.concatenate(world), atol=1e-6)
        body_of_cell = numpy_support.vtk_to_numpy(data.GetCellData().GetArray("body"))
        assert data.GetNumberOfPolys() == sum(len(body.faces) for body in surfaces.values())
        assert data.GetNumberOfLines() == 2
        assert set(body_of_cell[:2]) == {list(surfaces).index("wire")}  # lines come first


def test_a_gif_shows_as_much_time_as_it_lasts(flight: dt.Result, tmp_path: Path) -> None:
    from PIL import Image

    write_movie(flight, tmp_path / "flight.gif", size=(120, 90), fps=20, speed=0.25)
    with Image.open(tmp_path / "flight.gif") as movie:
        assert movie.size == (120, 90)
        lasts, pictures = 0.0, []
        for number in range(movie.n_frames):
            movie.seek(number)
            lasts += movie.info["duration"] / 1000
            pictures.append(np.asarray(movie.convert("RGB")))
    # 0.5 s four times slower, and the last picture stays for its own 1/20 s
    assert lasts == pytest.approx(0.5 / 0.25 + 1 / 20)
    assert np.any(pictures[0] != pictures[-1])


def test_an_mp4_has_the_pictures_it_should(flight: dt.Result, tmp_path: Path) -> None:
    reader = pytest.importorskip("imageio_ffmpeg")
    write_movie(flight, tmp_path / "flight.mp4", size=(161, 120), fps=10, speed=0.25)
    count, seconds = reader.count_frames_and_secs(str(tmp_path / "flight.mp4"))
    assert count == 21
    assert seconds == pytest.approx(2.1)


def test_a_view_from_above_sees_a_tall_body_as_its_base() -> None:
    from dovetail.view.render import fitting_camera

    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("pole", dt.Box((0.2, 0.4, 6)))
    result = dt.simulate(scene, duration=0.01, step=0.01)
    assert fitting_camera(result, [0], 1.0, "top").half_height == pytest.approx(1.08 * 0.2)
    front = fitting_camera(result, [0], 1.0, "front")
    assert front.half_height == pytest.approx(1.08 * 3)
    np.testing.assert_allclose(
        front.axes @ [1, 0, 0], [1, 0, 0], atol=rounding(8)
    )  # x to the right
    right = fitting_camera(result, [0], 1.0, "right")
    np.testing.assert_allclose(
        right.axes @ [1, 0, 0], [0, 0, 1], atol=rounding(8)
    )  # x to the viewer


def test_mistakes_in_a_movie_are_refused_with_what_is_right(
    flight: dt.Result, tmp_path: Path
) -> None:
    for wrong, message in (
        ({"fps": 0.0}, "1 to 120"),
        ({"speed": -1.0}, "> 0"),
        ({"size": (8, 8)}, "16 to 4096"),
        ({"view": "below"}, "corner, front"),
        ({"speed": 1e-6}, "use a speed of at least"),
    ):
        with pytest.raises(dt.InputError, match=message):
            write_movie(flight, tmp_path / "flight.gif", **wrong)
    with pytest.raises(dt.InputError, match=r"\.gif or \.mp4"):
        write_movie(flight, tmp_path / "flight.avi")


def test_a_result_without_surfaces_cannot_be_vtkhdf(tmp_path: Path) -> None:
    scene = dt.Scene()
    scene.add_body("point", mass=1, inertia=(1, 1, 1))
    result = dt.simulate(scene, duration=0.1, step=0.1)
    with pytest.raises(dt.InputError, match="surface"):
        write_vtkhdf(result, tmp_path / "point.vtkhdf")
    write_usda(result, tmp_path / "point.usda")  # which needs none
