// Where every body of a recording is at one frame.
const QUATERNION_UNIT = 32767;

export class Poses {
  constructor(recording) {
    const { arrays } = recording;
    this.moving = arrays.moving;
    this.recorded = { x: arrays.position, q: arrays.quaternion };
    this.x = Float32Array.from(arrays.rest_position); // (bodies, 3)
    this.q = Float32Array.from(arrays.rest_quaternion); // (bodies, 4) as x, y, z, w
  }

  take(frame) {
    const { moving, x, q, recorded } = this;
    for (let m = 0; m < moving.length; m++) {
      const row = frame * moving.length + m;
      const body = moving[m];
      for (let k = 0; k < 3; k++) x[3 * body + k] = recorded.x[3 * row + k];
      for (let k = 0; k < 4; k++) q[4 * body + k] = recorded.q[4 * row + k] / QUATERNION_UNIT;
    }
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
}

// the last frame at or before a time
export function frameAt(times, time) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
