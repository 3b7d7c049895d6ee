// The part, the stock and the fixtures, and the faces that the chosen gouge is about.

import { BoxGeometry, BufferAttribute, BufferGeometry, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Raycaster, type Material, type Vector3 } from "three";
import { edgesOf, geometryOf } from "../view/geometry.ts";
import { glass } from "../view/materials.ts";
import type { Space } from "../view/space.ts";
import type { Report } from "./data.ts";

/** Meshes with more faces are shaded flat and drawn without edges. */
const SMOOTH_FACES = 300_000;

export class Bodies extends Group {
  private readonly surfaces: { mesh: Mesh; solid: Material; faint: Material; body: number }[] = [];
  private readonly hit: Mesh;

  constructor(
    private readonly report: Report,
    private readonly space: Space,
  ) {
    super();
    report.header.bodies.forEach((_, body) => this.addBody(body));
    const red = report.header.colors.faces;
    const material = new MeshLambertMaterial({ color: red, emissive: red, emissiveIntensity: 0.35, side: DoubleSide, flatShading: true, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2, transparent: true, opacity: 0.75 });
    this.hit = new Mesh(new BufferGeometry(), material);
    this.hit.frustumCulled = false;
    this.hit.renderOrder = 2;
    this.add(this.hit);
  }

  private addBody(body: number): void {
    const { mesh: info, color, role } = this.report.header.bodies[body];
    const mesh = this.report.meshes[body];
    const isSmooth = info.faces <= SMOOTH_FACES;
    const shape = mesh ? geometryOf(mesh, isSmooth) : new BoxGeometry(...info.half.map((half) => (2 * half) / info.scale));
    const solid = new MeshLambertMaterial({ color, side: DoubleSide, flatShading: !isSmooth, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const faint = glass({ color, opacity: role === "stock" ? 0.12 : 0.3 });
    faint.flatShading = !isSmooth;
    const surface = new Mesh(shape, role === "stock" ? faint : solid);
    this.place(surface, body);
    this.surfaces.push({ mesh: surface, solid: role === "stock" ? faint : solid, faint, body });
    if (!mesh || !isSmooth) return;
    const lines = new BufferGeometry().setAttribute("position", new BufferAttribute(edgesOf(mesh), 3));
    const edges = new LineSegments(lines, new LineBasicMaterial({ color: "#10141a", transparent: true, opacity: role === "stock" ? 0.25 : 0.55 }));
    this.place(edges, body);
  }

  /** Positions of a mesh are scaled to -1 to 1 around its centre. */
  private place(object: Mesh | LineSegments, body: number): void {
    const { center, scale } = this.report.header.bodies[body].mesh;
    object.position.copy(this.space.toPicture(center));
    object.scale.setScalar(scale * this.space.scale);
    this.add(object);
  }

  /** Shows the bodies as solids, or so that one can see through them. */
  show(isFaint: boolean): void {
    for (const { mesh, solid, faint } of this.surfaces) mesh.material = isFaint ? faint : solid;
  }

  /** Whether a body hides a place from a camera in some direction. Faces within `near` of the place do not count. Bodies with
   * too many faces to ask quickly hide nothing. */
  hides(place: Vector3, direction: Vector3, near: number): boolean {
    const ray = new Raycaster(place.clone().addScaledVector(direction, near), direction);
    const asked = this.surfaces.filter(({ body }) => {
      const { mesh, role } = this.report.header.bodies[body];
      return role !== "stock" && mesh.faces <= SMOOTH_FACES;
    });
    return asked.some(({ mesh }) => {
      mesh.updateWorldMatrix(true, false);
      return ray.intersectObject(mesh, false).length > 0;
    });
  }

  /** Highlights the faces of a gouge; null for none. Returns how many. */
  highlight(gouge: number | null): number {
    this.hit.geometry.dispose();
    this.hit.geometry = new BufferGeometry();
    if (gouge === null) return 0;
    const { body } = this.report.header.gouges[gouge];
    const mesh = this.report.meshes[body];
    const faces = this.report.facesOf(gouge);
    if (!mesh || faces.length === 0) return 0;
    const { center, scale } = this.report.header.bodies[body].mesh;
    const corners = new Float32Array(9 * faces.length);
    let at = 0;
    for (const face of faces) {
      for (let corner = 0; corner < 3; corner++) {
        const vertex = 3 * mesh.corners[3 * face + corner];
        for (let axis = 0; axis < 3; axis++) {
          const value = mesh.positions[vertex + axis] * scale + center[axis];
          corners[at++] = (value - this.space.origin[axis]) * this.space.scale;
        }
      }
    }
    this.hit.geometry.setAttribute("position", new BufferAttribute(corners, 3));
    return faces.length;
  }
}
