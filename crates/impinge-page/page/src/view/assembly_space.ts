// Where the parts of an assembly are in the picture.

import type { Box, Point, Report } from "../data.ts";
import { Space } from "./space.ts";

export class AssemblySpace extends Space {
  constructor(private readonly report: Report) {
    super(boundsOf(report));
  }

  /** Where a part is: writes a column-major matrix for points of its mesh, which reach from -1 to 1. */
  place(part: number, size: Point | null, to: ArrayLike<number> & { [i: number]: number }, at: number): void {
    const mesh = this.report.header.meshes[this.report.header.parts.mesh[part]];
    const poses = this.report.poses;
    const first = 12 * part;
    for (let row = 0; row < 3; row++) {
      const r = first + 4 * row;
      const [x, y, z] = mesh.center;
      const center = poses[r] * x + poses[r + 1] * y + poses[r + 2] * z + poses[r + 3];
      for (let column = 0; column < 3; column++) {
        const length = size ? size[column] : mesh.scale;
        to[at + 4 * column + row] = poses[r + column] * length * this.scale;
      }
      to[at + 12 + row] = (center - this.origin[row]) * this.scale;
    }
    to[at + 3] = to[at + 7] = to[at + 11] = 0;
    to[at + 15] = 1;
  }

  /** The corners of a face, in the picture. */
  face(part: number, face: number): [Point, Point, Point] | null {
    const { header, meshes, poses } = this.report;
    const number = header.parts.mesh[part];
    const [info, mesh] = [header.meshes[number], meshes[number]];
    if (!mesh) return null;
    const corner = (i: number): Point => {
      const vertex = 3 * mesh.corners[3 * face + i];
      const local = info.center.map((middle, axis) => mesh.positions[vertex + axis] * info.scale + middle);
      const world = [0, 1, 2].map((row) => {
        const r = 12 * part + 4 * row;
        const offset = poses[r + 3] - this.origin[row];
        return poses[r] * local[0] + poses[r + 1] * local[1] + poses[r + 2] * local[2] + offset;
      });
      return world.map((value) => value * this.scale) as Point;
    };
    return [corner(0), corner(1), corner(2)];
  }

  /** The middle of a part, in the assembly. */
  middle(part: number): Point {
    const mesh = this.report.header.meshes[this.report.header.parts.mesh[part]];
    const poses = this.report.poses;
    return [0, 1, 2].map((row) => {
      const r = 12 * part + 4 * row;
      const [x, y, z] = mesh.center;
      return poses[r] * x + poses[r + 1] * y + poses[r + 2] * z + poses[r + 3];
    }) as Point;
  }

  /** A point of the assembly in the coordinates of a part's mesh. */
  toMesh(part: number, [x, y, z]: Point): Point {
    const poses = this.report.poses;
    const first = 12 * part;
    const offset = [x - poses[first + 3], y - poses[first + 7], z - poses[first + 11]];
    return [0, 1, 2].map((column) => {
      const of = (row: number) => poses[first + 4 * row + column] * offset[row];
      return of(0) + of(1) + of(2);
    }) as Point;
  }

  /** Half its diagonal, in the assembly. */
  radius(part: number): number {
    return Math.hypot(...this.report.header.meshes[this.report.header.parts.mesh[part]].half);
  }
}

/** Around the turned boxes of all parts; around the whole way of those that move. */
function boundsOf(report: Report): Box {
  const { parts, meshes, path } = report.header;
  const all = nothing();
  const together = nothing();
  const moving = new Set(path?.moving);
  parts.mesh.forEach((number, part) => {
    const { center, half, faces } = meshes[number];
    if (faces > 0) include(moving.has(part) ? together : all, report.poses, 12 * part, center, half);
  });
  const [low, high] = together;
  if (low[0] <= high[0]) {
    const center = low.map((value, axis) => value / 2 + high[axis] / 2) as Point;
    const half = low.map((value, axis) => (high[axis] - value) / 2) as Point;
    for (let at = 0; at < report.displacements.length; at += 12) include(all, report.displacements, at, center, half);
  }
  return all[0][0] <= all[1][0] ? all : [[0, 0, 0], [0, 0, 0]];
}

const nothing = (): Box => [
  [Infinity, Infinity, Infinity],
  [-Infinity, -Infinity, -Infinity],
];

/** Grows bounds until they hold a box that is placed by the matrix that begins at an index. */
function include([min, max]: Box, matrices: Float64Array, at: number, center: Point, half: Point): void {
  for (let row = 0; row < 3; row++) {
    const r = at + 4 * row;
    let [middle, reach] = [matrices[r + 3], 0];
    for (let axis = 0; axis < 3; axis++) {
      middle += matrices[r + axis] * center[axis];
      reach += Math.abs(matrices[r + axis]) * half[axis];
    }
    min[row] = Math.min(min[row], middle - reach);
    max[row] = Math.max(max[row], middle + reach);
  }
}
