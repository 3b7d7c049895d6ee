// How numbers and verdicts are put.

import type { Box, Row, Verdict } from "./data.ts";

export const COLORS: Record<Verdict, string> = {
  duplicate: "#c4a2ff",
  inside: "#ff8fc7",
  penetrating: "#ff7b72",
  clearance: "#f2cc60",
  touching: "#5cd6c0",
};

/** Faces of the one part and of the other. */
export const SIDES = ["#3f9ff0", "#f59042"] as const;

export const MEANINGS: Record<Verdict, string> = {
  duplicate: "The same part in the same place: every face of the one lies on a face of the other, within the touch band.",
  inside: "The surfaces do not meet, and one part, or a separate piece of it, lies within the solid of the other.",
  penetrating: "The surfaces cross, and one part reaches deeper than the touch band into the other.",
  clearance: "The surfaces do not meet, but come closer to each other than was asked for.",
  touching: "The surfaces meet, but nothing lies deeper than the touch band.",
};

/** Four digits that count, without an exponent where it can be helped. */
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

  /** The number that tells most about a clash. */
  measure(row: Row): string {
    if (row.verdict === "clearance") return `${this.show(row.distance)} apart`;
    if (row.depth !== null && row.depth > 0) return `${this.show(row.depth)} deep`;
    return row.length > 0 ? `${this.show(row.length)} long` : "";
  }

  size([min, max]: Box): string {
    const sides = min.map((low, axis) => number(max[axis] - low));
    return sides.join(" × ") + (this.units ? ` ${this.units}` : "");
  }
}
