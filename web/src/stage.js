// The bodies of one recording: equal bodies are one group, drawn at once, then only moved.
import { Color, Scene, Vector3 } from 'three';
import { Arrows, fullForce, rowsOf } from './arrows.js';
import { AttachedLines, AttachedPoints } from './attached.js';
import { BodyGroup } from './body_group.js';
import { Caps } from './caps.js';
import { Colouring } from './colours.js';
import { Ground } from './ground.js';
import { Light } from './light.js';
import { frameAt, RecordedMotion, StreamedMotion } from './motion.js';
import { Poses } from './poses.js';

// arrows of single contact forces, which are many: length, of that of net forces, and width, of their length
const [SINGLE, THIN] = [0.9, 0.09];

export class Stage {
  constructor(recording, number) {
    this.recording = recording;
    this.motion = recording.live ? new StreamedMotion(recording, number) : new RecordedMotion(recording);
    this.frame = -1;
    this.poses = new Poses(recording);
    this.scene = new Scene();
    this.scene.background = new Color(0xf4f5f7);
    this.light = new Light(this.scene, recording);
    this.ground = new Ground(this.scene, recording);
    this.edgeLook = { colour: { value: new Color(0x14181d) }, opacity: { value: 0.55 } };
    this.states = new Map(); // of bodies that are hidden or transparent
    this.only = null; // the body that is shown alone
    this.seenThrough = false;
    this.groups = [];
    this.attached = new Map(); // what rides on bodies, by name
    this.#bodies();
    this.caps = new Caps(this);
    this.changes = 0; // of what is shown, and in which colours
    this.colouring = new Colouring(this);
    const { arrays, forces } = recording;
    const length = this.#arrowLength();
    this.arrows = new Arrows(rowsOf(arrays, 'contact'), SINGLE * length, forces.full, 0xd62728, THIN);
    const pairs = rowsOf(arrays, 'pair');
    this.netForces = new Arrows(pairs, length, fullForce(pairs.forces), 0xc2185b);
    this.netForces.object.renderOrder += 1; // over those of single contacts
    this.scene.add(this.arrows.object, this.netForces.object);
  }

  get times() {
    return this.motion.times;
  }

  // true where that changed the picture
  showTime(time) {
    const frame = frameAt(this.times, time);
    if (frame === this.frame) return false;
    this.frame = frame;
    this.refresh();
    return true;
  }

  refresh() {
    this.changes += 1;
    this.motion.take(this.frame, this.poses);
    for (const group of this.groups) group.place(this.poses);
    for (const one of this.attached.values()) one.update(this.poses);
    this.arrows.show(this.frame);
    this.#netForces();
    this.colouring.apply();
  }

  // net contact forces: rows of the present frame are at `frame`, or at 0 where they are streamed
  pairRows(frame) {
    return this.motion.live ? (this.motion.pairs(frame) ?? NO_ROWS) : this.netForces.rows;
  }

  showForces(kind, on) {
    this[kind].object.visible = on;
    if (kind === 'netForces') this.#netForces();
    else this.arrows.show(this.frame);
  }

  attach(name, one) {
    this.detach(name);
    this.attached.set(name, one);
    this.scene.add(one.object);
    one.update(this.poses);
  }

  detach(name) {
    this.attached.get(name)?.remove();
    this.attached.delete(name);
  }

  position(body) {
    return new Vector3().fromArray(this.poses.x, 3 * body);
  }

  pick(raycaster) {
    const hits = this.groups.map((group) => group.pick(raycaster)).filter(Boolean);
    return hits.reduce((best, hit) => (best && best.distance <= hit.distance ? best : hit), null);
  }

  choose(body) {
    this.changes += 1;
    for (const group of this.groups) group.choose(body);
  }

  // 'shown', 'hidden' or 'ghost'
  stateOf(body) {
    if (this.only !== null && this.only !== body) return 'hidden';
    const state = this.states.get(body) ?? 'shown';
    return state === 'shown' && this.seenThrough ? 'ghost' : state;
  }

  setState(body, state) {
    if (state === 'shown') this.states.delete(body);
    else this.states.set(body, state);
    this.updateStates();
  }

  updateStates() {
    this.changes += 1;
    for (const group of this.groups) group.show((body) => this.stateOf(body));
    for (const one of this.attached.values()) one.show?.((body) => this.stateOf(body) !== 'hidden');
  }

  // bodies let what is inside them be seen
  lookThrough(on) {
    if (this.seenThrough === on) return;
    this.seenThrough = on;
    this.updateStates();
  }

  showCollision(on) {
    for (const group of this.groups) group.showCollision(on);
  }

  draw(fine) {
    this.scene.environmentIntensity = fine ? this.light.environmentIntensity : 0;
    for (const group of this.groups) group.draw(fine);
    this.ground.show(this.ground.on !== false, fine);
    this.light.sun.castShadow = fine;
  }

  colour(body) {
    return new Color().setRGB(...this.recording.bodies[body].colour, 'srgb');
  }

  // corners (x, y, z, ...) of the boxes of given bodies at the present frame
  corners(bodies) {
    const found = [];
    for (const body of bodies) {
      const { shape, endless } = this.recording.bodies[body];
      if (endless) continue;
      if (shape < 0) {
        found.push(...this.poses.x.subarray(3 * body, 3 * body + 3));
        continue;
      }
      const [low, high] = this.#box(shape);
      for (let i = 0; i < 8; i++) {
        found.push(...this.poses.world(body, [0, 1, 2].map((k) => ((i >> k) & 1 ? high[k] : low[k]))));
      }
    }
    return found;
  }

  #box(shape) {
    this.boxes ??= new Map();
    if (!this.boxes.has(shape)) {
      const v = this.recording.arrays[`shape/${shape}/vertices`];
      const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
      for (let i = 0; i < v.length; i++) {
        low[i % 3] = Math.min(low[i % 3], v[i]);
        high[i % 3] = Math.max(high[i % 3], v[i]);
      }
      this.boxes.set(shape, [low, high]);
    }
    return this.boxes.get(shape);
  }

  // [m] of a common force: a share of the scene, but shorter than most bodies that follow forces
  #arrowLength() {
    const { bodies, size } = this.recording;
    const diagonals = bodies.filter(({ motion, shape }) => motion === 'dynamic' && shape >= 0).map(({ shape }) => {
      const [low, high] = this.#box(shape);
      return Math.hypot(...high.map((h, k) => h - low[k]));
    });
    diagonals.sort((a, b) => a - b);
    const middle = diagonals[(diagonals.length - 1) >> 1] || Infinity;
    return Math.min(0.12 * size, 0.8 * middle);
  }

  #netForces() {
    if (this.motion.live) {
      this.netForces.rows = this.pairRows(this.frame);
      if (!(this.netForces.full > 0)) this.netForces.setFull(fullForce(this.netForces.rows.forces));
      this.netForces.show(0);
    } else this.netForces.show(this.frame);
  }

  #bodies() {
    const { bodies, shapes, arrays, skeletons } = this.recording;
    const wires = [];
    const points = [];
    shapes.forEach((shape, s) => {
      const members = bodies.flatMap((body, i) => (body.shape === s ? [i] : []));
      const vertices = arrays[`shape/${s}/vertices`];
      if (shape.faces) this.#group(vertices, arrays[`shape/${s}/faces`], members);
      const lines = shape.wires ? gathered(vertices, arrays[`shape/${s}/wires`]) : null;
      const dots = shape.points ? gathered(vertices, arrays[`shape/${s}/points`]) : null;
      for (const body of members) {
        if (lines) wires.push({ body, local: lines });
        if (dots) points.push({ body, local: dots });
      }
    });
    for (const { body, lines } of skeletons) wires.push({ body, local: new Float32Array(lines) });
    if (wires.length) this.attach('wires', new AttachedLines(wires, 0x4b7fae));
    if (points.length) this.attach('points', new AttachedPoints(points, 0x4b7fae));
  }

  #group(vertices, faces, members) {
    const moves = new Set(this.motion.moving);
    const moving = members.some((body) => moves.has(body));
    const colours = members.map((body) => this.colour(body));
    const looks = { up: this.light.up, sun: this.light.sunward, edges: this.edgeLook };
    this.groups.push(new BodyGroup(this.scene, vertices, faces, members, colours, looks, moving));
  }
}

const NO_ROWS = { start: [0], count: [0], bodies: [], points: [], forces: [] };

function gathered(vertices, rows) {
  const out = new Float32Array(3 * rows.length);
  rows.forEach((row, i) => out.set(vertices.subarray(3 * row, 3 * row + 3), 3 * i));
  return out;
}
