// Meshes as the graphics card takes them: smooth where faces meet at small angles, with edges where they do not.

import { BufferAttribute, BufferGeometry } from "three";
import type { MeshData } from "../packed.ts";

/** Faces that meet at less than this are shaded as one surface. */
const SMOOTH = Math.cos((32 * Math.PI) / 180);

/** A corner of more faces than this, the tip of a fan, is not smoothed: its cost would be their square. */
const CROWD = 200;

/** Three corners a face, in the order of the faces; normals where they are asked for. */
export function geometryOf(mesh: MeshData, isSmooth: boolean): BufferGeometry {
  const geometry = new BufferGeometry();
  if (!isSmooth) {
    geometry.setAttribute("position", new BufferAttribute(mesh.positions, 3));
    geometry.setIndex(new BufferAttribute(mesh.corners, 1));
    return geometry;
  }
  const { positions, corners } = mesh;
  const spread = new Float32Array(3 * corners.length);
  corners.forEach((corner, i) => spread.set(positions.subarray(3 * corner, 3 * corner + 3), 3 * i));
  geometry.setAttribute("position", new BufferAttribute(spread, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals(mesh), 3));
  return geometry;
}

function normals(mesh: MeshData): Float32Array {
  const corners = welded(mesh);
  const ofFaces = faceNormals(mesh);
  const [first, faces] = facesAround(corners, mesh.positions.length / 3);
  const normals = new Float32Array(3 * corners.length);
  corners.forEach((vertex, i) => {
    const face = 3 * Math.floor(i / 3);
    const [x, y, z] = [ofFaces[face], ofFaces[face + 1], ofFaces[face + 2]];
    const own = Math.hypot(x, y, z);
    let sum = [x, y, z];
    if (own > 0 && first[vertex + 1] - first[vertex] <= CROWD) {
      sum = [0, 0, 0];
      for (let k = first[vertex]; k < first[vertex + 1]; k++) {
        const other = 3 * faces[k];
        const [u, v, w] = [ofFaces[other], ofFaces[other + 1], ofFaces[other + 2]];
        if (x * u + y * v + z * w < SMOOTH * own * Math.hypot(u, v, w)) continue;
        sum[0] += u;
        sum[1] += v;
        sum[2] += w;
      }
    }
    const length = Math.hypot(sum[0], sum[1], sum[2]) || 1;
    for (let axis = 0; axis < 3; axis++) normals[3 * i + axis] = sum[axis] / length;
  });
  return normals;
}

/** Where faces meet at an angle, or end: two points a segment. */
export function edgesOf(mesh: MeshData): Float32Array {
  const corners = welded(mesh);
  const ofFaces = faceNormals(mesh);
  const count = mesh.positions.length / 3;
  const open = new Map<number, [number, number]>();
  const segments: number[] = [];
  const add = (...vertices: number[]) => {
    for (const vertex of vertices) segments.push(...mesh.positions.subarray(3 * vertex, 3 * vertex + 3));
  };
  for (let i = 0; i < corners.length; i++) {
    const face = Math.floor(i / 3);
    const next = i % 3 === 2 ? i - 2 : i + 1;
    const [from, to] = [corners[i], corners[next]];
    const key = Math.min(from, to) * count + Math.max(from, to);
    const other = open.get(key);
    if (other === undefined) {
      open.set(key, [face, i]);
      continue;
    }
    open.delete(key);
    let [dot, own, others] = [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [ofFaces[3 * face + axis], ofFaces[3 * other[0] + axis]];
      dot += u * v;
      own += u * u;
      others += v * v;
    }
    if (dot < SMOOTH * Math.sqrt(own * others)) add(from, to);
  }
  for (const [face, i] of open.values()) add(corners[i], corners[i % 3 === 2 ? 3 * face : i + 1]);
  return new Float32Array(segments);
}

/** Not of unit length: their sum counts large faces more. */
function faceNormals({ positions: p, corners }: MeshData): Float32Array {
  const normals = new Float32Array(corners.length);
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = [3 * corners[i], 3 * corners[i + 1], 3 * corners[i + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    normals[i] = uy * vz - uz * vy;
    normals[i + 1] = uz * vx - ux * vz;
    normals[i + 2] = ux * vy - uy * vx;
  }
  return normals;
}

/** The corners, with vertices in one place taken for one: files may repeat them face by face. */
function welded({ positions, corners }: MeshData): Uint32Array {
  const count = positions.length / 3;
  const bits = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2))).fill(-1);
  const mask = slots.length - 1;
  const first = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [bits[3 * i], bits[3 * i + 1], bits[3 * i + 2]];
    let slot = Math.imul(Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35), 0x27d4eb2f);
    slot = (slot ^ (slot >>> 15)) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const known = slots[slot];
      if (known < 0) {
        slots[slot] = first[i] = i;
        break;
      }
      if (bits[3 * known] === x && bits[3 * known + 1] === y && bits[3 * known + 2] === z) {
        first[i] = known;
        break;
      }
    }
  }
  return corners.map((corner) => first[corner]);
}

/** For each vertex where its faces begin in the list of faces. */
function facesAround(corners: Uint32Array, vertices: number): [Uint32Array, Uint32Array] {
  const first = new Uint32Array(vertices + 2);
  for (const corner of corners) first[corner + 2]++;
  for (let i = 2; i < first.length; i++) first[i] += first[i - 1];
  const faces = new Uint32Array(corners.length);
  corners.forEach((corner, i) => (faces[first[corner + 1]++] = Math.floor(i / 3)));
  return [first, faces];
}
