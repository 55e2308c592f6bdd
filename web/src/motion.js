// Where frames come from. A stage asks its motion for `times` and to `take` a frame into poses; it
// does not know whether all frames are there (recorded) or more arrive (streamed).
import { post, streamed } from './source.js';

const QUATERNION_UNIT = 32767;
const MAX_FRAMES = 6000; // of a run that goes on, a few minutes; then the older half is forgotten

export class RecordedMotion {
  constructor({ arrays }) {
    this.times = arrays.time;
    this.moving = arrays.moving;
    this.recorded = { x: arrays.position, q: arrays.quaternion };
    this.speeds = arrays.speed;
    this.live = false;
  }

  take(frame, poses) {
    const { moving, recorded } = this;
    const { x, q } = poses;
    for (let m = 0; m < moving.length; m++) {
      const row = frame * moving.length + m;
      const body = moving[m];
      for (let k = 0; k < 3; k++) x[3 * body + k] = recorded.x[3 * row + k];
      for (let k = 0; k < 4; k++) q[4 * body + k] = recorded.q[4 * row + k] / QUATERNION_UNIT;
    }
  }

  // [m/s] of a body's centre of mass
  speed(frame, body) {
    this.row ??= new Map(Array.from(this.moving, (b, m) => [b, m]));
    const m = this.row.get(body);
    return m === undefined ? 0 : this.speeds[frame * this.moving.length + m];
  }
}

// Frames of a run that goes on: see docs/explanation/viewer.md for the messages.
export class StreamedMotion {
  constructor(recording, number) {
    this.number = number;
    this.bodies = recording.bodies.length;
    this.moving = Int32Array.from({ length: this.bodies }, (_, i) => i);
    this.times = [recording.arrays.time[0]];
    this.frames = [{ x: Float32Array.from(recording.arrays.rest_position), q: Float32Array.from(recording.arrays.rest_quaternion), pairs: null }];
    this.live = true;
    this.ended = false;
    this.report = { next: 1, number: 0, playing: false, recording: false, note: '' };
    this.#listen();
  }

  take(frame, poses) {
    poses.x.set(this.frames[frame].x);
    poses.q.set(this.frames[frame].q);
  }

  speed(frame, body) {
    const before = Math.max(0, frame - 1);
    const passed = this.times[frame] - this.times[before];
    if (!(passed > 0)) return 0;
    const [a, b] = [this.frames[before].x, this.frames[frame].x];
    return Math.hypot(...[0, 1, 2].map((k) => b[3 * body + k] - a[3 * body + k])) / passed;
  }

  // net contact forces of a frame, in the layout of `rowsOf`
  pairs(frame) {
    return this.frames[frame]?.pairs;
  }

  send(kind, values = {}) {
    return post('command', { kind, recording: this.number, ...values });
  }

  async #listen() {
    while (!this.ended) {
      const { next, number } = this.report;
      const news = await streamed(this.number, next, number).catch(() => null);
      if (news === null) {
        this.ended = true;
        this.report = { ...this.report, playing: false, note: 'the simulation has ended' };
      } else {
        this.report = { ...this.report, ...news.report };
        if (news.bytes.byteLength) this.#add(new DataView(news.bytes));
      }
    }
  }

  // times grow: a frame of an earlier time begins again, too many are halved
  #keep(time) {
    const from = time <= this.times[this.times.length - 1] ? this.times.length : this.times.length >= MAX_FRAMES ? MAX_FRAMES / 2 : 0;
    this.times.splice(0, from);
    this.frames.splice(0, from);
    this.times.push(time);
  }

  // records of: time (f8), poses (7 f4 a body), number of pairs (u4), pairs (2 i4, 6 f4)
  #add(view) {
    let at = 0;
    const f4 = (n) => Float32Array.from({ length: n }, () => { at += 4; return view.getFloat32(at - 4, true); });
    while (at < view.byteLength) {
      this.#keep(view.getFloat64(at, true));
      at += 8;
      const x = f4(3 * this.bodies);
      const q = f4(4 * this.bodies);
      const n = view.getUint32(at, true);
      at += 4;
      const pairs = { start: [0], count: [n], bodies: new Int32Array(2 * n), points: new Float32Array(3 * n), forces: new Float32Array(3 * n) };
      for (let i = 0; i < n; i++) {
        pairs.bodies.set([view.getInt32(at, true), view.getInt32(at + 4, true)], 2 * i);
        at += 8;
        pairs.points.set(f4(3), 3 * i);
        pairs.forces.set(f4(3), 3 * i);
      }
      this.frames.push({ x, q, pairs });
    }
  }
}

// the last frame at or before a time
export function frameAt(times, time) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
