"""An MJCF document made safe for MuJoCo's compiler, which opens whatever file a document names.

The document is read by the bounded XML reader, its includes are put in their places, every file it
names is looked up inside the folders that are allowed, and the whole is written as text: one
element a line, with files under names of their own that exist only in memory. Pictures, sensors,
lights and cameras are left out, as they do not move anything.
"""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from xml.sax.saxutils import quoteattr

from dovetail.errors import InputError
from dovetail.io.mjcf.bounds import check_bounds, kept_sizes
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.text_files import read_text
from dovetail.io.xml.elements import DEEPEST, Element, parse_xml
from dovetail.io.xml.values import word
from dovetail.model.mesh_files.contents import POINTER, contents_of
from dovetail.model.values import quote

PICTURES = ("visual", "texture", "skin", "light", "camera", "layer")
NOT_NEEDED = (*PICTURES, "sensor", "custom", "statistic")
LISTED = ("sensor",)  # of these, what is said to be left out
NOT_SUPPORTED = {
    "flexcomp": "a deformable body",
    "flex": "a deformable body",
    "deformable": "a deformable body",
}
FILES = {"mesh": "meshdir", "hfield": "meshdir", "model": "assetdir"}  # tag -> its folder
MAX_ELEMENTS = 200_000  # of a model, with all copies
MAX_FILES = 20_000
MAX_BYTES = 2 * 1024**3  # of all files of a model


@dataclass
class Document:
    """Text for the compiler with the files it names, and where its lines come from."""

    text: str
    files: dict[str, bytes]
    lines: dict[str, list[tuple[str, int]]]  # of each text: file and line of every line
    left_out: list[str]
    names: dict[Path, str]  # of the files, in memory

    @property
    def models(self) -> dict[str, bytes]:
        """Texts of the models that are attached."""
        return {name: data for name, data in self.files.items() if name in self.lines}


@dataclass
class _Texts:
    """What is gathered while a document and the models it attaches are written."""

    folders: MeshFolder
    files: dict[str, bytes] = field(default_factory=dict)
    names: dict[Path, str] = field(default_factory=dict)
    lines: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    n_elements: int = 0
    n_copies: int = 0  # of elements, with those that <replicate> makes
    size: int = 0


@dataclass
class _Sourced:
    """An element with the file it is written in."""

    element: Element
    source: Path
    children: list["_Sourced"] = field(default_factory=list)


def safe_document(path: Path, folders: MeshFolder) -> Document:
    """The document of a file with everything it includes and names."""
    texts = _Texts(folders)
    text = _written(path, texts, [], MAIN)
    return Document(text, texts.files, texts.lines, texts.left_out, texts.names)


MAIN = "the file itself"


def _written(path: Path, texts: _Texts, opened: list[Path], key: str) -> str:
    """A document as text; the files it names go to `texts`."""
    if path.resolve() in opened or len(opened) > DEEPEST:
        raise InputError(f"{path.name} must not attach itself")
    root = parse_xml(read_text(path), path.name)
    if root.tag != "mujoco":
        raise InputError(f"{path.name} must be an MJCF <mujoco> model, got <{root.tag[:60]}>")
    folder = path.parent
    tree = _included(root, path, folder, texts, [path.resolve()], 0)
    directories = _directories(tree)
    lines: list[str] = []
    origin: list[tuple[str, int]] = []
    _write(tree, _Place(folder, directories, texts, [*opened, path.resolve()]), lines, origin)
    texts.lines[key] = origin
    return "\n".join(lines) + "\n"


def _included(
    element: Element, source: Path, main: Path, texts: _Texts, opened: list[Path], depth: int
) -> _Sourced:
    """The element with the children of each included file in place of its <include>."""
    texts.n_elements += 1
    if texts.n_elements > MAX_ELEMENTS:
        raise InputError(
            f"{source.name} and its includes must have at most {MAX_ELEMENTS} elements"
        )
    if depth > DEEPEST:
        raise InputError(f"{element.who} must not nest deeper than {DEEPEST} elements")
    made = _Sourced(element, source)
    for child in element.children:
        if child.tag != "include":
            made.children.append(_included(child, source, main, texts, opened, depth + 1))
            continue
        what = f"`file` of {child.who}"
        path = _found(word(child, "file"), [source.parent, main], texts.folders, what)
        if path in opened:
            raise InputError(f"{child.who} must not include {quote(path.name)} a second time")
        opened.append(path)
        inner = parse_xml(read_text(path), path.name)
        if inner.tag not in ("mujoco", "mujocoinclude"):
            raise InputError(f"{path.name} must be <mujocoinclude>, got <{inner.tag[:60]}>")
        made.children += _included(inner, path, main, texts, opened, depth + 1).children
    return made


@dataclass
class _Directories:
    """Where the files of a model are, as its <compiler> says; the last one that says it holds."""

    meshdir: str = ""
    assetdir: str = ""
    strip_path: bool = False


def _directories(tree: _Sourced) -> _Directories:
    found = _Directories()
    for part in tree.children:
        if part.element.tag == "compiler":
            given = part.element.attributes
            found.assetdir = given.get("assetdir", found.assetdir)
            found.meshdir = given.get("meshdir", given.get("assetdir", found.meshdir))
            found.strip_path = given.get("strippath", str(found.strip_path)).lower() == "true"
    return found


@dataclass
class _Place:
    """The document that is being written."""

    folder: Path
    directories: _Directories
    texts: _Texts
    opened: list[Path]


def _write(
    part: _Sourced,
    place: _Place,
    lines: list[str],
    origin: list[tuple[str, int]],
    copies: int = 1,
) -> None:
    element = part.element
    if element.tag in NOT_SUPPORTED:
        raise InputError(
            f"{element.who} of {part.source.name} is {NOT_SUPPORTED[element.tag]}, which is not "
            "supported; only rigid bodies are"
        )
    copies *= check_bounds(element)
    place.texts.n_copies += copies
    if place.texts.n_copies > MAX_ELEMENTS:
        raise InputError(f"{element.who} must make at most {MAX_ELEMENTS} elements of the model")
    given = _attributes(part, place)
    words = "".join(f" {key}={quoteattr(value)}" for key, value in given.items())
    children = [child for child in part.children if not _is_left_out(child, place)]
    origin.append((part.source.name, element.line))
    lines.append(f"<{element.tag}{words}{'>' if children else '/>'}")
    for child in children:
        _write(child, place, lines, origin, copies)
    if children:
        lines.append(f"</{element.tag}>")
        origin.append((part.source.name, element.line))


def _is_left_out(part: _Sourced, place: _Place) -> bool:
    tag = part.element.tag
    if tag in LISTED:
        place.texts.left_out += [f"sensor {child.element.tag[:60]}" for child in part.children]
    return tag in NOT_NEEDED


def _attributes(part: _Sourced, place: _Place) -> dict[str, str]:
    """The attributes as the compiler may see them."""
    element = part.element
    given = dict(element.attributes)
    if element.tag == "compiler":
        for key in ("meshdir", "texturedir", "assetdir", "strippath"):
            given.pop(key, None)
    elif element.tag == "material":
        given.pop("texture", None)
    elif element.tag == "size":
        given = kept_sizes(given)
    elif "file" in given and element.tag in FILES:
        given = _with_file(part, given, place)
    elif "file" in given:
        raise InputError(f"`file` of {element.who} is not read; leave it out")
    return given


def _with_file(part: _Sourced, given: dict[str, str], place: _Place) -> dict[str, str]:
    """The attributes with the name that the file has in memory."""
    element, texts = part.element, place.texts
    written = given["file"]
    if place.directories.strip_path:
        written = PurePosixPath(written.replace("\\", "/")).name
    what = f"`file` of {element.who}"
    directory = getattr(place.directories, FILES[element.tag])
    starts = [place.folder / directory, place.folder, part.source.parent / directory]
    path = _found(written, [*starts, part.source.parent], texts.folders, what)
    if element.tag != "model" and "name" not in given:
        given["name"] = PurePosixPath(written.replace("\\", "/")).stem
    given["file"] = _kept(path, element.tag == "model", place)
    return given


def _kept(path: Path, is_model: bool, place: _Place) -> str:
    """The name in memory of a file, which is read once."""
    texts = place.texts
    if path in texts.names:
        return texts.names[path]
    name = f"file-{len(texts.names)}{path.suffix.lower()}"
    texts.names[path] = name
    if is_model:
        texts.files[name] = _written(path, texts, place.opened, name).encode()
    else:
        texts.files[name] = data = path.read_bytes()
        if data.startswith(POINTER):
            raise InputError(f"{path.name} is not there{contents_of(data)}")
    texts.size += len(texts.files[name])
    if len(texts.names) > MAX_FILES or texts.size > MAX_BYTES:
        raise InputError(
            f"all files of a model together must be at most {MAX_FILES} and "
            f"{MAX_BYTES // 1024**2} MiB"
        )
    return name


def _found(name: str, starts: list[Path], folders: MeshFolder, what: str) -> Path:
    """The file of that name in the first of the folders that has it, where that is allowed."""
    relative = name.replace("\\", "/")
    refusal: InputError | None = None
    for start in starts:
        try:
            return folders.resolve(str(start.resolve() / relative), what, name)
        except InputError as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal
