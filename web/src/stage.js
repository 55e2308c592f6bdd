// The bodies of one recording: equal bodies are one group, drawn at once, then only moved.
import { Color, Scene, Vector3 } from 'three';
import { ContactArrows } from './arrows.js';
import { AttachedLines, AttachedPoints } from './attached.js';
import { BodyGroup } from './body_group.js';
import { frameAt, Poses } from './poses.js';

export class Stage {
  constructor(recording) {
    this.recording = recording;
    this.times = recording.arrays.time;
    this.frame = -1;
    this.poses = new Poses(recording);
    this.scene = new Scene();
    this.scene.background = new Color(0xf4f5f7);
    this.groups = [];
    this.attached = new Map(); // what rides on bodies, by name
    this.#bodies();
    this.arrows = new ContactArrows(recording);
    this.scene.add(this.arrows.object);
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
    this.poses.take(this.frame);
    for (const group of this.groups) group.place(this.poses);
    for (const one of this.attached.values()) one.update(this.poses);
    this.arrows.show(this.frame);
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
    for (const group of this.groups) group.choose(body);
  }

  // bodies let what is inside them be seen
  lookThrough(on) {
    for (const group of this.groups) group.lookThrough(on);
  }

  showCollision(on) {
    for (const group of this.groups) group.showCollision(on);
  }

  #colour(body) {
    return new Color().setRGB(...this.recording.bodies[body].colour, 'srgb');
  }

  #light() {
    const up = new Vector3(...this.recording.up);
    const sun = new Vector3(...this.recording.towards).addScaledVector(up, 1.4);
    return { up: up.normalize(), sun: sun.normalize() };
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
    if (wires.length) this.attach('wires', new AttachedLines(wires, 0x33536e));
    if (points.length) this.attach('points', new AttachedPoints(points, 0x33536e));
  }

  #group(vertices, faces, members) {
    const moves = new Set(this.poses.moving);
    const moving = members.some((body) => moves.has(body));
    const colours = members.map((body) => this.#colour(body));
    this.groups.push(new BodyGroup(this.scene, vertices, faces, members, colours, this.#light(), moving));
  }
}

function gathered(vertices, rows) {
  const out = new Float32Array(3 * rows.length);
  rows.forEach((row, i) => out.set(vertices.subarray(3 * row, 3 * row + 3), 3 * i));
  return out;
}
