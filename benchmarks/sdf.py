"""Distance fields: queries against plain C, detection against closest-point queries, one run.

python benchmarks/sdf.py [MESH]    (needs gcc; MESH: a closed mesh file such as horse.ply)
CPU times of one thread, the best of several.
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import dovetail as dt
from dovetail.kernels.field import evaluate_many
from dovetail.sdf.detection import FoundBuffer, pose_rows, run_detection

C_LOOP = r"""
void query(const float *f, long nx, long ny, long nz, const double *o, double h,
           const double *p, long n, double *value, double *gradient) {
  double per = 1.0 / h;
  for (long q = 0; q < n; q++) {
    double x = (p[3*q] - o[0]) * per, y = (p[3*q+1] - o[1]) * per, z = (p[3*q+2] - o[2]) * per;
    long i = (long)x, j = (long)y, k = (long)z;
    double u = x - i, v = y - j, w = z - k;
    const float *c = f + (i * ny + j) * nz + k;
    double f000 = c[0], f001 = c[1], f010 = c[nz], f011 = c[nz+1];
    double f100 = c[ny*nz], f101 = c[ny*nz+1], f110 = c[ny*nz+nz], f111 = c[ny*nz+nz+1];
    double e00 = f000 + w*(f001-f000), e01 = f010 + w*(f011-f010);
    double e10 = f100 + w*(f101-f100), e11 = f110 + w*(f111-f110);
    double d0 = e00 + v*(e01-e00), d1 = e10 + v*(e11-e10);
    value[q] = d0 + u*(d1-d0);
    gradient[3*q] = (d1-d0) * per;
    gradient[3*q+1] = ((1-u)*(e01-e00) + u*(e11-e10)) * per;
    double z0 = (1-v)*(f001-f000) + v*(f011-f010), z1 = (1-v)*(f101-f100) + v*(f111-f110);
    gradient[3*q+2] = ((1-u)*z0 + u*z1) * per;
  }
}
"""


def best_time(work: Callable[[], object], repeats: int = 7) -> float:
    """[s] of CPU time."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def c_loop() -> Callable[..., None]:
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "query.c", Path(folder) / "query.so"
        source.write_text(C_LOOP)
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, str(source), "-o", str(library)], check=True)
        return ctypes.CDLL(str(library)).query


def queries(field: dt.sdf.Field) -> None:
    n = 1_000_000
    lower, upper = field.bounds
    scattered = np.random.default_rng(0).uniform(lower + 1e-9, upper - 1e-9, (n, 3))
    cell = ((scattered - lower) / field.spacing / 4).astype(int)
    in_blocks = scattered[np.lexsort(cell.T)]
    query, values = c_loop(), field.arrays.values
    v, g = np.empty(n), np.empty((n, 3))
    pointer = ctypes.c_void_p
    origin = np.array(field.arrays.origin)
    for name, points in (("random", scattered), ("sorted in blocks", in_blocks)):
        points = np.ascontiguousarray(points)
        points.flags.writeable = False

        def in_c(points: np.ndarray = points) -> None:
            query(
                pointer(values.ctypes.data), *(ctypes.c_long(k) for k in values.shape),
                pointer(origin.ctypes.data), ctypes.c_double(field.spacing),
                pointer(points.ctypes.data), ctypes.c_long(n),
                pointer(v.ctypes.data), pointer(g.ctypes.data),
            )  # fmt: skip

        in_c()
        v_c, g_c = v.copy(), g.copy()
        ours = best_time(lambda p=points: evaluate_many(field.arrays, p, 0, n, v, g))
        assert np.abs(v - v_c).max() < 1e-12
        other_cell = np.abs(g - g_c).max(axis=1) > 1e-9  # points on a wall between two cells
        assert other_cell.sum() < 10, other_cell.sum()
        theirs = best_time(in_c)
        print(
            f"value and gradient, {name}: {ours / n * 1e9:.0f} ns, C {theirs / n * 1e9:.0f} ns, "
            f"ratio {ours / theirs:.2f}"
        )


def detection(mesh: dt.Mesh, field: dt.sdf.Field) -> None:
    surface = mesh.surface()
    octree, exact = dt.sdf.Octree(surface.vertices), dt.sdf.exact_distance(surface)
    cells, buffer = dt.sdf.OctreeField(field), FoundBuffer()
    few = dt.sdf.Octree(surface.vertices[:: max(1, len(surface.vertices) // 100)])
    size = float(np.max(np.ptp(surface.vertices, axis=0)))
    for share in (0.1, 0.3):
        pose = pose_rows((dt.lie.so3.exp([0.3, 0.2, 0.5]), np.array([share * size, 0, 0.1 * size])))
        rows = (
            ("sdf_octree", field, octree, "", 1.0),
            ("sdf", field, octree, "sdf", 1.0),
            ("sdf_octree_grid", cells, octree, "", 1.0),
            ("closest point by a tree", exact, octree, "bvh", 1.0),
            ("brute", exact, few, "brute", len(octree) / len(few)),
        )
        base = None
        for name, master, points, method, factor in rows:
            count = run_detection(master, points, pose, buffer, method)
            repeats = 1 if factor > 1 else 3
            seconds = factor * best_time(
                lambda m=master, p=points, w=method, at=pose: run_detection(m, p, at, buffer, w),
                repeats,
            )
            base = base or seconds
            inside = f"{count} inside" if factor == 1 else f"from {len(points)} points"
            print(f"  shifted by {share:g}: {name}: {seconds * 1e3:.3g} ms, "
                  f"{seconds / base:.0f} x, {inside}")  # fmt: skip


def main() -> None:
    mesh = dt.Mesh(sys.argv[1]) if len(sys.argv) > 1 else dt.Torus(0.5, 0.2, 128, 64)
    dt.sdf.build(dt.Box((1, 1, 1)), 16, cache=False)  # compiles
    cpu, wall = time.process_time(), time.perf_counter()
    field = dt.sdf.build(mesh, 128, cache=False)
    print(
        f"{len(mesh.surface().faces)} triangles, {field.arrays.values.shape} nodes: "
        f"{time.process_time() - cpu:.2f} s CPU, {time.perf_counter() - wall:.2f} s wall; "
        f"error {field.error / field.spacing:.2f} cells, {field.nbytes / 1e6:.1f} MB"
    )
    queries(field)
    detection(mesh, field)


if __name__ == "__main__":
    main()
