// The picture: one or several stages side by side, seen by one camera.
import { NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Plane, Raycaster, Vector2, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { direction, fit } from './framing.js';
import { studio } from './light.js';
import { section } from './materials.js';
import { Pace } from './pace.js';
import { ENOUGH, Refinement, SAMPLES, spread } from './refinement.js';

const ABOVE = 44; // [pixels] of the page that buttons take
const LEAST = 60; // that must be left for the scene
const MARGIN = 22; // and around the bar with the time, which has two rows in a narrow window
const REST = 350; // [ms] without a change: then software draws the fine picture
const STILL_RATIO = 2; // pixels of a still picture for one of the page, by software

// without a graphics card, smooth edges and soft shadows are for pictures that stand still
function drawnBySoftware() {
  const context = document.createElement('canvas').getContext('webgl2');
  const known = context?.getExtension('WEBGL_debug_renderer_info');
  const name = known ? context.getParameter(known.UNMASKED_RENDERER_WEBGL) : '';
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Theatre {
  // `quality`: 'auto', 'quick' or 'fine'
  constructor(parent, stages, quality) {
    Object.assign(this, { parent, stages, quality });
    this.bySoftware = drawnBySoftware();
    this.smooth = !this.bySoftware;
    this.renderer = new WebGLRenderer({ antialias: this.smooth, stencil: true });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.localClippingEnabled = true;
    this.renderer.setScissorTest(true);
    if (this.bySoftware) for (const { light } of stages) for (const { shadow } of [light.sun, light.above]) shadow.mapSize.set(1024, 1024);
    this.refinement = new Refinement(this.renderer);
    this.pace = new Pace(Math.min(window.devicePixelRatio || 1, this.bySoftware ? 1 : 2));
    this.renderer.setPixelRatio(this.pace.full);
    parent.prepend(this.renderer.domElement);
    this.camera = new PerspectiveCamera(30, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.changedAt = -Infinity; // [ms] when something changed last
    this.dirty = true;
    this.#resize();
    this.see(this.recording.everything);
    this.controls.addEventListener('change', () => { this.dirty = true; });
    new ResizeObserver(() => this.#resize()).observe(parent);
  }

  get recording() {
    return this.stages[0].recording;
  }

  get up() {
    return new Vector3(...this.recording.up);
  }

  // look at all parts: where they are over the run, and where they are now
  home(view = 'corner') {
    const now = this.stages.flatMap((stage) => stage.corners(stage.recording.bodies.keys()));
    this.see([...this.stages.flatMap(({ recording }) => recording.everything), ...now], view);
  }

  // look at points (x, y, z, ...) from one of `VIEWS`, or from where the camera is ('here')
  see(points, view = 'corner') {
    const { size } = this.recording;
    const [towards, up] = view === 'here'
      ? [this.camera.position.clone().sub(this.controls.target), this.up]
      : direction(view, this.up, new Vector3(...this.recording.towards));
    const { position, target } = fit(points, this.camera, towards, up, this.#free());
    this.camera.up.copy(up);
    this.camera.position.copy(position);
    this.controls.target.copy(target);
    const far = Math.max(size, position.distanceTo(target));
    this.camera.near = Math.min(1e-3 * far, 0.2 * position.distanceTo(target));
    this.camera.far = 1e2 * far;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.camera.updateMatrixWorld();
    this.dirty = true;
  }

  // what buttons leave free above and below, of half the picture
  #free() {
    const tall = this.renderer.getSize(new Vector2()).y;
    const below = (document.getElementById('bar')?.offsetHeight ?? 0) + MARGIN;
    if (this.bare || tall < ABOVE + below + LEAST) return [1, 1];
    return [1 - (2 * ABOVE) / tall, 1 - (2 * below) / tall];
  }

  // keep a body where it is in the picture
  follow(from, to) {
    const moved = to.clone().sub(from);
    this.camera.position.add(moved);
    this.controls.target.add(moved);
    this.controls.update();
  }

  // { axis: 0, 1, 2, share: 0..1 of the scene, flipped }, or null
  cut(plane) {
    section.planes.length = 0;
    section.on.value = plane ? 1 : 0;
    if (plane) {
      const { everything } = this.recording;
      const along = everything.filter((_, i) => i % 3 === plane.axis);
      const [low, high] = [Math.min(...along), Math.max(...along)];
      const at = low + plane.share * (high - low);
      const away = this.recording.towards[plane.axis] > 0 ? -1 : 1; // what is in front is taken away
      const sign = plane.flipped ? -away : away;
      section.planes.push(new Plane(new Vector3().setComponent(plane.axis, sign), -sign * at));
    }
    this.dirty = true;
  }

  // whether the picture of this moment is drawn with all there is
  #fineAt(now, playing) {
    if (this.quality !== 'auto') return this.quality === 'fine';
    return !this.bySoftware || (!playing && now - this.changedAt > REST);
  }

  // draw if something changed, or if a better picture is due; true where it drew
  update(now, playing, changed) {
    if (changed || this.dirty) this.changedAt = now;
    const fine = this.#fineAt(now, playing);
    if (!changed && !this.dirty && fine === this.drawnFine) {
      if (this.#refines && !playing && now - this.changedAt > REST && this.refinement.count < SAMPLES) this.refine();
      return false;
    }
    this.#ratio(now, playing, fine);
    this.render(fine);
    this.refinement.begin();
    this.dirty = false;
    return true;
  }

  get settled() {
    if (this.dirty || (this.#refines && this.refinement.count < SAMPLES)) return false;
    return this.quality !== 'auto' || this.drawnFine;
  }

  // whether a picture that stands still becomes better while nothing changes
  get #refines() {
    return this.quality === 'fine' || (this.quality === 'auto' && !this.bySoftware);
  }

  // draw one sample more, and show the mean of all
  refine(samples = SAMPLES) {
    const { x, y: tall } = this.renderer.getSize(new Vector2());
    const wide = x / this.stages.length;
    this.refinement.add((k) => {
      const ratio = this.renderer.getPixelRatio();
      const [dx, dy] = spread(k).map((share) => (share - 0.5) / ratio);
      this.camera.setViewOffset(wide, tall, dx, dy, wide, tall);
      for (const { light } of this.stages) light.sample(k, samples >= ENOUGH);
      this.render(true);
    });
    this.camera.clearViewOffset();
    for (const { light } of this.stages) light.single();
  }

  // the best picture there is, at once
  renderBest(samples = SAMPLES) {
    this.refinement.begin();
    for (let k = 0; k < samples; k++) this.refine(samples);
    this.refinement.begin();
  }

  render(fine) {
    this.drawnFine = fine;
    if (fine && !this.environment) {
      this.environment = studio(this.renderer, this.bySoftware ? 64 : 256);
      for (const stage of this.stages) stage.light.environment(this.environment);
    }
    const { x: wide, y: tall } = this.renderer.getSize(new Vector2());
    const width = wide / this.stages.length;
    this.renderer.info.autoReset = false;
    this.renderer.info.reset();
    this.stages.forEach((stage, i) => {
      stage.draw(fine);
      stage.caps.update(this.camera, this.controls.target, new Vector2(width, tall));
      this.renderer.setViewport(i * width, 0, width, tall);
      this.renderer.setScissor(i * width, 0, width, tall);
      this.renderer.render(stage.scene, this.camera);
    });
  }

  // which pane a pointer is in, and a ray through it
  ray(event) {
    const box = this.renderer.domElement.getBoundingClientRect();
    const width = box.width / this.stages.length;
    const pane = Math.min(this.stages.length - 1, Math.max(0, Math.floor((event.clientX - box.left) / width)));
    const x = (event.clientX - box.left - pane * width) / width;
    const y = (event.clientY - box.top) / box.height;
    const raycaster = (this.raycaster ??= new Raycaster());
    raycaster.setFromCamera(new Vector2(2 * x - 1, 1 - 2 * y), this.camera);
    return { pane, raycaster };
  }

  // how many pixels the next picture gets; the one that stands still gets all of them
  #ratio(now, playing, fine) {
    if (!this.bySoftware) return;
    const still = this.quality === 'quick' ? 1 : STILL_RATIO;
    const ratio = fine ? still : this.pace.next(now, playing);
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
  }

  #resize() {
    const { clientWidth: wide, clientHeight: tall } = this.parent;
    if (!wide || !tall) return;
    this.size(wide, tall);
    this.dirty = true;
  }

  size(wide, tall) {
    this.renderer.setSize(wide, tall);
    this.camera.aspect = wide / this.stages.length / tall;
    this.camera.updateProjectionMatrix();
  }
}
