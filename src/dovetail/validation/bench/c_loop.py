"""The plain C loop that field queries are measured against, compiled when asked for."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from dovetail.collision.sdf import Field
from dovetail.model.values import Array

FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
SOURCE = r"""
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


def c_query(
    field: Field, points: Array, values: Array, gradients: Array
) -> Callable[[], None] | None:
    """Value and gradient at all points inside the grid by C; None without a compiler."""
    if shutil.which("gcc") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "query.c", Path(folder) / "query.so"
        source.write_text(SOURCE)
        subprocess.run(["gcc", *FLAGS, str(source), "-o", str(library)], check=True)
        query = ctypes.CDLL(str(library)).query
    nodes, origin = field.arrays.values, np.array(field.arrays.origin)
    at = ctypes.c_void_p

    def work() -> None:
        query(
            at(nodes.ctypes.data), *(ctypes.c_long(k) for k in nodes.shape),
            at(origin.ctypes.data), ctypes.c_double(field.arrays.spacing),
            at(points.ctypes.data), ctypes.c_long(len(points)),
            at(values.ctypes.data), at(gradients.ctypes.data),
        )  # fmt: skip

    return work
