// Pages to test, and what they are to show: folders with `report.html` and the `report.json` of the same findings.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = process.env.IMPINGE_PAGES;
if (!root) throw new Error("IMPINGE_PAGES names no folder of pages; `cargo xtask page` makes one");

/** The names of the folders. */
export const names = readdirSync(root)
  .filter((name) => existsSync(join(root, name, "report.html")))
  .sort();

/** @param {string} name */
export const page = (name) => resolve(root, name, "report.html");

/**
 * @param {string} name
 * @returns {{ parts: number, pairs_checked: number, clashes: Clash[] }}
 *
 * @typedef {{ a: string, b: string, verdict: string, depth: number | null, distance: number, point: number[],
 *   faces: unknown[] | number, status?: string | null }} Clash
 */
export const list = (name) => JSON.parse(readFileSync(join(root, name, "report.json"), "utf8"));
