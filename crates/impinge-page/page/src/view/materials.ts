// The materials of surfaces, edges and marks.

import {
  Color,
  DoubleSide,
  GreaterDepth,
  MeshBasicMaterial,
  MeshLambertMaterial,
  ShaderMaterial,
  type Data3DTexture,
  type MeshLambertMaterialParameters,
  type Vector3,
  type WebGLProgramParametersWithUniforms,
} from "three";

/** A surface one can see through: the more so the straighter one looks at it, so that shapes stay readable. */
export function glass(parameters: MeshLambertMaterialParameters): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ transparent: true, depthWrite: false, side: DoubleSide, ...parameters });
  material.onBeforeCompile = (shader) => {
    const slant = `
      float slant = 1.0 - abs(dot(normalize(normal), normalize(vViewPosition)));
      diffuseColor.a *= 0.3 + 1.4 * slant * slant;
      #include <opaque_fragment>`;
    shader.fragmentShader = shader.fragmentShader.replace("#include <opaque_fragment>", slant);
  };
  material.customProgramCacheKey = () => "glass";
  return material;
}

/** The nearness to the contact, which clashing faces are coloured by: see `heat.ts`. */
export interface Focus {
  heat: { value: Data3DTexture | null };
  low: { value: Vector3 };
  size: { value: Vector3 };
}

/** Clashing faces, near the contact. `isCore`: where they are opaque; otherwise where they fade. */
export function clashing(tint: string, order: number, focus: Focus, isCore: boolean): MeshLambertMaterial {
  const material = new MeshLambertMaterial({
    // Bright in any light, with just enough shade to show the shape.
    color: new Color(tint).multiplyScalar(0.5),
    emissive: new Color(tint).multiplyScalar(0.6),
    side: DoubleSide,
    flatShading: true,
    transparent: !isCore,
    depthWrite: isCore,
    // Faces of both parts may lie in one plane: those of the second part are drawn in front.
    polygonOffset: true,
    polygonOffsetFactor: -1 - order,
    polygonOffsetUnits: -2 - 4 * order,
  });
  material.onBeforeCompile = (shader) => fade(shader, focus, isCore ? "near < 0.98" : "near >= 0.98");
  material.customProgramCacheKey = () => `clashing ${isCore}`;
  return material;
}

/** Clashing faces behind other surfaces. */
export function clashingBehind(tint: string, focus: Focus): MeshBasicMaterial {
  const material = new MeshBasicMaterial({
    color: tint,
    side: DoubleSide,
    transparent: true,
    opacity: 0.12,
    depthFunc: GreaterDepth,
    depthWrite: false,
  });
  material.onBeforeCompile = (shader) => fade(shader, focus, "false");
  material.customProgramCacheKey = () => "clashing behind";
  return material;
}

/** Makes a surface fade away from the contact, and leaves out fragments for which a condition holds. */
function fade(shader: WebGLProgramParametersWithUniforms, focus: Focus, isOut: string): void {
  Object.assign(shader.uniforms, focus);
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", "varying vec3 at;\n#include <common>")
    .replace("#include <begin_vertex>", "at = position;\n#include <begin_vertex>");
  const faded = `
    vec3 cell = (at - low) / size;
    bool isWithin = all(greaterThan(cell, vec3(0.0))) && all(lessThan(cell, vec3(1.0)));
    float near = isWithin ? texture(heat, cell).r : 0.0;
    diffuseColor.a *= near;
    if (${isOut} || near < 0.01) discard;
    #include <opaque_fragment>`;
  shader.fragmentShader = shader.fragmentShader
    .replace("#include <common>", "varying vec3 at;\nuniform highp sampler3D heat;\nuniform vec3 low;\nuniform vec3 size;\n#include <common>")
    .replace("#include <opaque_fragment>", faded);
}

/** Edges of parts that are placed by the same matrices as their surfaces. */
export function instancedEdges(color: string, opacity: number): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { color: { value: new Color(color) }, opacity: { value: opacity } },
    vertexShader: `
      attribute mat4 place;
      void main() {
        gl_Position = projectionMatrix * modelViewMatrix * place * vec4(position, 1.0);
        gl_Position.z -= 0.0002 * gl_Position.w;
      }`,
    fragmentShader: `
      uniform vec3 color;
      uniform float opacity;
      void main() {
        gl_FragColor = vec4(color, opacity);
        #include <colorspace_fragment>
      }`,
    transparent: true,
    depthWrite: false,
  });
}

/** Round marks that are as large on the screen wherever they are. */
export function marks(size: number, isSeenThrough: boolean): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { size: { value: size }, opacity: { value: 1 } },
    vertexShader: `
      attribute vec3 tint;
      uniform float size;
      varying vec3 shade;
      void main() {
        shade = tint;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        gl_PointSize = size;
      }`,
    fragmentShader: `
      uniform float opacity;
      varying vec3 shade;
      void main() {
        float far = 2.0 * length(gl_PointCoord - 0.5);
        if (far > 1.0) discard;
        vec3 color = mix(shade, vec3(0.02), smoothstep(0.62, 0.72, far));
        gl_FragColor = vec4(color, opacity * (1.0 - smoothstep(0.92, 1.0, far)));
        #include <colorspace_fragment>
      }`,
    transparent: true,
    depthTest: !isSeenThrough,
    depthWrite: false,
  });
}
