"""Which meshes of a folder are solids, and whether their volumes are those of trimesh.

    python benchmarks/mesh_census.py ../shared/data

Every STL, OBJ, PLY, OFF and GLB file below the folder is read. A mesh is a solid as it is, a solid
after vertices at one place were joined, or open: then a density is refused until the user says what
is meant. Volumes are compared where trimesh calls the mesh watertight too.
"""

import sys
from collections import Counter
from pathlib import Path

import trimesh

import dovetail as dt
from dovetail.errors import InputError
from dovetail.model.mesh_files.reading import SUFFIXES


def kind_of(mesh: dt.Mesh) -> str:
    """What the package makes of it."""
    diagnosis = mesh.diagnosis
    if not diagnosis.n_faces:
        return "no faces"
    if not diagnosis.closed:
        return "open"
    return "closed by joining vertices" if diagnosis.welded else "closed"


def is_refused(mesh: dt.Mesh) -> bool:
    """Whether a body of it with a density is refused."""
    try:
        _ = dt.Scene().add_body("part", mesh, density=1000).mass
    except InputError:
        return True
    return False


def main(folder: Path) -> int:
    """Count and compare; returns how many meshes are wrong."""
    kinds: Counter[str] = Counter()
    wrong, compared, worst = [], 0, 0.0
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES):
        mesh = dt.Mesh(path)
        if mesh.mistakes():
            kinds["not readable"] += 1
            continue
        kind = kind_of(mesh)
        kinds[kind] += 1
        if kind == "open" and not is_refused(mesh):
            wrong.append(f"{path}: open, but not refused")
        theirs = trimesh.load_mesh(path, process=True)
        if kind.startswith("closed") and isinstance(theirs, trimesh.Trimesh):
            if theirs.is_watertight and theirs.is_winding_consistent:
                compared += 1
                ours = mesh.mass_properties().measure
                off = abs(ours / abs(theirs.volume) - 1) if theirs.volume else float(ours > 0)
                worst = max(worst, off)
                if off > 1e-4:
                    wrong.append(f"{path}: {ours:.6g} m^3, trimesh {theirs.volume:.6g}")
    for kind, count in kinds.most_common():
        print(f"{count:5d} {kind}")
    print(f"{compared} volumes compared with trimesh, largest difference {worst:.1e}")
    print(*wrong, sep="\n")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1])), 1))
