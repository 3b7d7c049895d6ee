// The data of the page of a checked program. In the crate `impinge-nc`, `src/page/header.rs` writes the header, and
// `src/page/mod.rs` the lists of numbers after it, in the order in which they are read here.

import { unpack, type Box, type MeshData, type MeshInfo, type Point, type Reader } from "../packed.ts";

/** The parts of a tool, from the tip upwards. */
export const TOOL_PARTS = ["cutter", "shank", "holder"] as const;
export type ToolPartName = (typeof TOOL_PARTS)[number];

/** The classes of segments of the path: the number of a class in the lists is its index here, plus 1. */
export const CLASSES = ["clear", "rapid", "gouging"] as const;
export type PathClass = (typeof CLASSES)[number];

export interface Gouge {
  line: number;
  /** The line of the program. */
  text: string;
  move: number;
  rapid: boolean;
  tool: number;
  with: ToolPartName;
  body: number;
  /** How far the tool reaches into the body, in millimetres. */
  depth: number;
  /** How far the tool must be lifted along its axis to be free. */
  lift: number;
  at: Point;
  tip: Point;
  axis: Point;
  faces: number;
  faces_kept: number;
}

export interface Header {
  version: string;
  part: string;
  program: string;
  program_unit: "mm" | "in";
  tolerance: number;
  stock_to_leave: number;
  clearance: number;
  lines: number;
  moves: number;
  gouging_moves: number;
  worst_depth: number;
  seconds: number;
  notes: string[];
  colors: { path: Record<PathClass, string>; tool: Record<ToolPartName, string>; faces: string };
  bodies: { name: string; role: "part" | "stock" | "fixture"; closed: boolean; color: string; mesh: MeshInfo }[];
  tools: { number: number; name: string; parts: { kind: ToolPartName; contour: [number, number][] }[] }[];
  path: { points: number; center: Point; scale: number; has_axes: boolean; deviation: number };
  /** The number of gouges, in the page or not. */
  gouge_count: number;
  /** Worst first. */
  gouges: Gouge[];
  /** The lines of the program; null if there was no room. */
  source: string[] | null;
}

/** Where a tool stands. */
export interface Pose {
  tip: Point;
  axis: Point;
  tool: number;
}

/** A place along the path: after point `index`, at a share of the way to the next point. */
export interface Place {
  index: number;
  share: number;
}

export class Report {
  /** The tips of the path, three numbers a point, relative to `path.center` and divided by `path.scale`. */
  readonly tips: Float32Array;
  private readonly axes: Float32Array | null;
  readonly lines: Uint32Array;
  readonly moves: Uint32Array;
  readonly tools: Uint32Array;
  /** The class of the segment that ends at each point, plus 1; 0 if the tool is put there without moving. */
  readonly classes: Uint32Array;
  readonly meshes: (MeshData | null)[];
  /** The length of the path up to each point, in millimetres. */
  readonly lengths: Float64Array;
  private readonly faces: Uint32Array;
  private readonly firstFace: number[] = [];

  constructor(
    readonly header: Header,
    reader: Reader,
  ) {
    const { points, scale, has_axes } = header.path;
    this.tips = reader.singles(3 * points);
    this.axes = has_axes ? reader.singles(3 * points) : null;
    this.lines = reader.indices(points);
    this.moves = reader.indices(points);
    this.tools = reader.indices(points);
    this.classes = reader.indices(points);
    let faces = 0;
    for (const gouge of header.gouges) {
      this.firstFace.push(faces);
      faces += gouge.faces_kept;
    }
    this.faces = reader.indices(faces);
    this.meshes = header.bodies.map((body) => reader.mesh(body.mesh));
    this.lengths = new Float64Array(points);
    for (let i = 1; i < points; i++) {
      const [a, b] = [3 * i - 3, 3 * i];
      const { tips } = this;
      const step = this.classes[i] === 0 ? 0 : Math.hypot(tips[b] - tips[a], tips[b + 1] - tips[a + 1], tips[b + 2] - tips[a + 2]);
      this.lengths[i] = this.lengths[i - 1] + step * scale;
    }
  }

  get pathLength(): number {
    return this.lengths[this.lengths.length - 1] ?? 0;
  }

  tip(point: number): Point {
    const { center, scale } = this.header.path;
    return center.map((middle, axis) => this.tips[3 * point + axis] * scale + middle) as Point;
  }

  axis(point: number): Point {
    return this.axes ? ([...this.axes.subarray(3 * point, 3 * point + 3)] as Point) : [0, 0, 1];
  }

  /** The faces of the body that a gouge is in. */
  facesOf(gouge: number): Uint32Array {
    const first = this.firstFace[gouge];
    return this.faces.subarray(first, first + this.header.gouges[gouge].faces_kept);
  }

  /** The place at a length of the path. */
  placeAt(length: number): Place {
    let [low, high] = [0, Math.max(0, this.lengths.length - 1)];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.lengths[middle] < length) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return { index: 0, share: 0 };
    const step = this.lengths[low] - this.lengths[low - 1];
    return { index: low - 1, share: step > 0 ? (length - this.lengths[low - 1]) / step : 1 };
  }

  /** Where the tool stands at a place. */
  pose({ index, share }: Place): Pose {
    const next = Math.min(index + 1, this.lengths.length - 1);
    const mix = (a: Point, b: Point) => a.map((value, axis) => value + (b[axis] - value) * share) as Point;
    const axis = mix(this.axis(index), this.axis(next));
    const size = Math.hypot(...axis) || 1;
    return {
      tip: mix(this.tip(index), this.tip(next)),
      axis: axis.map((value) => value / size) as Point,
      tool: this.tools[share > 0 ? next : index],
    };
  }

  /** The point of the path that the tool has reached or moves to at a place. */
  pointAt({ index, share }: Place): number {
    return share > 0 ? Math.min(index + 1, this.lengths.length - 1) : index;
  }

  /** The length of the path up to the place of a gouge. */
  lengthOf(gouge: number): number {
    const { move, tip } = this.header.gouges[gouge];
    let [best, nearest] = [0, Infinity];
    for (let i = this.firstOf(move); i < this.moves.length && this.moves[i] <= move; i++) {
      const far = Math.hypot(...this.tip(i).map((value, axis) => value - tip[axis]));
      if (far < nearest) [best, nearest] = [i, far];
    }
    return this.lengths[best] ?? 0;
  }

  /** The first point of a move or of a later one. */
  private firstOf(move: number): number {
    let [low, high] = [0, this.moves.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.moves[middle] < move) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A box around all bodies. */
  bounds(): Box {
    const min: Point = [Infinity, Infinity, Infinity];
    const max: Point = [-Infinity, -Infinity, -Infinity];
    for (const { mesh } of this.header.bodies) {
      for (let axis = 0; axis < 3; axis++) {
        min[axis] = Math.min(min[axis], mesh.center[axis] - mesh.half[axis]);
        max[axis] = Math.max(max[axis], mesh.center[axis] + mesh.half[axis]);
      }
    }
    return [min, max];
  }
}

export async function read(letters: string): Promise<Report> {
  const { header, reader } = await unpack<Header>(letters);
  return new Report(header, reader);
}
