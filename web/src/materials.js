// Surfaces as they are drawn where there is time: physically based, lit by an environment and a sun.
// Where a section plane is on, the inside of a closed body is hatched: it looks filled.
import { Color, DoubleSide, MeshStandardMaterial } from 'three';

const WHITE = new Color(0xffffff);
export const section = { planes: [], on: { value: 0 } };

export const hatched = (shown, colour) => `
if (cutOn > 0.5 && !gl_FrontFacing) {
  float line = step(mod(gl_FragCoord.x + gl_FragCoord.y, 9.0), 1.6);
  ${shown} = mix(${colour} * 0.82, ${colour} * 0.3, line);
}
`;

export function fineMaterial({ ghost = false, closed = true } = {}) {
  const material = new MeshStandardMaterial({
    roughness: 0.52,
    metalness: 0,
    side: DoubleSide,
    shadowSide: DoubleSide,
    polygonOffset: true, // edges are drawn on top
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
    clipShadows: true,
  });
  if (ghost) Object.assign(material, { transparent: true, opacity: 0.25, depthWrite: false, forceSinglePass: true });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.cutOn = closed ? section.on : { value: 0 };
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nuniform float cutOn;')
      .replace('#include <opaque_fragment>', `${hatched('outgoingLight', 'diffuseColor.rgb')}#include <opaque_fragment>`);
  };
  return cut(material);
}

// a material that the section plane cuts
export function cut(material) {
  material.clippingPlanes = section.planes;
  return material;
}

// the face of a section, hatched across `direction` in its own plane
export function capMaterial(colour, direction) {
  const material = new MeshStandardMaterial({ color: new Color(colour).lerp(WHITE, 0.22), roughness: 0.7, metalness: 0 });
  const pitch = { value: 1 }; // [m]
  material.userData = { pitch };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { pitch, across: { value: direction } });
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 onPlane;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nonPlane = position.xy * length(modelMatrix[0].xyz);');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec2 onPlane;\nuniform vec2 across;\nuniform float pitch;')
      .replace('#include <color_fragment>', `#include <color_fragment>
float along = dot(onPlane, across) / pitch;
float soft = fwidth(along);
float line = 1.0 - smoothstep(0.07, 0.07 + soft, abs(fract(along) - 0.5));
diffuseColor.rgb *= mix(1.0, 0.5, line);`);
  };
  return material;
}
