// Pages to test, and what they are to show: folders with `report.html` and the `report.json` of the same clash check, or
// with `nc.html` and the `nc.json` of the same NC program.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = process.env.IMPINGE_PAGES;
if (!root) throw new Error("IMPINGE_PAGES names no folder of pages; `cargo xtask page` makes one");

/** The names of the folders with clash checks. */
export const names = readdirSync(root)
  .filter((name) => existsSync(join(root, name, "report.html")))
  .sort();

/** @param {string} name */
export const page = (name) => resolve(root, name, "report.html");

/** The page of an assembly that was not checked. */
export const scene = resolve(root, "scene.html");

/**
 * @param {string} name
 * @returns {{ parts: number, pairs_checked: number, clashes: Clash[] }}
 *
 * @typedef {{ a: string, b: string, verdict: string, depth: number | null, distance: number, point: number[],
 *   faces: unknown[] | number, status?: string | null }} Clash
 */
export const list = (name) => JSON.parse(readFileSync(join(root, name, "report.json"), "utf8"));

/** The names of the folders with NC programs. */
export const ncNames = readdirSync(root)
  .filter((name) => existsSync(join(root, name, "nc.html")))
  .sort();

/** @param {string} name */
export const ncPage = (name) => resolve(root, name, "nc.html");

/**
 * @param {string} name
 * @returns {{ moves: number, gouging_moves: number, worst_depth: number, gouges: NcGouge[] }}
 *
 * @typedef {{ line: number, depth: number, lift: number, at: number[], tip: number[], with: string, rapid: boolean,
 *   faces: number[] }} NcGouge
 */
export const ncList = (name) => JSON.parse(readFileSync(join(root, name, "nc.json"), "utf8"));
