// The data of the page of a clash check. In the crate `impinge-clash`, `src/page/header.rs` writes the header, and
// `src/page/mod.rs` the lists of numbers after it, in the order in which they are read here.

import { unpack, type Box, type MeshData, type MeshInfo, type Point, type Reader } from "./packed.ts";

export type { Box, MeshData, MeshInfo, Point };

/** All verdicts, worst first. */
export const VERDICTS = ["duplicate", "inside", "penetrating", "undecided", "fit", "clearance", "touching"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** How a finding compares with the baseline. */
export type Status = "new" | "known" | "worse";

/** How far the work on a finding is. */
export const REVIEW_STATUSES = ["new", "active", "reviewed", "approved", "resolved"] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** What people decided about a finding. */
export interface Review {
  status: ReviewStatus;
  comment: string;
  assignee: string;
  /** The name of a group made by hand; empty for none. */
  group: string;
}

/** How a part is recognised in later runs. */
export interface PartIdentity {
  name: string;
  path: string;
  id: string | null;
  center: Point;
  size: Point;
  copies: number;
}

export interface Fit {
  shaft: "a" | "b";
  shaft_radius: number;
  hole_radius: number;
  /** The radius of the shaft minus that of the hole. */
  difference: number;
}

export interface Place {
  point: Point;
  length: number;
  extent: Box | null;
  pairs: number;
  pairs_kept: number;
}

export interface Row {
  a: number;
  b: number;
  /** The same in later runs. */
  key: string;
  verdict: Verdict;
  inside: "a" | "b" | null;
  /** The touch band of this pair. */
  band: number;
  /** Lower and upper bound of the depth. */
  depth: number | null;
  depth_at_most: number | null;
  /** A translation of part b that frees the parts. */
  separation: Point | null;
  volume: number | null;
  fit: Fit | null;
  distance: number;
  points: [Point, Point];
  pairs: number;
  pairs_kept: number;
  faces: [number, number];
  length: number;
  extent: Box | null;
  place_count: number;
  places: Place[];
  closed: [boolean, boolean];
  status: Status | null;
  /** From the review file; null without one. */
  review: Review | null;
  /** What was measured when the finding was approved: the fields of an entry of the review file. */
  approved_as: Record<string, unknown> | null;
  cluster: { part: number; place: number };
  /** Along a path: when. */
  interval: Interval | null;
}

/** When a finding along a path begins, is shown and ends: numbers of moments of the path. */
export interface Interval {
  from: number;
  at: number;
  until: number;
  /** Why something worse cannot be ruled out; null if it is. */
  doubt: "samples" | "gaps" | "near" | null;
}

/** The path that some parts take. */
export interface Path {
  file: string;
  rows: number;
  /** The parts that move. */
  moving: number[];
  /** The moments that the page can show, in order: a row from 1, the share of the way to the next row, and the time if the
   * path has times. */
  moments: { row: number[]; fraction: number[]; time: number[] | null };
}

export interface Resolved {
  a: string;
  b: string;
  verdict: string;
}

export interface Header {
  version: string;
  files: string[];
  units: string | null;
  touch: number;
  clearance: number;
  pairs_checked: number;
  colors: Record<Verdict, string>;
  part_count: number;
  face_count: number;
  has_baseline: boolean;
  groups: { name: string; parent: number | null }[];
  parts: { name: string[]; group: (number | null)[]; mesh: number[] };
  meshes: MeshInfo[];
  rows: Row[];
  resolved: Resolved[];
  skipped: { name: string; why: string }[];
  gaps: { part: number; width: number; closed: boolean }[];
  /** Counts by reason; reasons that begin with `pairs_` count pairs that were not compared, the others findings. */
  hidden: Record<string, number>;
  left_out: { kind: string; count: number; names: string[] }[];
  clusters: { part: Cluster[]; place: Cluster[] };
  identities: [number, PartIdentity][];
  /** Entries of the review file that are not about a listed finding. */
  other_reviews: Record<string, unknown>[] | null;
  /** Whether only verdicts were decided, without depths and faces. */
  is_quick: boolean;
  /** False for a scene that was not checked. */
  is_checked: boolean;
  /** The path that was checked; null for an assembly at rest. */
  path: Path | null;
}

export interface Cluster {
  /** The part that all findings have in common, if there is one. */
  name: string | null;
  count: number;
}

export class Report {
  /** Row-major `[R | t]` of each part, at the moment that is shown. */
  readonly poses: Float64Array;
  /** The moment of the path that is shown. */
  moment = 0;
  /** Row-major `[R | t]` of each moment: how it displaces the parts that move from where they are assembled. */
  readonly displacements: Float64Array;
  private readonly assembled: Float64Array;
  /** The geometry of each mesh; null for those there was no room for. */
  readonly meshes: (MeshData | null)[];
  private readonly pairsA: Uint32Array;
  private readonly pairsB: Uint32Array;
  private readonly ofPlaces: Uint32Array;
  private readonly firstPair: Uint32Array;
  private readonly firstOfPlaces: Uint32Array;
  private readonly identities: Map<number, PartIdentity>;
  private readonly numbers: Map<string, number>;

  constructor(
    readonly header: Header,
    reader: Reader,
    /** A number that differs between runs with different findings. */
    readonly run: string,
  ) {
    const { rows, parts } = header;
    this.identities = new Map(header.identities);
    this.numbers = new Map(rows.map((row, number) => [row.key, number]));
    this.poses = reader.floats(12 * parts.name.length);
    this.assembled = this.poses.slice();
    this.displacements = reader.floats(12 * (header.path?.moments.row.length ?? 0));
    [this.firstPair, this.firstOfPlaces] = [new Uint32Array(rows.length), new Uint32Array(rows.length)];
    let [pairs, ofPlaces] = [0, 0];
    rows.forEach((row, i) => {
      [this.firstPair[i], this.firstOfPlaces[i]] = [pairs, ofPlaces];
      pairs += row.pairs_kept;
      for (const place of row.places) ofPlaces += place.pairs_kept;
    });
    this.pairsA = reader.indices(pairs);
    this.pairsB = reader.indices(pairs);
    this.ofPlaces = reader.indices(ofPlaces);
    this.meshes = header.meshes.map((mesh) => reader.mesh(mesh));
  }

  /** Shows another moment of the path: puts the parts that move where they are then. */
  moveTo(moment: number): void {
    const { path } = this.header;
    if (!path) return;
    this.moment = moment;
    const d = this.displacements.subarray(12 * moment, 12 * moment + 12);
    for (const part of path.moving) {
      const own = this.assembled.subarray(12 * part, 12 * part + 12);
      for (let row = 0; row < 3; row++) {
        for (let column = 0; column < 4; column++) {
          const of = (k: number) => d[4 * row + k] * own[4 * k + column];
          this.poses[12 * part + 4 * row + column] = of(0) + of(1) + of(2) + (column === 3 ? d[4 * row + 3] : 0);
        }
      }
    }
  }

  /** The pairs of faces of a clash, or of one of its places. */
  pairs(row: number, place: number | null): [number, number][] {
    const [first, { pairs_kept, places }] = [this.firstPair[row], this.header.rows[row]];
    const pair = (i: number): [number, number] => [this.pairsA[first + i], this.pairsB[first + i]];
    if (place === null) return Array.from({ length: pairs_kept }, (_, i) => pair(i));
    let at = this.firstOfPlaces[row];
    for (const before of places.slice(0, place)) at += before.pairs_kept;
    return Array.from(this.ofPlaces.subarray(at, at + places[place].pairs_kept), pair);
  }

  /** The names of the sub-assemblies that a part is in, from the top. */
  path(part: number): string[] {
    const path = [];
    for (let group = this.header.parts.group[part]; group !== null; ) {
      path.push(this.header.groups[group].name);
      group = this.header.groups[group].parent;
    }
    return path.reverse();
  }

  /** The number of the finding with a key; undefined if there is none. */
  withKey(key: string): number | undefined {
    return this.numbers.get(key);
  }

  /** How a part of a finding is recognised in later runs. */
  identity(part: number): PartIdentity | undefined {
    return this.identities.get(part);
  }

  name(part: number): string {
    return this.header.parts.name[part];
  }

  fullName(part: number): string {
    return [...this.path(part), this.name(part)].join("/");
  }
}

/** Unpacks the data of the page. */
export async function read(letters: string): Promise<Report> {
  const { header, reader, run } = await unpack<Header>(letters);
  return new Report(header, reader, run);
}
