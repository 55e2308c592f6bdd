// Bodies of one shape: moved by writing their matrices, drawn all at once.
import { BufferAttribute, BufferGeometry, Color, DataTexture, FloatType, InstancedMesh, Mesh, MeshBasicMaterial, RGBAFormat } from 'three';
import { EdgeLines, featureEdges } from './edges.js';
import { fineMaterial } from './materials.js';
import { surfaceGeometry } from './shading.js';
import { BODIES_A_ROW, surfaceMaterial } from './surface_material.js';

// Drawing an instance costs about as much as 40 triangles without a graphics card, so small
// surfaces are repeated in one large one instead.
const SMALL = 1000; // corners of a surface
const MOST = 3e6; // corners of the large one
const MOST_LINES = 1500; // edges that are drawn by software while something moves
const CHOSEN = new Color(1.0, 0.72, 0.08);

export class BodyGroup {
  // `members` are numbers of bodies, `colours` theirs; `looks` = { up, sun, edges }
  constructor(scene, vertices, faces, members, colours, looks, moving) {
    Object.assign(this, { scene, members, colours, looks, moving, vertices, faces });
    this.state = members.map(() => 'shown'); // or 'hidden', 'ghost'
    this.chosen = -1;
    this.matrices = new Float32Array(16 * members.length);
    this.geometry = surfaceGeometry(vertices, faces);
    const { lines, sides, closed } = featureEdges(vertices, faces);
    this.closed = closed;
    this.solid = this.#instanced(fineMaterial({ closed }));
    this.fine = this.solid.material;
    if (lines.length) {
      this.edges = new EdgeLines(lines, sides, members.length, looks.edges);
      this.manyEdges = (lines.length / 6) * members.length > MOST_LINES;
      scene.add(this.edges.object);
    }
    this.placed = false;
    this.#colour();
  }

  place(poses) {
    if (this.placed && !this.moving) return;
    this.members.forEach((body, i) => poses.matrix(body, this.matrices, 16 * i));
    this.placed = true;
    this.#distribute();
  }

  pick(raycaster) {
    let best = null;
    for (const mesh of [this.solid, this.ghosts]) {
      if (!mesh?.count) continue;
      mesh.boundingSphere = null; // it was of an earlier frame
      const [hit] = raycaster.intersectObject(mesh, false);
      if (hit && !(best && best.distance <= hit.distance)) {
        best = { distance: hit.distance, point: hit.point, body: this.members[mesh.rows[hit.instanceId]] };
      }
    }
    return best;
  }

  choose(body) {
    this.chosen = body;
    this.#colour();
  }

  // `colourOf` a body's number
  paint(colourOf) {
    this.colours = this.members.map(colourOf);
    this.#colour();
  }

  // `stateOf` a body's number: 'shown', 'hidden' or 'ghost'
  show(stateOf) {
    this.state = this.members.map(stateOf);
    if (this.state.includes('ghost')) this.ghosts ??= this.#ghosts();
    this.#distribute();
    this.#colour();
  }

  // with materials for a graphics card, or for software
  draw(fine) {
    if (this.drawsFine === fine) return;
    this.drawsFine = fine;
    if (!fine && !this.quick) this.#quick();
    const merged = this.quick?.isMesh;
    this.solid.visible = fine || !merged;
    if (merged) this.quick.visible = !fine;
    else this.solid.material = fine ? this.fine : this.quick;
    if (this.ghosts) this.ghosts.material = fine ? this.ghosts.fine : this.ghosts.quick;
    if (this.edges) this.edges.object.visible = fine || !this.manyEdges;
  }

  showCollision(on) {
    this.wires ??= this.#wires();
    this.wires.visible = on;
  }

  #instanced(material) {
    const mesh = new InstancedMesh(this.geometry, material, this.members.length);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.rows = []; // which member each instance is
    this.scene.add(mesh);
    return mesh;
  }

  #ghosts() {
    const fine = fineMaterial({ ghost: true, closed: this.closed });
    const mesh = this.#instanced(fine);
    mesh.fine = fine;
    mesh.quick = surfaceMaterial(this.looks, { ghost: true, closed: this.closed });
    if (!this.drawsFine) mesh.material = mesh.quick;
    mesh.castShadow = false;
    mesh.renderOrder = 2; // after what is inside
    return mesh;
  }

  // matrices to the meshes that draw them
  #distribute() {
    this.#fill(this.solid, 'shown');
    if (this.ghosts) this.#fill(this.ghosts, 'ghost');
    if (this.edges) {
      let count = 0;
      this.state.forEach((state, i) => {
        if (state === 'hidden') return;
        this.edges.matrices.set(this.matrices.subarray(16 * i, 16 * i + 16), 16 * count++);
      });
      this.edges.changed(count);
    }
    if (this.texture) {
      this.state.forEach((state, i) => {
        if (state === 'shown') this.texture.set(this.matrices.subarray(16 * i, 16 * i + 16), 16 * i);
        else this.texture.fill(0, 16 * i, 16 * i + 16); // no size
      });
      this.poses.needsUpdate = true;
    }
  }

  #fill(mesh, which) {
    const { array } = mesh.instanceMatrix;
    mesh.rows.length = 0;
    this.state.forEach((state, i) => {
      if (state !== which) return;
      array.set(this.matrices.subarray(16 * i, 16 * i + 16), 16 * mesh.rows.length);
      mesh.rows.push(i);
    });
    mesh.count = mesh.rows.length;
    mesh.instanceMatrix.needsUpdate = true;
  }

  colourOf(i) {
    return this.members[i] === this.chosen ? CHOSEN : this.colours[i];
  }

  #colour() {
    const colour = (i) => this.colourOf(i);
    for (const mesh of [this.solid, this.ghosts]) {
      if (!mesh) continue;
      if (!mesh.instanceColor) this.members.forEach((_, i) => mesh.setColorAt(i, colour(i)));
      mesh.rows.forEach((row, i) => mesh.setColorAt(i, colour(row)));
      mesh.instanceColor.needsUpdate = true;
    }
    if (this.tints) {
      this.members.forEach((_, i) => colour(i).toArray(this.tintArray, 4 * i));
      this.tints.needsUpdate = true;
    }
  }

  // what software draws: one surface with a copy for each body, or the instances in another material
  #quick() {
    const copies = this.members.length;
    const corners = this.geometry.attributes.position.count;
    if (copies === 1 || corners > SMALL || corners * copies > MOST) {
      this.quick = surfaceMaterial(this.looks, { closed: this.closed });
      return;
    }
    const rows = Math.ceil(copies / BODIES_A_ROW);
    this.texture = new Float32Array(16 * BODIES_A_ROW * rows);
    this.poses = new DataTexture(this.texture, 4 * BODIES_A_ROW, rows, RGBAFormat, FloatType);
    this.tintArray = new Float32Array(4 * BODIES_A_ROW * rows);
    this.tints = new DataTexture(this.tintArray, BODIES_A_ROW, rows, RGBAFormat, FloatType);
    const { poses, tints, closed } = this;
    this.quick = new Mesh(repeated(this.geometry, copies), surfaceMaterial(this.looks, { poses, tints, closed }));
    this.quick.frustumCulled = false;
    this.scene.add(this.quick);
    this.#distribute();
    this.#colour();
  }

  #wires() {
    const triangles = new BufferGeometry();
    triangles.setAttribute('position', new BufferAttribute(this.vertices, 3));
    triangles.setIndex(new BufferAttribute(this.faces, 1));
    const material = new MeshBasicMaterial({ color: 0x111111, wireframe: true });
    const wires = new InstancedMesh(triangles, material, 1);
    wires.instanceMatrix = this.solid.instanceMatrix; // moved together
    wires.count = this.members.length;
    wires.frustumCulled = false;
    this.scene.add(wires);
    return wires;
  }
}

// a surface with a copy for each body, numbered by the attribute `body`
function repeated(geometry, copies) {
  const { position, normal } = geometry.attributes;
  const n = position.count;
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
  return large;
}
