// Where a plane cuts a triangle mesh: ends of segments in the world.
import { Vector3 } from 'three';

// `pose` of the body, a plane normal . x + constant = 0; gives x, y, z of both ends of each segment.
// A corner on the plane counts as above it, so that every cut triangle has two cut sides.
export function outline(vertices, faces, pose, plane) {
  const m = pose.elements;
  const { normal: n, constant } = plane;
  // the plane in the body's axes
  const a = [0, 1, 2].map((k) => n.x * m[4 * k] + n.y * m[4 * k + 1] + n.z * m[4 * k + 2]);
  const d = n.x * m[12] + n.y * m[13] + n.z * m[14] + constant;
  const count = vertices.length / 3;
  const heights = new Float64Array(count);
  for (let v = 0; v < count; v++) {
    heights[v] = a[0] * vertices[3 * v] + a[1] * vertices[3 * v + 1] + a[2] * vertices[3 * v + 2] + d;
  }
  const ends = [];
  const p = new Vector3();
  for (let f = 0; f < faces.length; f += 3) {
    for (let k = 0; k < 3; k++) {
      const [i, j] = [faces[f + k], faces[f + ((k + 1) % 3)]];
      const [hi, hj] = [heights[i], heights[j]];
      if ((hi >= 0) === (hj >= 0)) continue;
      const s = hi / (hi - hj);
      p.set(...[0, 1, 2].map((c) => vertices[3 * i + c] + s * (vertices[3 * j + c] - vertices[3 * i + c])));
      ends.push(...p.applyMatrix4(pose).toArray());
    }
  }
  return ends;
}
