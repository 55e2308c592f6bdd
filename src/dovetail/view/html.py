"""A result as one HTML file that plays by itself, without a network."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from dovetail.results import Result
from dovetail.view.page.document import document_parts
from dovetail.view.page.overlays import overlay
from dovetail.view.page.recording import Recording

MAX_CONTACTS = 200_000  # of all frames: about 5 MB


def write_html(
    result: Result, path: str | PathLike[str], every: int = 1, details: bool = False
) -> None:
    """Write the page; `details` adds octrees and distance fields of every different shape."""
    target = Path(path)
    recording = Recording(result, target.stem, every)
    with target.open("w", encoding="utf-8") as file:
        for part in html_parts(recording, details):
            file.write(part)


def html_of(recording: Recording, details: bool = False) -> str:
    """The page with the recording inside."""
    return "".join(html_parts(recording, details))


def html_parts(recording: Recording, details: bool = False) -> Iterator[str]:
    """The page, a part at a time."""
    kinds = ["obb"] if recording.surfaces else []
    wanted = [("obb", 0)] if recording.surfaces else []
    if details:
        kinds += ["octree", "sdf"]
        wanted += [(kind, i) for kind in kinds[1:] for i in range(len(recording.surfaces))]
    embedded: dict[str, bytes | IO[bytes]] = {
        f"overlay/0/{kind}/{shape}": overlay(recording, kind, shape, compress=True)
        for kind, shape in wanted
    }
    offered = ["collision", *kinds] if recording.surfaces else []
    with TemporaryFile() as file:
        recording.write_packed(file, offered, compress=True, most_contacts=MAX_CONTACTS)
        file.seek(0)
        embedded["recording/0"] = file
        yield from document_parts(recording.title, 1, embedded)
