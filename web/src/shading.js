// Triangles with a normal for each corner: smooth over flat edges, sharp over creases.
import { BufferAttribute, BufferGeometry } from 'three';

const CREASE = Math.cos((32 * Math.PI) / 180);

export function surfaceGeometry(vertices, faces) {
  const normals = faceNormals(vertices, faces);
  const around = facesAround(faces, vertices.length / 3);
  const corners = new Corners(vertices, faces.length);
  for (let f = 0; f < faces.length / 3; f++) {
    const size = Math.hypot(normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]) || 1;
    for (let k = 0; k < 3; k++) {
      const v = faces[3 * f + k];
      let x = 0, y = 0, z = 0;
      for (let i = around.start[v]; i < around.start[v + 1]; i++) {
        const g = around.faces[i];
        const gx = normals[3 * g], gy = normals[3 * g + 1], gz = normals[3 * g + 2];
        const cosine =
          (gx * normals[3 * f] + gy * normals[3 * f + 1] + gz * normals[3 * f + 2]) /
          (size * (Math.hypot(gx, gy, gz) || 1));
        if (cosine >= CREASE || g === f) { x += gx; y += gy; z += gz; }
      }
      const length = Math.hypot(x, y, z) || 1;
      corners.add(v, x / length, y / length, z / length);
    }
  }
  return corners.geometry();
}

// corners of faces; those of one vertex with one normal are kept once
class Corners {
  constructor(vertices, most) {
    this.vertices = vertices;
    this.positions = new Float32Array(3 * most);
    this.normals = new Float32Array(3 * most);
    this.index = new Uint32Array(most);
    this.count = 0; // of those kept
    this.used = 0; // of those asked for
    this.last = new Int32Array(vertices.length / 3).fill(-1); // kept corner of a vertex
    this.before = new Int32Array(most); // another one of the same vertex
  }

  add(v, x, y, z) {
    let corner = this.last[v];
    while (corner >= 0 && !this.#points(corner, x, y, z)) corner = this.before[corner];
    if (corner < 0) {
      corner = this.count++;
      this.positions.set(this.vertices.subarray(3 * v, 3 * v + 3), 3 * corner);
      this.normals.set([x, y, z], 3 * corner);
      this.before[corner] = this.last[v];
      this.last[v] = corner;
    }
    this.index[this.used++] = corner;
  }

  geometry() {
    const geometry = new BufferGeometry();
    const kept = (array) => new BufferAttribute(array.slice(0, 3 * this.count), 3);
    geometry.setAttribute('position', kept(this.positions));
    geometry.setAttribute('normal', kept(this.normals));
    geometry.setIndex(new BufferAttribute(this.index, 1));
    return geometry;
  }

  #points(corner, x, y, z) {
    const n = this.normals;
    return Math.abs(n[3 * corner] - x) + Math.abs(n[3 * corner + 1] - y) + Math.abs(n[3 * corner + 2] - z) < 1e-5;
  }
}

// as long as twice the area, so that large faces count more
function faceNormals(v, faces) {
  const normals = new Float32Array(faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
    const ux = v[b] - v[a], uy = v[b + 1] - v[a + 1], uz = v[b + 2] - v[a + 2];
    const wx = v[c] - v[a], wy = v[c + 1] - v[a + 1], wz = v[c + 2] - v[a + 2];
    normals[f] = uy * wz - uz * wy;
    normals[f + 1] = uz * wx - ux * wz;
    normals[f + 2] = ux * wy - uy * wx;
  }
  return normals;
}

function facesAround(faces, n) {
  const start = new Uint32Array(n + 1);
  for (const v of faces) start[v + 1]++;
  for (let v = 0; v < n; v++) start[v + 1] += start[v];
  const next = start.slice(0, n);
  const around = new Uint32Array(faces.length);
  for (let i = 0; i < faces.length; i++) around[next[faces[i]]++] = Math.floor(i / 3);
  return { start, faces: around };
}
