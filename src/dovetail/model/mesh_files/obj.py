"""Wavefront OBJ: vertices `v`, faces `f`, polylines `l`; everything else is passed over.

Polylines become free edges and vertices nothing uses are points, which general mesh readers drop.
Lines are turned into arrays a block at a time, so that memory stays near the size of the file.
"""

import io
import re
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.mesh_files.polygons import Patience, triangulated
from dovetail.model.mesh_files.raw import RawMesh, refuse_too_many
from dovetail.model.values import Array, quote

BLOCK = 1 << 16  # lines
LONGEST_LINE = 1 << 20  # characters
MAX_LINES = 25_000_000
MAX_POLYGONS = 1_000_000  # other than triangles, which are read a block at a time
TEXTURE_AND_NORMAL = re.compile(r"/[^\s]*")
IGNORED = {
    "vt", "vn", "vp", "g", "o", "s", "p", "mtllib", "usemtl", "maplib", "usemap", "call", "cstype",
    "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end",
    "con", "mg", "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "ctech",
    "stech", "fo", "",
}  # fmt: skip


def read_obj(data: bytes, what: str) -> RawMesh:
    if data.count(b"\n") > MAX_LINES:
        raise InputError(f"{what} must have at most {MAX_LINES:,} lines; simplify the mesh")
    if b"\\" in data:  # a line goes on after a backslash
        data = data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    vertices, faces, lines = _Vertices(what), _Elements("face", 3, what), _Elements("line", 2, what)
    for number, line in enumerate(io.TextIOWrapper(io.BytesIO(data), "latin-1"), 1):
        if len(line) >= LONGEST_LINE:
            raise InputError(f"{what}: line {number} is too long for an OBJ file")
        if line.startswith("v "):
            vertices.add(line[2:])
        elif line.startswith("f "):
            faces.add(number, vertices.count, line[2:])
        else:
            key, _, rest = line.partition("#")[0].strip().replace("\t", " ").partition(" ")
            if key == "v":
                vertices.add(rest)
            elif key in ("f", "l"):
                (faces if key == "f" else lines).add(number, vertices.count, rest)
            elif key not in IGNORED:
                raise InputError(
                    f"{what} is not an OBJ file: line {number} starts with {quote(key)}"
                )
    points = vertices.finished()
    polylines = lines.finished(len(points))
    refuse_too_many(0, sum(map(len, polylines)), what)
    pairs = [pair for line in polylines for pair in pairwise(line.tolist()) if pair[0] != pair[1]]
    triangles: list[NDArray[np.int64]] = []
    polygons = faces.finished(len(points))
    refuse_too_many(0, sum(len(p) if p.ndim == 2 else len(p) - 2 for p in polygons), what)
    patience = Patience(what)
    for polygon in polygons:
        if polygon.ndim == 2:
            triangles.append(polygon)
        else:
            triangles.append(np.array(triangulated(polygon.tolist(), points, patience)))
    every = np.concatenate(triangles) if triangles else np.zeros((0, 3))
    return RawMesh.of(points, every, pairs)


class _Vertices:
    """The first three numbers of each line; a weight or a colour may follow."""

    def __init__(self, what: str) -> None:
        self.what, self.count = what, 0
        self.lines: list[str] = []
        self.blocks: list[Array] = []

    def add(self, line: str) -> None:
        self.count += 1
        self.lines.append(line)
        if len(self.lines) == BLOCK:
            self.flush()

    def flush(self) -> None:
        refuse_too_many(self.count, 0, self.what)
        if self.lines:
            self.blocks.append(self._numbers(self.lines))
        self.lines = []

    def finished(self) -> Array:
        self.flush()
        return np.concatenate([np.zeros((0, 3)), *self.blocks])

    def _numbers(self, lines: list[str]) -> Array:
        rows = [line.split() for line in lines]
        try:
            if all(len(row) == 3 for row in rows):
                return np.array(list(map(float, chain.from_iterable(rows)))).reshape(-1, 3)
        except ValueError:
            pass  # the loop below finds which
        values = []
        for number, line in enumerate(lines, self.count - len(lines) + 1):
            try:
                x, y, z = (float(word) for word in line.partition("#")[0].split()[:3])
            except ValueError:
                raise InputError(
                    f"{self.what}: vertex {number} must be three numbers, got {quote(line.strip())}"
                ) from None
            values.append((x, y, z))
        return np.array(values)


class _Elements:
    """Faces or polylines as vertex numbers from 0, in the order of the file.

    Blocks of triangles are (n, 3) arrays, any other polygon or polyline is a (n,) array.
    """

    def __init__(self, kind: str, least: int, what: str) -> None:
        self.kind, self.least, self.what, self.count = kind, least, what, 0
        self.pending: list[tuple[int, int, str]] = []
        self.rows: list[tuple[int, NDArray[np.int64]]] = []  # line of the file, numbers

    def add(self, line: int, vertices_so_far: int, text: str) -> None:
        self.count += 1
        self.pending.append((line, vertices_so_far, text))
        if len(self.pending) == BLOCK:
            self.flush()

    def flush(self) -> None:
        refuse_too_many(0, self.count, self.what)
        if not self.pending:
            return
        texts = [text for _, _, text in self.pending]
        whole = "\n".join(texts)
        if self.kind == "face" and "-" not in whole and "#" not in whole:
            bare = TEXTURE_AND_NORMAL.sub("", whole) if "/" in whole else whole
            rows = [text.split() for text in bare.split("\n") if text]
            try:
                if len(rows) == len(texts) and all(len(row) == 3 for row in rows):
                    numbers = np.array(list(map(int, chain.from_iterable(rows))), dtype=np.int64)
                    self.rows.append((self.pending[0][0], numbers.reshape(-1, 3) - 1))
                    self.pending = []
                    return
            except (ValueError, OverflowError):
                pass  # the loop below finds which
        if len(self.rows) > MAX_POLYGONS:
            raise InputError(
                f"{self.what} must have at most {MAX_POLYGONS:,} polygons and lines besides "
                "triangles; export it as triangles"
            )
        self.rows.extend((line, self._row(line, seen, text)) for line, seen, text in self.pending)
        self.pending = []

    def finished(self, n_vertices: int) -> list[NDArray[np.int64]]:
        self.flush()
        for line, row in self.rows:
            outside = (row < 0) | (row >= n_vertices)
            if outside.any():
                named = row[outside][0] + 1
                raise InputError(
                    f"{self.what}: a {self.kind} on line {line} or after it names vertex {named}, "
                    f"it must be between 1 and {n_vertices}"
                )
        return [row for _, row in self.rows]

    def _row(self, line: int, seen: int, text: str) -> NDArray[np.int64]:
        """One element; numbers written negative count back from the line they are on."""
        try:
            words = TEXTURE_AND_NORMAL.sub("", text.partition("#")[0]).split()
            given = np.array([int(word) for word in words], dtype=np.int64)
        except (ValueError, OverflowError):
            given = np.zeros(0, dtype=np.int64)
        row = np.where(given > 0, given - 1, given + seen)
        if len(row) < self.least or np.any(given == 0):
            raise InputError(
                f"{self.what}: the {self.kind} on line {line} must name at least {self.least} "
                f"vertices, counted from 1, got {quote(text.strip())}"
            )
        return row
