// What is written over the picture: numbers at arrows, the measured distance, axes, scales.
// It is a canvas of its own, so that a picture that is saved has it too.
import { Vector3 } from 'three';
import { COLOUR_BY, scaleColour } from './colours.js';
import { withUnit } from './numbers.js';

const MOST_NUMBERS = 24; // forces with a number, the strongest first
const CORNER = 112; // [pixels] of the axes and the scale
const FONT = '12px system-ui, sans-serif';
const AXES = [['x', '#d9404a'], ['y', '#3a9a4b'], ['z', '#3b74d8']];

export class Labels {
  constructor(parent, theatre) {
    this.theatre = theatre;
    // putting a large canvas over the picture costs time without a graphics card: it is there only
    // where something is written in it; axes and the grid's scale have a small one
    [this.canvas, this.corner] = ['labels', 'corner'].map((id) => {
      const canvas = document.createElement('canvas');
      canvas.id = id;
      parent.append(canvas);
      return canvas;
    });
  }

  // on the page
  draw(player) {
    const { clientWidth: wide, clientHeight: tall } = this.canvas.parentElement;
    this.#colours();
    this.#on(this.corner, CORNER, CORNER, (context) => this.#corner(context, this.theatre.stages[0], CORNER));
    this.canvas.hidden = !this.#writes(player);
    if (!this.canvas.hidden) this.#on(this.canvas, wide, tall, (context) => this.#over(context, wide, tall, player));
  }

  // all of it onto any canvas, in pixels of the page
  paint(context, wide, tall, player) {
    this.#colours();
    this.#over(context, wide, tall, player);
    context.translate(0, tall - CORNER);
    this.#corner(context, this.theatre.stages[0], CORNER);
    context.translate(0, CORNER - tall);
  }

  #colours() {
    const style = getComputedStyle(document.body);
    const get = (name) => style.getPropertyValue(name).trim();
    [this.ink, this.paper, this.force] = [get('--ink'), get('--paper'), get('--force')];
  }

  #writes(player) {
    const { stages } = this.theatre;
    const shows = ({ netForces, colouring }) => netForces.object.visible || colouring.by !== 'body';
    return stages.length > 1 || player.pull !== null || player.measure.points.length > 0 || stages.some(shows);
  }

  #on(canvas, wide, tall, write) {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(wide * ratio), Math.round(tall * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, wide, tall);
    write(context);
  }

  #over(context, wide, tall, player) {
    const { stages, camera } = this.theatre;
    const pane = wide / stages.length;
    context.font = FONT;
    stages.forEach((stage, i) => {
      this.place = ([x, y, z]) => {
        const p = new Vector3(x, y, z).project(camera);
        return p.z > 1 ? null : [i * pane + (0.5 + 0.5 * p.x) * pane, (0.5 - 0.5 * p.y) * tall];
      };
      this.#numbers(context, stage);
      if (player.pull?.stage === stage) this.#pull(context, player.pull);
      this.#colourBar(context, stage, (i + 1) * pane - 14, tall);
      if (i > 0) this.#rule(context, i * pane, tall);
    });
    player.measure.paint(context, this);
  }

  #corner(context, stage, tall) {
    if (stage.ground.on === false) return;
    context.font = FONT;
    this.#scale(context, stage, 12, tall - 12);
    this.#axes(context, 46, tall - 62, this.theatre.camera);
  }

  // a text on a plate of its own, so that it can be read on everything
  plate(context, text, x, y, colour = this.ink) {
    const width = context.measureText(text).width + 10;
    context.globalAlpha = 0.86;
    context.fillStyle = this.paper;
    context.beginPath();
    context.roundRect(x - width / 2, y - 10, width, 19, 5);
    context.fill();
    context.globalAlpha = 1;
    context.fillStyle = colour;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(text, x, y);
  }

  #numbers(context, stage) {
    if (!stage.netForces.object.visible) return;
    const rows = [...stage.netForces.shown].sort((a, b) => b.force - a.force).slice(0, MOST_NUMBERS);
    const taken = [];
    for (const { tip, base, force } of rows) {
      const at = force > 0 ? this.place(tip) : null;
      const from = this.place(base);
      if (!at || !from) continue;
      const [u, v] = [at[0] - from[0], at[1] - from[1]]; // beyond the tip
      const s = 16 / (Math.hypot(u, v) || 1);
      const [x, y] = [at[0] + 1.6 * s * u, at[1] + (u || v ? s * v : -16)];
      if (taken.some(([a, b]) => Math.abs(a - x) < 46 && Math.abs(b - y) < 16)) continue; // no room
      taken.push([x, y]);
      this.plate(context, withUnit(force, 'N'), x, y, this.force);
    }
  }

  // from the point that is held to where it is pulled
  #pull(context, { stage, body, local, target }) {
    const [from, to] = [this.place(stage.poses.world(body, local)), this.place(target)];
    if (!from || !to) return;
    context.strokeStyle = context.fillStyle = '#2f5fd0';
    context.lineWidth = 2.5;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
    for (const [[x, y], radius] of [[from, 5], [to, 3]]) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    }
    context.lineWidth = 1;
  }

  #scale(context, stage, x, y) {
    context.fillStyle = this.ink;
    context.globalAlpha = 0.75;
    context.textAlign = 'left';
    context.textBaseline = 'alphabetic';
    context.fillText(`grid ${withUnit(stage.ground.step, 'm')}`, x, y);
    context.globalAlpha = 1;
  }

  #colourBar(context, stage, x, tall) {
    const { by } = stage.colouring;
    if (by === 'body') return;
    const { unit, label, none } = COLOUR_BY[by];
    const { low, high, cut } = stage.colouring.range();
    const height = Math.min(160, tall / 3);
    const [left, top] = [x - 12, 64];
    for (let i = 0; i < height; i++) {
      context.fillStyle = `#${scaleColour(1 - i / height).getHexString()}`;
      context.fillRect(left, top + i, 12, 1.5);
    }
    context.fillStyle = this.ink;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText(`${cut ? '≥ ' : ''}${withUnit(high, unit)}`, left - 6, top + 5);
    context.fillText(withUnit(low, unit), left - 6, top + height - 5);
    context.fillText(label, x, top - 12);
    if (none) context.fillText(`grey: ${none}`, x, top + height + 14);
  }

  #rule(context, x, tall) {
    context.strokeStyle = this.ink;
    context.globalAlpha = 0.2;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, tall);
    context.stroke();
    context.globalAlpha = 1;
  }

  #axes(context, x, y, camera) {
    const ends = AXES.map(([name, colour], k) => {
      const v = new Vector3().setComponent(k, 1).transformDirection(camera.matrixWorldInverse);
      return { name, colour, v };
    }).sort((a, b) => a.v.z - b.v.z);
    context.lineWidth = 2.2;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (const { name, colour, v } of ends) {
      const [a, b] = [x + 26 * v.x, y - 26 * v.y];
      context.strokeStyle = context.fillStyle = colour;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(a, b);
      context.stroke();
      context.fillText(name, x + 36 * v.x, y - 36 * v.y);
    }
    context.lineWidth = 1;
  }
}

