// The path as lines in the colour of its verdict, and a mark at each listed gouge.

import { BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineDashedMaterial, LineSegments, Points, Vector3, type PerspectiveCamera } from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { marks } from "../view/materials.ts";
import type { Space } from "../view/space.ts";
import { CLASSES, type PathClass, type Report } from "./data.ts";

export class PathView extends Group {
  private readonly lines = new Map<PathClass, LineSegments | LineSegments2>();
  private readonly pins: Points;
  private readonly material = marks(12, true);
  private listed: number[] = [];

  constructor(
    private readonly report: Report,
    private readonly space: Space,
  ) {
    super();
    CLASSES.forEach((name, i) => this.addLines(name, this.segments(i + 1)));
    this.pins = new Points(new BufferGeometry(), this.material);
    this.pins.frustumCulled = false;
    this.pins.renderOrder = 9;
    this.add(this.pins);
  }

  /** The ends of all segments of a class, in the picture. */
  private segments(kind: number): Float32Array {
    const { classes, tips } = this.report;
    const { center, scale } = this.report.header.path;
    const count = classes.reduce((sum, other) => sum + (other === kind ? 1 : 0), 0);
    const ends = new Float32Array(6 * count);
    let at = 0;
    for (let i = 1; i < classes.length; i++) {
      if (classes[i] !== kind) continue;
      for (const point of [i - 1, i]) {
        for (let axis = 0; axis < 3; axis++) {
          const value = tips[3 * point + axis] * scale + center[axis];
          ends[at++] = (value - this.space.origin[axis]) * this.space.scale;
        }
      }
    }
    return ends.subarray(0, at);
  }

  private addLines(name: PathClass, ends: Float32Array): void {
    if (ends.length === 0) return;
    const color = this.report.header.colors.path[name];
    let lines: LineSegments | LineSegments2;
    if (name === "gouging") {
      const material = new LineMaterial({ color, linewidth: 3.5, transparent: true, depthTest: false });
      lines = new LineSegments2(new LineSegmentsGeometry().setPositions(ends), material);
    } else {
      const shape = new BufferGeometry().setAttribute("position", new BufferAttribute(ends, 3));
      const material =
        name === "rapid"
          ? new LineDashedMaterial({ color, dashSize: 0.02, gapSize: 0.014, transparent: true, opacity: 0.85 })
          : new LineBasicMaterial({ color, transparent: true, opacity: 0.9 });
      lines = new LineSegments(shape, material);
      if (name === "rapid") lines.computeLineDistances();
    }
    lines.frustumCulled = false;
    lines.renderOrder = name === "gouging" ? 6 : 3;
    this.lines.set(name, lines);
    this.add(lines);
  }

  /** Shows or hides the segments of a class. */
  showClass(name: PathClass, isShown: boolean): void {
    const lines = this.lines.get(name);
    if (lines) lines.visible = isShown;
  }

  /** Puts marks at gouges. */
  list(gouges: number[], ratio: number): void {
    this.listed = gouges;
    const { header } = this.report;
    const positions = new Float32Array(3 * gouges.length);
    const tints = new Float32Array(3 * gouges.length);
    const tint = new Color(header.colors.path.gouging);
    gouges.forEach((gouge, i) => {
      this.space.toPicture(header.gouges[gouge].at).toArray(positions, 3 * i);
      tint.toArray(tints, 3 * i);
    });
    this.pins.geometry.dispose();
    this.pins.geometry = new BufferGeometry();
    this.pins.geometry.setAttribute("position", new BufferAttribute(positions, 3));
    this.pins.geometry.setAttribute("tint", new BufferAttribute(tints, 3));
    this.material.uniforms.size.value = 12 * ratio;
  }

  /** The gouge whose mark is nearest to a point of the screen (-1 to 1) within a reach. */
  pick(x: number, y: number, reach: [number, number], camera: PerspectiveCamera): number | null {
    const at = new Vector3();
    let [best, nearest] = [null as number | null, 1];
    for (const gouge of this.listed) {
      at.copy(this.space.toPicture(this.report.header.gouges[gouge].at)).project(camera);
      const far = Math.hypot((at.x - x) / reach[0], (at.y - y) / reach[1]);
      if (at.z < 1 && far < nearest) [best, nearest] = [gouge, far];
    }
    return best;
  }
}
