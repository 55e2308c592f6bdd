"""What a file is that is not the mesh its name promises."""

import re

POINTER = b"version https://git-lfs"
MARKS = (
    (re.compile(POINTER), "a pointer of Git LFS, not the mesh; run `git lfs "
     "pull` in its repository"),
    (re.compile(rb"/annex/objects/|\.\./.*\.git/annex"), "a pointer of git-annex, not the mesh; "
     "run `git annex get` in its repository"),
    (re.compile(rb"\s*<(!doctype )?html", re.I), "a web page, not the mesh; download the file "
     "itself"),
    (re.compile(rb"ISO-10303-21"), "a STEP file; export it as STL, or give it to `dovetail prove`"),
    (re.compile(rb"solid\b[^\n]*\s+(facet|endsolid)"), "an STL file; rename it to .stl"),
    (re.compile(rb"ply\r?\n"), "a PLY file; rename it to .ply"),
    (re.compile(rb"glTF"), "a GLB file; rename it to .glb"),
    (re.compile(rb"(C|N|ST){0,3}OFF\s"), "an OFF file; rename it to .off"),
    (re.compile(rb"<\?xml.{0,400}<COLLADA|\s*<COLLADA", re.S), "a Collada file; rename it to .dae"),
    (re.compile(rb"((#|o |g |mtllib |s )[^\n]*\n|\s)*v +[-+.\d]"), "an OBJ file; rename it to "
     ".obj"),
)  # fmt: skip
HEAD = 2000  # bytes that are looked at


def contents_of(data: bytes, ending: str = "") -> str:
    """The end of a sentence "the file is not an STL file": what it is instead.

    "" where that is not known, or what the ending of its name says.
    """
    if not data:
        return "; it is empty"
    head = data[:HEAD]
    for mark, what in MARKS:
        if mark.match(head) and not (ending and what.endswith(f"to {ending}")):
            return f"; it is {what}"
    return ""
