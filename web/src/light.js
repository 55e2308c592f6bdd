// Light of a stage: a sun with a soft shadow, and an environment all around.
import { BackSide, DirectionalLight, Euler, HemisphereLight, Mesh, PMREMGenerator, Quaternion, Scene, ShaderMaterial, SphereGeometry, Vector3 } from 'three';
import { spread } from './refinement.js';

const Y = new Vector3(0, 1, 0);
const DISC = 0.07; // radius of the sun, seen from the bodies [rad]
const ONE = { sky: 0.55, environment: 0.75 }; // intensities where one picture must do
const MANY = { above: 1.25, sky: 0.42, environment: 0.6 }; // of one sample of many: light from above has a shadow

export class Light {
  constructor(scene, { up, towards, centre, size }) {
    this.scene = scene;
    this.size = size;
    this.up = new Vector3(...up).normalize();
    const front = new Vector3(...towards);
    this.right = new Vector3().crossVectors(this.up, front).normalize();
    this.sunward = front.multiplyScalar(0.5).addScaledVector(this.up, 1.25).addScaledVector(this.right, -0.75).normalize();
    this.ahead = new Vector3().crossVectors(this.right, this.up);
    this.centre = new Vector3(...centre);
    this.sun = new DirectionalLight(0xffffff, 2.1);
    this.above = new DirectionalLight(0xffffff, MANY.above); // one direction of the sky
    this.sky = new HemisphereLight(0xffffff, 0xa4aab2, ONE.sky);
    this.sky.position.copy(this.up);
    this.environmentIntensity = ONE.environment;
    scene.add(this.sun, this.sun.target, this.above, this.above.target, this.sky);
    for (const light of [this.sun, this.above]) {
      light.target.position.copy(this.centre);
      this.#shadow(light);
    }
    this.above.shadow.radius = 9;
    this.single();
  }

  // of `studio`, shared by all stages
  environment(texture) {
    this.scene.environment = texture;
    this.scene.environmentRotation = new Euler().setFromQuaternion(new Quaternion().setFromUnitVectors(this.up, Y));
  }

  // for a picture by itself
  single() {
    this.above.visible = false;
    this.sky.intensity = ONE.sky;
    this.environmentIntensity = ONE.environment;
    this.#place(this.sun, this.sunward);
  }

  // for picture `k` of several whose mean is shown; of `many`, light from above has its shadow too
  sample(k, many) {
    const [a, b] = spread(k);
    const r = DISC * Math.sqrt(a);
    const across = new Vector3().crossVectors(this.sunward, this.right).normalize();
    const beside = new Vector3().crossVectors(across, this.sunward);
    const on = this.sunward.clone();
    on.addScaledVector(across, r * Math.cos(2 * Math.PI * b)).addScaledVector(beside, r * Math.sin(2 * Math.PI * b));
    this.#place(this.sun, on.normalize());
    if (!many) return;
    this.above.visible = true;
    this.sky.intensity = MANY.sky;
    this.environmentIntensity = MANY.environment;
    const [c, d] = spread(k + 0.37);
    const height = 0.3 + 0.7 * c; // evenly over the hemisphere, but not along the ground
    const s = Math.sqrt(1 - height * height);
    const from = this.up.clone().multiplyScalar(height);
    from.addScaledVector(this.right, s * Math.cos(2 * Math.PI * d)).addScaledVector(this.ahead, s * Math.sin(2 * Math.PI * d));
    this.#place(this.above, from);
  }

  #place(light, direction) {
    light.position.copy(this.centre).addScaledVector(direction, 2 * this.size);
  }

  #shadow(light) {
    const { size } = this;
    const { shadow } = light;
    light.castShadow = true;
    const half = 0.75 * size;
    Object.assign(shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.05 * size, far: 4 * size });
    shadow.mapSize.set(2048, 2048);
    shadow.bias = -4e-4;
    shadow.normalBias = 1.2e-3 * size;
    shadow.radius = 3.5;
    shadow.intensity = 0.8;
  }
}

// A studio: bright above, dim at the horizon, where sides of bodies would mirror it, darker below, and one
// soft lamp, which curved surfaces show. y is up.
const STUDIO = `
varying vec3 at;
void main() {
  vec3 d = normalize(at);
  float sky = mix(0.62, 1.25, smoothstep(0.0, 0.9, d.y));
  float light = d.y < 0.0 ? mix(0.62, 0.42, smoothstep(0.0, 0.5, -d.y)) : sky;
  float lamp = 5.0 * smoothstep(0.86, 0.97, dot(d, normalize(vec3(-0.55, 0.75, 0.35))));
  gl_FragColor = vec4(vec3(light + lamp), 1.0);
}`;

// `size` [pixels] of one side of the cube it is drawn on
export function studio(renderer, size) {
  const around = new Mesh(new SphereGeometry(10, 32, 24), new ShaderMaterial({
    vertexShader: 'varying vec3 at; void main() { at = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: STUDIO,
    side: BackSide,
  }));
  const maker = new PMREMGenerator(renderer);
  const { texture } = maker.fromScene(new Scene().add(around), 0, 0.1, 100, { size });
  maker.dispose();
  around.geometry.dispose();
  around.material.dispose();
  return texture;
}
