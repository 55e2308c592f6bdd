// Which moment is shown: it runs with the wall clock, times the speed, and starts again at the end.
export class Clock {
  constructor(begin, end) {
    Object.assign(this, { begin, end, time: begin, playing: end > begin, before: null });
    const span = end - begin;
    // a run shorter than 2 s is slowed down, one longer than a minute is sped up
    this.speed = span > 0 ? Number((span / Math.min(60, Math.max(2, span))).toPrecision(2)) : 1;
  }

  // true where the end was passed; a simulation that goes on is shown as it comes
  tick(now, live = false) {
    const passed = this.before === null ? 0 : (now - this.before) / 1000;
    this.before = now;
    if (!this.playing) return false;
    if (live) {
      this.time = this.end;
      return false;
    }
    this.time += Math.min(passed, 0.25) * this.speed;
    if (this.time <= this.end) return false;
    this.time = this.begin;
    return true;
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.begin, time));
  }
}
