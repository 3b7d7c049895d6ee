// How numbers and verdicts are shown as text.

import type { Box, Row, Verdict } from "./data.ts";

/** The colour of each verdict; the report has them, so that all outputs agree. */
export const COLORS = {} as Record<Verdict, string>;

/** Takes the colours from a report. */
export function setColors(colors: Record<Verdict, string>): void {
  Object.assign(COLORS, colors);
}

/** The colours of the faces of part a and of part b. */
export const SIDES = ["#3f9ff0", "#f59042"] as const;

export const MEANINGS: Record<Verdict, string> = {
  duplicate: "The same part stands twice in the same place.",
  inside: "One part, or a separate piece of it, lies inside the solid of the other part.",
  penetrating: "One part reaches into the other deeper than the touch band.",
  undecided: "One part has gaps, so it is not known whether the other part lies inside it.",
  fit: "A round part in a round hole of about the same radius and the same axis.",
  clearance: "The parts do not meet, but are closer to each other than the clearance.",
  touching: "The parts meet, or are within the touch band of each other; neither reaches in deeper than the band.",
};

/** Reasons why findings are not listed and pairs were not compared: the fields of `hidden`. */
export const HIDDEN: Record<string, string> = {
  rules: "hidden by a rule",
  only: "with a verdict that was not asked for",
  limit: "beyond the limit of the list",
  pairs_ignored: "excluded by a rule",
  pairs_between: "not between the groups that were asked for",
  pairs_same_group: "excluded by their sub-assemblies",
  pairs_adjacent: "connected by a joint",
};

/** Returns a number with four significant digits, without an exponent unless it is very large or small. */
export function number(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size >= 1e7 || size < 1e-4) return value.toExponential(3).replace("e+", "e");
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return trimmed(value.toFixed(digits));
}

function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export const count = (value: number) => value.toLocaleString("en");

export const plural = (value: number, one: string, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** Lengths in the units of the assembly. */
export class Lengths {
  constructor(readonly units: string | null) {}

  show(value: number): string {
    return this.units ? `${number(value)} ${this.units}` : number(value);
  }

  /** The most telling number of a finding. */
  measure(row: Row): string {
    if (row.verdict === "clearance") return `${this.show(row.distance)} apart`;
    if (row.fit) return this.difference(row.fit.difference);
    const depth = this.depth(row);
    if (depth) return `${depth} deep`;
    return row.length > 0 ? `${this.show(row.length)} long` : "";
  }

  /** The bounds of the depth; null if it is unknown or not beyond the touch band. */
  depth({ depth, depth_at_most, band }: Row): string | null {
    if (depth === null || depth <= band) return null;
    if (depth_at_most === null) return `≥ ${this.show(depth)}`;
    const [least, most] = [number(depth), number(depth_at_most)];
    return least === most ? this.show(depth) : `${least} – ${this.show(depth_at_most)}`;
  }

  /** The difference of the radii of a fit. */
  difference(value: number): string {
    const sign = value > 0 ? "+" : value < 0 ? "−" : "";
    return `${sign}${this.show(Math.abs(value))} radius`;
  }

  volume(value: number): string {
    return this.units ? `${number(value)} ${this.units}³` : number(value);
  }

  size([min, max]: Box): string {
    const sides = min.map((low, axis) => number(max[axis] - low));
    return sides.join(" × ") + (this.units ? ` ${this.units}` : "");
  }
}
