// Bodies of one shape: moved by writing their matrices, drawn all at once.
import {
  BufferAttribute, BufferGeometry, Color, DataTexture, DoubleSide, FloatType, InstancedMesh, Mesh,
  MeshBasicMaterial, RGBAFormat,
} from 'three';
import { surfaceGeometry } from './shading.js';
import { BODIES_A_ROW, surfaceMaterial } from './surface_material.js';

// Drawing an instance costs about as much as 40 triangles without a graphics card, so small
// surfaces are repeated in one large one instead.
const SMALL = 1000; // corners of a surface
const MOST = 3e6; // corners of the large one
const CHOSEN = new Color(1.0, 0.78, 0.1);

export class BodyGroup {
  // `members` are numbers of bodies, `colours` theirs; `light` is { up, sun }
  constructor(scene, vertices, faces, members, colours, light, moving) {
    Object.assign(this, { scene, members, colours, moving, placed: false });
    const geometry = surfaceGeometry(vertices, faces);
    const room = BODIES_A_ROW * Math.ceil(members.length / BODIES_A_ROW);
    // what a click is tested with
    this.mesh = new InstancedMesh(geometry, new MeshBasicMaterial({ side: DoubleSide }), room);
    this.mesh.count = members.length;
    this.mesh.frustumCulled = false;
    this.triangles = new BufferGeometry();
    this.triangles.setAttribute('position', new BufferAttribute(vertices, 3));
    this.triangles.setIndex(new BufferAttribute(faces, 1));
    const corners = geometry.attributes.position.count;
    const merged = members.length > 1 && corners <= SMALL && corners * members.length <= MOST;
    this.drawn = merged ? this.#merged(geometry, light) : this.mesh;
    if (!merged) this.mesh.material = surfaceMaterial(light.up, light.sun);
    this.choose(-1);
    scene.add(this.drawn);
  }

  place(poses) {
    if (!this.moving && this.placed) return;
    this.members.forEach((body, i) => poses.matrix(body, this.mesh.instanceMatrix.array, 16 * i));
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.poses) this.poses.needsUpdate = true;
    this.placed = true;
  }

  pick(raycaster) {
    this.mesh.boundingSphere = null; // it was of an earlier frame
    const [hit] = raycaster.intersectObject(this.mesh, false);
    return hit ? { distance: hit.distance, body: this.members[hit.instanceId] } : null;
  }

  choose(chosen) {
    const colour = (i) => (this.members[i] === chosen ? CHOSEN : this.colours[i]);
    if (this.drawn === this.mesh) {
      this.members.forEach((_, i) => this.mesh.setColorAt(i, colour(i)));
      this.mesh.instanceColor.needsUpdate = true;
      return;
    }
    const { tint, body } = this.drawn.geometry.attributes;
    for (let corner = 0; corner < body.count; corner++) colour(body.array[corner]).toArray(tint.array, 3 * corner);
    tint.needsUpdate = true;
  }

  lookThrough(on) {
    const { material } = this.drawn;
    Object.assign(material, { transparent: on, depthWrite: !on });
    material.uniforms.opacity.value = on ? 0.3 : 1;
    material.needsUpdate = true;
    this.drawn.renderOrder = on ? 2 : 0; // after what is inside
  }

  showCollision(on) {
    this.wires ??= this.#wires();
    this.wires.visible = on;
  }

  #wires() {
    const material = new MeshBasicMaterial({ color: 0x111111, wireframe: true });
    const wires = new InstancedMesh(this.triangles, material, 1);
    wires.instanceMatrix = this.mesh.instanceMatrix; // moved together
    wires.count = this.members.length;
    wires.frustumCulled = false;
    this.scene.add(wires);
    return wires;
  }

  // one surface with a copy for each body, which looks up its matrix in a texture
  #merged(geometry, { up, sun }) {
    const { position, normal } = geometry.attributes;
    const n = position.count;
    const copies = this.members.length;
    const large = new BufferGeometry();
    for (const [name, one] of [['position', position], ['normal', normal]]) {
      const all = new Float32Array(3 * n * copies);
      for (let i = 0; i < copies; i++) all.set(one.array, 3 * n * i);
      large.setAttribute(name, new BufferAttribute(all, 3));
    }
    const triangles = geometry.index.array;
    const index = new Uint32Array(triangles.length * copies);
    for (let i = 0; i < index.length; i++) {
      index[i] = triangles[i % triangles.length] + n * Math.floor(i / triangles.length);
    }
    large.setIndex(new BufferAttribute(index, 1));
    const body = Float32Array.from({ length: n * copies }, (_, corner) => Math.floor(corner / n));
    large.setAttribute('body', new BufferAttribute(body, 1));
    large.setAttribute('tint', new BufferAttribute(new Float32Array(3 * n * copies), 3));
    const matrices = this.mesh.instanceMatrix.array; // four texels a body
    const rows = matrices.length / (16 * BODIES_A_ROW);
    this.poses = new DataTexture(matrices, 4 * BODIES_A_ROW, rows, RGBAFormat, FloatType);
    const drawn = new Mesh(large, surfaceMaterial(up, sun, this.poses));
    drawn.frustumCulled = false;
    return drawn;
  }
}
