"""A hostile file costs little and is refused with a sentence."""

import os
import time

import pytest

from dovetail.errors import InputError
from dovetail.io import MeshFolder, load_scene
from dovetail.io.limits import LARGEST_SCENE_BYTES, MAX_VALUES

SECONDS = 20.0  # far above what a refusal takes, far below what an attack would


@pytest.fixture(autouse=True)
def _is_quick():
    start = time.process_time()  # not by the clock: others may keep the machine busy
    yield
    assert time.process_time() - start < SECONDS


def _laughs(levels: int, width: int = 10) -> str:
    lines = ["version: 1", "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for i in range(1, levels):
        lines.append(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]")
    return "\n".join(lines)


def test_a_billion_laughs_are_not_laughed(mistakes):
    (sentence,) = mistakes(_laughs(9))
    assert f"the scene holds more than {MAX_VALUES} values (aliases count each time)" in sentence


def test_mappings_of_aliases_are_counted_too(mistakes):
    lines = ["version: 1", "a0: &a0 {x: 1}"]
    for i in range(1, 30):
        lines.append(f"a{i}: &a{i} {{p: *a{i - 1}, q: *a{i - 1}, r: *a{i - 1}}}")
    assert "holds more than" in mistakes("\n".join(lines))[0]


@pytest.mark.parametrize("levels", [100, 3000, 1_000_000])
@pytest.mark.parametrize(
    ("name", "opening"), [("a.yaml", "["), ("a.json", "["), ("b.json", '{"a":')]
)
def test_deep_nesting_is_refused(mistakes, name, opening, levels):
    assert "nested deeper than 64" in mistakes(opening * levels, name)[0]


def test_deep_block_nesting_is_refused(mistakes):
    text = "\n".join(" " * i + "a:" for i in range(2000))
    assert "nested deeper than 64" in mistakes(text)[0]


def test_nested_compounds_as_deep_as_allowed_do_not_exhaust_the_stack(load):
    shape = "{sphere: 1}"
    for _ in range(19):
        shape = f"{{compound: [{{shape: {shape}}}]}}"
    load(f"version: 1\nbodies: [{{name: a, shape: {shape}}}]").scene.build()


def test_an_alias_inside_what_it_names_is_refused(mistakes):
    assert mistakes("version: 1\nbodies: &b [*b]") == [
        "scene.yaml: line 2: the alias *b stands inside what it names"
    ]


def test_an_unclosed_string_of_escapes_is_refused_in_linear_time(mistakes):
    assert "is not valid JSON" in mistakes('{"a": "' + '\\"' * 2_000_000, "a.json")[0]


def test_a_long_list_where_a_vector_belongs_is_refused_quickly(mistakes):
    (sentence,) = mistakes(f"version: 1\ngravity: [{'1, ' * 300_000}1]")
    assert sentence.startswith("scene.yaml: `gravity` must have 3 entries in m/s^2, got ")
    assert len(sentence) < 300


def test_many_wrong_vertices_are_one_mistake(mistakes):
    vertices = "[x, y, z], " * 60_000
    found = mistakes(
        f"version: 1\nbodies: [{{name: a, shape: {{mesh: {{vertices: [{vertices}]}}}}}}]"
    )
    assert found[0].startswith("scene.yaml: bodies[0] 'a': `shape.mesh.vertices[0][0]` must be a")
    assert len(found) <= 3


def test_too_many_values_are_refused(mistakes):
    text = '{"version": 1, "name": [' + "1," * (MAX_VALUES + 10) + "1]}"
    assert "holds more than" in mistakes(text, "a.json")[0]


def test_too_many_keys_are_refused(mistakes):
    keys = ",\n".join(f'"k{i}": 1' for i in range(100_000))
    assert mistakes(f"{{{keys}}}", "a.json") == [
        "a.json: line 201: one object has more than 200 keys"
    ]
    assert mistakes(f"{{{keys}}}", "a.yaml") == [
        "a.yaml: line 201: one mapping has more than 200 keys"
    ]


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_a_number_with_a_million_digits_is_refused(mistakes, name):
    text = '{"version": 1, "gravity": [0, 0, ' + "9" * 1_000_000 + "]}"
    assert "too many digits" in mistakes(text, name)[0]


def test_a_number_no_double_holds_is_refused(mistakes):
    (sentence,) = mistakes(f"version: 1\ngravity: [0, 0, {'9' * 390}]")
    assert "`gravity[2]` must be a finite number in m/s^2" in sentence


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "is empty; a scene starts with `version: 1`"),
        (b" \n\t\n", "is empty"),
        ("version: 1".encode("utf-16"), "must be UTF-8 text, got UTF-16; save it as UTF-8"),
        ("version: 1".encode("utf-32"), "must be UTF-8 text, got UTF-32"),
        ("version: 1\nname: Größe".encode("latin-1"), "line 2 has the byte 0xf6"),
        (bytes(range(256)) * 10, "line 2 has the byte 0x80"),
        (b"\x89HDF\r\n\x1a\n" + b"\x00" * 100, "must be UTF-8 text, line 1 has the byte 0x89"),
        (b"version: 1\x00", "line 1 has the control character 0x00; this looks like binary data"),
    ],
)
def test_what_is_no_text_is_refused_for_what_it_is(mistakes, content, part):
    (sentence,) = mistakes(content)
    assert sentence.startswith("scene.yaml: ") and part in sentence


def test_a_byte_order_mark_is_no_mistake(load):
    assert load("version: 1\nname: a".encode("utf-8-sig")).scene.bodies == {}


def test_a_file_larger_than_the_limit_is_not_read(write):
    path = write("version: 1")
    os.truncate(path, LARGEST_SCENE_BYTES + 1)  # sparse: takes no space
    with pytest.raises(InputError, match="must be at most 64 MiB, got more"):
        load_scene(path)


def test_folders_pipes_and_missing_files_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    for path, part in [
        (tmp_path, "is a folder; give the scene file inside it"),
        (tmp_path / "pipe.yaml", "must be a regular file, not a device or a pipe"),
        ("/dev/zero", "must be a regular file, not a device or a pipe"),
        (tmp_path / "none.yaml", "no such file; check the name and the folder"),
        (tmp_path / ("x" * 5000), "cannot be read: File name too long"),
        ("a\0b", "cannot be read: embedded null byte"),
    ]:
        with pytest.raises(InputError, match=part):
            load_scene(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_refused(write):
    path = write("version: 1")
    path.chmod(0)
    with pytest.raises(InputError, match="may not be read; check its permissions"):
        load_scene(path)


TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def mesh_scene(mesh: str) -> str:
    return f"version: 1\nbodies: [{{name: a, shape: {{mesh: '{mesh}', shell: true}}}}]"


@pytest.fixture
def outside(tmp_path, write):
    """A mesh beside the scene's folder, and links from inside that lead to it."""
    mesh = write(TRIANGLE, "outside/t.obj")
    write(TRIANGLE, "inside/own.obj")
    (tmp_path / "inside" / "link.obj").symlink_to(mesh)
    (tmp_path / "inside" / "folder").symlink_to(mesh.parent)
    (tmp_path / "inside" / "loop.obj").symlink_to(tmp_path / "inside" / "loop.obj")
    (tmp_path / "insider").symlink_to(mesh.parent)
    return mesh


@pytest.mark.parametrize(
    "mesh",
    ["../outside/t.obj", "sub/../../outside/t.obj", "link.obj", "folder/t.obj", "{absolute}",
     "../insider/t.obj", "/etc/passwd"],
)  # fmt: skip
def test_a_mesh_path_may_not_leave_the_folder_unless_allowed(write, outside, mesh):
    path = write(mesh_scene(mesh.format(absolute=outside)), "inside/scene.yaml")
    with pytest.raises(InputError) as caught:
        load_scene(path)
    (sentence,) = caught.value.mistakes
    assert sentence.startswith(
        "scene.yaml: bodies[0] 'a': `shape.mesh` must stay inside the folder of the scene file"
    )
    assert "--allow-path" in sentence
    if mesh != "/etc/passwd":
        load_scene(path, allow_paths=[outside.parent])
        with pytest.raises(InputError):
            load_scene(path, allow_paths=[outside.parent / "deeper"])


def test_a_folder_whose_name_starts_alike_is_another_folder(tmp_path, write):
    write(TRIANGLE, "scene-2/t.obj")
    (tmp_path / "scene").mkdir()
    with pytest.raises(InputError, match="must stay inside"):
        MeshFolder(tmp_path / "scene").resolve("../scene-2/t.obj", "`mesh`")


@pytest.mark.parametrize(
    ("mesh", "part"),
    [
        ("none.obj", "must be an existing file, got 'none.obj'"),
        (".", "must be a file, got the folder '.'"),
        ("loop.obj", "must be"),
        ("x" * 3000, "must be"),
    ],
)
def test_a_mesh_that_is_no_file_is_refused(write, outside, mesh, part):
    path = write(mesh_scene(mesh), "inside/scene.yaml")
    with pytest.raises(InputError, match=r"scene.yaml: bodies\[0\] 'a': `shape.mesh` " + part):
        load_scene(path)


def test_a_path_through_an_unbounded_number_of_parents_is_refused(write, outside):
    path = write(mesh_scene("../" * 1000 + "etc/passwd"), "inside/scene.yaml")
    with pytest.raises(InputError, match="must stay inside"):
        load_scene(path)
