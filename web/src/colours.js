// Bodies coloured by what they are or what they do.
import { Color } from 'three';

export const COLOUR_BY = {
  body: { label: 'body' },
  speed: { label: 'speed', unit: 'm/s' },
  force: { label: 'contact force', unit: 'N', peaks: true },
  clearance: { label: 'clearance', unit: 'm', logarithmic: true, none: 'no contact near' },
};

// viridis (matplotlib, CC0), every eighth of the way
const SCALE = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725].map((c) => new Color(c));
const MOST = 0.95; // of all forces are within the scale: peaks of impacts would leave the rest dark
const NOTHING = new Color(0x9aa0a6);

export function scaleColour(share, out = new Color()) {
  const s = 8 * Math.min(1, Math.max(0, share));
  const i = Math.min(7, Math.floor(s));
  return out.lerpColors(SCALE[i], SCALE[i + 1], s - i);
}

export class Colouring {
  constructor(stage) {
    this.stage = stage;
    this.by = 'body';
    this.ranges = {};
  }

  set(by) {
    this.by = by;
    this.stage.changes += 1;
    this.apply(true);
  }

  // colour the bodies for the present frame
  apply(again = false) {
    const { stage, by } = this;
    if (by === 'body') {
      if (again) for (const group of stage.groups) group.paint((body) => stage.colour(body));
      return;
    }
    const values = this.values(stage.frame);
    const { low, high } = this.range();
    const log = COLOUR_BY[by].logarithmic;
    const share = (v) => (log ? Math.log(v / low) / Math.log(high / low || 1) : (v - low) / (high - low || 1));
    for (const group of stage.groups) {
      group.paint((body) => (Number.isFinite(values[body]) ? scaleColour(share(Math.max(values[body], low))) : stage.colour(body).lerp(NOTHING, 0.9)));
    }
  }

  // of each body at a frame; NaN: nothing known
  values(frame, by = this.by) {
    const { stage } = this;
    const n = stage.recording.bodies.length;
    if (by === 'speed') {
      const { bodies } = stage.recording; // static ones have no colour
      return Float64Array.from({ length: n }, (_, body) => (bodies[body].motion === 'static' ? NaN : stage.motion.speed(frame, body)));
    }
    const out = new Float64Array(n).fill(by === 'force' ? 0 : NaN);
    const { start, count, bodies, forces } = stage.pairRows(frame);
    const gaps = stage.recording.arrays['pair/gaps'];
    const at = stage.motion.live ? 0 : frame;
    for (let i = start[at] ?? 0; i < (start[at] ?? 0) + (count[at] ?? 0); i++) {
      const size = Math.hypot(forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]);
      for (const body of [bodies[2 * i], bodies[2 * i + 1]]) {
        if (body < 0) continue;
        if (by === 'force') out[body] += size;
        else if (!(out[body] <= gaps?.[i])) out[body] = Math.max(gaps?.[i] ?? NaN, 1e-9 * stage.recording.size);
      }
    }
    return out;
  }

  // least and largest over the run (some frames of it); `cut` where larger values are left out
  range() {
    if (this.ranges[this.by]) return this.ranges[this.by];
    const frames = this.stage.motion.times.length;
    const step = Math.max(1, Math.floor(frames / 200));
    let [low, high] = [Infinity, -Infinity];
    const acting = [];
    for (let frame = 0; frame < frames; frame += step) {
      for (const v of this.values(frame)) {
        if (!Number.isFinite(v)) continue;
        low = Math.min(low, v);
        high = Math.max(high, v);
        if (v > 0) acting.push(v);
      }
    }
    if (!(high >= low)) [low, high] = [0, 1];
    const { logarithmic, peaks } = COLOUR_BY[this.by];
    if (!logarithmic) low = 0;
    const most = peaks && acting.length ? acting.sort((a, b) => a - b)[Math.ceil(MOST * acting.length) - 1] : high;
    const range = { low, high: most > low ? most : low + 1, cut: most < high };
    if (!this.stage.motion.live) this.ranges[this.by] = range;
    return range;
  }
}
