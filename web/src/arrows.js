// Contact forces as arrows: one instanced mesh, as long as the forces are strong.
import { BufferAttribute, BufferGeometry, InstancedMesh, MeshBasicMaterial } from 'three';

const SIDES = 8;

export class ContactArrows {
  constructor(recording) {
    const { arrays, forces, size } = recording;
    this.arrays = arrays;
    this.most = arrays['contact/count'].reduce((a, b) => Math.max(a, b), 0);
    this.perNewton = forces.full > 0 ? (0.12 * size) / forces.full : 0;
    this.longest = 0.3 * size;
    this.width = 0.014 * size;
    this.stretch = 1;
    // seen through the bodies: most forces begin between two of them
    const material = new MeshBasicMaterial({ color: 0xd62728, depthTest: false, transparent: true });
    this.object = new InstancedMesh(arrow(), material, Math.max(this.most, 1));
    this.object.frustumCulled = false;
    this.object.count = 0;
    this.object.renderOrder = 3;
    this.object.visible = false;
  }

  show(frame) {
    if (!this.object.visible) return;
    const { arrays, object } = this;
    const start = arrays['contact/start'][frame];
    const count = arrays['contact/count'][frame];
    for (let i = 0; i < count; i++) this.#place(i, 3 * (start + i));
    object.count = count;
    object.instanceMatrix.needsUpdate = true;
  }

  #place(i, row) {
    const points = this.arrays['contact/points'];
    const f = this.arrays['contact/forces'];
    const force = Math.hypot(f[row], f[row + 1], f[row + 2]);
    const length = Math.min(force * this.perNewton * this.stretch, this.longest);
    const [x, y, z] = force > 0 ? [f[row] / force, f[row + 1] / force, f[row + 2] / force] : [0, 0, 1];
    // any direction across the arrow
    let [ax, ay, az] = Math.abs(x) < 0.6 ? [0, z, -y] : [-z, 0, x];
    const s = 1 / Math.hypot(ax, ay, az);
    ax *= s; ay *= s; az *= s;
    const w = Math.min(this.width, 0.25 * length);
    const m = this.object.instanceMatrix.array;
    m.set([w * ax, w * ay, w * az, 0], 16 * i);
    m.set([w * (y * az - z * ay), w * (z * ax - x * az), w * (x * ay - y * ax), 0], 16 * i + 4);
    m.set([length * x, length * y, length * z, 0], 16 * i + 8);
    m.set([points[row], points[row + 1], points[row + 2], 1], 16 * i + 12);
  }
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
