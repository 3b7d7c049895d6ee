// Tests of the page of an NC program in a browser.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import * as pages from "./pages.mjs";
import { decode } from "./png.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** @param {string} name */
const show = (name) => open(browser, pages.ncPage(name));

/**
 * Calls a function of the page.
 *
 * @param {Page} page
 * @param {keyof import("../src/nc/main.ts").NcHooks} name
 * @param {unknown[]} given
 */
const call = (page, name, ...given) =>
  page.evaluate(([name, given]) => {
    const hooks = /** @type {any} */ (window).impinge;
    return hooks[/** @type {string} */ (name)](.../** @type {unknown[]} */ (given));
  }, /** @type {[string, unknown[]]} */ ([name, given]));

/**
 * Counts the pixels of the view that a condition holds for.
 *
 * @param {Page} page
 * @param {(r: number, g: number, b: number) => boolean} is
 */
async function pixels(page, is) {
  const picture = decode(await page.locator("#canvas").screenshot());
  let total = 0;
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      const [r, g, b] = picture.pixel(x, y);
      if (is(r, g, b)) total++;
    }
  }
  return total;
}

/**
 * When the view has been drawn again.
 *
 * @param {Page} page
 */
const drawn = (page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** @type {(r: number, g: number, b: number) => boolean} */
const isRed = (r, g, b) => r > 180 && g < 100 && b < 100;
/** @type {(r: number, g: number, b: number) => boolean} */
const isPurple = (r, g, b) => b - g > 60 && r - g > 20;

for (const name of pages.ncNames) {
  test(`${name}: loads without a complaint, asks for nothing, lists the worst gouges of the JSON`, async () => {
    const { page, complaints, requests } = await show(name);
    const { gouges, moves } = pages.ncList(name);
    /** @type {import("../src/nc/data.ts").Header} */
    const header = JSON.parse(await page.evaluate(() => JSON.stringify(/** @type {any} */ (window).impinge.report().header)));
    const worst = gouges.toSorted((a, b) => b.depth - a.depth).slice(0, header.gouges.length);
    assert.equal(header.gouge_count, gouges.length);
    assert.deepEqual(
      header.gouges.map(({ line, depth, at }) => ({ line, depth, at })),
      worst.map(({ line, depth, at }) => ({ line, depth, at })),
    );
    assert.deepEqual(await call(page, "listed"), [...header.gouges.keys()]);
    const facts = await page.locator("#facts").textContent();
    assert.ok(facts?.startsWith(`${moves.toLocaleString("en")} move`), facts ?? "");
    const rows = await page.locator("[data-gouge]").count();
    assert.equal(rows > 0, gouges.length > 0);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests, []);
    await page.close();
  });
}

test("a gouge that is clicked is framed, with the tool where it hits and its faces in red", async () => {
  const { page } = await show("nc-demo");
  const { gouges } = pages.ncList("nc-demo");
  const holder = gouges.find((gouge) => gouge.with === "holder");
  assert.ok(holder);
  await page.locator(".row", { hasText: "holder" }).click();
  await call(page, "settled");
  const shown = await page.locator("#details").textContent();
  assert.match(shown ?? "", /The holder hits the part/);
  assert.match(shown ?? "", /28: G1 Y34\./);
  const stats = await call(page, "stats");
  assert.equal(stats.highlighted, holder.faces.length);
  const holderPixels = await pixels(page, isPurple);
  await page.locator('[data-show="tool"]').click();
  await drawn(page);
  const others = await pixels(page, isPurple);
  assert.ok(holderPixels > 5000 && others < holderPixels / 10, `${holderPixels} ${others}`);
  await page.locator('[data-show="tool"]').click();
  await drawn(page);
  // The camera looks at the deepest point.
  const camera = await call(page, "camera");
  camera.target.forEach((/** @type {number} */ value, /** @type {number} */ axis) => {
    assert.ok(Math.abs(value - holder.at[axis]) < 1e-3, `${camera.target}`);
  });
  assert.match((await page.locator("#when").textContent()) ?? "", /^Line 28 · T1 at \(17, 16\.67, -12\)/);
  const shots = process.env.IMPINGE_SHOTS;
  if (shots) {
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: join(shots, "nc.png") });
  }
  await page.keyboard.press("Escape");
  await call(page, "settled");
  assert.match((await page.locator("#details").textContent()) ?? "", /^3 gouges/);
  await page.close();
});

test("marks in the view choose gouges", async () => {
  const { page } = await show("nc-demo");
  const at = await call(page, "project", 1);
  const box = await page.locator("#canvas").boundingBox();
  assert.ok(at && box);
  await page.mouse.click(box.x + at[0], box.y + at[1]);
  await call(page, "settled");
  assert.equal(await page.locator('[data-gouge="1"]').getAttribute("aria-selected"), "true");
  await page.close();
});

test("filters choose which gouges are listed and which moves are drawn", async () => {
  const { page } = await show("nc-demo");
  const { gouges } = pages.ncList("nc-demo");
  await page.locator('[data-filter="rapid"]').click();
  assert.equal((await call(page, "listed")).length, gouges.filter((gouge) => gouge.rapid).length);
  await page.locator('[data-filter="rapid"]').click();
  await page.locator("#search").fill("28");
  assert.equal(await page.locator("[data-gouge]").count(), 1);
  await page.locator("#search").fill("");
  await page.locator("#sort").selectOption("line");
  const lines = await page.locator("[data-gouge] .names span").allTextContents();
  assert.deepEqual(lines, gouges.map((gouge) => `Line ${gouge.line}`));
  await page.locator("#search").fill("no such text");
  const before = await pixels(page, isRed);
  await page.locator('[data-path="gouging"]').click();
  await drawn(page);
  const after = await pixels(page, isRed);
  assert.ok(before > 300 && after < before / 4, `${before} ${after}`);
  await page.close();
});

test("the slider and the steps move the tool along the program", async () => {
  const { page } = await show("nc-demo");
  const when = () => page.locator("#when").textContent();
  assert.match((await when()) ?? "", /^Line 8 · T1 at \(0, 0, 50\)/);
  const lines = [];
  for (let i = 0; i < 5; i++) {
    await page.locator("#on").click();
    lines.push(Number(/^Line (\d+)/.exec((await when()) ?? "")?.[1]));
  }
  assert.deepEqual(lines, [8, 9, 10, 11, 13]);
  await page.locator("#back").click();
  assert.match((await when()) ?? "", /^Line 11 · T1 at \(7, 7, -12\)/);
  const { pathLength } = await call(page, "stats");
  await call(page, "moveTo", pathLength);
  assert.match((await when()) ?? "", /T2 at \(80\.5, 49, 30\)/);
  await call(page, "moveTo", 0);
  await page.locator("#play").click();
  await page.waitForFunction(() => /** @type {any} */ (window).impinge.stats().length > 1);
  await page.locator("#play").click();
  await page.close();
});

test("what was left out is stated", async () => {
  const { page } = await show("nc-crowded");
  const text = (await page.locator("#details").textContent()) ?? "";
  assert.match(text, /Only the 5 deepest of \d+ gouges are in this page/);
  assert.match(text, /The line is within [\d.e-]+ mm of the true path/);
  assert.match(text, /a note/);
  assert.equal(await page.evaluate(() => "harm" in window), false);
  await page.close();
});

test("a program without gouges says so", async () => {
  const { page } = await show("nc-clean");
  assert.match((await page.locator("#details").textContent()) ?? "", /^No gouges/);
  assert.equal(await page.locator("#count").textContent(), "0 listed");
  await page.close();
});
