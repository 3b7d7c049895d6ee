// Which findings are listed, in what order, and how they are clustered.

import { VERDICTS, type Report, type ReviewStatus, type Row } from "./data.ts";
import type { Reviews } from "./review.ts";
import { plural } from "./words.ts";

/** A row of the list: a finding, a pair of an earlier run that no longer clashes, or the head of a cluster. */
export type Item = { row: number } | { resolved: number } | { cluster: Cluster };

/** Several findings that are one row of the list until it is opened. */
export interface Cluster {
  /** The same whenever the list is made anew. */
  id: string;
  name: string;
  note: string;
  rows: number[];
  isOpen: boolean;
}

export type StatusName = "new" | "known" | "worse" | "resolved";

/** What the findings of a cluster have in common. */
export const CLUSTERS = {
  finding: "Rows: findings",
  pair: "Rows: pairs",
  part: "Rows: parts",
  place: "Rows: places",
  group: "Rows: my groups",
} as const;
export type ClusterBy = keyof typeof CLUSTERS;

export const ORDERS = {
  report: "As reported",
  severity: "Worst first",
  depth: "Deepest first",
  distance: "Closest first",
  name: "By name",
} as const;
export type Order = keyof typeof ORDERS;

export interface Wanted {
  text: string;
  /** An empty set stands for all. */
  verdicts: Set<string>;
  statuses: Set<StatusName>;
  reviews: Set<ReviewStatus>;
  group: number | null;
  part: number | null;
  order: Order;
  by: ClusterBy;
}

export class Filter {
  readonly wanted: Wanted = {
    text: "",
    verdicts: new Set(),
    statuses: new Set(),
    reviews: new Set(),
    group: null,
    part: null,
    order: "report",
    by: "finding",
  };
  /** The ids of the clusters whose findings are listed below them. */
  private readonly opened = new Set<string>();
  /** The full name of each part, in lower case. */
  private readonly names: string[];
  /** The groups that contain each group, including itself. */
  private readonly above: Set<number>[];

  constructor(
    private readonly report: Report,
    private readonly reviews: Reviews,
  ) {
    const { parts, groups } = report.header;
    this.above = [];
    for (const [number, group] of groups.entries()) {
      // Parents come first.
      this.above.push(new Set([number, ...(group.parent === null ? [] : this.above[group.parent])]));
    }
    this.names = parts.name.map((_, part) => report.fullName(part).toLowerCase());
  }

  /** The items to list now. */
  items(): Item[] {
    const { rows, resolved } = this.report.header;
    const { verdicts, statuses, reviews } = this.wanted;
    const words = this.wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    const items: { row: number }[] = [];
    const hasText = (text: string) => words.every((word) => text.includes(word));
    // Each part is searched once, not once for each of its findings.
    const having = words.map((word) => Uint8Array.from(this.names, (name) => Number(name.includes(word))));
    for (const [number, row] of rows.entries()) {
      if (verdicts.size > 0 && !verdicts.has(row.verdict)) continue;
      if (statuses.size > 0 && !(row.status && statuses.has(row.status))) continue;
      if (reviews.size > 0 && !reviews.has(this.reviews.of(row).status)) continue;
      if (this.wanted.part !== null && row.a !== this.wanted.part && row.b !== this.wanted.part) continue;
      if (this.wanted.group !== null && !this.isIn(row.a) && !this.isIn(row.b)) continue;
      if (!having.every((has) => has[row.a] || has[row.b])) continue;
      items.push({ row: number });
    }
    this.sort(items);
    const listed = this.clustered(items);
    const wantsResolved = (statuses.size === 0 || statuses.has("resolved")) && reviews.size === 0;
    if (!wantsResolved || this.wanted.group !== null || this.wanted.part !== null) return listed;
    for (const [number, { a, b, verdict }] of resolved.entries()) {
      if (verdicts.size > 0 && !verdicts.has(verdict)) continue;
      if (hasText(`${a}\n${b}`.toLowerCase())) listed.push({ resolved: number });
    }
    return listed;
  }

  /** Opens or closes a cluster: whether its findings are listed. */
  open({ id }: Cluster, isOpen: boolean): void {
    if (isOpen) this.opened.add(id);
    else this.opened.delete(id);
  }

  /** Opens the cluster of a finding, if it is in one. Returns whether the list changes. */
  reveal(row: number, items: Item[]): boolean {
    const item = items.find((item) => "cluster" in item && !item.cluster.isOpen && item.cluster.rows.includes(row));
    if (item && "cluster" in item) this.open(item.cluster, true);
    return item !== undefined;
  }

  /** Puts findings with something in common below one head. A finding that is alone has no head. */
  private clustered(items: { row: number }[]): Item[] {
    const { by } = this.wanted;
    if (by === "finding") return items;
    const members = new Map<string, number[]>();
    for (const { row } of items) {
      const label = this.label(by, row);
      const rows = members.get(label);
      if (rows) rows.push(row);
      else members.set(label, [row]);
    }
    const listed: Item[] = [];
    const rest: Item[] = [];
    for (const [label, rows] of members) {
      const isGroup = by === "group" && label !== "";
      if (!isGroup && (rows.length === 1 || by === "group")) {
        rest.push(...rows.map((row) => ({ row })));
        // Only findings outside of all groups come last; others keep their order.
        if (by !== "group") listed.push(...rest.splice(0));
        continue;
      }
      const id = `${by}:${label}`;
      const isOpen = this.opened.has(id);
      listed.push({ cluster: { id, ...this.title(by, label, rows), rows, isOpen } });
      if (isOpen) listed.push(...rows.map((row) => ({ row })));
    }
    return [...listed, ...rest];
  }

  /** The same text for all findings of a cluster. */
  private label(by: ClusterBy, number: number): string {
    const row = this.report.header.rows[number];
    if (by === "group") return this.reviews.of(row).group;
    if (by === "pair") return [row.a, row.b].map((part) => this.path(part)).sort().join("\n");
    return String(row.cluster[by as "part" | "place"]);
  }

  /** The path of a part without the number that makes its name unique. */
  private path(part: number): string {
    return this.report.identity(part)?.path ?? this.report.fullName(part);
  }

  private title(by: ClusterBy, label: string, rows: number[]): { name: string; note: string } {
    const { header } = this.report;
    const note = plural(rows.length, "finding");
    if (by === "group") return { name: label, note };
    const last = (path: string) => path.slice(path.lastIndexOf("/") + 1);
    if (by === "pair") return { name: label.split("\n").map(last).join(" and "), note };
    const common = header.clusters[by as "part" | "place"][Number(label)]?.name;
    if (common) return { name: common, note: by === "place" ? `${note} near each other` : note };
    const { a, b } = header.rows[rows[0]];
    const parts = new Set(rows.flatMap((row) => [header.rows[row].a, header.rows[row].b]));
    const more = parts.size > 2 ? ` and ${plural(parts.size - 2, "more part")}` : "";
    return { name: `${this.report.name(a)}, ${this.report.name(b)}${more}`, note: `${note} near each other` };
  }

  private isIn(part: number): boolean {
    const group = this.report.header.parts.group[part];
    return group !== null && this.above[group].has(this.wanted.group!);
  }

  private sort(items: { row: number }[]): void {
    const { rows } = this.report.header;
    const depth = (row: Row) => row.depth ?? -1;
    const rank = (row: Row) => VERDICTS.indexOf(row.verdict);
    const name = (row: Row) => `${this.names[row.a]}\n${this.names[row.b]}`;
    const compare: Record<Order, ((a: Row, b: Row) => number) | null> = {
      report: null,
      severity: (a, b) => rank(a) - rank(b) || depth(b) - depth(a) || a.distance - b.distance,
      depth: (a, b) => depth(b) - depth(a) || a.distance - b.distance,
      distance: (a, b) => a.distance - b.distance || depth(b) - depth(a),
      name: null,
    };
    const by = compare[this.wanted.order];
    if (by) items.sort((a, b) => by(rows[a.row], rows[b.row]) || a.row - b.row);
    if (this.wanted.order === "name") {
      const keys = new Map(items.map(({ row }) => [row, name(rows[row])]));
      const { compare } = new Intl.Collator("en", { numeric: true });
      items.sort((a, b) => compare(keys.get(a.row)!, keys.get(b.row)!) || a.row - b.row);
    }
  }

  /** The sub-assemblies with a part that clashes, their full names, and how many findings each has. */
  groups(): { group: number; path: string; count: number }[] {
    const { rows, parts, groups } = this.report.header;
    const counts = new Uint32Array(groups.length);
    for (const row of rows) {
      const of = new Set<number>();
      for (const part of [row.a, row.b]) {
        const group = parts.group[part];
        if (group !== null) this.above[group].forEach((above) => of.add(above));
      }
      of.forEach((group) => counts[group]++);
    }
    const path = (group: number | null): string[] =>
      group === null ? [] : [...path(groups[group].parent), groups[group].name];
    return groups
      .map((_, group) => ({ group, path: path(group).join(" / "), count: counts[group] }))
      .filter(({ count }) => count > 0)
      .slice(0, 2000);
  }
}
