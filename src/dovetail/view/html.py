"""A result as one HTML file that plays by itself, without a network."""

from os import PathLike
from pathlib import Path

from dovetail.results import Result
from dovetail.view.page.document import document
from dovetail.view.page.overlays import overlay
from dovetail.view.page.recording import Recording

MAX_CONTACTS = 200_000  # of all frames: about 5 MB


def write_html(
    result: Result, path: str | PathLike[str], every: int = 1, details: bool = False
) -> None:
    """Write the page; `details` adds octrees and distance fields of every different shape."""
    target = Path(path)
    recording = Recording(result, target.stem, every)
    target.write_text(html_of(recording, details), encoding="utf-8")


def html_of(recording: Recording, details: bool = False) -> str:
    """The page with the recording inside."""
    kinds = ["obb"] if recording.surfaces else []
    wanted = [("obb", 0)] if recording.surfaces else []
    if details:
        kinds += ["octree", "sdf"]
        wanted += [(kind, i) for kind in kinds[1:] for i in range(len(recording.surfaces))]
    embedded = {
        f"overlay/0/{kind}/{shape}": overlay(recording, kind, shape, compress=True)
        for kind, shape in wanted
    }
    offered = ["collision", *kinds] if recording.surfaces else []
    embedded["recording/0"] = recording.packed(offered, compress=True, most_contacts=MAX_CONTACTS)
    return document(recording.title, 1, embedded)
