// The curve along which surfaces cross, accurate enough to be drawn: the segments along which triangles cross.

export type Vector = [number, number, number];
export type Triangle = [Vector, Vector, Vector];

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const between = (a: Vector, b: Vector, t: number): Vector => [
  a[0] + (b[0] - a[0]) * t,
  a[1] + (b[1] - a[1]) * t,
  a[2] + (b[2] - a[2]) * t,
];

/** Returns the segment along which two triangles cross; null if they do not, or if they are parallel. */
export function crossing(a: Triangle, b: Triangle): [Vector, Vector] | null {
  const [normalA, normalB] = [normal(a), normal(b)];
  const along = cross(normalA, normalB);
  if (dot(along, along) <= 1e-20 * dot(normalA, normalA) * dot(normalB, normalB)) return null;
  const [inA, inB] = [cut(a, b[0], normalB), cut(b, a[0], normalA)];
  if (!inA || !inB) return null;
  const order = (p: Vector, q: Vector) => dot(along, p) - dot(along, q);
  const [startA, endA] = inA.sort(order);
  const [startB, endB] = inB.sort(order);
  const start = order(startA, startB) > 0 ? startA : startB;
  const end = order(endA, endB) < 0 ? endA : endB;
  return order(start, end) < 0 ? [start, end] : null;
}

function normal([a, b, c]: Triangle): Vector {
  return cross(minus(b, a), minus(c, a));
}

/** Where a plane cuts a triangle. */
function cut(triangle: Triangle, point: Vector, normal: Vector): [Vector, Vector] | null {
  const side = triangle.map((corner) => dot(normal, minus(corner, point)));
  const ends: Vector[] = [];
  for (let i = 0; i < 3; i++) {
    const [next, s, t] = [(i + 1) % 3, side[i], side[(i + 1) % 3]];
    if (s === 0) ends.push(triangle[i]);
    else if (s * t < 0) ends.push(between(triangle[i], triangle[next], s / (s - t)));
  }
  return ends.length === 2 ? [ends[0], ends[1]] : null;
}
