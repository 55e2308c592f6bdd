// Pictures and movies of what is shown, with what is written over it.
import { ENOUGH, SAMPLES } from './refinement.js';

const MIMES = ['video/mp4;codecs=avc1', 'video/webm;codecs=vp9', 'video/webm'];

export class Capture {
  constructor(player) {
    this.player = player;
    this.recorder = null;
  }

  // a canvas with the picture at `scale` pixels for one of the page
  picture(scale = 2, samples = this.player.theatre.bySoftware ? ENOUGH : SAMPLES) {
    const { theatre, labels } = this.player;
    const { clientWidth: wide, clientHeight: tall } = theatre.parent;
    return this.#with(wide, tall, scale, true, () => {
      theatre.renderBest(samples);
      return this.#composed(wide, tall, scale, (context) => labels.paint(context, wide, tall, this.player));
    });
  }

  // For programs: a frame as a data URL, from a view that shows all `points` (x, y, z, ...).
  offscreen({ frame = 0, width = 960, height = 720, scale = 1, view = 'corner', points = null, labels = true, grid = true, forces = false, colour = 'body', section = null, samples = 16, contacts = false } = {}) {
    const { player } = this;
    const { theatre, stages } = player;
    player.clock.playing = false;
    theatre.cut(section === null ? null : { axis: section, share: 0.5, flipped: false });
    for (const stage of stages) {
      stage.netForces.object.visible = forces;
      stage.arrows.object.visible = contacts;
      stage.colouring.by = colour;
      stage.frame = Math.min(frame, stage.times.length - 1);
      stage.refresh();
      stage.colouring.apply(true);
      stage.ground.on = grid;
    }
    return this.#with(width, height, scale, samples > 1, () => {
      theatre.bare = true;
      theatre.see(points ?? theatre.recording.everything, view);
      theatre.bare = false;
      theatre.camera.updateMatrixWorld();
      if (samples > 1) theatre.renderBest(samples);
      else theatre.render(true);
      return this.#composed(width, height, scale, (context) => labels && player.labels.paint(context, width, height, player));
    }).toDataURL('image/png');
  }

  screenshot() {
    this.picture().toBlob((blob) => download(blob, `${this.#name()}.png`));
  }

  // until it is called again, or the run is over
  toggleMovie() {
    if (this.recorder) return this.ended();
    const { theatre, clock } = this.player;
    const { clientWidth: wide, clientHeight: tall } = theatre.parent;
    this.canvas = document.createElement('canvas');
    Object.assign(this.canvas, { width: 2 * Math.floor(wide / 2), height: 2 * Math.floor(tall / 2) });
    const type = MIMES.find((mime) => window.MediaRecorder?.isTypeSupported(mime));
    if (!type) throw new Error('this browser cannot record movies');
    const pieces = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 12e6 });
    this.recorder.ondataavailable = ({ data }) => pieces.push(data);
    this.recorder.onstop = () => {
      this.recorder = null;
      this.movie = new Blob(pieces, { type });
      download(this.movie, `${this.#name()}.${type.includes('mp4') ? 'mp4' : 'webm'}`);
      this.player.touch();
    };
    this.recorder.start(200);
    clock.seek(clock.begin);
    clock.playing = true;
    this.player.touch();
  }

  // after each picture on the page
  drawn() {
    if (!this.recorder) return;
    const { width, height } = this.canvas;
    const context = this.canvas.getContext('2d');
    const { renderer } = this.player.theatre;
    context.drawImage(renderer.domElement, 0, 0, width, height);
    this.player.labels.paint(context, width, height, this.player);
  }

  // the clock has come to the end
  ended() {
    if (this.recorder?.state === 'recording') this.recorder.stop();
  }

  #name() {
    return this.player.stages[0].recording.title || 'dovetail';
  }

  // draw in another size, then go back
  #with(wide, tall, scale, many, make) {
    const { theatre } = this.player;
    const { renderer } = theatre;
    const before = renderer.getPixelRatio();
    // without smooth edges, in one picture or the mean of many, twice the pixels are drawn and put together
    renderer.setPixelRatio(theatre.smooth || many ? scale : 2 * scale);
    theatre.size(wide, tall);
    const canvas = make();
    renderer.setPixelRatio(before);
    theatre.size(theatre.parent.clientWidth, theatre.parent.clientHeight);
    theatre.dirty = true;
    return canvas;
  }

  #composed(wide, tall, scale, write) {
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: Math.round(wide * scale), height: Math.round(tall * scale) });
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(this.player.theatre.renderer.domElement, 0, 0, canvas.width, canvas.height);
    context.scale(scale, scale);
    write(context);
    return canvas;
  }
}

function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
