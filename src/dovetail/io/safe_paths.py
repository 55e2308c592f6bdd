"""Files that a scene names: inside its own folder, or where the user allowed."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from dovetail.errors import InputError
from dovetail.io.limits import LARGEST_MESH_BYTES
from dovetail.model.values import quote


class MeshFolder:
    """The folder a scene's files are relative to, and the other places it may read.

    A path is checked after `..` and symbolic links are resolved, so that a link inside the
    folder cannot lead out of it.
    """

    def __init__(
        self, root: str | PathLike[str], allow_paths: Iterable[str | PathLike[str]] = ()
    ) -> None:
        self.root = Path(root).resolve()
        self.allowed = tuple(Path(entry).resolve() for entry in allow_paths)
        absent = [quote(str(place)) for place in self.allowed if not place.is_dir()]
        if absent:
            raise InputError(f"`allow_paths` must be folders, but {', '.join(absent)} is none")

    def rooted_at(self, root: str | PathLike[str]) -> "MeshFolder":
        """The same permissions with another folder of its own (a `meshes` folder above)."""
        return MeshFolder(root, self.allowed)

    def resolve(self, relative: str, what: str, shown: str | None = None) -> Path:
        """The file that `relative` names; `what` says in a message who names it.

        `shown` is the name as it was written, where `relative` is not.

        Raises InputError when the path leaves the folder or is not a readable, regular file
        of bearable size.
        """
        shown = relative if shown is None else shown
        if not isinstance(relative, str) or not shown or not relative.isprintable():
            raise InputError(f"{what} must be the path of a file, got {quote(shown)}")
        try:
            path = (self.root / relative).resolve()
            if not any(path.is_relative_to(place) for place in (self.root, *self.allowed)):
                raise InputError(
                    f"{what} must stay inside the folder of the scene file, got "
                    f"{quote(shown)}; move the file there or allow its folder with "
                    "--allow-path (allow_paths= in Python)"
                )
            if path.is_dir():
                raise InputError(f"{what} must be a file, got the folder {quote(shown)}")
            if not path.is_file():
                raise InputError(
                    f"{what} must be an existing file, got {quote(shown)}; looked in {self.root}"
                )
            size = path.stat().st_size
        except (OSError, RuntimeError, ValueError) as error:  # name too long, loop of links
            raise InputError(
                f"{what} must be a readable file, got {quote(shown)}: {error}"
            ) from error
        if size > LARGEST_MESH_BYTES:
            raise InputError(
                f"{what} must be at most {LARGEST_MESH_BYTES // 1024**2} MiB, "
                f"{quote(shown)} has {size // 1024**2} MiB"
            )
        return path
