"""One moment of one result in the player, MuJoCo's renderer, meshcat and rerun.

    python benchmarks/pictures_beside_peers.py RESULT.h5 TIME [FOLDER]

Writes dovetail.png, mujoco.png, meshcat.png and rerun.png. The bodies have the same surfaces, poses
and colours in all of them, and the camera is the same where it can be set; light and materials are
the defaults of each program. It needs `pip install mujoco meshcat rerun-sdk playwright pillow` and
Chromium; MuJoCo draws with EGL in software (MUJOCO_GL=egl).
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("MUJOCO_GL", "egl")
import numpy as np
from PIL import Image

import dovetail as dt
from dovetail.view.appearance import body_colours, towards_viewer, up_direction
from dovetail.view.framing import farthest, seen_corners
from dovetail.view.picture import write_picture

SIZE = (1000, 700)
CHROMIUM = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip


def parts(result: Any, frame: int) -> list[tuple[str, Any, Any, Any, Any, tuple[float, ...]]]:
    """Name, vertices, faces, position, rotation and colour of every body with a surface."""
    colours = body_colours(result)
    found = []
    for name, colour in zip(result.names, colours):
        body = result.scene.bodies[name]
        if len(body.vertices):
            pose = result.position(name)[frame], result.rotation(name)[frame]
            found.append((name, body.vertices, body.faces, *pose, colour))
    return found


def by_mujoco(bodies: list[Any], target: Any, towards: Any, distance: float, path: Path) -> None:
    import mujoco

    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = SIZE
    spec.visual.global_.fovy = 30
    spec.visual.quality.shadowsize = 4096
    spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, width=256, height=256,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT, rgb1=[0.3, 0.5, 0.7], rgb2=[0, 0, 0],
    )  # fmt: skip
    spec.worldbody.add_light(pos=[0, 0, 30], dir=[0.3, 0.3, -1], castshadow=True)
    for i, (_, vertices, faces, x, R, colour) in enumerate(bodies):
        # facets of thin plates have no volume of their own: shells
        spec.add_mesh(
            name=f"m{i}", uservert=vertices.ravel(), userface=faces.ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )  # fmt: skip
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.ascontiguousarray(R).ravel())
        holder = spec.worldbody.add_body(pos=x, quat=quat)
        kind = mujoco.mjtGeom.mjGEOM_MESH
        holder.add_geom(type=kind, meshname=f"m{i}", rgba=[*colour, 1], contype=0, conaffinity=0)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = target
    camera.distance = distance
    camera.azimuth = np.degrees(np.arctan2(-towards[1], -towards[0]))
    camera.elevation = -np.degrees(np.arcsin(towards[2]))
    with mujoco.Renderer(model, SIZE[1], SIZE[0]) as renderer:
        renderer.update_scene(data, camera)
        Image.fromarray(renderer.render()).save(path)


def by_meshcat(bodies: list[Any], target: Any, eye: Any, path: Path) -> None:
    import meshcat
    import meshcat.geometry as g

    shown = meshcat.Visualizer()
    for name, vertices, faces, x, R, colour in bodies:
        red, green, blue = (int(255 * c) for c in colour)
        material = g.MeshLambertMaterial(color=(red << 16) + (green << 8) + blue)
        shown[name].set_object(g.TriangularMeshGeometry(vertices, faces), material)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = R, x
        shown[name].set_transform(pose)
    centre = np.eye(4)
    centre[:3, 3] = target
    shown["/Cameras/default"].set_transform(centre)
    x, y, z = eye - target
    shown["/Cameras/default/rotated/<object>"].set_property("position", [x, z, -y])  # y is up
    page = path.with_suffix(".html")
    page.write_text(shown.static_html())
    shoot(page.as_uri(), path, 6)


def by_rerun(bodies: list[Any], path: Path) -> None:
    import rerun as rr

    rr.init("beside", spawn=False)
    server = rr.serve_grpc()
    for name, vertices, faces, x, R, colour in bodies:
        colours = np.tile([int(255 * c) for c in colour], (len(vertices), 1)).astype(np.uint8)
        mesh = rr.Mesh3D(vertex_positions=vertices, triangle_indices=faces, vertex_colors=colours)
        rr.log([name], mesh, rr.Transform3D(translation=x, mat3x3=R))
    rr.serve_web_viewer(open_browser=False, connect_to=server, web_port=9191)
    time.sleep(2)
    shoot(f"http://127.0.0.1:9191/?url={server}", path, 45)


def shoot(address: str, path: Path, seconds: float) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        page.goto(address)
        page.wait_for_timeout(1000 * seconds)
        page.screenshot(path=path, timeout=120_000)
        browser.close()


def main(source: str, moment: str, folder: str = ".") -> None:
    result = dt.load(source)
    frame = max(int(np.searchsorted(result.time, float(moment), "right")) - 1, 0)
    out = Path(folder).resolve()
    bodies = parts(result, frame)
    points = farthest(seen_corners(result, [frame]))
    target = (points.min(axis=0) + points.max(axis=0)) / 2
    towards = towards_viewer(up_direction(result))
    distance = 1.9 * float(np.linalg.norm(np.ptp(points, axis=0)))
    write_picture(result, out / "dovetail.png", float(moment), size=SIZE)
    for draw in (
        lambda: by_mujoco(bodies, target, towards, distance, out / "mujoco.png"),
        lambda: by_meshcat(bodies, target, target + distance * towards, out / "meshcat.png"),
        lambda: by_rerun(bodies, out / "rerun.png"),
    ):
        try:
            draw()
        except Exception as error:
            print(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
