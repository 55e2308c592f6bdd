"""A scene reader of one's own, for a toy format of one line per body:

    # name  radius [m]  density [kg/m^3]  x y z [m]
    gravity 0 0 -9.81
    ball a 0.1 1000  0 0 1
    run 1.0 0.01

Files that end in .toy are read by it: `dovetail run scene.toy`, `dt.Scene.load("scene.toy")`.
"""

import dovetail as dt
from dovetail.extend import LoadedScene, RunSettings


def read_toy(path, files):
    """`files.resolve(name, what)` would give the path of a mesh, inside the folders allowed."""
    scene, run = dt.Scene(), RunSettings()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        match words:
            case []:
                continue
            case ["gravity", x, y, z]:
                scene.gravity = (float(x), float(y), float(z))
            case ["ball", name, radius, density, *position] if len(position) == 3:
                at = tuple(map(float, position))
                scene.add_body(name, dt.Sphere(float(radius)), density=float(density), position=at)
            case ["run", duration, step]:
                run = RunSettings(duration=float(duration), step=float(step))
            case _:
                raise dt.InputError(
                    f"{path.name}:{number}: must be gravity, ball or run, got {line!r}"
                )
    return LoadedScene(scene, run, path)


dt.extend.register("scene_readers", "toy", read_toy)
