// Surfaces as they are drawn without a graphics card while something moves: lit at their corners,
// so that a pixel costs next to nothing. Sky and ground light from `up` (Lambert), and a sun.
import { Color, DoubleSide, ShaderMaterial } from 'three';
import { cut, hatched, section } from './materials.js';

const SKY = 2.35;
const SUN = 1.75;
const GROUND = new Color(0x8a8f98);
export const BODIES_A_ROW = 64; // of the textures

const VERTEX = `
uniform vec3 up, sun, ground;
varying vec3 front, back, plain;
#include <clipping_planes_pars_vertex>

#ifdef MERGED // the pose of each body is a row of four texels, its colour one
uniform highp sampler2D poses;
uniform highp sampler2D tints;
attribute float body;

mat4 pose() {
  int i = int(body + 0.5);
  ivec2 at = ivec2(4 * (i % ${BODIES_A_ROW}), i / ${BODIES_A_ROW});
  return mat4(
    texelFetch(poses, at, 0), texelFetch(poses, at + ivec2(1, 0), 0),
    texelFetch(poses, at + ivec2(2, 0), 0), texelFetch(poses, at + ivec2(3, 0), 0));
}
vec3 tinted() {
  int i = int(body + 0.5);
  return texelFetch(tints, ivec2(i % ${BODIES_A_ROW}, i / ${BODIES_A_ROW}), 0).rgb;
}
#else
#define pose() instanceMatrix
#define tinted() instanceColor
#endif

vec3 shown(vec3 n, vec3 tint) {
  vec3 light = ${SKY.toFixed(2)} * mix(ground, vec3(1.0), 0.5 + 0.5 * dot(n, up));
  light += ${SUN.toFixed(2)} * max(dot(n, sun), 0.0);
  vec3 linear = min(tint * light / ${Math.PI.toFixed(6)}, 1.0);
  return mix(12.92 * linear, 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, linear));
}

void main() {
  mat4 placed = pose();
  vec3 n = normalize(mat3(placed) * normal);
  vec3 tint = tinted();
  front = shown(n, tint);
  back = shown(-n, tint);
  plain = pow(tint, vec3(0.45));
  vec4 mvPosition = viewMatrix * (placed * vec4(position, 1.0));
  #include <clipping_planes_vertex>
  gl_Position = projectionMatrix * mvPosition;
}`;

const FRAGMENT = `
uniform float opacity, cutOn;
varying vec3 front, back, plain;
#include <clipping_planes_pars_fragment>
void main() {
  #include <clipping_planes_fragment>
  vec3 colour = gl_FrontFacing ? front : back;
  ${hatched('colour', 'plain')}
  gl_FragColor = vec4(colour, opacity);
}`;

// `up` and `sun` are unit vectors; `poses` and `tints` are textures of merged bodies
export function surfaceMaterial({ up, sun }, { poses = null, tints = null, ghost = false, closed = true } = {}) {
  return cut(new ShaderMaterial({
    defines: poses ? { MERGED: '' } : {},
    uniforms: {
      up: { value: up }, sun: { value: sun }, ground: { value: GROUND }, opacity: { value: ghost ? 0.3 : 1 },
      poses: { value: poses }, tints: { value: tints }, cutOn: closed ? section.on : { value: 0 },
    },
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    side: DoubleSide,
    transparent: ghost,
    depthWrite: !ghost,
    clipping: true,
    forceSinglePass: true, // both sides at once where it is seen through
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  }));
}
