"""An exporter of one's own: a folder with one PLY file a frame, as many mesh programs read them.

dovetail export bolt.h5 bolt.plyseq --every 10
"""

from pathlib import Path

import numpy as np

import dovetail as dt


def write_ply_sequence(result, path, every: int = 1) -> None:
    """All bodies as one mesh with the number of the body at every vertex."""
    folder = Path(path)
    folder.mkdir(exist_ok=True)
    bodies = [result.scene.bodies[name] for name in result.names]
    counts = [len(body.vertices) for body in bodies]
    first = np.cumsum([0, *counts[:-1]])
    faces = np.concatenate([body.faces + start for body, start in zip(bodies, first)])
    number = np.repeat(np.arange(len(bodies)), counts)
    for frame in range(0, len(result.time), every):
        world = [
            body.vertices @ result.rotation(name)[frame].T + result.position(name)[frame]
            for name, body in zip(result.names, bodies)
        ]
        rows = [
            f"{x:.9g} {y:.9g} {z:.9g} {k}" for (x, y, z), k in zip(np.concatenate(world), number)
        ]
        rows += [f"3 {a} {b} {c}" for a, b, c in faces]
        head = [
            "ply", "format ascii 1.0", f"comment time {result.time[frame]!r} s",
            f"element vertex {len(number)}", "property float x", "property float y",
            "property float z", "property int body", f"element face {len(faces)}",
            "property list uchar int vertex_indices", "end_header",
        ]  # fmt: skip
        text = "\n".join([*head, *rows]) + "\n"
        (folder / f"{frame:06d}.ply").write_text(text, encoding="ascii")


dt.extend.register("exporters", "plyseq", write_ply_sequence)

if __name__ == "__main__":
    scene = dt.Scene()
    scene.add_body("box", dt.Box((1, 1, 1)), angular_velocity=(0, 0, 1))
    print(dt.simulate(scene, 1.0, 0.1).export("box.plyseq", every=5))
