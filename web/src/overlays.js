// What can be drawn over the bodies on demand; requested when it is first wanted.
import { AttachedLines, AttachedPoints, boxLines } from './attached.js';
import { FieldSlice } from './slices.js';
import { overlay } from './source.js';

export class Overlays {
  constructor(stages, changed) {
    this.stages = stages;
    this.changed = changed;
    this.on = new Set();
    this.body = -1; // the chosen one
    this.level = 3; // of the octree
    this.cut = { axis: 2, share: 0.5 };
    this.known = new Map();
  }

  // kinds that some recording can give
  kinds() {
    const every = ['forces', 'contacts', 'joints', 'collision', 'obb', 'octree', 'sdf'];
    return every.filter((kind) => this.stages.some(({ recording }) => recording.overlays.includes(kind)));
  }

  async set(kind, on) {
    if (on) this.on.add(kind);
    else this.on.delete(kind);
    for (const stage of this.stages) stage.lookThrough(this.on.has('sdf') || this.on.has('octree'));
    await Promise.all(this.stages.map((stage, i) => this.#show(stage, i, kind)));
    this.changed();
  }

  // draw again what depends on the chosen body, the octree's level or the cut
  async again() {
    for (const kind of ['octree', 'sdf']) if (this.on.has(kind)) await this.set(kind, true);
  }

  async #show(stage, index, kind) {
    const on = this.on.has(kind) && stage.recording.overlays.includes(kind);
    if (kind === 'forces') stage.showForces('netForces', on);
    else if (kind === 'contacts') stage.showForces('arrows', on);
    else if (kind === 'collision') stage.showCollision(on);
    else if (!on) this.#remove(stage, kind);
    else if (kind === 'joints') this.#joints(stage);
    else if (kind === 'obb') await this.#boxes(stage, index);
    else await this.#ofBody(stage, index, kind);
  }

  #remove(stage, kind) {
    stage.detach(kind);
    stage.detach(`${kind} points`);
  }

  #joints(stage) {
    const { joints, size } = stage.recording;
    const half = 0.06 * size;
    const lines = joints.flatMap(({ body, point, axes }) =>
      axes.map((axis) => ({
        body,
        local: new Float32Array([...point.map((p, d) => p - half * axis[d]), ...point.map((p, d) => p + half * axis[d])]),
      })),
    );
    const points = joints.map(({ body, point }) => ({ body, local: new Float32Array(point) }));
    stage.attach('joints', new AttachedLines(lines, 0x0b7a3b, true));
    const dots = new AttachedPoints(points, 0x0b7a3b, 8);
    dots.object.material.depthTest = false;
    stage.attach('joints points', dots);
  }

  async #boxes(stage, index) {
    const { arrays } = await this.#requested(index, 'obb', 0);
    const { bodies } = stage.recording;
    const parts = bodies.flatMap(({ shape }, body) =>
      shape >= 0 && arrays[shape] ? [{ body, local: boxLines(arrays[shape]) }] : [],
    );
    stage.attach('obb', new AttachedLines(parts, 0x7b3fa0));
  }

  async #ofBody(stage, index, kind) {
    const body = this.#bodyFor(stage);
    const shape = stage.recording.bodies[body]?.shape ?? -1;
    if (shape < 0) return this.#remove(stage, kind);
    const found = await this.#requested(index, kind, shape);
    if (kind === 'sdf') {
      if (!found.arrays.values) return this.#remove(stage, kind);
      const slice = new FieldSlice(found, body);
      slice.cut(this.cut.axis, this.cut.share);
      return stage.attach('sdf', slice);
    }
    const { boxes, level, points } = found.arrays;
    const shown = [];
    level.forEach((l, i) => { if (l === Math.min(this.level, found.deepest)) shown.push(...boxes.subarray(12 * i, 12 * i + 12)); });
    stage.attach('octree', new AttachedLines([{ body, local: boxLines(shown) }], 0xb8860b, true));
    stage.attach('octree points', new AttachedPoints([{ body, local: points }], 0x7a5200, 3));
  }

  // the chosen body, or the first that moves
  #bodyFor(stage) {
    if (this.body >= 0 && this.body < stage.recording.bodies.length) return this.body;
    return stage.recording.arrays.moving[0] ?? 0;
  }

  #requested(index, kind, shape) {
    const key = `${index}/${kind}/${shape}`;
    if (!this.known.has(key)) this.known.set(key, overlay(index, kind, shape));
    return this.known.get(key);
  }
}
