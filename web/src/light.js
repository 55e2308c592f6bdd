// Light of a stage: a sun with a soft shadow, and an environment all around.
import { DirectionalLight, Euler, HemisphereLight, PMREMGenerator, Quaternion, Vector3 } from 'three';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';

const Y = new Vector3(0, 1, 0);

export class Light {
  constructor(scene, { up, towards, centre, size }) {
    this.scene = scene;
    this.up = new Vector3(...up).normalize();
    const front = new Vector3(...towards);
    const right = new Vector3().crossVectors(this.up, front).normalize();
    this.sunward = front.multiplyScalar(0.5).addScaledVector(this.up, 1.25).addScaledVector(right, -0.75).normalize();
    this.sun = new DirectionalLight(0xffffff, 2.1);
    this.sun.position.set(...centre).addScaledVector(this.sunward, 2 * size);
    this.sun.target.position.set(...centre);
    this.sky = new HemisphereLight(0xffffff, 0xa4aab2, 0.55);
    this.sky.position.copy(this.up);
    scene.add(this.sun, this.sun.target, this.sky);
    this.#shadow(size);
  }

  // of `room`, shared by all stages
  environment(texture) {
    this.scene.environment = texture;
    this.scene.environmentIntensity = 0.75;
    this.scene.environmentRotation = new Euler().setFromQuaternion(new Quaternion().setFromUnitVectors(this.up, Y));
  }

  #shadow(size) {
    const { shadow } = this.sun;
    this.sun.castShadow = true;
    const half = 0.75 * size;
    Object.assign(shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.05 * size, far: 4 * size });
    shadow.mapSize.set(2048, 2048);
    shadow.bias = -4e-4;
    shadow.normalBias = 1.2e-3 * size;
    shadow.radius = 3.5;
    shadow.intensity = 0.8;
  }
}

// `size` [pixels] of one side of the cube it is drawn on
export function room(renderer, size) {
  const maker = new PMREMGenerator(renderer);
  const { texture } = maker.fromScene(new RoomEnvironment(), 0.04, 0.1, 100, { size });
  maker.dispose();
  return texture;
}
