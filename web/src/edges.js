// Sharp edges of bodies as lines: found once for a shape, drawn for all its bodies at once.
import { BufferAttribute, InstancedBufferGeometry, InstancedInterleavedBuffer, InterleavedBuffer, InterleavedBufferAttribute, LineSegments, ShaderMaterial } from 'three';
import { cut } from './materials.js';

const SHARP = Math.cos((32 * Math.PI) / 180); // as the creases of normals
const MOST_FACES = 300_000; // of a shape whose edges are looked for

// { lines: ends of edges (6 numbers each), normals of the two faces at each end (6), closed: whether each side has just one partner }
export function featureEdges(vertices, faces) {
  if (faces.length / 3 > MOST_FACES) return { lines: new Float32Array(0), sides: new Float32Array(0), closed: true };
  const normals = unitNormals(vertices, faces);
  takeFromNeighbours(normals, vertices, faces);
  const n = vertices.length / 3;
  const known = new Map(); // a side -> the face that has it, -1 once it has two
  const ends = [], sides = [];
  let closed = true;
  const add = (a, b, f, other) => {
    ends.push(vertices[3 * a], vertices[3 * a + 1], vertices[3 * a + 2], vertices[3 * b], vertices[3 * b + 1], vertices[3 * b + 2]);
    const two = other === null ? [0, 0, 0, 0, 0, 0] : [...normals.subarray(f, f + 3), ...normals.subarray(other, other + 3)];
    sides.push(...two, ...two);
  };
  for (let f = 0; f < faces.length; f += 3) {
    for (let k = 0; k < 3; k++) {
      const a = faces[f + k], b = faces[f + ((k + 1) % 3)];
      const key = Math.min(a, b) * n + Math.max(a, b);
      const other = known.get(key);
      if (other === undefined) { known.set(key, f); continue; }
      if (other < 0) { closed = false; continue; }
      const cosine = normals[f] * normals[other] + normals[f + 1] * normals[other + 1] + normals[f + 2] * normals[other + 2];
      if (cosine < SHARP) add(a, b, f, other);
      known.set(key, -1);
    }
  }
  for (const [key, face] of known) {
    if (face < 0) continue;
    closed = false;
    add(Math.floor(key / n), key % n, face, null); // the border of an open surface
  }
  return { lines: new Float32Array(ends), sides: new Float32Array(sides), closed };
}

const VERTEX = `
attribute vec4 m0, m1, m2, m3;
attribute vec3 normalA, normalB; // of the faces at both sides, 0 at a border
#include <clipping_planes_pars_vertex>
void main() {
  mat4 pose = viewMatrix * mat4(m0, m1, m2, m3);
  vec4 mvPosition = pose * vec4(position, 1.0);
  #include <clipping_planes_vertex>
  gl_Position = projectionMatrix * mvPosition;
  // an edge whose faces both look away is behind the body, or inside of one that is cut open
  vec3 away = mvPosition.xyz;
  if (dot(mat3(pose) * normalA, away) > 0.0 && dot(mat3(pose) * normalB, away) > 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;
const FRAGMENT = `
uniform vec3 colour;
uniform float opacity;
#include <clipping_planes_pars_fragment>
void main() {
  #include <clipping_planes_fragment>
  gl_FragColor = vec4(colour, opacity);
}`;

export class EdgeLines {
  // `count` copies of `lines`, whose faces look along `sides`
  constructor(lines, sides, count, look) {
    this.matrices = new Float32Array(16 * count);
    this.buffer = new InstancedInterleavedBuffer(this.matrices, 16, 1);
    this.geometry = new InstancedBufferGeometry();
    this.geometry.setAttribute('position', new BufferAttribute(lines, 3));
    const normals = new InterleavedBuffer(sides, 6);
    this.geometry.setAttribute('normalA', new InterleavedBufferAttribute(normals, 3, 0));
    this.geometry.setAttribute('normalB', new InterleavedBufferAttribute(normals, 3, 3));
    for (let k = 0; k < 4; k++) {
      this.geometry.setAttribute(`m${k}`, new InterleavedBufferAttribute(this.buffer, 4, 4 * k));
    }
    const material = cut(new ShaderMaterial({
      uniforms: look, // shared by all: { colour, opacity }
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      clipping: true,
    }));
    this.object = new LineSegments(this.geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 1;
  }

  // the first `count` matrices are in place
  changed(count) {
    this.geometry.instanceCount = count;
    this.buffer.needsUpdate = true;
  }
}

const THIN = 1e-5; // height of a face that has no direction of its own, of the shape's size

// Thin faces, such as those of a fan over points in a row, get the normal of the face at their longest
// side: otherwise they would draw edges across a plane.
function takeFromNeighbours(normals, v, faces) {
  const n = v.length / 3;
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let i = 0; i < v.length; i++) {
    low[i % 3] = Math.min(low[i % 3], v[i]);
    high[i % 3] = Math.max(high[i % 3], v[i]);
  }
  const least = THIN * Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  const side = (f, k) => {
    const [a, b] = [faces[f + k], faces[f + ((k + 1) % 3)]];
    return Math.min(a, b) * n + Math.max(a, b);
  };
  const length = (f, k) => {
    const [a, b] = [3 * faces[f + k], 3 * faces[f + ((k + 1) % 3)]];
    return Math.hypot(v[a] - v[b], v[a + 1] - v[b + 1], v[a + 2] - v[b + 2]);
  };
  const thin = new Map(); // longest side -> thin faces that have it
  for (let f = 0; f < faces.length; f += 3) {
    const lengths = [0, 1, 2].map((k) => length(f, k));
    const longest = lengths.indexOf(Math.max(...lengths));
    if (twiceArea(v, faces, f) >= least * lengths[longest]) continue;
    const key = side(f, longest);
    thin.set(key, [...(thin.get(key) ?? []), f]);
  }
  if (!thin.size) return;
  const isThin = new Set([...thin.values()].flat());
  for (let f = 0; f < faces.length; f += 3) {
    if (isThin.has(f)) continue;
    for (let k = 0; k < 3; k++) {
      for (const other of thin.get(side(f, k)) ?? []) normals.copyWithin(other, f, f + 3);
    }
  }
}

function twiceArea(v, faces, f) {
  const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
  const [ux, uy, uz] = [v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]];
  const [wx, wy, wz] = [v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2]];
  return Math.hypot(uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx);
}

function unitNormals(v, faces) {
  const normals = new Float32Array(faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
    const ux = v[b] - v[a], uy = v[b + 1] - v[a + 1], uz = v[b + 2] - v[a + 2];
    const wx = v[c] - v[a], wy = v[c + 1] - v[a + 1], wz = v[c + 2] - v[a + 2];
    const x = uy * wz - uz * wy, y = uz * wx - ux * wz, z = ux * wy - uy * wx;
    const s = 1 / (Math.hypot(x, y, z) || 1);
    normals[f] = s * x;
    normals[f + 1] = s * y;
    normals[f + 2] = s * z;
  }
  return normals;
}
