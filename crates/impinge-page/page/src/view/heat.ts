// How near points are to where the surfaces of a clash meet: a texture around the contact that clashing faces are
// coloured by. A face may be as large as the assembly, but only the part of it near the contact should stand out.
// `src/renderer/focus.rs` does the same for pictures.

import { Data3DTexture, LinearFilter, RedFormat, UnsignedByteType, Vector3 } from "three";
import { crossing, type Triangle, type Vector } from "./curve.ts";

/** The size of a cell as a share of the softness, and the maximum number of cells along an axis. */
const CELL = 0.7;
const MAX_CELLS = 48;

/** The nearness of points, from 0 to 1, at the nodes of a grid. */
export interface Heat {
  texture: Data3DTexture;
  /** The first node, and the size of the grid. */
  low: Vector3;
  size: Vector3;
}

/** A segment between two points, or the box between them. */
export interface Contact {
  ends: [Vector, Vector];
  isBox: boolean;
}

/** Returns where two triangles meet: a segment if they cross. If they are parallel, the box in which they overlap. */
export function contact(a: Triangle, b: Triangle): Contact {
  const segment = crossing(a, b);
  if (segment) return { ends: segment, isBox: false };
  const axes = [0, 1, 2];
  const low = axes.map((axis) => Math.max(Math.min(...a.map((at) => at[axis])), Math.min(...b.map((at) => at[axis]))));
  const high = axes.map((axis) => Math.min(Math.max(...a.map((at) => at[axis])), Math.max(...b.map((at) => at[axis]))));
  const ordered = (pick: typeof Math.min) => low.map((value, axis) => pick(value, high[axis])) as Vector;
  return { ends: [ordered(Math.min), ordered(Math.max)], isBox: true };
}

/** Returns the nearness to contacts: 1 up to half the softness away from them, and 0 from 1.5 times the softness on. */
export function heatOf(contacts: Contact[], softness: number): Heat {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = new Vector3(-Infinity, -Infinity, -Infinity);
  for (const { ends } of contacts) {
    for (const end of ends) {
      low.min(new Vector3(...end));
      high.max(new Vector3(...end));
    }
  }
  low.subScalar(2 * softness);
  high.addScalar(2 * softness);
  const size = high.sub(low);
  const counts = size.toArray().map((length) => Math.min(MAX_CELLS, Math.max(1, Math.ceil(length / (softness * CELL)))) + 1);
  const cell = size.toArray().map((length, axis) => length / (counts[axis] - 1));
  const distances = new Float32Array(counts[0] * counts[1] * counts[2]).fill(Infinity);
  const first = low.toArray();

  const addBox = (min: number[], max: number[]) => {
    const node = (at: number, axis: number) => Math.min(counts[axis] - 1, Math.max(0, at));
    const [from, to] = [
      min.map((value, axis) => node(Math.floor((value - first[axis]) / cell[axis]), axis)),
      max.map((value, axis) => node(Math.ceil((value - first[axis]) / cell[axis]), axis)),
    ];
    const away = (axis: number, at: number) => {
      const value = first[axis] + at * cell[axis];
      return Math.max(0, min[axis] - value, value - max[axis]);
    };
    for (let z = from[2]; z <= to[2]; z++) {
      for (let y = from[1]; y <= to[1]; y++) {
        for (let x = from[0]; x <= to[0]; x++) {
          const at = (z * counts[1] + y) * counts[0] + x;
          const distance = Math.hypot(away(0, x), away(1, y), away(2, z)) / softness;
          if (distance < distances[at]) distances[at] = distance;
        }
      }
    }
  };
  for (const { ends, isBox } of contacts) {
    const [from, to] = ends;
    if (isBox) {
      addBox(from, to);
      continue;
    }
    const steps = Math.max(1, Math.ceil(Math.max(...from.map((value, axis) => Math.abs(to[axis] - value) / cell[axis]))));
    for (let step = 0; step <= steps; step++) {
      const at = from.map((value, axis) => value + ((to[axis] - value) * step) / steps);
      addBox(at, at);
    }
  }
  spread(distances, counts, cell.map((length) => length / softness));

  const bytes = Uint8Array.from(distances, (distance) => {
    const near = Math.min(1, Math.max(0, 1.5 - distance));
    return Math.round(255 * near * near * (3 - 2 * near));
  });
  const texture = new Data3DTexture(bytes, counts[0], counts[1], counts[2]);
  texture.format = RedFormat;
  texture.type = UnsignedByteType;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  // Texture coordinates refer to the borders of texels; the nodes are their middles.
  low.sub(new Vector3(...cell).multiplyScalar(0.5));
  size.add(new Vector3(...cell));
  return { texture, low, size };
}

/** Sets the distances at all other nodes: from neighbour to neighbour, once forward and once backward. */
function spread(distances: Float32Array, [columns, rows, layers]: number[], cell: number[]): void {
  const steps: [number, number, number, number][] = [];
  for (let z = -1; z <= 0; z++) {
    for (let y = -1; y <= 1; y++) {
      for (let x = -1; x <= 1; x++) {
        const isBefore = z < 0 || (z === 0 && (y < 0 || (y === 0 && x < 0)));
        if (isBefore) steps.push([x, y, z, Math.hypot(x * cell[0], y * cell[1], z * cell[2])]);
      }
    }
  }
  const count = distances.length;
  for (const sign of [1, -1]) {
    for (let i = 0; i < count; i++) {
      const at = sign > 0 ? i : count - 1 - i;
      const [x, y, z] = [at % columns, Math.floor(at / columns) % rows, Math.floor(at / (columns * rows))];
      for (const [dx, dy, dz, length] of steps) {
        const [u, v, w] = [x + sign * dx, y + sign * dy, z + sign * dz];
        if (u < 0 || v < 0 || w < 0 || u >= columns || v >= rows || w >= layers) continue;
        const distance = distances[(w * rows + v) * columns + u] + length;
        if (distance < distances[at]) distances[at] = distance;
      }
    }
  }
}
