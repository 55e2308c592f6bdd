// Which moment is shown: it runs with the wall clock, times the speed, and starts anew at the end.
export class Clock {
  constructor(begin, end) {
    Object.assign(this, { begin, end, time: begin, playing: end > begin, before: null });
    const span = end - begin;
    // a run shorter than 2 s is slowed down, one longer than a minute is sped up
    this.speed = span > 0 ? Number((span / Math.min(60, Math.max(2, span))).toPrecision(2)) : 1;
  }

  tick(now) {
    const passed = this.before === null ? 0 : (now - this.before) / 1000;
    this.before = now;
    if (!this.playing) return;
    this.time += Math.min(passed, 0.25) * this.speed;
    if (this.time > this.end) this.time = this.begin;
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.begin, time));
  }
}
