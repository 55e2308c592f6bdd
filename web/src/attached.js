// Lines and points that ride on bodies: one buffer each, moved on the processor.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Points, PointsMaterial } from 'three';

class Attached {
  // `parts`: [{ body, local }] with `local` (k, 3) in the body's frame
  constructor(parts) {
    this.parts = parts;
    const count = parts.reduce((sum, part) => sum + part.local.length, 0);
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute('position', new BufferAttribute(new Float32Array(count), 3));
    this.pose = new Float32Array(16);
  }

  update(poses) {
    this.poses = poses;
    const attribute = this.geometry.attributes.position;
    const out = attribute.array;
    const m = this.pose;
    let at = 0;
    for (const { body, local } of this.parts) {
      if (this.shown && !this.shown(body)) {
        out.fill(NaN, at, at + local.length); // not drawn
        at += local.length;
        continue;
      }
      if (body < 0) {
        out.set(local, at);
        at += local.length;
        continue;
      }
      poses.matrix(body, m, 0);
      for (let i = 0; i < local.length; i += 3) {
        const x = local[i], y = local[i + 1], z = local[i + 2];
        out[at++] = m[0] * x + m[4] * y + m[8] * z + m[12];
        out[at++] = m[1] * x + m[5] * y + m[9] * z + m[13];
        out[at++] = m[2] * x + m[6] * y + m[10] * z + m[14];
      }
    }
    attribute.needsUpdate = true;
  }

  // draw only what is on bodies that are shown
  show(shown) {
    this.shown = (body) => body < 0 || shown(body);
    if (this.poses) this.update(this.poses);
  }

  remove() {
    this.object.removeFromParent();
    this.geometry.dispose();
    this.object.material.dispose();
  }
}

export class AttachedLines extends Attached {
  constructor(parts, colour, onTop = false) {
    super(parts);
    const material = new LineBasicMaterial({ color: colour, depthTest: !onTop, toneMapped: false });
    this.object = new LineSegments(this.geometry, material);
    this.object.frustumCulled = false;
    if (onTop) this.object.renderOrder = 2;
  }
}

export class AttachedPoints extends Attached {
  constructor(parts, colour, pixels = 4) {
    super(parts);
    const material = new PointsMaterial({ color: colour, size: pixels, sizeAttenuation: false, toneMapped: false });
    this.object = new Points(this.geometry, material);
    this.object.frustumCulled = false;
  }
}

const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1]);
const SIDES = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

// the twelve sides of boxes (centre, columns of axes times half sizes), as ends of lines
export function boxLines(boxes) {
  const lines = new Float32Array((boxes.length / 12) * 72);
  let at = 0;
  for (let b = 0; b < boxes.length; b += 12) {
    for (const side of SIDES) {
      for (const corner of side) {
        const [i, j, k] = CORNERS[corner].map((bit) => 2 * bit - 1);
        for (let d = 0; d < 3; d++) {
          lines[at++] =
            boxes[b + d] + i * boxes[b + 3 + d] + j * boxes[b + 6 + d] + k * boxes[b + 9 + d];
        }
      }
    }
  }
  return lines;
}
