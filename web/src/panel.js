// The panel beside the picture: bodies, what to draw, the chosen body, curves; and the bar with the time.
import { COLOUR_BY } from './colours.js';
import { Curves } from './curves.js';
import { VIEWS } from './framing.js';
import { KEYS } from './keys.js';
import { decimals, short, withUnit } from './numbers.js';
import { element, Tree } from './tree.js';

const LABELS = {
  forces: 'net contact forces of pairs (c)',
  contacts: 'single contact forces',
  joints: 'joints',
  collision: 'collision geometry',
  obb: 'oriented boxes',
  octree: 'octree of a body',
  sdf: 'distance field of a body',
};

export class Panel {
  constructor(player) {
    this.player = player;
    this.get = (id) => document.getElementById(id);
    this.tree = new Tree(player, this.get('tree'), this.get('filter'));
    this.#time();
    this.#tools();
    this.#view();
    this.#overlays(player.overlays);
    this.#section();
    this.#curves();
  }

  // show the moment of the clock
  update() {
    const { clock, stages, capture } = this.player;
    const [stage] = stages;
    const digits = decimals(clock.end - clock.begin);
    const end = this.player.live ? '' : ` of ${clock.end.toFixed(digits)}`;
    this.get('clock').textContent = `t = ${clock.time.toFixed(digits)}${end} s`;
    const frame = this.get('frame');
    frame.max = Math.max(1, stage.times.length - 1);
    if (frame !== document.activeElement || clock.playing) frame.value = stage.frame;
    this.get('play').classList.toggle('playing', clock.playing);
    this.get('movie').setAttribute('aria-pressed', capture.recorder !== null);
    for (const chart of this.charts) chart.draw(clock.time);
    this.get('measured').textContent = this.player.measure.text();
    if (this.player.live) this.#live(this.player.report);
    this.tree.update();
    this.#facts();
  }

  // what the running simulation reports
  #live({ recording, note }) {
    this.get('keep').setAttribute('aria-pressed', recording);
    this.get('live-report').textContent = note;
  }

  help(on = this.get('help').hidden) {
    this.get('help').hidden = !on;
  }

  #time() {
    const { player } = this;
    const { clock, stages } = player;
    const frame = this.get('frame');
    frame.disabled = stages[0].times.length < 2 && !player.live;
    frame.addEventListener('input', () => player.goto(Number(frame.value)));
    this.#click('play', () => player.playPause());
    this.#click('start', () => clock.seek(clock.begin));
    this.#click('back', () => player.step(-1));
    this.#click('on', () => player.step(1));
    const speed = this.get('speed');
    speed.value = clock.speed;
    speed.addEventListener('change', () => {
      if (Number(speed.value) > 0) clock.speed = Number(speed.value);
      else speed.value = clock.speed;
    });
    for (const id of ['keep', 'reset', 'live-note']) this.get(id).hidden = !player.live;
    for (const id of ['speed-of-play', 'start', 'over-time']) this.get(id).hidden = player.live;
    const send = (kind, values) => { for (const { motion } of stages) motion.send?.(kind, values); };
    this.#click('keep', () => send('record', { on: this.get('keep').getAttribute('aria-pressed') !== 'true' }));
    this.#click('reset', () => send('reset'));
  }

  #tools() {
    const { player } = this;
    this.#click('home', () => player.theatre.home());
    this.#click('moving', () => player.theatre.see(player.stages.flatMap(({ recording }) => recording.parts_that_move)));
    this.#click('screenshot', () => player.capture.screenshot());
    this.#click('movie', () => {
      try {
        player.capture.toggleMovie();
      } catch (error) {
        player.fail(error);
      }
    });
    this.#click('theme', () => player.theme.toggle());
    this.#click('show-help', () => this.help());
    this.#click('show-panel', () => {
      const panel = this.get('panel');
      panel.hidden = !panel.hidden;
      this.get('show-panel').setAttribute('aria-pressed', !panel.hidden);
    });
    this.#click('show-all', () => player.showAll());
    this.#click('measure', () => {
      player.measure.toggle();
      this.get('measure').setAttribute('aria-pressed', player.measure.on);
    });
    const views = this.get('views');
    for (const name of VIEWS) views.append(new Option(name, name));
    views.addEventListener('change', () => player.theatre.home(views.value));
    this.get('help').append(...KEYS.map(([key, does]) => {
      const row = element('div', 'key');
      row.append(element('kbd', '', key), element('span', '', does));
      return row;
    }));
    this.#click('help', () => this.help(false));
  }

  #view() {
    const { player } = this;
    const by = this.get('colour-by');
    const contacts = player.stages.some(({ recording, motion }) => motion.live || recording.arrays['pair/forces'].length);
    for (const [name, { label }] of Object.entries(COLOUR_BY)) {
      if (contacts || !['force', 'clearance'].includes(name)) by.append(new Option(label, name));
    }
    by.addEventListener('change', () => {
      for (const stage of player.stages) stage.colouring.set(by.value);
      player.touch();
    });
    this.get('follow').addEventListener('change', (event) => {
      player.following = event.target.checked;
      player.touch();
    });
    this.get('grid').addEventListener('change', (event) => {
      for (const stage of player.stages) stage.ground.on = event.target.checked;
      player.touch();
    });
    const quality = this.get('quality');
    quality.value = player.theatre.quality;
    quality.addEventListener('change', () => {
      player.theatre.quality = quality.value;
      player.touch();
    });
  }

  #overlays(overlays) {
    for (const kind of overlays.kinds()) {
      const label = document.createElement('label');
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.id = `overlay-${kind}`;
      box.addEventListener('change', () => {
        this.get(`${kind}-options`)?.toggleAttribute('hidden', !box.checked);
        overlays.set(kind, box.checked).catch((error) => this.player.fail(error));
        this.#forces();
      });
      label.append(box, ` ${LABELS[kind]}`);
      this.get('overlays').append(label);
    }
    this.get('octree-level').addEventListener('input', (event) => {
      overlays.level = Number(event.target.value);
      overlays.again();
    });
    for (const id of ['sdf-axis', 'sdf-share']) {
      this.get(id).addEventListener('input', () => {
        overlays.cut = { axis: Number(this.get('sdf-axis').value), share: Number(this.get('sdf-share').value) };
        overlays.again();
      });
    }
  }

  #section() {
    const { theatre } = this.player;
    const ids = ['section-on', 'section-axis', 'section-share', 'section-flip'];
    const [on, axis, share, flip] = ids.map((id) => this.get(id));
    const set = () => {
      this.get('section-options').hidden = !on.checked;
      theatre.cut(on.checked ? { axis: Number(axis.value), share: Number(share.value), flipped: flip.checked } : null);
    };
    for (const one of [on, axis, share, flip]) one.addEventListener('input', set);
  }

  #facts() {
    const { chosen, stages } = this.player;
    const lines = chosen < 0 ? [] : stages.map((stage) => {
      const body = stage.recording.bodies[chosen];
      if (!body) return 'not in this result';
      // rounding errors of the scene's size are no places
      const round = (v) => (Math.abs(v) < 1e-9 * stage.recording.size ? 0 : v);
      const x = [0, 1, 2].map((k) => short(round(stage.poses.x[3 * chosen + k]), 4)).join(', ');
      const mass = body.mass === null ? 'unbounded' : `${short(body.mass, 4)} kg`;
      const speed = withUnit(stage.motion.speed(stage.frame, chosen), 'm/s');
      const { values } = stage.colouring;
      const force = stage.recording.arrays['pair/forces'].length ? `\ncontact forces on it: ${withUnit(values.call(stage.colouring, stage.frame, 'force')[chosen], 'N')}` : '';
      return `${body.name}: ${body.motion}, ${mass}\nat (${x}) m, ${speed}${force}`;
    });
    const text = lines.join('\n');
    if (this.get('body-facts').textContent !== text) this.get('body-facts').textContent = text;
  }

  #forces() {
    const [stage] = this.player.stages;
    const { forces } = stage.recording;
    const drawn = [stage.netForces, stage.arrows].find(({ object, full }) => object.visible && full > 0);
    const scale = drawn ? `Forces on the body that moves; of two, on the later one. An arrow of ${withUnit(drawn.length, 'm', 2)} is ${withUnit(drawn.full, 'N')}` : '';
    this.get('forces').textContent = [scale, stage.arrows.object.visible ? forces.note : ''].filter(Boolean).join('; ');
  }

  #curves() {
    const { stages, clock } = this.player;
    const seek = (time) => { clock.playing = false; clock.seek(time); };
    this.charts = stages[0].recording.charts.map(({ title }) => {
      const same = stages.flatMap(({ recording }) =>
        recording.charts.filter((chart) => chart.title === title).map((chart) => withArrays(chart, recording.arrays)),
      );
      return new Curves(this.get('curves'), title, same, seek);
    });
  }

  #click(id, act) {
    this.get(id).addEventListener('click', () => {
      act();
      this.player.touch();
    });
  }
}

function withArrays(chart, arrays) {
  return {
    ...chart,
    lines: chart.lines.map((line) => ({ ...line, time: arrays['curve/time'], values: arrays[line.array] })),
  };
}
