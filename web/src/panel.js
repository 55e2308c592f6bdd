// The panel beside the picture: time, what to draw, the chosen body, curves.
import { Curves } from './curves.js';

const LABELS = {
  contacts: 'contact forces',
  joints: 'joints',
  collision: 'collision geometry',
  obb: 'oriented boxes',
  octree: 'octree of a body',
  sdf: 'distance field of a body',
};

export class Panel {
  constructor(player) {
    this.player = player;
    const { clock, stages } = player;
    this.get = (id) => document.getElementById(id);
    this.get('speed').value = clock.speed;
    this.#timeline(clock, stages[0]);
    this.#overlays(player.overlays);
    this.#body();
    this.#forces();
    this.#curves();
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  // show the moment of the clock
  update() {
    const { clock, stages } = this.player;
    const [stage] = stages;
    this.get('clock').textContent = `t = ${clock.time.toFixed(4)} s of ${clock.end.toPrecision(4)} s`;
    const frame = this.get('frame');
    if (frame !== document.activeElement || clock.playing) frame.value = stage.frame;
    this.get('play').textContent = clock.playing ? 'pause' : 'play';
    for (const chart of this.charts) chart.draw(clock.time);
    this.#tellBody();
  }

  #timeline(clock, stage) {
    const { player } = this;
    const frame = this.get('frame');
    frame.max = Math.max(1, stage.times.length - 1);
    frame.disabled = stage.times.length < 2;
    frame.addEventListener('input', () => {
      clock.playing = false;
      clock.seek(stage.times[Number(frame.value)]);
    });
    this.get('play').addEventListener('click', () => { clock.playing = !clock.playing; player.touch(); });
    this.get('start').addEventListener('click', () => clock.seek(clock.begin));
    this.get('home').addEventListener('click', () => player.theatre.home());
    this.get('speed').addEventListener('change', (event) => {
      const speed = Number(event.target.value);
      if (speed > 0) clock.speed = speed;
      else event.target.value = clock.speed;
    });
  }

  #key(event) {
    if (event.target.matches('input, select, button')) return;
    const { clock, stages } = this.player;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === ' ') clock.playing = !clock.playing;
    else if (step) {
      const frame = Math.min(stages[0].times.length - 1, Math.max(0, stages[0].frame + step));
      clock.playing = false;
      clock.seek(stages[0].times[frame]);
    } else return;
    event.preventDefault();
    this.player.touch();
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

  #body() {
    const { player } = this;
    const list = this.get('body');
    player.stages[0].recording.bodies.forEach(({ name }, i) => list.append(new Option(name, i)));
    list.addEventListener('change', () => player.choose(Number(list.value)));
    this.get('follow').addEventListener('change', (event) => {
      player.following = event.target.checked;
      player.touch();
    });
  }

  #tellBody() {
    const { chosen, stages } = this.player;
    this.get('body').value = chosen;
    const lines = chosen < 0 ? [] : stages.map((stage) => {
      const body = stage.recording.bodies[chosen];
      if (!body) return 'not in this result';
      const x = [0, 1, 2].map((k) => stage.poses.x[3 * chosen + k].toPrecision(4)).join(', ');
      const mass = body.mass === null ? 'unbounded' : `${body.mass.toPrecision(4)} kg`;
      return `${body.name}: ${body.motion}, ${mass}\nat (${x}) m`;
    });
    this.get('body-facts').textContent = lines.join('\n');
  }

  #forces() {
    const { stages } = this.player;
    const { forces } = stages[0].recording;
    const told = forces.full > 0 ? `an arrow of 12 % of the scene's size is ${forces.full.toPrecision(3)} N` : '';
    this.get('forces').textContent = [told, forces.note].filter(Boolean).join('; ');
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
}

function withArrays(chart, arrays) {
  return {
    ...chart,
    lines: chart.lines.map((line) => ({ ...line, time: arrays['curve/time'], values: arrays[line.array] })),
  };
}
