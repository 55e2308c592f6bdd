"""Where a URDF file finds its meshes, as ROS lays them out.

`package://name/path` is looked for in the given package paths, in ROS_PACKAGE_PATH, and in the
folders above the file: `path` in a folder of that name, `name/path`, or `path` in the folder of
the package that the file belongs to. What is in none of them is looked for within that package, or
the folder of the file: the one mesh there whose path ends with the most of name/path is taken, and
a note says so. Other names are relative to the file and may not leave its package: the nearest
folder above with a package.xml, or the parent of a folder such as `urdf`. Nothing but meshes is
read there.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path

from dovetail.errors import InputError
from dovetail.io.safe_paths import MeshFolder
from dovetail.model.mesh_files.reading import SUFFIXES
from dovetail.model.values import quote

HIGHEST = 8  # folders above the file that are looked into
MOST_FILES = 20_000  # of a package, that are looked through for a mesh
URDF_FOLDERS = ("urdf", "urdfs", "robots", "robot", "xacro", "model", "models", "description")
MARKS = ("package.xml", "manifest.xml")


class PackageFolders:
    """The folders in which the meshes of one URDF file may be."""

    def __init__(
        self, file: Path, files: MeshFolder, package_paths: Iterable[str | PathLike[str]] = ()
    ) -> None:
        self.files = files
        self.above = _folders_above(files.root)
        self.package = _package_of(self.above)
        given = [Path(entry) for entry in package_paths]
        for path in given:
            if not path.is_dir():
                raise InputError(f"the package path {quote(str(path))} must be a folder")
        from_ros = [Path(p) for p in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if p]
        self.paths = [path.resolve() for path in (*given, *from_ros) if path.is_dir()]
        self.elsewhere: list[str] = []  # what was found by the end of its path
        self._meshes: list[Path] | None = None  # of the package, once looked for

    def mesh(self, name: str, what: str) -> str:
        """The file that a mesh's `filename` stands for."""
        scheme, separator, rest = name.partition("://")
        if separator and scheme in ("package", "model"):
            return str(self._in_package(rest, name, what))
        if separator and scheme != "file":
            raise InputError(f"{what} must be a path or package://..., got {quote(name)}")
        relative = (rest if separator else name).replace("\\", "/")
        if self.package is None:
            return str(self.files.resolve(relative, what))
        inside = MeshFolder(self.package, (self.files.root, *self.files.allowed, *self.paths))
        return str(inside.resolve(str(self.files.root / relative), what, name))

    def folder(self, package: str) -> Path:
        """The folder of a package, for `$(find package)` of xacro."""
        for place, inside in self._candidates(package, ""):
            if inside.is_dir() and inside.name == package:
                return place
        if self.package is not None:
            return self.package
        raise InputError(f"package {quote(package)} is not found; give its folder: --package-path")

    def _in_package(self, rest: str, name: str, what: str) -> Path:
        package, _, path = rest.replace("\\", "/").partition("/")
        if Path(path).suffix.lower() not in SUFFIXES:
            raise InputError(
                f"{what} must be a mesh ({', '.join(SUFFIXES)}) in a package, got {quote(name)}"
            )
        for place, candidate in self._candidates(package, path):
            if candidate.is_file():
                return MeshFolder(place).resolve(str(candidate), what, name)
        own = self.package or self.files.root
        ending = self._by_ending([part for part in (package, *path.split("/")) if part], own)
        if ending is not None:
            self.elsewhere.append(f"{name[:80]} is {ending.relative_to(own).as_posix()[:80]}")
            return MeshFolder(own).resolve(str(ending), what, name)
        looked = ", ".join(str(folder) for folder in (*self.paths, *self.above[:3]))
        raise InputError(
            f"{what} must name a file of a package, got {quote(name)}; looked for {quote(package)} "
            f"in {looked} and above; name the folder that holds the package with --package-path "
            "(package_paths= in Python)"
        )

    def _by_ending(self, parts: list[str], own: Path) -> Path | None:
        """The only file of a package whose path ends as `parts` do, in a folder and a name."""
        for k in range(len(parts) - 1):
            end = tuple(parts[k:])
            ends = [file for file in self._files(own) if file.parts[-len(end) :] == end]
            if ends:
                return ends[0] if len(ends) == 1 else None
        return None

    def _files(self, own: Path) -> list[Path]:
        """Meshes below a folder; none where it has so much in it that it is no package."""
        if self._meshes is None:
            found = list(islice(own.rglob("*"), MOST_FILES))
            few = found if len(found) < MOST_FILES else []
            self._meshes = [file for file in few if file.suffix.lower() in SUFFIXES]
        return self._meshes

    def _candidates(self, package: str, path: str) -> Iterator[tuple[Path, Path]]:
        """(folder that may not be left, file in it), nearest first."""
        for folder in (*self.paths, *self.files.allowed, *self.above):
            if folder.name == package:
                yield folder, folder / path
            yield folder / package, folder / package / path
        if self.package is not None:
            yield self.package, self.package / path
        yield self.files.root, self.files.root / path


def _folders_above(folder: Path) -> list[Path]:
    """The folder and those above it, but not the root of the file system."""
    above = [folder, *folder.parents][:HIGHEST]
    return [place for place in above if place != place.parent]


def _package_of(above: list[Path]) -> Path | None:
    """The folder of the package that a file belongs to."""
    for folder in above:
        if any((folder / mark).is_file() for mark in MARKS):
            return folder
    if above and above[0].name.lower() in URDF_FOLDERS and len(above) > 1:
        return above[1]
    return None
