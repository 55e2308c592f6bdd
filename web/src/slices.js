// A cut through a signed distance field: blue inside, red outside, dark at the surface.
import { DataTexture, DoubleSide, LinearFilter, Matrix4, Mesh, MeshBasicMaterial, PlaneGeometry, RGBAFormat, SRGBColorSpace } from 'three';

const ACROSS = [[1, 2], [2, 0], [0, 1]]; // the two axes of a cut along x, y, z

const FINER = 4; // pixels between two samples of the field

export class FieldSlice {
  // `grid`: { arrays: { values }, lower, upper, counts } in the body's frame
  constructor(grid, body) {
    this.grid = grid;
    this.body = body;
    this.pose = new Matrix4();
    this.scale = Math.max(...grid.upper.map((high, d) => high - grid.lower[d])) / 6;
    const material = new MeshBasicMaterial({ side: DoubleSide, transparent: true, opacity: 0.9, toneMapped: false });
    this.object = new Mesh(new PlaneGeometry(1, 1), material);
    this.object.matrixAutoUpdate = false;
    this.object.renderOrder = 1;
    this.cut(2, 0.5);
  }

  cut(axis, share) {
    const { lower, upper, counts } = this.grid;
    const [i, j] = ACROSS[axis];
    const layer = Math.round(share * (counts[axis] - 1));
    this.object.material.map?.dispose();
    this.object.material.map = this.#texture(axis, layer);
    this.object.material.needsUpdate = true;
    const columns = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    columns[i] = upper[i] - lower[i];
    columns[4 + j] = upper[j] - lower[j];
    columns[8 + axis] = 1;
    for (let d = 0; d < 3; d++) columns[12 + d] = (lower[d] + upper[d]) / 2;
    columns[12 + axis] = lower[axis] + (layer / (counts[axis] - 1)) * (upper[axis] - lower[axis]);
    this.local = new Matrix4().fromArray(columns);
    if (this.poses) this.update(this.poses);
  }

  update(poses) {
    this.poses = poses;
    poses.matrix(this.body, this.pose.elements, 0);
    this.object.matrix.multiplyMatrices(this.pose, this.local);
    this.object.matrixWorldNeedsUpdate = true;
  }

  remove() {
    this.object.removeFromParent();
    this.object.material.map?.dispose();
    this.object.material.dispose();
    this.object.geometry.dispose();
  }

  #texture(axis, layer) {
    const { counts, arrays } = this.grid;
    const [i, j] = ACROSS[axis];
    const strides = [counts[1] * counts[2], counts[2], 1];
    const wide = FINER * (counts[i] - 1) + 1;
    const tall = FINER * (counts[j] - 1) + 1;
    const value = (a, b) => arrays.values[layer * strides[axis] + a * strides[i] + b * strides[j]];
    const data = new Uint8Array(4 * wide * tall);
    for (let y = 0; y < tall; y++) {
      for (let x = 0; x < wide; x++) {
        const a = Math.min(Math.floor(x / FINER), counts[i] - 2);
        const b = Math.min(Math.floor(y / FINER), counts[j] - 2);
        const u = x / FINER - a;
        const v = y / FINER - b;
        const low = (1 - u) * value(a, b) + u * value(a + 1, b);
        const high = (1 - u) * value(a, b + 1) + u * value(a + 1, b + 1);
        data.set(colour(((1 - v) * low + v * high) / this.scale), 4 * (y * wide + x));
      }
    }
    const texture = new DataTexture(data, wide, tall, RGBAFormat);
    texture.colorSpace = SRGBColorSpace;
    texture.magFilter = texture.minFilter = LinearFilter;
    texture.needsUpdate = true;
    return texture;
  }
}

function colour(d) {
  const s = Math.min(1, Math.abs(d));
  const band = Math.abs(((Math.abs(d) * 3) % 1) - 0.5) > 0.45 ? 0.82 : 1; // lines of equal distance
  if (Math.abs(d) < 0.02) return [20, 20, 20, 255];
  const pale = 235 - 175 * s;
  return d < 0
    ? [band * pale, band * (pale + 10), band * 245, 255]
    : [band * 245, band * (pale + 10), band * pale, 255];
}
