// Pictures that stand still: the mean of many, each with the camera a part of a pixel aside, the sun
// elsewhere on its disc, and one direction of the sky. Edges become smooth, shadows soft, corners dark.
import { CustomBlending, FloatType, FramebufferTexture, HalfFloatType, NearestFilter, OneFactor, ShaderMaterial, Vector2, WebGLRenderTarget } from 'three';
import { FullScreenQuad } from 'three/examples/jsm/postprocessing/Pass.js';

export const SAMPLES = 32;
export const ENOUGH = 8; // samples with which the light of the sky is smooth

const VERTEX = 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';
const SCALED = `
uniform sampler2D picture;
uniform float scale;
varying vec2 at;
void main() { gl_FragColor = vec4(scale * texture2D(picture, at).rgb, 1.0); }`;

const scaled = (more = {}) => new ShaderMaterial({
  uniforms: { picture: { value: null }, scale: { value: 1 } },
  vertexShader: VERTEX,
  fragmentShader: SCALED,
  depthTest: false,
  depthWrite: false,
  toneMapped: false,
  ...more,
});

export class Refinement {
  constructor(renderer) {
    this.renderer = renderer;
    this.size = new Vector2();
    this.count = 0; // of pictures in the sum
    this.adding = new FullScreenQuad(scaled({ blending: CustomBlending, blendSrc: OneFactor, blendDst: OneFactor, transparent: true }));
    this.showing = new FullScreenQuad(scaled());
  }

  begin() {
    this.count = 0;
  }

  // `draw(k)` draws sample k to the canvas; the mean of all until now is then shown there
  add(draw) {
    this.#fit();
    draw(this.count);
    const { renderer, one, sum } = this;
    renderer.copyFramebufferToTexture(one);
    this.#to(sum, this.adding, one, 1, this.count === 0);
    this.count += 1;
    this.#to(null, this.showing, sum.texture, 1 / this.count, true);
  }

  #to(target, quad, picture, scale, clear) {
    const { renderer, size } = this;
    const before = renderer.autoClear;
    const ratio = renderer.getPixelRatio();
    renderer.autoClear = clear;
    renderer.setRenderTarget(target);
    renderer.setViewport(0, 0, size.x / ratio, size.y / ratio);
    renderer.setScissor(0, 0, size.x / ratio, size.y / ratio);
    Object.assign(quad.material.uniforms, { picture: { value: picture }, scale: { value: scale } });
    quad.render(renderer);
    renderer.setRenderTarget(null);
    renderer.autoClear = before;
  }

  #fit() {
    const size = this.renderer.getDrawingBufferSize(new Vector2());
    if (this.sum && size.equals(this.size)) return;
    this.size.copy(size);
    this.count = 0;
    this.one?.dispose();
    this.sum?.dispose();
    this.one = new FramebufferTexture(size.x, size.y);
    const { extensions } = this.renderer;
    const exact = extensions.has('EXT_color_buffer_float') && extensions.has('EXT_float_blend');
    this.sum = new WebGLRenderTarget(size.x, size.y, {
      type: exact ? FloatType : HalfFloatType, depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter,
    });
  }
}

// evenly spread points of the unit square (Roberts, 2018: the generalised golden ratio)
export function spread(k) {
  return [(0.5 + 0.7548776662466927 * k) % 1, (0.5 + 0.5698402909980532 * k) % 1];
}
