// Where a camera must stand to see given points, looking along a given direction.
import { Vector3 } from 'three';

const FILLED = 0.92; // of the part of the picture that nothing lies over

// Nearest camera of a perspective. For every point p in camera axes, x - c <= s (D - z) to the right
// with the slope s of that border, and c - x <= r (D - z) to the left. With A = max(x / s + z) and
// B = max(-x / r + z) both hold for D >= A - c / s and D >= B + c / r; D is least where the two meet.
// `free` is the share of half the picture, from its middle, that is free above and below.
export function fit(points, camera, towards, up, free = [1, 1]) {
  const back = towards.clone().normalize();
  const right = new Vector3().crossVectors(up, back);
  if (right.lengthSq() < 1e-12) right.set(1, 0, 0);
  right.normalize();
  const above = new Vector3().crossVectors(back, right);
  const tall = FILLED * Math.tan((camera.fov * Math.PI) / 360);
  const wide = tall * camera.aspect;
  const count = Math.floor(points.length / 3);
  const x = new Span(count, wide, wide);
  const y = new Span(count, tall * free[0], tall * free[1]);
  const p = new Vector3();
  let [near, deep] = [Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 3) {
    p.fromArray(points, i);
    const z = p.dot(back);
    x.set(i / 3, p.dot(right), z);
    y.set(i / 3, p.dot(above), z);
    near = Math.min(near, z);
    deep = Math.max(deep, z);
  }
  const spread = Math.max(deep - near, 1e-9);
  const distance = Math.max(x.distance, y.distance, deep + 1e-3 * spread);
  const [cx, cy] = [x.centre(distance), y.centre(distance)];
  const middle = (near + deep) / 2;
  const at = (z) => new Vector3().addScaledVector(right, cx).addScaledVector(above, cy).addScaledVector(back, z);
  return { position: at(distance), target: at(Math.min(middle, distance - 1e-3 * spread)) };
}

class Span {
  constructor(count, s, r) {
    Object.assign(this, { s, r, A: -Infinity, B: -Infinity, x: new Float64Array(count), z: new Float64Array(count) });
  }

  set(i, x, z) {
    this.x[i] = x;
    this.z[i] = z;
    this.A = Math.max(this.A, x / this.s + z);
    this.B = Math.max(this.B, -x / this.r + z);
  }

  get distance() {
    return (this.s * this.A + this.r * this.B) / (this.s + this.r);
  }

  // where, at this distance, the picture has equal margins: the outermost points are at equal shares of
  // the two slopes. The difference falls as c grows; c is halved in.
  centre(D) {
    let [low, high] = [this.s * (this.A - D), this.r * (D - this.B)];
    for (let k = 0; k < 40; k++) {
      const c = (low + high) / 2;
      let [over, under] = [-Infinity, -Infinity];
      for (let i = 0; i < this.x.length; i++) {
        const slope = (this.x[i] - c) / (D - this.z[i]);
        over = Math.max(over, slope / this.s);
        under = Math.max(under, -slope / this.r);
      }
      if (over > under) low = c;
      else high = c;
    }
    return (low + high) / 2;
  }
}

export const VIEWS = ['corner', 'front', 'back', 'left', 'right', 'top', 'bottom'];

// unit vector towards someone who looks from there, and what is above for them
export function direction(view, up, towards) {
  const side = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const east = side.addScaledVector(up, -side.dot(up)).normalize();
  const north = new Vector3().crossVectors(up, east);
  switch (view) {
    case 'front': return [north.negate(), up];
    case 'back': return [north, up];
    case 'left': return [east.negate(), up];
    case 'right': return [east, up];
    // not quite along the axis: a camera that turns about `up` must know where that is
    case 'top': return [up.clone().addScaledVector(north, -1e-3), up];
    case 'bottom': return [up.clone().negate().addScaledVector(north, -1e-3), up];
    default: return [towards.clone(), up];
  }
}
