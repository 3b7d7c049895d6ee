// Which clashes are listed, and in what order.

import { VERDICTS, type Report, type Row } from "./data.ts";

/** A row of the list: a clash, or a pair of an earlier run that clashes no longer. */
export type Item = { row: number } | { resolved: number };

export type StatusName = "new" | "known" | "resolved";

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
  /** None stands for all. */
  verdicts: Set<string>;
  statuses: Set<StatusName>;
  group: number | null;
  part: number | null;
  order: Order;
}

export class Filter {
  readonly wanted: Wanted = {
    text: "",
    verdicts: new Set(),
    statuses: new Set(),
    group: null,
    part: null,
    order: "report",
  };
  /** For each part its full name in small letters. */
  private readonly names: string[];
  /** For each group the groups that it is in, itself among them. */
  private readonly above: Set<number>[];

  constructor(private readonly report: Report) {
    const { parts, groups } = report.header;
    this.above = [];
    for (const [number, group] of groups.entries()) {
      // Parents come first.
      this.above.push(new Set([number, ...(group.parent === null ? [] : this.above[group.parent])]));
    }
    this.names = parts.name.map((_, part) => report.fullName(part).toLowerCase());
  }

  /** What is to be listed now. */
  items(): Item[] {
    const { rows, resolved } = this.report.header;
    const { verdicts, statuses } = this.wanted;
    const words = this.wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    const items: Item[] = [];
    const hasText = (text: string) => words.every((word) => text.includes(word));
    // Each part is looked at once, not once for each of its clashes.
    const having = words.map((word) => Uint8Array.from(this.names, (name) => Number(name.includes(word))));
    for (const [number, row] of rows.entries()) {
      if (verdicts.size > 0 && !verdicts.has(row.verdict)) continue;
      if (statuses.size > 0 && !(row.status && statuses.has(row.status))) continue;
      if (this.wanted.part !== null && row.a !== this.wanted.part && row.b !== this.wanted.part) continue;
      if (this.wanted.group !== null && !this.isIn(row.a) && !this.isIn(row.b)) continue;
      if (!having.every((has) => has[row.a] || has[row.b])) continue;
      items.push({ row: number });
    }
    this.sort(items as { row: number }[]);
    const wantsResolved = statuses.size === 0 || statuses.has("resolved");
    if (!wantsResolved || this.wanted.group !== null || this.wanted.part !== null) return items;
    for (const [number, { a, b, verdict }] of resolved.entries()) {
      if (verdicts.size > 0 && !verdicts.has(verdict)) continue;
      if (hasText(`${a}\n${b}`.toLowerCase())) items.push({ resolved: number });
    }
    return items;
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

  /** The groups with a part that clashes, and how many clashes each has, with their full names. */
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
