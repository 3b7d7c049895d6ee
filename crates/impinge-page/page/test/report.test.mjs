// Tests of the page in a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
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

/**
 * @param {string} name
 * @param {{ width: number, height: number }} [size]
 */
const show = (name, size) => open(browser, pages.page(name), size);

/** @param {Page} page */
const listed = async (page) =>
  /** @type {number[]} */ (JSON.parse(await page.evaluate(() => JSON.stringify(window.impinge.listed()))));

/** @param {Page} page */
async function camera(page) {
  const seen = await page.evaluate(() => window.impinge.camera());
  assert.ok(seen);
  return seen;
}

/**
 * Chooses a clash with the mouse, and waits until it is in view.
 *
 * @param {Page} page
 * @param {number} row
 */
async function choose(page, row) {
  await page.locator(`[data-row="${row}"]`).click();
  await settled(page);
}

/**
 * When the camera stands still.
 *
 * @param {Page} page
 */
const settled = (page) => page.evaluate(() => window.impinge.settled());

/**
 * @param {number[]} a
 * @param {number[]} b
 */
const distance = (a, b) => Math.hypot(...a.map((value, axis) => value - b[axis]));

/**
 * How many pixels of the view are blue and orange, as parts that clash are, how many strongly so, as are their faces,
 * and how many colours there are.
 *
 * @param {Page} page
 */
async function colors(page) {
  const picture = decode(await page.locator("#canvas").screenshot());
  const different = new Set();
  let [blue, orange, strong] = [0, 0, 0];
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      // The axes in the corner have colours of their own.
      if (x > picture.width - 90 && y > picture.height - 90) continue;
      const [r, g, b] = picture.pixel(x, y);
      different.add((r << 16) | (g << 8) | b);
      if (b - r > 90 && b - g > 40) blue++;
      if (r - b > 60 && r - g > 30) orange++;
      if ((b - r > 130 && b - g > 40) || (r - b > 130 && r - g > 40)) strong++;
    }
  }
  return { different: different.size, blue, orange, strong };
}

for (const name of pages.names) {
  test(`${name}: loads without a complaint, asks for nothing, lists what JSON lists`, async () => {
    const { page, complaints, requests } = await show(name);
    const { clashes, parts } = pages.list(name);
    // As text, because there may be a hundred thousand.
    const told = await page.evaluate(() => {
      const report = window.impinge.report();
      const rows = report.header.rows.map((row) => ({
        ...row,
        names: [report.name(row.a), report.name(row.b)],
        full: [report.fullName(row.a), report.fullName(row.b)],
      }));
      return JSON.stringify(rows);
    });
    /** @type {(import("../src/data.ts").Row & { names: string[], full: string[] })[]} */
    const rows = JSON.parse(told);
    assert.equal(rows.length, clashes.length);
    clashes.forEach((clash, i) => {
      const row = rows[i];
      for (const [side, told] of [clash.a, clash.b].entries()) {
        assert.ok(told === row.names[side] || told === row.full[side], `${i}: ${told}`);
      }
      assert.equal(row.verdict, clash.verdict);
      assert.equal(row.depth, clash.depth ?? null);
      assert.equal(row.distance, clash.distance);
      assert.deepEqual(row.points[0], clash.point);
      assert.equal(row.pairs, Array.isArray(clash.faces) ? clash.faces.length : clash.faces);
    });
    const listedRows = (await listed(page)).filter((row) => row >= 0);
    assert.deepEqual(listedRows, [...clashes.keys()]);
    assert.ok((await page.locator("#facts").textContent())?.startsWith(`${parts.toLocaleString("en")} part`));

    const shown = await page.locator("[data-row]").all();
    assert.equal(shown.length > 0, clashes.length > 0);
    for (const element of shown) {
      const row = rows[Number(await element.getAttribute("data-row"))];
      assert.deepEqual(await element.locator(".names span").allTextContents(), row.names);
      assert.equal(await element.locator(".verdict").textContent(), row.verdict);
    }
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests, []);
    await page.close();
  });
}

describe("gearbox", () => {
  const { clashes } = pages.list("gearbox");

  test("a click frames the clash and highlights its faces", async () => {
    const { page, complaints } = await show("gearbox");
    const whole = await camera(page);
    const before = await colors(page);
    assert.ok(before.different > 200, `the assembly is not to be seen: ${before.different} colours`);
    assert.equal(before.blue, 0);
    for (const row of clashes.keys()) {
      await choose(page, row);
      const seen = await camera(page);
      const { extent, points, faces } = await page.evaluate((i) => window.impinge.report().header.rows[i], row);
      assert.ok(extent);
      const size = distance(extent[0], extent[1]);
      const middle = extent[0].map((low, axis) => (low + extent[1][axis]) / 2);
      assert.ok(distance(seen.target, middle) < 1e-6 * size + 1e-9, `${row}: looks at ${seen.target}, not ${middle}`);
      assert.ok(distance(seen.target, points[0]) <= size);
      // All of it in view, and not lost in it; a gap of nearly nothing needs something around it.
      assert.ok(seen.distance > size, `${row}: from ${seen.distance} at ${size}`);
      assert.ok(seen.distance < (clashes[row].distance > 0 ? 300 : 8) * size, `${row}: from ${seen.distance} at ${size}`);
      assert.ok(seen.distance < whole.distance);
      const { different, blue, orange, strong } = await colors(page);
      assert.ok(different > 200, `${row}: ${different} colours`);
      assert.ok(blue > 300 && orange > 300, `${row}: ${blue} blue, ${orange} orange pixels`);
      // Only faces near the contact are in strong colours.
      assert.ok(strong > (clashes[row].distance > 0 ? 300 : 1000), `${row}: ${strong} pixels of highlighted faces`);
      const { highlighted } = await page.evaluate(() => window.impinge.stats());
      assert.deepEqual(highlighted, faces);
      assert.equal(await page.locator(".badge").textContent(), clashes[row].verdict);
    }
    await page.keyboard.press("Escape");
    await settled(page);
    const back = await camera(page);
    assert.ok(Math.abs(back.distance - whole.distance) < 1e-3 * whole.distance);
    assert.equal((await colors(page)).blue, 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("a gap is drawn with its length", async () => {
    const { page } = await show("gearbox");
    const row = clashes.findIndex((clash) => clash.verdict === "clearance");
    assert.equal(await page.locator("#gap").isVisible(), false);
    await choose(page, row);
    const text = await page.locator("#gap").textContent();
    assert.ok(Math.abs(Number.parseFloat(text ?? "") - clashes[row].distance) < 1e-3 * clashes[row].distance, `${text}`);
    await page.close();
  });

  test("a place is framed by itself", async () => {
    const { page } = await show("gearbox");
    const row = await page.evaluate(() => window.impinge.report().header.rows.findIndex((row) => row.places.length > 1));
    assert.ok(row >= 0, "no clash has two places, so this proves nothing");
    await choose(page, row);
    await page.locator('[data-place="1"]').click();
    await settled(page);
    const place = await page.evaluate((i) => window.impinge.report().header.rows[i].places[1], row);
    const { target } = await camera(page);
    assert.ok(place.extent);
    const [min, max] = place.extent;
    assert.ok(target.every((value, axis) => value >= min[axis] - 1e-6 && value <= max[axis] + 1e-6));
    assert.equal(await page.locator('[data-place="1"]').getAttribute("aria-pressed"), "true");
    await page.close();
  });

  test("other parts are faint, hidden or solid", async () => {
    const { page } = await show("gearbox");
    await choose(page, 0);
    /** @type {Set<string>} */
    const pictures = new Set();
    for (const mode of ["faint", "hidden", "solid"]) {
      await page.locator(`[data-mode="${mode}"]`).click();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      pictures.add((await page.locator("#canvas").screenshot()).toString("base64"));
    }
    assert.equal(pictures.size, 3);
    await page.close();
  });

  test("the buttons look from their sides", async () => {
    const { page } = await show("gearbox");
    for (const [view, toward] of /** @type {[string, number[]][]} */ ([
      ["front", [0, -1, 0]],
      ["top", [0, 0, 1]],
      ["right", [1, 0, 0]],
    ])) {
      await page.locator(`[data-view="${view}"]`).click();
      await settled(page);
      const { position, target, distance: far } = await camera(page);
      const direction = position.map((value, axis) => (value - target[axis]) / far);
      assert.ok(distance(direction, toward) < 1e-3, `${view}: ${direction}`);
    }
    await page.close();
  });

  test("the keyboard is enough", async () => {
    const { page } = await show("gearbox");
    await page.locator("#list").focus();
    await page.keyboard.press("ArrowDown");
    const active = () => page.locator("#list").getAttribute("aria-activedescendant");
    assert.equal(await active(), "row-0");
    await page.keyboard.press("ArrowDown");
    assert.equal(await active(), "row-1");
    await page.keyboard.press("End");
    assert.equal(await active(), `row-${clashes.length - 1}`);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowUp");
    assert.equal(await active(), "row-0");
    await settled(page);
    assert.equal(await page.locator('[aria-selected="true"]').getAttribute("data-row"), "0");
    await page.keyboard.press("/");
    await page.keyboard.type("wheel");
    assert.deepEqual(await listed(page), clashes.flatMap(({ a, b }, row) => (`${a} ${b}`.includes("wheel") ? [row] : [])));
    await page.close();
  });

  test("a click on a mark in the view chooses its clash", async () => {
    const { page } = await show("gearbox");
    const box = await page.locator("#canvas").boundingBox();
    assert.ok(box);
    const at = await page.evaluate(() => window.impinge.project(0));
    assert.ok(at);
    await page.mouse.click(box.x + at[0], box.y + at[1]);
    assert.equal(await page.locator('[aria-selected="true"]').getAttribute("data-row"), "0");
    await page.close();
  });

  test("the row of a depth shows it only beyond the touch band", async () => {
    const { page } = await show("gearbox");
    const { rows } = await page.evaluate(() => window.impinge.report().header);
    for (const [number, row] of rows.entries()) {
      await choose(page, number);
      const terms = await page.locator("#details dt").allTextContents();
      assert.equal(terms.includes("Depth"), row.depth !== null && row.depth > row.band, row.verdict);
    }
    await page.close();
  });

  test("a review is kept when the page is loaded again", async () => {
    const { page, complaints } = await show("gearbox");
    await choose(page, 1);
    await page.locator('#details [data-review="status"]').selectOption("reviewed");
    await page.locator('#details [data-review="comment"]').fill("Ask </script> Kim\nsoon");
    await page.locator('#details [data-review="assignee"]').fill("kim@example.com");
    assert.equal(await page.locator('[data-row="1"] .tag-reviewed').count(), 1);
    assert.match((await page.locator("#save").textContent()) ?? "", /\(1\)/);
    await page.reload();
    await page.evaluate(() => window.impinge.ready);
    const expected = { status: "reviewed", comment: "Ask </script> Kim\nsoon", assignee: "kim@example.com", group: "" };
    assert.deepEqual(await page.evaluate(() => window.impinge.review(1)), expected);
    // The address names the finding that was chosen.
    assert.equal(await page.locator('[aria-selected="true"]').getAttribute("data-row"), "1");
    assert.equal(await page.locator('#details [data-review="comment"]').inputValue(), expected.comment);
    const chip = page.locator('[data-filter="review-reviewed"]');
    await chip.click();
    assert.deepEqual(await listed(page), [1]);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("a review file is saved and loaded", async () => {
    const { page } = await show("gearbox");
    await choose(page, 0);
    await page.locator('#details [data-review="status"]').selectOption("active");
    await page.locator('#details [data-review="group"]').fill("bolts");
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
    assert.match(download.suggestedFilename(), /\.review\.json$/);
    const text = readFileSync(await download.path(), "utf8");
    const file = JSON.parse(text);
    assert.equal(file.format, "impinge review");
    assert.equal(file.version, 1);
    assert.equal(file.findings.length, clashes.length);
    const { rows, units } = await page.evaluate(() => window.impinge.report().header);
    assert.equal(file.units, units);
    for (const [number, entry] of file.findings.entries()) {
      assert.equal(entry.key, rows[number].key);
      assert.equal(entry.verdict, rows[number].verdict);
      assert.equal(entry.parts.length, 2);
      for (const part of entry.parts) {
        assert.ok(typeof part.path === "string" && part.center.length === 3 && part.size.length === 3 && part.copies > 0);
      }
    }
    assert.deepEqual([file.findings[0].status, file.findings[0].group], ["active", "bolts"]);
    assert.equal(await page.locator("#save").textContent(), "Save review");
    await page.close();

    // Another browser knows nothing of it until the file is loaded. An entry about another finding is kept.
    const other = await launch();
    const { page: there } = await open(other, pages.page("gearbox"));
    assert.equal((await there.evaluate(() => window.impinge.review(0)))?.status, "new");
    const more = { key: "elsewhere", parts: [], verdict: "inside", status: "approved", comment: "kept" };
    const buffer = Buffer.from(JSON.stringify({ ...file, findings: [...file.findings, more] }));
    await there.locator("#file").setInputFiles({ name: "a.json", mimeType: "application/json", buffer });
    await there.locator("#message").waitFor();
    assert.match((await there.locator("#message").textContent()) ?? "", /3 findings updated from a\.json; 1 entry is not/);
    const [again] = await Promise.all([there.waitForEvent("download"), there.locator("#save").click()]);
    const back = JSON.parse(readFileSync(await again.path(), "utf8"));
    assert.deepEqual(back.findings, [...file.findings, more]);
    await there.locator("#file").setInputFiles({ name: "b.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await there.getByText("b.json was not loaded: it is not a review file.").waitFor();
    await other.close();
  });

  test("a link leads to its finding", async () => {
    const { page } = await show("gearbox");
    await choose(page, 2);
    const link = page.url();
    const { key } = await page.evaluate(() => window.impinge.report().header.rows[2]);
    assert.ok(link.endsWith(`#finding=${key}`), link);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator('[data-act="link"]').click();
    await page.locator('[data-act="link"]', { hasText: "✓" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    const seen = await camera(page);
    await page.close();

    const fresh = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await fresh.goto(link);
    await fresh.evaluate(() => window.impinge.ready);
    assert.equal(await fresh.locator('[aria-selected="true"]').getAttribute("data-row"), "2");
    const { target } = await camera(fresh);
    assert.ok(distance(target, seen.target) < 1e-6 * seen.distance, `${target}`);
    await fresh.evaluate((key) => (location.hash = `#finding=${key}`), await fresh.evaluate(() => window.impinge.report().header.rows[0].key));
    await fresh.locator('[data-row="0"][aria-selected="true"]').waitFor();
    await fresh.evaluate(() => (location.hash = "#finding=no-such-key"));
    await fresh.getByText("The finding of this link is not in this report.").waitFor();
    await fresh.close();
  });

  test("findings are grouped by hand, with the mouse and with the keyboard", async () => {
    const { page, complaints } = await show("gearbox");
    await page.locator('[data-row="0"] .tick').click();
    await page.locator('[data-row="2"]').click({ modifiers: ["Control"] });
    await page.getByText("2 findings ticked").waitFor();
    await page.locator('#ticked [data-review="group"]').fill("housing");
    await page.locator("#cluster").selectOption("group");
    const cluster = page.locator('[data-cluster="group:housing"]');
    assert.deepEqual(await cluster.locator(".names span").allTextContents(), ["housing", "2 findings"]);
    assert.equal(await cluster.locator(".verdict").textContent(), clashes[0].verdict);
    // The cluster is closed: only the finding outside of it is listed.
    assert.deepEqual(await listed(page), [1]);
    assert.match((await page.locator("#count").textContent()) ?? "", /^3 listed in 2 rows/);
    await cluster.locator(".fold").click();
    assert.deepEqual(await listed(page), [0, 2, 1]);
    // The keyboard closes and opens it.
    await page.locator("#list").focus();
    await page.keyboard.press("Home");
    assert.equal(await page.locator('[aria-selected="true"]').getAttribute("data-cluster"), "group:housing");
    assert.match((await page.locator(".badge").textContent()) ?? "", /2 findings/);
    await page.keyboard.press("ArrowLeft");
    assert.deepEqual(await listed(page), [1]);
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await listed(page), [0, 2, 1]);
    // Space ticks; the status of all ticked findings is set at once.
    await page.getByText("Untick all").click();
    await page.locator("#list").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await page.locator('#ticked [data-review="status"]').selectOption("approved");
    const statuses = await page.evaluate(() => [0, 1, 2].map((row) => window.impinge.review(row)?.status));
    assert.deepEqual(statuses, ["approved", "new", "approved"]);
    // A link to a finding in a closed cluster opens it.
    await page.keyboard.press("Escape");
    await cluster.locator(".fold").click();
    await page.evaluate(() => window.impinge.select(2));
    assert.equal(await page.locator('[aria-selected="true"]').getAttribute("data-row"), "2");
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("a narrow window shows everything", async () => {
    const { page, complaints } = await show("gearbox", { width: 390, height: 780 });
    await choose(page, 0);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `as wide as ${width}`);
    for (const id of ["#canvas", "#search", "#list", "#details"]) {
      const box = await page.locator(id).boundingBox();
      assert.ok(box && box.width > 100 && box.height > 20 && box.y + box.height <= 781, `${id}: ${JSON.stringify(box)}`);
    }
    assert.ok((await colors(page)).blue > 100);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("without WebGL the list is still there", async () => {
    const blind = await launch(["--disable-3d-apis"]);
    const { page } = await open(blind, pages.page("gearbox"));
    assert.equal((await page.evaluate(() => window.impinge.stats())).hasView, false);
    assert.match((await page.locator("#notice").textContent()) ?? "", /WebGL/);
    await page.locator('[data-row="1"]').click();
    assert.equal(await page.locator(".badge").textContent(), clashes[1].verdict);
    await blind.close();
  });
});

describe("hostile", () => {
  const { clashes } = pages.list("hostile");

  test("names are shown, and do nothing", async () => {
    const { page, complaints } = await show("hostile");
    for (const row of clashes.keys()) await choose(page, row);
    await page.locator("[data-resolved]").click();
    await page.locator("#group").selectOption({ index: 1 });
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).harm), undefined);
    assert.equal(await page.locator("#layout img, #layout script").count(), 0);
    assert.match((await page.locator("#group option").nth(1).textContent()) ?? "", /^<\/script>/);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("no other script could run, and nothing be fetched", async () => {
    const { page } = await show("hostile");
    const fetched = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "window.harm = 8";
      document.body.append(script);
      return fetch("https://example.org/").then(
        () => "fetched",
        () => "refused",
      );
    });
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).harm), undefined);
    assert.equal(fetched, "refused");
    await page.close();
  });

  test("filters", async () => {
    const { page } = await show("hostile");
    const of = (/** @type {(clash: pages.Clash, row: number) => boolean} */ want) =>
      clashes.flatMap((clash, row) => (want(clash, row) ? [row] : []));
    const chip = (/** @type {string} */ name) => page.locator(`[data-filter="${name}"]`);
    const rows = async () => (await listed(page)).filter((row) => row >= 0);

    await chip("inside").click();
    assert.deepEqual(await rows(), of(({ verdict }) => verdict === "inside"));
    await chip("touching").click();
    assert.deepEqual(await rows(), of(({ verdict }) => verdict === "inside" || verdict === "touching"));
    await chip("inside").click();
    await chip("touching").click();

    const statuses = await page.evaluate(() => window.impinge.report().header.rows.map((row) => row.status));
    await chip("new").click();
    assert.deepEqual(await listed(page), of((_, row) => statuses[row] === "new"));
    await chip("new").click();
    await chip("resolved").click();
    assert.deepEqual(await listed(page), [-1]);
    assert.equal(await page.locator("[data-resolved]").count(), 1);
    await chip("resolved").click();

    await page.locator("#search").fill("ONERROR 'window");
    assert.deepEqual(await rows(), of(({ a, b }) => [a, b].join().includes("onerror='window")));
    await page.locator("#search").fill("no part is called so");
    assert.deepEqual(await listed(page), []);
    await page.locator("#search").fill("");

    await page.locator("#group").selectOption({ index: 2 });
    assert.deepEqual(await rows(), of(({ a, b }) => `${a} ${b}`.includes("harm=2>/")));
    await page.locator("#group").selectOption({ index: 0 });

    const depth = (/** @type {number} */ row) => clashes[row].depth ?? -1;
    await page.locator("#sort").selectOption("depth");
    const sorted = await rows();
    assert.deepEqual(sorted, [...sorted].sort((a, b) => depth(b) - depth(a)));
    assert.equal(sorted.length, clashes.length);
    await page.close();
  });

  test("details tell what each verdict is about", async () => {
    const { page } = await show("hostile");
    const { rows } = await page.evaluate(() => window.impinge.report().header);
    const of = (/** @type {string} */ verdict) => rows.findIndex((row) => row.verdict === verdict);
    const text = async () => (await page.locator("#details").textContent()) ?? "";
    assert.match(await text(), /Findings not listed: with a verdict that was not asked for12/);
    assert.match(await text(), /Pairs not compared: excluded by a rule1,234/);
    await choose(page, of("inside"));
    assert.match(await text(), /svg onload=window\.harm=5> is inside <img src=x/);
    await choose(page, of("fit"));
    assert.match(await text(), /Difference of radii\+0\.01 radius/);
    await choose(page, of("undecided"));
    assert.match(await text(), /gaps up to 0\.0001: counts as closed/);
    assert.match(await text(), /there, but less severe/);
    // The depth of the touching pair is within its band.
    await choose(page, of("touching"));
    assert.doesNotMatch(await text(), /Depth/);
    assert.match(await text(), /Touch band0\.3/);
    await page.close();
  });

  test("reviews of the file are shown, and rows are clustered", async () => {
    const { page, complaints } = await show("hostile");
    const { rows, clusters } = await page.evaluate(() => window.impinge.report().header);
    const reviewed = rows.findIndex((row) => row.review);
    assert.deepEqual(await page.evaluate((row) => window.impinge.review(row), reviewed), rows[reviewed].review);
    await choose(page, reviewed);
    assert.equal(await page.locator('#details [data-review="comment"]').inputValue(), rows[reviewed].review?.comment);
    await page.locator("#cluster").selectOption("group");
    assert.equal(await page.locator("[data-cluster] .names span").first().textContent(), rows[reviewed].review?.group);
    for (const by of /** @type {const} */ (["part", "place"])) {
      await page.locator("#cluster").selectOption(by);
      const several = clusters[by].filter(({ count }) => count > 1);
      assert.ok(by === "place" || several.length > 0, "no cluster has two findings, so this proves nothing");
      assert.equal(await page.locator("[data-cluster]").count(), several.length);
      const total = clusters[by].reduce((sum, { count }) => sum + count, 0);
      assert.equal(total, rows.length);
    }
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).harm), undefined);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("far from the origin faces are where they belong", async () => {
    const { page } = await show("hostile");
    const row = clashes.findIndex(({ verdict }) => verdict === "penetrating");
    await choose(page, row);
    const { target } = await camera(page);
    assert.ok(distance(target, clashes[row].point) < 1e-6, `${target}`);
    const { blue, orange } = await colors(page);
    assert.ok(blue > 300 && orange > 300, `${blue} blue, ${orange} orange pixels`);
    await page.close();
  });
});

test("the slider moves the part along the path", async () => {
  const { page, complaints } = await show("path");
  assert.ok(await page.locator("#path").isVisible());
  assert.ok(!(await page.locator("#save").isVisible()));
  const middle = async () => page.evaluate(() => [...window.impinge.report().poses.subarray(12, 24)].filter((_, i) => i % 4 === 3));
  assert.ok(distance(await middle(), [-5.5, 0, 0]) === 0, `${await middle()}`);
  const marks = await page.locator("#intervals span").all();
  assert.equal(marks.length, 1);

  // A chosen finding is shown when it begins, with its faces.
  await choose(page, 0);
  const highlighted = async () => /** @type {number[]} */ ((await page.evaluate(() => window.impinge.stats())).highlighted);
  assert.ok(Math.abs((await middle())[0] + 0.75) < 1e-3, `${await middle()}`);
  assert.ok((await highlighted())[0] > 0);
  assert.match((await page.locator("#when").textContent()) ?? "", /^t = 1\.9\d*, row 1\.47\d*: moved by \(4\.7\d*, 0, 0\) mm$/);

  // Elsewhere there are no faces that clash.
  await page.locator(".moments button").nth(2).click();
  assert.ok(Math.abs((await middle())[0] - 0.75) < 1e-3, `${await middle()}`);
  assert.deepEqual(await highlighted(), [0, 0]);
  assert.equal(await page.locator(".moments button").nth(2).getAttribute("aria-pressed"), "true");

  await page.locator("#moment").focus();
  await page.keyboard.press("End");
  const [x, y] = await middle();
  assert.ok(Math.abs(x - 6) < 1e-9 && Math.abs(y - 1.5) < 1e-9, `${x} ${y}`);
  assert.match((await page.locator("#when").textContent()) ?? "", /row 3: turned by 90° about \(0, 0, 1\), then moved by \(6, 7, 0\) mm$/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("parts beyond single precision are drawn all the same", async () => {
  const { page, complaints } = await show("huge");
  await choose(page, 0);
  const { target } = await camera(page);
  assert.ok(distance(target, pages.list("huge").clashes[0].point) < 1e84, `${target}`);
  const { blue, orange } = await colors(page);
  assert.ok(blue > 300 && orange > 300, `${blue} blue, ${orange} orange pixels`);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("what there was no room for is told", async () => {
  const { page } = await show("cut");
  const notes = (await page.locator(".note").allTextContents()).join("\n");
  assert.match(notes, /8 parts that do not clash are not in this page/);
  assert.match(notes, /shapes of \d meshes are not in this page/);
  await choose(page, 0);
  assert.match((await page.locator(".note").allTextContents()).join("\n"), /12 of \d+ pairs of faces are highlighted/);
  await page.close();
});

test("a hundred thousand parts and clashes stay fluid", async () => {
  const { page } = await show("plant");
  const stats = await page.evaluate(() => window.impinge.stats());
  assert.equal(stats.parts, 100_000);
  assert.ok(Number(stats.drawCalls) < 500, `${stats.drawCalls} objects`);
  assert.match((await page.locator(".note").allTextContents()).join("\n"), /parts are drawn as boxes/);
  assert.ok((await page.locator("[data-row]").count()) < 60);
  const list = page.locator("#list");
  await list.evaluate((list) => (list.scrollTop = list.scrollHeight));
  await page.locator('[data-row="99999"]').waitFor();
  assert.ok((await page.locator("[data-row]").count()) < 60);
  const spent = await page.evaluate(() => {
    const search = /** @type {HTMLInputElement} */ (document.getElementById("search"));
    const start = performance.now();
    search.value = "09999";
    search.dispatchEvent(new Event("input"));
    return performance.now() - start;
  });
  const found = pages.list("plant").clashes.flatMap(({ a, b }, row) => (`${a} ${b}`.includes("09999") ? [row] : []));
  assert.deepEqual(await listed(page), found);
  console.log(`100,000 parts: ready after ${stats.loaded} ms; a search took ${Math.round(spent)} ms`);
  await page.close();
});

/**
 * Shows a page inside of another, as notebooks do: by its text, in a sandbox.
 *
 * @param {string} file
 */
async function embed(file) {
  const page = await browser.newPage({ viewport: { width: 960, height: 600 } });
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.setContent('<iframe sandbox="allow-scripts allow-downloads" style="width: 940px; height: 560px"></iframe>');
  await page.evaluate((text) => document.querySelector("iframe")?.setAttribute("srcdoc", text), readFileSync(file, "utf8"));
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  assert.ok(frame);
  await frame.waitForFunction(() => "impinge" in window);
  await frame.evaluate(() => window.impinge.ready);
  return { page, frame, complaints };
}

test("a report inside of a notebook: clashes can be chosen, nothing is to be edited", async () => {
  const { page, frame, complaints } = await embed(pages.page("gearbox"));
  assert.equal(await frame.locator("#details").isVisible(), false);
  await frame.locator('[data-row="0"]').click();
  await frame.evaluate(() => window.impinge.settled());
  assert.equal(await frame.locator("#details").isVisible(), true);
  for (const hidden of ["#save", "#load", "#reviews", "#message", ".review", ".tick"]) {
    assert.equal(await frame.locator(hidden).first().isVisible(), false, hidden);
  }
  const { strong } = await colors(/** @type {Page} */ (/** @type {unknown} */ (frame)));
  assert.ok(strong > 50, `${strong} pixels of faces that clash`);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a scene inside of a notebook is the view alone", async () => {
  const { page, frame, complaints } = await embed(pages.scene);
  assert.equal(await frame.locator("#side").isVisible(), false);
  assert.equal(await frame.locator("#details").isVisible(), false);
  assert.match(await frame.locator("#facts").innerText(), /parts · .* faces/);
  const box = await frame.locator("#canvas").boundingBox();
  assert.ok(box && box.width > 900, JSON.stringify(box));
  const { different } = await colors(/** @type {Page} */ (/** @type {unknown} */ (frame)));
  assert.ok(different > 100, `${different} colours`);
  assert.deepEqual(complaints, []);
  await page.close();
});
