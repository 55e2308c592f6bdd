// Plays recordings: loads them, runs the clock, draws when something changed.
import { Clock } from './clock.js';
import { Overlays } from './overlays.js';
import { Panel } from './panel.js';
import { recordings } from './source.js';
import { Stage } from './stage.js';
import { Theatre } from './theatre.js';

const PANEL_PAUSE = 120; // [ms] between two states of the panel

class Player {
  constructor(found) {
    this.stages = found.map((recording) => new Stage(recording));
    const times = this.stages.map(({ times }) => times);
    this.clock = new Clock(
      Math.min(...times.map((t) => t[0])),
      Math.max(...times.map((t) => t[t.length - 1])),
    );
    this.chosen = -1;
    this.following = false;
    this.drawn = 0; // pictures so far
    this.told = false; // whether the panel tells what the picture shows
    this.toldAt = -Infinity; // [ms]
    this.overlays = new Overlays(this.stages, () => this.touch());
    this.theatre = new Theatre(document.getElementById('picture'), this.stages, (pane, body) => this.choose(body));
    found.forEach(({ title }, i) => this.#title(title, i, found.length));
    this.panel = new Panel(this);
    requestAnimationFrame(this.#loop);
  }

  choose(body) {
    this.chosen = body;
    this.overlays.body = body;
    for (const stage of this.stages) stage.choose(body);
    this.overlays.again().catch((error) => this.fail(error));
    this.touch();
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
    label.style.left = `calc(${(100 * i) / count}% + 12px)`;
    document.getElementById('picture').append(label);
  }

  // drawing the panel by software costs as much as the picture: then it may lag behind a little
  #tellsAt(now) {
    return !this.theatre.bySoftware || !this.clock.playing || now - this.toldAt >= PANEL_PAUSE;
  }

  #loop = (now) => {
    this.clock.tick(now);
    this.theatre.keepPace(now, this.clock.playing);
    const [stage] = this.stages;
    const follows = this.following && this.chosen >= 0;
    const from = follows ? stage.position(this.chosen) : null;
    let moved = false;
    for (const one of this.stages) moved = one.showTime(this.clock.time) || moved;
    if (follows && moved) this.theatre.follow(from, stage.position(this.chosen));
    if (moved || this.theatre.dirty) {
      this.theatre.render();
      this.drawn += 1;
      this.told = false;
    }
    if (!this.told && this.#tellsAt(now)) {
      this.panel.update();
      this.told = true;
      this.toldAt = now;
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
