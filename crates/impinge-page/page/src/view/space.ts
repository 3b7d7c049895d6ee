// From the coordinates of a report to those of the picture.
//
// Coordinates may be large and what is looked at small, so the picture has its own origin, moved to what is looked at, and
// its own scale. All that goes to the graphics card is worked out in double precision relative to these.

import { Box3, Vector3 } from "three";
import type { Box, Point } from "../packed.ts";

export class Space {
  /** The point of the report that is the origin of the picture. */
  origin: Point;
  /** What lengths are multiplied by: everything together is about 1 large. */
  readonly scale: number;

  constructor(readonly bounds: Box) {
    const [min, max] = bounds;
    const radius = Math.hypot(...min.map((low, axis) => (max[axis] - low) / 2));
    this.scale = radius > 0 ? 1 / radius : 1;
    this.origin = min.map((low, axis) => low / 2 + max[axis] / 2) as Point;
  }

  toPicture(point: Point): Vector3 {
    const [x, y, z] = point.map((value, axis) => (value - this.origin[axis]) * this.scale);
    return new Vector3(x, y, z);
  }

  toWorld(point: Vector3): Point {
    return point.toArray().map((value, axis) => value / this.scale + this.origin[axis]) as Point;
  }

  box([min, max]: Box): Box3 {
    return new Box3(this.toPicture(min), this.toPicture(max));
  }
}
