// The ground below all parts: a grid with a scale, and what catches the shadow.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry, Quaternion, ShadowMaterial, Vector3 } from 'three';
import { niceStep } from './numbers.js';

const CELLS = 8; // across the scene
const REACH = 1.6; // of the grid, times the scene's size
const PIECES = 16; // of a line, each a little paler
const EACH = 5; // a stronger line

export class Ground {
  constructor(scene, { up, centre, size, ground }) {
    this.step = niceStep(size / CELLS); // [m]
    const axis = new Vector3(...up).normalize();
    const middle = new Vector3(...centre);
    this.level = ground - 2e-3 * size; // faces that lie on the ground are on top of it
    const [east, north] = across(axis);
    middle.addScaledVector(axis, this.level - middle.dot(axis));
    this.lines = this.#grid(axis, east, north, middle, REACH * size);
    this.shade = new Mesh(new PlaneGeometry(40 * size, 40 * size), new ShadowMaterial({ opacity: 0.28 }));
    this.shade.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis));
    this.shade.position.copy(middle).addScaledVector(axis, -1e-3 * size);
    this.shade.receiveShadow = true;
    this.shade.renderOrder = -2;
    this.shade.material.depthWrite = false;
    scene.add(this.lines, this.shade);
  }

  colour(lightness) {
    this.lines.material.color.setScalar(lightness);
  }

  show(on, fine) {
    this.lines.visible = on;
    this.shade.visible = fine; // shadows are there without the grid too
  }

  #grid(axis, east, north, middle, reach) {
    const ends = [];
    const colours = [];
    const [u0, v0] = [middle.dot(east), middle.dot(north)];
    const n = Math.ceil(reach / this.step);
    const [iu, iv] = [Math.round(u0 / this.step), Math.round(v0 / this.step)];
    const place = (u, v) => middle.clone().addScaledVector(east, u - u0).addScaledVector(north, v - v0);
    const fade = (u, v) => Math.max(0, 1 - Math.hypot(u - u0, v - v0) / reach) ** 1.3;
    const line = (k, along) => {
      const strong = k % EACH === 0 ? 1 : 0.5;
      for (let p = 0; p < PIECES; p++) {
        for (const q of [p, p + 1]) {
          const s = ((along ? iv : iu) + n * ((2 * q) / PIECES - 1)) * this.step;
          const [u, v] = along ? [k * this.step, s] : [s, k * this.step];
          ends.push(...place(u, v).toArray());
          colours.push(1, 1, 1, strong * fade(u, v));
        }
      }
    };
    for (let k = -n; k <= n; k++) {
      line(iu + k, true);
      line(iv + k, false);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(ends), 3));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(colours), 4));
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    const lines = new LineSegments(geometry, material);
    lines.frustumCulled = false;
    lines.renderOrder = -1;
    return lines;
  }
}

// two unit vectors across `up`; x and y where up is z
function across(up) {
  const side = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const east = side.addScaledVector(up, -side.dot(up)).normalize();
  return [east, new Vector3().crossVectors(up, east)];
}
