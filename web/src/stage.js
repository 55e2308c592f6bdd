// The bodies of one recording: equal bodies are one instanced mesh, drawn once, then only moved.
import {
  BufferAttribute, BufferGeometry, Color, DirectionalLight, HemisphereLight, InstancedMesh,
  MeshBasicMaterial, MeshLambertMaterial, DoubleSide, Scene, Vector3,
} from 'three';
import { ContactArrows } from './arrows.js';
import { AttachedLines, AttachedPoints } from './attached.js';
import { frameAt, Poses } from './poses.js';
import { surfaceGeometry } from './shading.js';

const CHOSEN = new Color(1.0, 0.78, 0.1);

export class Stage {
  constructor(recording) {
    this.recording = recording;
    this.times = recording.arrays.time;
    this.frame = -1;
    this.poses = new Poses(recording);
    this.scene = new Scene();
    this.scene.background = new Color(0xf4f5f7);
    this.groups = []; // { mesh, members, moving }
    this.attached = new Map(); // what rides on bodies, by name
    this.#light();
    this.#bodies();
    this.arrows = new ContactArrows(recording);
    this.scene.add(this.arrows.object);
  }

  // true where that changed the picture
  showTime(time) {
    const frame = frameAt(this.times, time);
    if (frame === this.frame) return false;
    this.frame = frame;
    this.refresh();
    return true;
  }

  refresh() {
    this.poses.take(this.frame);
    for (const { mesh, members, moving } of this.groups) {
      if (!moving && mesh.userData.placed) continue;
      members.forEach((body, i) => this.poses.matrix(body, mesh.instanceMatrix.array, 16 * i));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.userData.placed = true;
    }
    for (const one of this.attached.values()) one.update(this.poses);
    this.arrows.show(this.frame);
  }

  attach(name, one) {
    this.detach(name);
    this.attached.set(name, one);
    this.scene.add(one.object);
    one.update(this.poses);
  }

  detach(name) {
    this.attached.get(name)?.remove();
    this.attached.delete(name);
  }

  position(body) {
    return new Vector3().fromArray(this.poses.x, 3 * body);
  }

  pick(raycaster) {
    let best = null;
    for (const { mesh, members } of this.groups) {
      mesh.boundingSphere = null; // it was of an earlier frame
      for (const hit of raycaster.intersectObject(mesh, false)) {
        if (!best || hit.distance < best.distance) {
          best = { distance: hit.distance, body: members[hit.instanceId] };
        }
      }
    }
    return best;
  }

  choose(body) {
    for (const { mesh, members } of this.groups) {
      members.forEach((one, i) => mesh.setColorAt(i, one === body ? CHOSEN : this.#colour(one)));
      mesh.instanceColor.needsUpdate = true;
    }
  }

  // bodies let what is inside them be seen
  lookThrough(on) {
    for (const { mesh } of this.groups) {
      Object.assign(mesh.material, { transparent: on, opacity: on ? 0.3 : 1, depthWrite: !on });
      mesh.renderOrder = on ? 2 : 0; // after what is inside
      mesh.material.needsUpdate = true;
    }
  }

  showCollision(on) {
    for (const { mesh } of this.groups) {
      mesh.userData.wires ??= this.#wires(mesh);
      mesh.userData.wires.visible = on;
    }
  }

  #wires(mesh) {
    const material = new MeshBasicMaterial({ color: 0x111111, wireframe: true });
    const wires = new InstancedMesh(mesh.userData.triangles, material, mesh.count);
    wires.instanceMatrix = mesh.instanceMatrix; // moved together
    wires.frustumCulled = false;
    this.scene.add(wires);
    return wires;
  }

  #colour(body) {
    return new Color().setRGB(...this.recording.bodies[body].colour, 'srgb');
  }

  #light() {
    const up = new Vector3(...this.recording.up);
    const sky = new HemisphereLight(0xffffff, 0x8a8f98, 2.1);
    sky.position.copy(up);
    const sun = new DirectionalLight(0xffffff, 1.7);
    sun.position.copy(new Vector3(...this.recording.towards).addScaledVector(up, 1.4));
    this.scene.add(sky, sun);
  }

  #bodies() {
    const { bodies, shapes, arrays } = this.recording;
    const wires = [];
    const points = [];
    shapes.forEach((shape, s) => {
      const members = bodies.flatMap((body, i) => (body.shape === s ? [i] : []));
      const vertices = arrays[`shape/${s}/vertices`];
      if (shape.faces) this.#group(vertices, arrays[`shape/${s}/faces`], members);
      const lines = shape.wires ? gathered(vertices, arrays[`shape/${s}/wires`]) : null;
      const dots = shape.points ? gathered(vertices, arrays[`shape/${s}/points`]) : null;
      for (const body of members) {
        if (lines) wires.push({ body, local: lines });
        if (dots) points.push({ body, local: dots });
      }
    });
    if (wires.length) this.attach('wires', new AttachedLines(wires, 0x33536e));
    if (points.length) this.attach('points', new AttachedPoints(points, 0x33536e));
  }

  #group(vertices, faces, members) {
    const material = new MeshLambertMaterial({ side: DoubleSide });
    const mesh = new InstancedMesh(surfaceGeometry(vertices, faces), material, members.length);
    mesh.frustumCulled = false;
    members.forEach((body, i) => mesh.setColorAt(i, this.#colour(body)));
    const triangles = new BufferGeometry();
    triangles.setAttribute('position', new BufferAttribute(vertices, 3));
    triangles.setIndex(new BufferAttribute(faces, 1));
    mesh.userData.triangles = triangles;
    const moves = new Set(this.poses.moving);
    this.groups.push({ mesh, members, moving: members.some((body) => moves.has(body)) });
    this.scene.add(mesh);
  }
}

function gathered(vertices, rows) {
  const out = new Float32Array(3 * rows.length);
  rows.forEach((row, i) => out.set(vertices.subarray(3 * row, 3 * row + 3), 3 * i));
  return out;
}
