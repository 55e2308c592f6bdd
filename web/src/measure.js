// The distance between two points of bodies; they ride on the bodies, so it changes with time.
import { withUnit } from './numbers.js';

export class Measure {
  constructor() {
    this.on = false;
    this.points = []; // { stage, body, local }
  }

  toggle(on = !this.on) {
    this.on = on;
    if (!on) this.points = [];
  }

  add(stage, { body, point }) {
    if (this.points.length === 2) this.points = [];
    this.points.push({ stage, body, local: stage.poses.local(body, point.toArray()) });
  }

  // [m], or null
  get distance() {
    if (this.points.length < 2) return null;
    const [a, b] = this.#world();
    return Math.hypot(...a.map((x, k) => x - b[k]));
  }

  text() {
    if (!this.on) return '';
    if (this.points.length < 2) return `click ${this.points.length ? 'the second' : 'the first'} point`;
    const [a, b] = this.#world();
    const names = this.points.map(({ stage, body }) => stage.recording.bodies[body].name);
    const parts = ['x', 'y', 'z'].map((axis, k) => `${axis} ${withUnit(b[k] - a[k], 'm')}`);
    return `${withUnit(this.distance, 'm', 4)} from ${names[0]} to ${names[1]}\n${parts.join(', ')}`;
  }

  paint(context, labels) {
    const places = this.#world().map((point) => labels.place(point)).filter(Boolean);
    context.strokeStyle = context.fillStyle = '#e8890c';
    context.lineWidth = 2;
    for (const [x, y] of places) {
      context.beginPath();
      context.arc(x, y, 4, 0, 2 * Math.PI);
      context.fill();
    }
    if (places.length < 2) return;
    const [[a, b], [c, d]] = places;
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(a, b);
    context.lineTo(c, d);
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1;
    labels.plate(context, withUnit(this.distance, 'm', 4), (a + c) / 2, (b + d) / 2 - 14);
  }

  #world() {
    return this.points.map(({ stage, body, local }) => stage.poses.world(body, local));
  }
}
