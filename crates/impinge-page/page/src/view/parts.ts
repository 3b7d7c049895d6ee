// All parts of the assembly: one object for each distinct mesh, however many parts show it.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  type Raycaster,
} from "three";
import type { Point, Report } from "../data.ts";
import { edgesOf, geometryOf } from "./geometry.ts";
import { glass, instancedEdges } from "./materials.ts";
import type { AssemblySpace } from "./assembly_space.ts";

export type Mode = "solid" | "faint" | "hidden";

/** More distinct faces than this are not smoothed, which would take time and three times the memory. */
const SMOOTHED = 600_000;
/** Around a chosen clash so many other parts are drawn: more would be a fog. */
const NEAR = 3000;
/** More faces than this have no edges drawn. */
const EDGED = 250_000;

/** One mesh and the parts that show it. */
interface Copies {
  surface: InstancedMesh;
  edges: LineSegments<InstancedBufferGeometry> | null;
  parts: Uint32Array;
}

export class Parts extends Group {
  /** How many parts are drawn as boxes, because all faces would be too many. */
  boxCount = 0;
  /** How many are not drawn, because they are far from the chosen clash and there are very many. */
  farCount = 0;
  drawnFaces = 0;
  /** Parts that most others are within: seen through, so that there is something to see. */
  readonly shells = new Group();
  private readonly enclosing: number[];
  private readonly copies: (Copies | null)[];
  private readonly boxes: Copies;
  private readonly geometries = new Map<number, BufferGeometry>();
  private readonly edges = new Map<number, Float32Array | null>();
  private readonly isSmooth: boolean;
  private readonly solid: MeshLambertMaterial;
  private readonly faint: MeshLambertMaterial;
  private readonly solidEdges = instancedEdges("#05070a", 0.5);
  private readonly faintEdges = instancedEdges("#b9c6d6", 0.1);
  private readonly tints: Float32Array;
  private readonly clashing: Uint8Array;
  private readonly placed: number;

  constructor(
    private readonly report: Report,
    private readonly space: AssemblySpace,
    private readonly budget: number,
  ) {
    super();
    const { parts, meshes, rows } = report.header;
    const count = parts.name.length;
    const distinct = meshes.reduce((sum, mesh) => sum + (mesh.has_faces ? mesh.faces : 0), 0);
    this.isSmooth = distinct <= SMOOTHED;
    this.solid = new MeshLambertMaterial({ flatShading: !this.isSmooth, side: 2 });
    const opacity = count < 60 ? 0.12 : count < 2000 ? 0.07 : 0.035;
    this.faint = glass({ flatShading: !this.isSmooth, opacity });
    this.tints = tints(report);
    this.clashing = new Uint8Array(count);
    for (const row of rows) this.clashing[row.a] = this.clashing[row.b] = 1;
    this.placed = parts.mesh.reduce((sum, mesh) => sum + meshes[mesh].faces, 0);

    const uses = new Uint32Array(meshes.length);
    for (const mesh of parts.mesh) uses[mesh]++;
    if (this.placed > EDGED / 5) this.solidEdges.uniforms.opacity.value = 0.3;
    const hasEdges = this.placed <= 4 * EDGED && distinct <= EDGED;
    this.copies = meshes.map((mesh, i) =>
      mesh.has_faces && mesh.faces > 0 ? this.copiesOf(this.geometry(i), uses[i], hasEdges ? this.edge(i) : null) : null,
    );
    this.boxes = this.copiesOf(new BoxGeometry(2, 2, 2), this.needsBoxes() ? count : 0, null);
    this.enclosing = enclosing(report, space);
    this.makeShells();
  }

  /** Whether there is too much to draw every part as it is. */
  private needsBoxes(): boolean {
    return this.placed > this.budget || this.report.header.meshes.some((mesh) => !mesh.has_faces);
  }

  /** The shape of a mesh that has one. */
  geometry(mesh: number): BufferGeometry {
    let geometry = this.geometries.get(mesh);
    if (!geometry) {
      const data = this.report.meshes[mesh];
      geometry = data ? geometryOf(data, this.isSmooth) : new BoxGeometry(2, 2, 2);
      this.geometries.set(mesh, geometry);
    }
    return geometry;
  }

  edge(mesh: number): Float32Array | null {
    let edges = this.edges.get(mesh);
    if (edges === undefined) {
      const data = this.report.meshes[mesh];
      edges = data && data.corners.length <= 3 * EDGED ? edgesOf(data) : null;
      this.edges.set(mesh, edges);
    }
    return edges;
  }

  private copiesOf(geometry: BufferGeometry, capacity: number, edge: Float32Array | null): Copies {
    const surface = new InstancedMesh(geometry, this.solid, capacity);
    surface.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    // Parts are everywhere, and where they are changes.
    surface.frustumCulled = false;
    this.add(surface);
    let edges = null;
    if (edge) {
      const lines = new InstancedBufferGeometry();
      lines.setAttribute("position", new BufferAttribute(edge, 3));
      lines.setAttribute("place", surface.instanceMatrix);
      edges = new LineSegments(lines, this.solidEdges);
      edges.frustumCulled = false;
      edges.raycast = () => {};
      this.add(edges);
    }
    return { surface, edges, parts: new Uint32Array(capacity) };
  }

  /**
   * Puts every part where it belongs, but for those that are drawn otherwise; in detail what is near the focus, and
   * where only that is asked for, nothing else.
   */
  arrange(focus: Point | null, without: Set<number>, isOnlyNear: boolean): void {
    const { parts, meshes } = this.report.header;
    this.arrangeShells();
    const all = [...this.copies.filter((copies) => copies !== null), this.boxes];
    for (const copies of all) copies.surface.count = 0;
    let room = this.budget;
    const order = this.order(focus);
    const shown = isOnlyNear && order.length > NEAR ? order.subarray(0, NEAR) : order;
    this.boxCount = 0;
    this.farCount = order.length - shown.length;
    for (const part of shown) {
      if (without.has(part)) continue;
      const mesh = meshes[parts.mesh[part]];
      if (mesh.faces === 0) continue;
      const isWhole = mesh.has_faces && mesh.faces <= room;
      const copies = isWhole ? this.copies[parts.mesh[part]]! : this.boxes;
      if (isWhole) room -= mesh.faces;
      else this.boxCount++;
      const slot = copies.surface.count++;
      copies.parts[slot] = part;
      this.space.place(part, isWhole ? null : mesh.half, copies.surface.instanceMatrix.array, 16 * slot);
      const tint = this.tints.subarray(3 * part, 3 * part + 3);
      (copies.surface.instanceColor!.array as Float32Array).set(tint, 3 * slot);
    }
    for (const { surface, edges } of all) {
      surface.visible = surface.count > 0;
      surface.instanceMatrix.needsUpdate = true;
      surface.instanceColor!.needsUpdate = true;
      // Worked out anew when it is asked for.
      surface.boundingSphere = null;
      surface.boundingBox = null;
      if (edges) {
        edges.geometry.instanceCount = surface.count;
        edges.visible = surface.visible;
      }
    }
    this.drawnFaces = this.budget - room + 12 * this.boxCount;
  }

  /** With no clash chosen, the parts that are not drawn as the others are, but as shells or not at all. */
  unseen(mode: Mode): Set<number> {
    if (mode === "solid") return new Set();
    const others = mode === "hidden" ? [...this.clashing.keys()].filter((part) => !this.clashing[part]) : [];
    return new Set([...others, ...this.enclosing]);
  }

  /** Puts the shells where they belong. */
  private arrangeShells(): void {
    for (const shell of this.shells.children) {
      this.space.place(shell.userData.part as number, null, shell.matrix.elements, 0);
    }
  }

  private makeShells(): void {
    const surface = glass({ color: "#a9bfd6", opacity: 0.2, flatShading: !this.isSmooth });
    const line = new LineBasicMaterial({ color: "#c3d3e4", transparent: true, opacity: 0.4, depthWrite: false });
    for (const part of this.enclosing) {
      const mesh = this.report.header.parts.mesh[part];
      const objects: (Mesh | LineSegments)[] = [new Mesh(this.geometry(mesh), surface)];
      const edge = this.edge(mesh);
      if (edge) objects.push(new LineSegments(new BufferGeometry().setAttribute("position", new BufferAttribute(edge, 3)), line));
      for (const object of objects) {
        object.userData.part = part;
        object.matrixAutoUpdate = false;
        object.frustumCulled = false;
        object.renderOrder = 1;
        this.shells.add(object);
      }
    }
    this.add(this.shells);
  }

  /** Those that are to be drawn in detail first. */
  private order(focus: Point | null): Uint32Array {
    const count = this.report.header.parts.name.length;
    const order = Uint32Array.from({ length: count }, (_, part) => part);
    if (this.placed <= this.budget && count <= NEAR) return order;
    const urgency = Float64Array.from(order, (part) => {
      const radius = this.space.radius(part);
      if (!focus) return (this.clashing[part] ? -1e300 : 0) - radius;
      const middle = this.space.middle(part);
      return Math.hypot(middle[0] - focus[0], middle[1] - focus[1], middle[2] - focus[2]) - radius;
    });
    return order.sort((a, b) => urgency[a] - urgency[b] || a - b);
  }

  show(mode: Mode): void {
    this.visible = mode !== "hidden";
    for (const copies of [...this.copies, this.boxes]) {
      if (!copies) continue;
      copies.surface.material = mode === "solid" ? this.solid : this.faint;
      if (copies.edges) copies.edges.material = mode === "solid" ? this.solidEdges : this.faintEdges;
    }
  }

  /** The part that a ray meets first. */
  pick(ray: Raycaster): number | null {
    let best: { distance: number; part: number } | null = null;
    for (const copies of [...this.copies, this.boxes]) {
      if (!copies || copies.surface.count === 0) continue;
      for (const { distance, instanceId } of ray.intersectObject(copies.surface, false)) {
        if (instanceId === undefined || (best && best.distance <= distance)) continue;
        best = { distance, part: copies.parts[instanceId] };
      }
    }
    return best && best.part;
  }

  /** How many objects are drawn for all parts. */
  get drawCalls(): number {
    return this.children.filter((child) => child.visible).length;
  }
}

/** The parts that at least half of all others are in the bounds of: of the largest, a few. */
function enclosing(report: Report, space: AssemblySpace): number[] {
  const { parts, meshes } = report.header;
  const count = parts.name.length;
  if (count < 3) return [];
  const largest = Array.from({ length: count }, (_, part) => part)
    .sort((a, b) => space.radius(b) - space.radius(a))
    .slice(0, 3);
  return largest.filter((part) => {
    const { center, half, has_faces } = meshes[parts.mesh[part]];
    if (!has_faces) return false;
    let within = 0;
    for (let other = 0; other < count; other++) {
      const at = space.toMesh(part, space.middle(other));
      if (other !== part && at.every((value, axis) => Math.abs(value - center[axis]) < half[axis])) within++;
    }
    return within >= (count - 1) / 2;
  });
}

/** Quiet colours, alike within a sub-assembly, or for parts of one mesh where there are none. */
function tints(report: Report): Float32Array {
  const { parts } = report.header;
  const hasGroups = new Set(parts.group).size > 1;
  const tints = new Float32Array(3 * parts.name.length);
  const color = new Color();
  parts.mesh.forEach((mesh, part) => {
    const key = hasGroups ? (parts.group[part] ?? -1) + 1 : mesh;
    const turn = key * 0.381966;
    const shade = ((mesh * 0.754877) % 1) * 0.12;
    // Steel, and now and then brass.
    const isWarm = key % 4 === 3;
    color.setHSL(isWarm ? 0.1 : 0.54 + 0.12 * (turn % 1), isWarm ? 0.22 : 0.2, 0.56 + shade);
    color.toArray(tints, 3 * part);
  });
  return tints;
}
