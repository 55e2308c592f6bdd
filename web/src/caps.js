// Faces of a section: where the plane cuts a closed body it is filled, hatched, and outlined.
//
// Along a ray from the plane into what is kept, a closed body has as many front faces as back faces where
// the ray begins outside, and one back face more where it begins inside. The stencil counts them; the
// plane is drawn where the count is not 0 (McReynolds and Blythe, Advanced Graphics Programming, 2005,
// section 12.6: capping clipped solids).
import { BackSide, DecrementWrapStencilOp, FrontSide, Group, IncrementWrapStencilOp, KeepStencilOp, Matrix4, Mesh, MeshBasicMaterial, NotEqualStencilFunc, PlaneGeometry, Quaternion, Vector2, Vector3, ZeroStencilOp, AlwaysStencilFunc } from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import { capMaterial, section } from './materials.js';
import { outline } from './slice_outline.js';

const MOST = 240; // bodies with faces; above that the inside is hatched as it is seen
const PITCH = 11; // [pixels] between two lines of the hatching, about
const WIDE = 2.2; // [pixels] of the outline
const ANGLES = [45, 135, 60, 120, 30, 150].map((degrees) => (degrees * Math.PI) / 180); // neighbours differ
const Z = new Vector3(0, 0, 1);

const counting = (side, op) => new MeshBasicMaterial({
  side,
  colorWrite: false,
  depthWrite: false,
  depthTest: false,
  clippingPlanes: section.planes,
  stencilWrite: true,
  stencilFunc: AlwaysStencilFunc,
  stencilFail: op,
  stencilZFail: op,
  stencilZPass: op,
});

export class Caps {
  constructor(stage) {
    this.stage = stage;
    this.object = new Group();
    stage.scene.add(this.object);
    this.back = counting(BackSide, IncrementWrapStencilOp);
    this.front = counting(FrontSide, DecrementWrapStencilOp);
    this.square = new PlaneGeometry(1, 1);
    this.caps = [];
    this.colour = { value: stage.edgeLook.colour.value };
    this.state = '';
  }

  // for the picture that is drawn next
  update(camera, target, size) {
    const [plane] = section.planes;
    const { stage } = this;
    const state = plane ? `${stage.frame} ${stage.changes} ${plane.normal.toArray()} ${plane.constant}` : '';
    if (state !== this.state) {
      this.state = state;
      this.#make(plane);
    }
    if (!this.caps.length) return;
    const pixel = (2 * camera.position.distanceTo(target) * Math.tan((camera.fov * Math.PI) / 360)) / size.y;
    const pitch = 2 ** Math.round(Math.log2(PITCH * pixel));
    for (const { face, line } of this.caps) {
      face.material.userData.pitch.value = pitch;
      line.material.resolution.copy(size);
      line.material.color.copy(stage.edgeLook.colour.value);
    }
  }

  #make(plane) {
    for (const { face, line } of this.caps) {
      face.material.dispose();
      line.material.dispose();
      line.geometry.dispose();
    }
    this.object.clear();
    this.caps = [];
    if (!plane) return;
    const cutBodies = this.#cutBodies(plane);
    if (cutBodies.length > MOST) return;
    const turned = new Quaternion().setFromUnitVectors(Z, plane.normal.clone().negate());
    cutBodies.forEach(({ group, body, i, centre, radius }, k) => {
      const pose = new Matrix4().fromArray(group.matrices, 16 * i);
      const lines = outline(group.vertices, group.faces, pose, plane);
      if (!lines.length) return;
      for (const material of [this.back, this.front]) {
        const count = new Mesh(group.geometry, material);
        count.matrixAutoUpdate = false;
        count.matrix.copy(pose);
        count.frustumCulled = false;
        count.renderOrder = 100 + 2 * k;
        this.object.add(count);
      }
      const face = new Mesh(this.square, this.#faceMaterial(group.colourOf(i), ANGLES[k % ANGLES.length]));
      face.quaternion.copy(turned);
      face.scale.setScalar(2.1 * radius);
      plane.projectPoint(centre, face.position);
      face.renderOrder = 101 + 2 * k;
      face.receiveShadow = true;
      face.userData.body = body;
      const line = new LineSegments2(new LineSegmentsGeometry().setPositions(lines), new LineMaterial({
        linewidth: WIDE, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2,
      }));
      line.frustumCulled = false;
      line.renderOrder = 102 + 2 * MOST;
      this.object.add(face, line);
      this.caps.push({ face, line });
    });
  }

  // closed bodies that are shown and lie on both sides of the plane
  #cutBodies(plane) {
    const found = [];
    for (const group of this.stage.groups) {
      if (!group.closed) continue;
      group.geometry.boundingSphere ?? group.geometry.computeBoundingSphere();
      const { center, radius } = group.geometry.boundingSphere;
      group.members.forEach((body, i) => {
        if (group.state[i] !== 'shown') return;
        const centre = center.clone().applyMatrix4(new Matrix4().fromArray(group.matrices, 16 * i));
        if (Math.abs(plane.distanceToPoint(centre)) < radius) found.push({ group, body, i, centre, radius });
      });
    }
    return found.sort((a, b) => a.body - b.body);
  }

  #faceMaterial(colour, angle) {
    return Object.assign(capMaterial(colour, new Vector2(Math.cos(angle), Math.sin(angle))), {
      stencilWrite: true,
      stencilRef: 0,
      stencilFunc: NotEqualStencilFunc,
      stencilFail: KeepStencilOp,
      stencilZFail: ZeroStencilOp,
      stencilZPass: ZeroStencilOp,
    });
  }
}
