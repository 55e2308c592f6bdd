// Without a graphics card: fewer pixels while it plays too slowly, all of them when it stands still.
const SLOW = 45; // [ms] between pictures: fewer pixels
const FAST = 22; // more pixels
const TRIES = 6; // pictures between two changes
const LEAST = 0.5; // of the full resolution along each side

export class Pace {
  constructor(full) {
    this.full = full;
    this.ratio = full; // pixels of the picture for one of the page
    this.#begin();
  }

  // the resolution for the picture at `now` [ms]
  next(now, playing) {
    if (!playing) {
      this.#begin();
      return (this.ratio = this.full);
    }
    if (this.before !== null) {
      this.passed += now - this.before;
      this.count += 1;
    }
    this.before = now;
    if (this.count === TRIES) this.#adapt(this.passed / TRIES);
    return this.ratio;
  }

  #adapt(milliseconds) {
    if (milliseconds > SLOW) this.ratio = Math.max(LEAST * this.full, this.ratio * 0.8);
    else if (milliseconds < FAST) this.ratio = Math.min(this.full, this.ratio * 1.25);
    this.passed = this.count = 0;
  }

  #begin() {
    this.before = null;
    this.passed = this.count = 0;
  }
}
