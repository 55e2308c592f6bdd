// How surfaces look: lit at their corners, so that a pixel costs next to nothing without a
// graphics card. Sky and ground light from `up` (Lambert), and a sun; sRGB at the end.
import { Color, DoubleSide, ShaderMaterial } from 'three';

const SKY = 2.1;
const SUN = 1.7;
const GROUND = new Color(0x8a8f98);
export const BODIES_A_ROW = 64; // of the texture

const VERTEX = `
uniform vec3 up, sun, ground;
varying vec3 front, back;

#ifdef MERGED // the pose of each body is a row of four texels
uniform highp sampler2D poses;
attribute float body;
attribute vec3 tint;

mat4 pose() {
  int i = int(body + 0.5);
  ivec2 at = ivec2(4 * (i % ${BODIES_A_ROW}), i / ${BODIES_A_ROW});
  return mat4(
    texelFetch(poses, at, 0), texelFetch(poses, at + ivec2(1, 0), 0),
    texelFetch(poses, at + ivec2(2, 0), 0), texelFetch(poses, at + ivec2(3, 0), 0));
}
#else
#define pose() instanceMatrix
#define tint instanceColor
#endif

vec3 shown(vec3 n) {
  vec3 light = ${SKY.toFixed(2)} * mix(ground, vec3(1.0), 0.5 + 0.5 * dot(n, up));
  light += ${SUN.toFixed(2)} * max(dot(n, sun), 0.0);
  vec3 linear = min(tint * light / ${Math.PI.toFixed(6)}, 1.0);
  return mix(12.92 * linear, 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, linear));
}

void main() {
  mat4 placed = pose();
  vec3 n = normalize(mat3(placed) * normal);
  front = shown(n);
  back = shown(-n);
  gl_Position = projectionMatrix * viewMatrix * (placed * vec4(position, 1.0));
}`;

const FRAGMENT = `
uniform float opacity;
varying vec3 front, back;
void main() { gl_FragColor = vec4(gl_FrontFacing ? front : back, opacity); }`;

// `up` and `sun` are unit vectors towards the sky and the sun; `poses` is a texture of merged bodies
export function surfaceMaterial(up, sun, poses = null) {
  return new ShaderMaterial({
    defines: poses ? { MERGED: '' } : {},
    uniforms: {
      up: { value: up }, sun: { value: sun }, ground: { value: GROUND }, opacity: { value: 1 },
      poses: { value: poses },
    },
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    side: DoubleSide,
    forceSinglePass: true, // both sides at once where it is seen through
  });
}
