// The chosen finding: its two parts, the clashing faces near the contact, the curve along which they cross, its extent
// and its points.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Points,
  type Sphere,
  Vector3,
} from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import type { Report } from "../data.ts";
import { COLORS, SIDES } from "../words.ts";
import { contact, heatOf, type Contact } from "./heat.ts";
import { clashing, clashingBehind, glass, marks, type Focus } from "./materials.ts";
import type { Parts } from "./parts.ts";
import type { AssemblySpace } from "./assembly_space.ts";

/** Maximum number of face pairs whose contact is computed; of more pairs, an even selection without a curve. */
const CURVE_PAIRS = 20_000;
/** The distance from the contact at which faces lose their colour, as a share of the highlighted ball: for surfaces that
 * meet, and for the closest points of surfaces that do not. */
const SOFTNESS = 0.1;
const POINT_SOFTNESS = 0.7;

export class Highlight extends Group {
  private readonly glasses = SIDES.map((color) => glass({ color, opacity: 0.3 }));
  /** For a part inside the other. */
  private readonly solids = SIDES.map((color) => new MeshLambertMaterial({ color, side: DoubleSide }));
  private readonly glassEdges = SIDES.map(
    (color) => new LineBasicMaterial({ color, transparent: true, opacity: 0.55, depthWrite: false }),
  );
  private readonly focus: Focus = { heat: { value: null }, low: { value: new Vector3() }, size: { value: new Vector3(1, 1, 1) } };
  private readonly faces = SIDES.map((tint, side) => clashing(tint, side, this.focus, true));
  private readonly fading = SIDES.map((tint, side) => clashing(tint, side, this.focus, false));
  private readonly behind = SIDES.map((tint) => clashingBehind(tint, this.focus));
  private readonly frame = new LineBasicMaterial({ color: "#ffffff", transparent: true, opacity: 0.35, depthTest: false });
  private readonly curve = new LineMaterial({ color: "#ffffff", linewidth: 2.5, depthTest: false, transparent: true });
  private readonly gap = new LineMaterial({ color: COLORS.clearance, linewidth: 3, depthTest: false, transparent: true });
  private readonly point = marks(13, true);

  /** The number of highlighted faces of each part. */
  readonly faceCounts: [number, number] = [0, 0];

  constructor(
    private readonly report: Report,
    private readonly space: AssemblySpace,
    private readonly parts: Parts,
  ) {
    super();
  }

  /** Shows a finding, or one place of it, within a ball; null for none. Along a path, faces and points are shown only at
   * the moment that the finding is about. */
  show(number: number | null, place: number | null, around: Sphere, ratio: number): void {
    for (const child of this.children) {
      // Shapes of parts are shared; all others were made for this clash.
      if (!child.userData.isShared) (child as Mesh).geometry.dispose();
    }
    this.clear();
    this.faceCounts.fill(0);
    if (number === null) return;
    const row = this.report.header.rows[number];
    [row.a, row.b].forEach((part, side) => this.addPart(part, side, row.inside === "ab"[side]));
    if (row.interval && row.interval.at !== this.report.moment) return;
    const points = (place === null ? row.points : [row.places[place].point]).map((point) => this.space.toPicture(point));
    const pairs = this.report.pairs(number, place);
    const contacts = row.distance > 0 ? [] : this.contacts(row.a, row.b, pairs);
    this.setFocus(contacts, points, around.radius);
    this.addFaces(row.a, pairs.map((pair) => pair[0]), 0);
    this.addFaces(row.b, pairs.map((pair) => pair[1]), 1);
    if (pairs.length <= CURVE_PAIRS) this.addCurve(contacts);
    const at = place === null ? row : row.places[place];
    if (at.extent && row.distance === 0) this.addFrame(this.space.box(at.extent));
    if (row.distance > 0) this.addGap(points);
    this.addPoints(points, COLORS[row.verdict], (row.distance > 0 ? 9 : 13) * ratio);
  }

  /** Where the faces of some pairs meet. */
  private contacts(a: number, b: number, pairs: [number, number][]): Contact[] {
    const stride = Math.ceil(pairs.length / CURVE_PAIRS) || 1;
    return pairs.flatMap(([faceA, faceB], i) => {
      if (i % stride !== 0) return [];
      const [one, other] = [this.space.face(a, faceA), this.space.face(b, faceB)];
      return one && other ? [contact(one, other)] : [];
    });
  }

  /** Colours faces near these contacts; near the points if there are none. */
  private setFocus(contacts: Contact[], points: Vector3[], radius: number): void {
    const [p, q] = [points[0], points[points.length - 1]].map((point) => point.toArray());
    const hasContacts = contacts.length > 0;
    const all = hasContacts ? contacts : [{ ends: [p, q] as Contact["ends"], isBox: false }];
    const { texture, low, size } = heatOf(all, (hasContacts ? SOFTNESS : POINT_SOFTNESS) * radius);
    this.focus.heat.value?.dispose();
    this.focus.heat.value = texture;
    this.focus.low.value.copy(low);
    this.focus.size.value.copy(size);
  }

  private addPart(part: number, side: number, isInside: boolean): void {
    const mesh = this.report.header.parts.mesh[part];
    const info = this.report.header.meshes[mesh];
    const place = new Matrix4();
    this.space.place(part, info.has_faces ? null : info.half, place.elements, 0);
    const shape = this.parts.geometry(mesh);
    // Large meshes have no normals.
    this.solids[side].flatShading = !shape.hasAttribute("normal");
    const surface = new Mesh(shape, (isInside ? this.solids : this.glasses)[side]);
    surface.userData.isShared = true;
    surface.userData.part = part;
    this.put(surface, place, 2);
    const edges = this.parts.edge(mesh);
    if (!edges) return;
    const lines = new BufferGeometry().setAttribute("position", new BufferAttribute(edges, 3));
    this.put(new LineSegments(lines, this.glassEdges[side]), place, 3);
  }

  private addFaces(part: number, faces: number[], side: 0 | 1): void {
    const corners = [...new Set(faces)].flatMap((face) => this.space.face(part, face)?.flat() ?? []);
    this.faceCounts[side] = corners.length / 9;
    if (corners.length === 0) return;
    const shape = () => new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
    this.put(new Mesh(shape(), this.faces[side]), null, 1);
    this.put(new Mesh(shape(), this.fading[side]), null, 4);
    this.put(new Mesh(shape(), this.behind[side]), null, 4);
  }

  private addCurve(contacts: Contact[]): void {
    const points = contacts.flatMap(({ ends, isBox }) => (isBox ? [] : ends.flat()));
    if (points.length > 0) this.addLines(points, this.curve, 6);
  }

  private addGap(points: Vector3[]): void {
    if (points.length === 2) this.addLines(points.flatMap((point) => point.toArray()), this.gap, 7);
  }

  private addLines(points: number[], material: LineMaterial, order: number): void {
    const lines = new LineSegments2(new LineSegmentsGeometry().setPositions(points), material);
    lines.raycast = () => {};
    this.put(lines, null, order);
  }

  private addFrame(box: Box3): void {
    const grown = box.clone().expandByScalar(0.02 * box.getSize(new Vector3()).length());
    const corner = (i: number) => [0, 1, 2].map((axis) => grown[i & (1 << axis) ? "max" : "min"].getComponent(axis));
    const points: number[] = [];
    for (let i = 0; i < 8; i++) {
      for (const bit of [1, 2, 4]) if (!(i & bit)) points.push(...corner(i), ...corner(i | bit));
    }
    const shape = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    this.put(new LineSegments(shape, this.frame), null, 5);
  }

  private addPoints(points: Vector3[], color: string, size: number): void {
    this.point.uniforms.size.value = size;
    const shape = new BufferGeometry().setFromPoints(points);
    const tint = new Color(color).toArray();
    shape.setAttribute("tint", new BufferAttribute(new Float32Array(points.flatMap(() => tint)), 3));
    const dots = new Points(shape, this.point);
    dots.raycast = () => {};
    this.put(dots, null, 8);
  }

  private put(object: Mesh | LineSegments | Points, place: Matrix4 | null, order: number): void {
    object.frustumCulled = false;
    object.renderOrder = order;
    if (place) {
      object.matrixAutoUpdate = false;
      object.matrix.copy(place);
    }
    this.add(object);
  }
}
