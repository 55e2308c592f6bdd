// Where every body is at the moment that is shown.
export class Poses {
  constructor({ arrays }) {
    this.x = Float32Array.from(arrays.rest_position); // (bodies, 3)
    this.q = Float32Array.from(arrays.rest_quaternion); // (bodies, 4) as x, y, z, w
  }

  // the 4 x 4 matrix of a body, column by column, into `out` from `at` on
  matrix(body, out, at) {
    const { x, q } = this;
    let a = q[4 * body], b = q[4 * body + 1], c = q[4 * body + 2], w = q[4 * body + 3];
    const s = 1 / Math.hypot(a, b, c, w);
    a *= s; b *= s; c *= s; w *= s;
    out[at] = 1 - 2 * (b * b + c * c);
    out[at + 1] = 2 * (a * b + c * w);
    out[at + 2] = 2 * (a * c - b * w);
    out[at + 3] = 0;
    out[at + 4] = 2 * (a * b - c * w);
    out[at + 5] = 1 - 2 * (a * a + c * c);
    out[at + 6] = 2 * (b * c + a * w);
    out[at + 7] = 0;
    out[at + 8] = 2 * (a * c + b * w);
    out[at + 9] = 2 * (b * c - a * w);
    out[at + 10] = 1 - 2 * (a * a + b * b);
    out[at + 11] = 0;
    out[at + 12] = x[3 * body];
    out[at + 13] = x[3 * body + 1];
    out[at + 14] = x[3 * body + 2];
    out[at + 15] = 1;
  }

  // a point of a body's frame in the world
  world(body, [x, y, z]) {
    if (body < 0) return [x, y, z];
    const m = (this.scratch ??= new Float32Array(16));
    this.matrix(body, m, 0);
    return [0, 1, 2].map((k) => m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k]);
  }

  // a point of the world in a body's frame
  local(body, point) {
    if (body < 0) return [...point];
    const m = (this.scratch ??= new Float32Array(16));
    this.matrix(body, m, 0);
    const d = [0, 1, 2].map((k) => point[k] - m[12 + k]);
    return [0, 1, 2].map((k) => m[4 * k] * d[0] + m[4 * k + 1] * d[1] + m[4 * k + 2] * d[2]);
  }
}
