// Forces as arrows: one instanced mesh, as long as the forces are strong.
import { BufferAttribute, BufferGeometry, InstancedMesh, MeshBasicMaterial } from 'three';

const SIDES = 10;
const FEW = 8; // arrows; more of them are thinner

export class Arrows {
  // `rows` = { start, count, points, forces } of all frames; a force `full` [N] is `length` [m] long
  constructor(rows, length, full, colour, slim = 0.1) {
    this.rows = rows;
    this.length = length;
    this.setFull(full);
    this.longest = 2.5 * length;
    this.width = slim * length;
    this.shown = []; // { tip, force [N], row } of the present frame
    // seen through the bodies: most forces begin between two of them
    const material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, toneMapped: false });
    const most = rows.count.reduce((a, b) => Math.max(a, b), 0);
    this.object = new InstancedMesh(arrow(), material, Math.max(most, 64));
    this.object.frustumCulled = false;
    this.object.count = 0;
    this.object.renderOrder = 3;
    this.object.visible = false;
  }

  setFull(full) {
    this.full = full;
    this.perNewton = full > 0 ? this.length / full : 0;
  }

  show(frame) {
    this.shown.length = 0;
    if (!this.object.visible) return;
    const start = this.rows.start[frame] ?? 0;
    const count = Math.min(this.rows.count[frame] ?? 0, this.object.instanceMatrix.count);
    this.slimmer = Math.min(1, Math.max(0.5, Math.sqrt(FEW / Math.max(count, 1))));
    for (let i = 0; i < count; i++) this.#place(i, start + i);
    this.object.count = count;
    this.object.instanceMatrix.needsUpdate = true;
  }

  #place(i, row) {
    const { points, forces: f } = this.rows;
    const at = 3 * row;
    const force = Math.hypot(f[at], f[at + 1], f[at + 2]);
    const length = Math.min(force * this.perNewton, this.longest);
    const [x, y, z] = force > 0 ? [f[at] / force, f[at + 1] / force, f[at + 2] / force] : [0, 0, 1];
    // any direction across the arrow
    let [ax, ay, az] = Math.abs(x) < 0.6 ? [0, z, -y] : [-z, 0, x];
    const s = 1 / Math.hypot(ax, ay, az);
    ax *= s; ay *= s; az *= s;
    const w = this.slimmer * Math.min(this.width, 0.25 * length);
    const m = this.object.instanceMatrix.array;
    m.set([w * ax, w * ay, w * az, 0], 16 * i);
    m.set([w * (y * az - z * ay), w * (z * ax - x * az), w * (x * ay - y * ax), 0], 16 * i + 4);
    m.set([length * x, length * y, length * z, 0], 16 * i + 8);
    m.set([points[at], points[at + 1], points[at + 2], 1], 16 * i + 12);
    this.shown.push({ base: [points[at], points[at + 1], points[at + 2]], tip: [points[at] + length * x, points[at + 1] + length * y, points[at + 2] + length * z], force, row });
  }
}

// the arrays of one kind of a recording
export function rowsOf(arrays, kind) {
  const get = (name) => arrays[`${kind}/${name}`];
  return { start: get('start'), count: get('count'), points: get('points'), forces: get('forces'), bodies: get('bodies') };
}

// twice the median of forces that press: impacts are cut off, what rests stays visible
export function fullForce(forces) {
  const sizes = [];
  const step = 3 * Math.max(1, Math.floor(forces.length / 3 / 20000));
  for (let i = 0; i < forces.length; i += step) {
    const size = Math.hypot(forces[i], forces[i + 1], forces[i + 2]);
    if (size > 0) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes.length ? 2 * sizes[sizes.length >> 1] : 0;
}

// an arrow from the origin to (0, 0, 1)
function arrow() {
  const rings = [[0, 0], [0.4, 0], [0.4, 0.7], [1, 0.7], [0, 1]];
  const corners = [];
  const at = ([radius, z], k) => {
    const angle = (2 * Math.PI * k) / SIDES;
    return [radius * Math.cos(angle), radius * Math.sin(angle), z];
  };
  for (let r = 0; r + 1 < rings.length; r++) {
    for (let k = 0; k < SIDES; k++) {
      const [a, b, c, d] = [at(rings[r], k), at(rings[r], k + 1), at(rings[r + 1], k), at(rings[r + 1], k + 1)];
      corners.push(...a, ...b, ...d, ...a, ...d, ...c);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners), 3));
  return geometry;
}
