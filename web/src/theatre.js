// The picture: one or several stages side by side, seen by one camera.
import { PerspectiveCamera, Raycaster, Vector2, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Pace } from './pace.js';

// without a graphics card, smooth edges cost more than they are worth
function drawnBySoftware() {
  const context = document.createElement('canvas').getContext('webgl2');
  const told = context?.getExtension('WEBGL_debug_renderer_info');
  const name = told ? context.getParameter(told.UNMASKED_RENDERER_WEBGL) : '';
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Theatre {
  constructor(parent, stages, onPick) {
    this.parent = parent;
    this.stages = stages;
    this.bySoftware = drawnBySoftware();
    this.renderer = new WebGLRenderer({ antialias: !this.bySoftware });
    this.pace = new Pace(Math.min(window.devicePixelRatio || 1, this.bySoftware ? 1 : 2));
    this.renderer.setPixelRatio(this.pace.full);
    this.renderer.setScissorTest(true);
    parent.prepend(this.renderer.domElement);
    this.camera = new PerspectiveCamera(38, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.home();
    this.controls.addEventListener('change', () => { this.dirty = true; });
    this.#picking(onPick);
    new ResizeObserver(() => this.#resize()).observe(parent);
    this.#resize();
  }

  // look at everything that ever moves, from the front right and above
  home() {
    const { centre, size, up, towards } = this.stages[0].recording;
    this.camera.up.set(...up);
    this.controls.target.set(...centre);
    const far = (0.62 * size) / Math.sin((this.camera.fov * Math.PI) / 360);
    this.camera.position.set(...centre).addScaledVector(new Vector3(...towards), far);
    this.camera.near = size * 1e-3;
    this.camera.far = size * 1e3;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.dirty = true;
  }

  // keep a body where it is in the picture
  follow(from, to) {
    const moved = to.clone().sub(from);
    this.camera.position.add(moved);
    this.controls.target.add(moved);
    this.controls.update();
  }

  // how many pixels the next picture gets; the one that stands still gets all of them
  keepPace(now, playing) {
    if (!this.bySoftware) return;
    const ratio = this.pace.next(now, playing);
    if (ratio === this.renderer.getPixelRatio()) return;
    this.renderer.setPixelRatio(ratio);
    this.dirty = true;
  }

  render() {
    const { clientWidth: wide, clientHeight: tall } = this.parent;
    const width = wide / this.stages.length;
    this.stages.forEach((stage, i) => {
      this.renderer.setViewport(i * width, 0, width, tall);
      this.renderer.setScissor(i * width, 0, width, tall);
      this.renderer.render(stage.scene, this.camera);
    });
    this.dirty = false;
  }

  #resize() {
    const { clientWidth: wide, clientHeight: tall } = this.parent;
    if (!wide || !tall) return;
    this.renderer.setSize(wide, tall);
    this.camera.aspect = wide / this.stages.length / tall;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  #picking(onPick) {
    const canvas = this.renderer.domElement;
    const raycaster = new Raycaster();
    let down = null;
    canvas.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
    canvas.addEventListener('pointerup', (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const box = canvas.getBoundingClientRect();
      const width = box.width / this.stages.length;
      const pane = Math.min(this.stages.length - 1, Math.floor((event.clientX - box.left) / width));
      const x = (event.clientX - box.left - pane * width) / width;
      const y = (event.clientY - box.top) / box.height;
      raycaster.setFromCamera(new Vector2(2 * x - 1, 1 - 2 * y), this.camera);
      onPick(pane, this.stages[pane].pick(raycaster)?.body ?? -1);
    });
  }
}
