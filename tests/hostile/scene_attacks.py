"""Scene files that attack: each function writes one and returns what `dovetail` is to do."""

import os
from pathlib import Path

HEAD = "version: 1\nrun: {duration: 0.01, step: 0.01}\n"
BALL = "bodies:\n- {name: b, shape: {sphere: 1}, mass: 1}\n"


def _written(folder: Path, text: str, name: str = "s.yaml") -> str:
    (folder / name).write_text(text)
    return name


def _body(folder: Path, shape: str, more: str = "mass: 1") -> str:
    return _written(folder, f"{HEAD}bodies:\n- {{name: b, shape: {shape}, {more}}}\n")


def _run(folder: Path, run: str, more: str = "") -> str:
    return "run " + _written(folder, f"version: 1\nrun: {run}\n{BALL}{more}")


def billion_laughs(folder: Path) -> str:
    rows = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    rows += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 30)]
    return _written(folder, HEAD + "\n".join(rows))


def wide_aliases(folder: Path) -> str:
    return _written(folder, f"{HEAD}a: &a [{'1, ' * 100_000}]\nb: [{'*a, ' * 100_000}]\n")


def deep_lists(folder: Path) -> str:
    return _written(folder, HEAD + "bodies: " + "[" * 5_000_000)


def deep_mappings(folder: Path) -> str:
    return _written(folder, HEAD + "bodies: " + "{a: " * 2_000_000)


def deep_json(folder: Path) -> str:
    return _written(folder, '{"version": 1, "bodies": ' + "[" * 20_000_000, "s.json")


def deep_block(folder: Path) -> str:
    return _written(folder, HEAD + "\n".join(" " * k + "a:" for k in range(3000)))


def too_large(folder: Path) -> str:
    with (folder / "s.yaml").open("wb") as file:
        file.write(HEAD.encode() + b"# ")
        file.truncate(1 << 42)  # a hole: 4 TB that take no space
    return "s.yaml"


def one_long_line(folder: Path) -> str:
    return _written(folder, f"{HEAD}description: {'x' * 60_000_000}\n{BALL}")


def unclosed_quote(folder: Path) -> str:
    return _written(folder, HEAD + 'a: "' + "\\n\\u0041 " * 5_000_000)


def million_bodies(folder: Path) -> str:
    return _written(folder, HEAD + "bodies:\n" + "- {name: b, mass: 1}\n" * 1_000_000)


def million_keys(folder: Path) -> str:
    return _written(folder, HEAD + "\n".join(f"k{i}: 1" for i in range(1_000_000)))


def million_digits(folder: Path) -> str:
    return _body(folder, "{sphere: " + "9" * 1_000_000 + "}")


def million_mistakes(folder: Path) -> str:
    return _written(folder, HEAD + "bodies:\n" + "- {nmae: b, mas: 1}\n" * 90_000)


def million_documents(folder: Path) -> str:
    return _written(folder, "---\n" * 5_000_000)


def million_comments(folder: Path) -> str:
    return _written(folder, "#\n" * 20_000_000)


def python_object(folder: Path) -> str:
    return _written(folder, HEAD + "bodies: !!python/object/apply:os.system ['touch owned']\n")


def not_a_number(folder: Path) -> str:
    return _body(folder, "{sphere: .nan}")


def infinite_place(folder: Path) -> str:
    return _body(folder, "{sphere: 1}", "mass: 1, position: [.inf, 0, 0]")


def infinite_gravity(folder: Path) -> str:
    return _written(folder, HEAD + "gravity: [0, 0, -.inf]\n" + BALL)


def minus_infinite_mass(folder: Path) -> str:
    return _body(folder, "{sphere: 1}", "mass: -.inf")


def billion_segments(folder: Path) -> str:
    return _body(folder, "{sphere: 1, segments: 1000000000}")


def most_segments_allowed_of_a_torus(folder: Path) -> str:
    return _body(folder, "{torus: {major: 2, minor: 1}, segments: 100000}")


def most_segments_in_every_part(folder: Path) -> str:
    part = "{shape: {sphere: 1, segments: 2048}}, "
    return _body(folder, "{compound: [" + part * 9000 + "]}")


def billion_steps(folder: Path) -> str:
    return _run(folder, "{duration: 1000000000, step: 1.0e-9}")


def billion_every(folder: Path) -> str:
    return _run(folder, "{duration: 1, step: 1.0e-3, every: -1000000000}")


def billion_cells(folder: Path) -> str:
    floor = "- {name: f, shape: {box: [1, 1, 1]}, motion: static, position: [9, 0, 0]}\n"
    run = "{duration: 0.01, step: 0.01, contact: {method: sdf, resolution: 1000000000}}"
    return _run(folder, run, floor)


def billion_facets(folder: Path) -> str:
    return _run(folder, "{duration: 1, step: 0.1, contact: {method: lcp, facets: 1000000000}}")


def inline_face_of_vertex_a_billion(folder: Path) -> str:
    mesh = "{vertices: [[0,0,0],[1,0,0],[0,1,0]], faces: [[0, 1, 1000000000]]}"
    return _body(folder, f"{{mesh: {mesh}}}")


def inline_degenerate_triangles(folder: Path) -> str:
    faces = "[0, 0, 0], " * 300_000
    return _body(folder, f"{{mesh: {{vertices: [[0, 0, 0], [1, 0, 0]], faces: [{faces}]}}}}")


def path_above(folder: Path) -> str:
    return _body(folder, "{mesh: ../../../../../../../../etc/passwd}")


def path_absolute(folder: Path) -> str:
    return _body(folder, "{mesh: /etc/hosts.stl}")


def path_of_a_link(folder: Path) -> str:
    (folder / "m.stl").symlink_to("/etc/passwd")
    return _body(folder, "{mesh: m.stl}")


def path_of_a_device(folder: Path) -> str:
    (folder / "m.stl").symlink_to("/dev/zero")
    return _body(folder, "{mesh: m.stl}")


def path_of_a_pipe(folder: Path) -> str:
    os.mkfifo(folder / "m.stl")
    return _body(folder, "{mesh: m.stl}")


def path_of_links_in_a_circle(folder: Path) -> str:
    (folder / "m.stl").symlink_to("n.stl")
    (folder / "n.stl").symlink_to("m.stl")
    return _body(folder, "{mesh: m.stl}")


def scene_is_a_pipe(folder: Path) -> str:
    os.mkfifo(folder / "s.yaml")
    return "s.yaml"


def scene_is_endless(folder: Path) -> str:
    (folder / "s.yaml").symlink_to("/dev/zero")
    return "s.yaml"
