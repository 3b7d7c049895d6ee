// The browser for the tests: Chromium of the system, without a window, with software rendering and without a network.

import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
];

/** @param {string[]} more */
export function launch(more = []) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [...FLAGS, ...more],
  });
}

/**
 * Opens a page from a file. Returns it with all its warnings and errors, and all its requests for anything else.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {string} file
 * @param {{ width: number, height: number }} viewport
 */
export async function open(browser, file, viewport = { width: 1280, height: 800 }) {
  const page = await browser.newPage({ viewport });
  /** @type {string[]} */
  const complaints = [];
  /** @type {string[]} */
  const requests = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) requests.push(request.url());
  });
  await page.goto(`file://${file}`);
  await page.evaluate(() => window.impinge.ready);
  return { page, complaints, requests };
}
