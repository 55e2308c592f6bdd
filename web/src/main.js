// Plays recordings: loads them, runs the clock, draws when something changed.
import { Capture } from './capture.js';
import { Clock } from './clock.js';
import { listen as listenToKeys } from './keys.js';
import { Labels } from './labels.js';
import { Measure } from './measure.js';
import { Overlays } from './overlays.js';
import { Panel } from './panel.js';
import { listen as listenToPointer } from './pointer.js';
import { recordings } from './source.js';
import { Stage } from './stage.js';
import { Theatre } from './theatre.js';
import { Theme } from './theme.js';

const PANEL_PAUSE = 120; // [ms] between two states of the panel

class Player {
  constructor(found) {
    this.stages = found.map((recording, i) => new Stage(recording, i));
    this.live = this.stages.some(({ motion }) => motion.live);
    const times = this.stages.map((stage) => stage.times);
    this.clock = new Clock(
      Math.min(...times.map((t) => t[0])),
      Math.max(...times.map((t) => t[t.length - 1])),
    );
    this.chosen = -1;
    this.following = false;
    this.drawn = 0; // pictures so far
    this.updated = false; // whether the panel shows what the picture shows
    this.updatedAt = -Infinity; // [ms]
    this.overlays = new Overlays(this.stages, () => this.touch());
    this.measure = new Measure();
    this.pull = null; // of a body that is dragged: { stage, body, local, target }
    const picture = document.getElementById('picture');
    const asked = new URLSearchParams(location.search);
    this.theatre = new Theatre(picture, this.stages, asked.get('quality') ?? 'auto');
    this.labels = new Labels(picture, this.theatre);
    this.capture = new Capture(this);
    this.theme = new Theme(this.stages, () => this.touch());
    found.forEach(({ title }, i) => this.#title(title, i, found.length));
    this.panel = new Panel(this);
    listenToKeys(this);
    listenToPointer(this);
    requestAnimationFrame(this.#loop);
  }

  get settled() {
    return this.theatre.settled && this.updated;
  }

  playPause() {
    this.clock.playing = !this.clock.playing;
    for (const { motion } of this.stages) if (motion.live) motion.send(this.clock.playing ? 'resume' : 'pause');
  }

  // frames on or back; a running simulation makes a step where there is no frame yet
  step(by) {
    const [stage] = this.stages;
    this.clock.playing = false;
    if (stage.motion.live && by > 0 && stage.frame === stage.times.length - 1) stage.motion.send('step', { steps: by });
    else this.goto(stage.frame + by);
  }

  goto(frame) {
    const { times } = this.stages[0];
    if (this.live && this.clock.playing) this.playPause();
    this.clock.playing = false;
    this.clock.seek(times[Math.min(times.length - 1, Math.max(0, frame))]);
  }

  choose(body) {
    this.chosen = body;
    this.overlays.body = body;
    for (const stage of this.stages) stage.choose(body);
    this.overlays.again().catch((error) => this.fail(error));
    this.touch();
  }

  // 'hidden' or 'ghost', and back
  toggle(body, state) {
    const next = this.stages[0].states.get(body) === state ? 'shown' : state;
    for (const stage of this.stages) stage.setState(body, next);
    this.touch();
  }

  isolate(body) {
    for (const stage of this.stages) {
      stage.only = stage.only === body ? null : body;
      stage.updateStates();
    }
    this.touch();
  }

  showAll() {
    for (const stage of this.stages) {
      stage.only = null;
      stage.states.clear();
      stage.updateStates();
    }
    this.touch();
  }

  lookAt(body) {
    this.theatre.see(this.stages[0].corners([body]), 'here');
  }

  touch() {
    this.theatre.dirty = true;
  }

  fail(error) {
    const place = document.getElementById('failure');
    place.textContent = error.message ?? String(error);
    place.hidden = false;
  }

  #title(text, i, count) {
    const label = document.createElement('div');
    label.className = 'title';
    label.textContent = text;
    label.style.left = `calc(${(100 * i) / count}% + 14px)`;
    document.getElementById('picture').append(label);
  }

  // drawing the panel by software costs as much as the picture: then it may lag behind a little
  #updatesAt(now) {
    return !this.theatre.bySoftware || !this.clock.playing || now - this.updatedAt >= PANEL_PAUSE;
  }

  // the newest frame of a run that goes on, unless somebody looks at an earlier one
  #follow() {
    const { clock, stages } = this;
    const newest = clock.time >= clock.end;
    const { report, times } = stages.find(({ motion }) => motion.live).motion;
    clock.begin = times[0];
    clock.end = times[times.length - 1];
    if (newest || clock.playing || clock.time > clock.end) clock.time = clock.end;
    if (report.number === this.report?.number && report.note === this.report.note) return;
    this.report = report;
    clock.playing = report.playing;
    this.touch();
  }

  #loop = (now) => {
    if (this.live) this.#follow();
    const ended = this.clock.tick(now, this.live);
    const [stage] = this.stages;
    const follows = this.following && this.chosen >= 0;
    const from = follows ? stage.position(this.chosen) : null;
    let moved = false;
    for (const one of this.stages) moved = one.showTime(this.clock.time) || moved;
    if (follows && moved) this.theatre.follow(from, stage.position(this.chosen));
    if (this.theatre.update(now, this.clock.playing, moved)) {
      this.drawn += 1;
      this.updated = false;
      this.capture.drawn();
      this.labels.draw(this);
    }
    if (ended) this.capture.ended();
    if (!this.updated && this.#updatesAt(now)) {
      this.panel.update();
      this.updated = true;
      this.updatedAt = now;
    }
    requestAnimationFrame(this.#loop);
  };
}

recordings()
  .then((found) => {
    window.dovetail = new Player(found);
    document.getElementById('loading').remove();
  })
  .catch((error) => {
    document.getElementById('loading').textContent = `This result cannot be shown: ${error.message}`;
    console.error(error);
  });
