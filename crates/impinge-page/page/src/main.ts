// Puts the page together: the view and the details show the item that is chosen in the list.

import "./style.css";
import { element, byId, button, color } from "./dom.ts";
import { read, REVIEW_STATUSES, VERDICTS, type Report, type Review } from "./data.ts";
import { Details } from "./details.ts";
import { CLUSTERS, Filter, ORDERS, type ClusterBy, type Item, type Order, type StatusName } from "./filter.ts";
import { drawAxes, lookButtons } from "./frame.ts";
import { List } from "./list.ts";
import { PathSlider } from "./path.ts";
import { Reviews } from "./review.ts";
import { COLORS, Lengths, SIDES, count, plural, setColors } from "./words.ts";
import type { Mode } from "./view/parts.ts";
import { VIEWS, type Seen, type Up } from "./view/stage.ts";
import { View } from "./view/view.ts";

/** Functions for scripts and tests. */
interface Hooks {
  ready: Promise<void>;
  /** Chooses a finding by its number in the report; done when it is in view. */
  select(row: number | null, place?: number | null): Promise<void>;
  /** Done when the camera stands still. */
  settled(): Promise<void>;
  camera(): Seen | null;
  stats(): Record<string, unknown>;
  /** The position of a finding in the view. */
  project(row: number): [number, number] | null;
  /** What is listed now: numbers of findings, and of resolved pairs as -1, -2 …; heads of clusters are left out. */
  listed(): number[];
  /** What is decided about a finding. */
  review(row: number): Review | null;
  /** Shows a moment of the path. */
  moveTo(moment: number): void;
  report(): Report;
}

declare global {
  interface Window {
    impinge: Hooks;
  }
}

/** The colours of the review statuses. */
const STATUS_COLORS: Record<Review["status"], string> = {
  new: "#ff9d4d",
  active: "#ffd166",
  reviewed: "#7db7ff",
  approved: "#6fcf8a",
  resolved: "#9aa7b8",
};

/** Whether the page is shown inside of another, such as a notebook, by its text alone. It has no address then. */
const IS_EMBEDDED = location.protocol === "about:";

class Page {
  private readonly lengths: Lengths;
  private readonly reviews: Reviews;
  private readonly filter: Filter;
  private readonly list: List;
  private readonly details: Details;
  private readonly path: PathSlider;
  private view: View | null = null;
  private why = "";
  private items: Item[] = [];
  private chosen: Item | null = null;
  private place: number | null = null;
  private mode: Mode = "faint";
  /** The chips of review statuses, to bring their counts up to date. */
  private readonly reviewChips = new Map<string, HTMLElement>();

  constructor(readonly report: Report) {
    setColors(report.header.colors);
    this.lengths = new Lengths(report.header.units);
    this.reviews = new Reviews(report);
    this.filter = new Filter(report, this.reviews);
    this.list = new List(report, this.lengths, this.reviews);
    this.details = new Details(report, this.lengths, this.reviews);
    this.path = new PathSlider(report, this.lengths);
    this.path.onMove = (moment) => this.moveTo(moment);
    this.details.onMoment = (moment) => this.moveTo(moment);
    document.body.classList.toggle("is-embedded", IS_EMBEDDED);
    this.head();
    this.tools();
    this.list.onChoose = (item) => void this.choose(item, null);
    this.details.onStep = (by) => this.list.step(by);
    this.details.onClose = () => void this.choose(null, null);
    this.details.onPlace = (place) => void this.choose(this.chosen, place);
    this.details.onPart = (part) => this.ofPart(part);
    this.details.onLink = (key) => copy(this.link(key));
    this.list.onOpen = (cluster, isOpen) => {
      this.filter.open(cluster, isOpen);
      this.refilter();
    };
    this.list.onTick = () => this.tickedBar();
    this.reviews.onChange = () => this.reviewed();
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.followLink());
    this.refilter();
    this.reviewed();
  }

  /** The address of the page with a finding. */
  private link(key: string): string {
    return `${location.href.replace(/#.*$/, "")}#finding=${encodeURIComponent(key)}`;
  }

  /** Chooses the finding that the address names. Returns whether there is one. */
  followLink(): boolean {
    const [, key] = /^#finding=(.+)$/.exec(location.hash) ?? [];
    if (key === undefined) return false;
    const row = this.report.withKey(decodeURIComponent(key));
    if (row === undefined) {
      this.say("The finding of this link is not in this report.");
      return false;
    }
    const isChosen = this.chosen && "row" in this.chosen && this.chosen.row === row;
    if (!isChosen) void this.choose({ row }, null);
    return true;
  }

  /** Shows a message above the list. */
  private say(text: string): void {
    const box = byId("message");
    box.textContent = text;
    box.hidden = text === "";
  }

  /** Brings everything up to date that depends on reviews, except the form that is being edited. */
  private reviewed(): void {
    const { rows } = this.report.header;
    const totals = new Map<string, number>();
    const people = new Set<string>();
    for (const row of rows) {
      const { status, assignee } = this.reviews.of(row);
      totals.set(status, (totals.get(status) ?? 0) + 1);
      if (assignee) people.add(assignee);
    }
    for (const [status, chip] of this.reviewChips) {
      const total = totals.get(status) ?? 0;
      chip.querySelector("b")!.textContent = count(total);
      chip.hidden = total === 0 && chip.getAttribute("aria-pressed") === "false";
    }
    const options = (names: Iterable<string>) => Array.from(names, (name) => element("option", { value: name }));
    byId("groups").replaceChildren(...options(this.reviews.groups()));
    byId("assignees").replaceChildren(...options([...people].sort()));
    const { unsaved, problem } = this.reviews;
    byId("save").textContent = unsaved > 0 ? `Save review (${count(unsaved)})` : "Save review";
    // Without an address there is no place to keep edits in, and no form to make them.
    if (problem && !IS_EMBEDDED) this.say(problem);
    if (this.filter.wanted.by === "group" || this.filter.wanted.reviews.size > 0) this.refilter();
    else this.list.redraw();
  }

  /** Fields to change all ticked findings together. */
  private tickedBar(): void {
    const box = byId("ticked");
    const rows = [...this.list.ticked].map((row) => this.report.header.rows[row]);
    box.hidden = rows.length === 0;
    if (rows.length === 0) return;
    box.replaceChildren(
      element(
        "div",
        { class: "line" },
        element("p", {}, `${plural(rows.length, "finding")} ticked`),
        button("Untick all", {}, () => this.list.untick()),
      ),
      this.details.form(rows),
    );
  }

  private files(): void {
    const file = byId<HTMLInputElement>("file");
    byId("save").addEventListener("click", () => {
      const url = URL.createObjectURL(new Blob([this.reviews.export()], { type: "application/json" }));
      const stem = (this.report.header.files[0] ?? "clashes").replace(/[^\w.-]+/g, "-").replace(/\.\w+$/, "");
      const link = element("a", { href: url, download: `${stem}.review.json` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
      this.say(`Saved as ${link.download}. The next run reads it with --review ${link.download}.`);
    });
    byId("load").addEventListener("click", () => file.click());
    file.addEventListener("change", async () => {
      const chosen = file.files?.[0];
      if (!chosen) return;
      try {
        const { found, others } = this.reviews.import(await chosen.text());
        const rest = others > 0 ? `; ${plural(others, "entry is", "entries are")} not about findings of this report` : "";
        this.say(`${plural(found, "finding")} updated from ${chosen.name}${rest}.`);
        this.describe();
        this.tickedBar();
      } catch (error) {
        this.say(`${chosen.name} was not loaded: ${error instanceof Error ? error.message : String(error)}.`);
      }
      file.value = "";
    });
  }

  private head(): void {
    const { files, part_count, face_count, rows, is_checked } = this.report.header;
    const names = files.length > 3 ? `${files.slice(0, 3).join(", ")} and ${files.length - 3} more` : files.join(", ");
    byId("source").textContent = names;
    byId("facts").textContent = `${plural(part_count, "part")} · ${plural(rows.length, "clash", "clashes")}`;
    document.title = names ? `Clash report: ${names}` : "Clash report";
    if (is_checked) return;
    document.body.classList.add("is-scene");
    document.querySelector("h1")!.textContent = document.title = names || "Scene";
    byId("source").textContent = "";
    byId("facts").textContent = `${plural(part_count, "part")} · ${plural(face_count, "face")}`;
  }

  private tools(): void {
    const { rows, resolved, has_baseline } = this.report.header;
    const wanted = this.filter.wanted;
    const search = byId<HTMLInputElement>("search");
    search.addEventListener("input", () => {
      wanted.text = search.value;
      this.refilter();
    });
    search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "Enter") {
        event.preventDefault();
        byId("list").focus();
        this.list.step(this.chosen ? 0 : 1);
      }
    });
    const chip = <T extends string>(set: Set<T>, value: T, total: number, tint: string, filter: string = value) => {
      const made = button("", { class: "chip", "aria-pressed": "false", "data-filter": filter }, () => {
        if (!set.delete(value)) set.add(value);
        made.setAttribute("aria-pressed", String(set.has(value)));
        this.refilter();
      });
      made.append(element("span", { class: "dot" }, value), element("b", {}, count(total)));
      made.hidden = total === 0;
      return color(made, tint);
    };
    const total = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
    byId("verdicts").append(...VERDICTS.map((verdict) => chip(wanted.verdicts, verdict as string, total(verdict), COLORS[verdict])));
    if (has_baseline) {
      const totals: [StatusName, number, string][] = [
        ["new", rows.filter((row) => row.status === "new").length, "#ff9d4d"],
        ["worse", rows.filter((row) => row.status === "worse").length, "#ff6f6f"],
        ["known", rows.filter((row) => row.status === "known").length, "#9aa7b8"],
        ["resolved", resolved.length, "#6fcf8a"],
      ];
      byId("statuses").append(...totals.map(([status, total, tint]) => chip(wanted.statuses, status, total, tint)));
      byId("statuses").hidden = false;
    }
    for (const status of REVIEW_STATUSES) {
      const made = chip(wanted.reviews, status, 0, STATUS_COLORS[status], `review-${status}`);
      this.reviewChips.set(status, made);
      byId("reviews").append(made);
    }
    this.selects();
    this.files();
  }

  private selects(): void {
    const wanted = this.filter.wanted;
    const group = byId<HTMLSelectElement>("group");
    const groups = this.filter.groups();
    group.append(element("option", { value: "" }, "All sub-assemblies"));
    for (const { group: number, path, count: total } of groups) {
      group.append(element("option", { value: number }, `${path} (${count(total)})`));
    }
    group.hidden = groups.length === 0;
    group.addEventListener("change", () => {
      wanted.group = group.value === "" ? null : Number(group.value);
      this.refilter();
    });
    const cluster = byId<HTMLSelectElement>("cluster");
    for (const [by, label] of Object.entries(CLUSTERS)) cluster.append(element("option", { value: by }, label));
    cluster.addEventListener("change", () => {
      wanted.by = cluster.value as ClusterBy;
      this.refilter();
    });
    const sort = byId<HTMLSelectElement>("sort");
    for (const [order, label] of Object.entries(ORDERS)) sort.append(element("option", { value: order }, label));
    sort.addEventListener("change", () => {
      wanted.order = sort.value as Order;
      this.refilter();
    });
  }

  private refilter(): void {
    this.items = this.filter.items();
    this.list.set(this.items);
    const { rows, resolved } = this.report.header;
    const all = rows.length + resolved.length;
    const listed = this.filter.wanted.by === "finding" ? this.listed() : this.clusteredRows();
    const shown = listed.length;
    const heads = this.items.filter((item) => "cluster" in item).length;
    const inRows = heads > 0 ? ` in ${plural(this.items.length - this.openRows(), "row")}` : "";
    byId("count").textContent = (shown === all ? `${count(all)} listed` : `${count(shown)} of ${count(all)} listed`) + inRows;
    this.view?.list(listed.filter((row) => row >= 0));
    this.markIntervals();
    if (!this.chosen) this.describe();
  }

  /** Marks the chosen finding on the path, or all that are listed. */
  private markIntervals(): void {
    const { rows } = this.report.header;
    const chosen = this.chosen && "row" in this.chosen ? [this.chosen.row] : this.clusteredRows().filter((row) => row >= 0);
    this.path.mark(chosen.map((row) => rows[row]));
  }

  /** The findings of all items, those in closed clusters included; resolved pairs as -1, -2 … */
  private clusteredRows(): number[] {
    const rows = new Set<number>();
    for (const item of this.items) {
      if ("cluster" in item) item.cluster.rows.forEach((row) => rows.add(row));
      else rows.add("row" in item ? item.row : -1 - item.resolved);
    }
    return [...rows];
  }

  /** The number of rows that are listed below the heads of open clusters. */
  private openRows(): number {
    return this.items.reduce((sum, item) => sum + ("cluster" in item && item.cluster.isOpen ? item.cluster.rows.length : 0), 0);
  }

  /** Lists the findings of one part only; null for all parts. */
  private ofPart(part: number | null): void {
    this.filter.wanted.part = part;
    const box = byId("part");
    box.hidden = part === null;
    if (part !== null) {
      const clear = button("✕", { "aria-label": "List clashes of all parts" }, () => this.ofPart(null));
      box.replaceChildren(element("span", {}, "Part "), element("b", { title: this.report.fullName(part) }, this.report.name(part)), clear);
    }
    this.refilter();
  }

  /** Names a part of a scene below the view; null for none. */
  private namePart(part: number | null): void {
    byId("legend").hidden = part === null;
    if (part !== null) byId("legend").replaceChildren(element("span", {}, this.report.fullName(part)));
  }

  /** Shows another moment of the path. */
  moveTo(moment: number): void {
    if (this.view) this.view.moveTo(moment);
    else this.report.moveTo(moment);
    this.path.show();
    if (this.chosen) this.describe();
  }

  /** Chooses a finding and a place of it, or another item; null for nothing. */
  async choose(item: Item | null, place: number | null): Promise<void> {
    const isOther = item !== this.chosen;
    this.chosen = item;
    this.place = item && "row" in item ? place : null;
    const interval = item && "row" in item ? this.report.header.rows[item.row].interval : null;
    if (interval) {
      this.report.moveTo(interval.at);
      this.path.show();
    }
    this.markIntervals();
    if (item && "row" in item && this.filter.reveal(item.row, this.items)) this.refilter();
    if (isOther) this.list.mark(item);
    this.describe();
    const hash = item && "row" in item ? this.link(this.report.header.rows[item.row].key) : location.href.replace(/#.*$/, "");
    if (hash !== location.href && !IS_EMBEDDED) history.replaceState(null, "", hash);
    byId("legend").hidden = !(item && "row" in item);
    document.body.classList.toggle("has-choice", item !== null);
    const isShown = this.view?.select(item && "row" in item ? item.row : null, this.place);
    if (item && "row" in item) this.legend(item.row);
    await isShown;
  }

  private describe(): void {
    if (!this.chosen) this.details.overview(this.notes());
    else if ("row" in this.chosen) this.details.clash(this.chosen.row, this.place, this.list.position);
    else if ("cluster" in this.chosen) this.details.cluster(this.chosen.cluster, this.list.position);
    else this.details.resolved(this.chosen.resolved, this.list.position);
  }

  private legend(row: number): void {
    const { a, b } = this.report.header.rows[row];
    const entry = (part: number, side: number) => color(element("span", { class: "dot" }, this.report.name(part)), SIDES[side]);
    byId("legend").replaceChildren(entry(a, 0), entry(b, 1));
    const far = this.view?.parts.farCount ?? 0;
    if (far > 0) byId("legend").append(element("span", {}, `${plural(far, "part")} farther away not drawn`));
  }

  /** What the page leaves out or simplifies. */
  private notes(): string[] {
    const { part_count, parts, meshes } = this.report.header;
    const notes = [];
    const left = part_count - parts.name.length;
    if (left > 0) notes.push(`${plural(left, "part")} that do not clash are not in this page: there was no room for them.`);
    const without = meshes.filter((mesh) => !mesh.has_faces).length;
    if (without > 0) notes.push(`The shapes of ${plural(without, "mesh", "meshes")} are not in this page, for there was no room; their parts are shown as boxes.`);
    if (this.view && this.view.parts.boxCount > 0 && without === 0) {
      notes.push(`${plural(this.view.parts.boxCount, "part")} are drawn as boxes, so that the view stays fluid; near a chosen clash all parts are drawn as they are.`);
    }
    if (this.why) notes.push(this.why);
    return notes;
  }

  /** The view, where the browser can show one. */
  async showView(): Promise<void> {
    // So that the list is seen before the view is built.
    await new Promise((resolve) => setTimeout(resolve, 0));
    try {
      this.view = new View(byId("canvas"), this.report, this.guessUp());
    } catch (error) {
      this.why = "This browser shows no 3D graphics (WebGL), so there is no view of the assembly. The list is complete.";
      const notice = byId("notice");
      notice.textContent = this.why;
      notice.hidden = false;
      console.info(String(error));
    }
    byId("loading").hidden = true;
    if (this.view) {
      this.view.onPickClash = (row) => void this.choose({ row }, null);
      this.view.onPickPart = (part) => {
        if (!this.report.header.is_checked) this.namePart(part);
        else if (!this.chosen) this.ofPart(part);
      };
      this.view.onFrame = () => this.overlay();
      this.view.onHover = (row, at) => this.hover(row, at);
      this.toolbar(this.view);
    }
    this.refilter();
    if (this.followLink()) await this.settled();
    await this.view?.drawn();
  }

  /** glTF files have y up by definition; most others have z. */
  private guessUp(): Up {
    const { files } = this.report.header;
    return files.length > 0 && files.every((file) => /\.(gltf|glb)$/i.test(file)) ? "y" : "z";
  }

  private toolbar(view: View): void {
    const bar = byId("toolbar");
    bar.append(lookButtons(view, "assembly"));
    const modes: [Mode, string, string][] = [
      ["faint", "Faint", "Make all other parts translucent"],
      ["hidden", "Isolate", "Hide all other parts (I)"],
      ["solid", "Solid", "Show all other parts as they are"],
    ];
    const buttons = modes.map(([mode, label, title]) =>
      button(label, { "data-mode": mode, title, "aria-pressed": String(mode === this.mode) }, () => this.context(mode)),
    );
    bar.append(element("div", { class: "buttons context", role: "group", "aria-label": "Other parts" }, ...buttons));
  }

  private context(mode: Mode): void {
    this.mode = mode;
    for (const other of document.querySelectorAll<HTMLElement>("[data-mode]")) {
      other.setAttribute("aria-pressed", String(other.dataset.mode === mode));
    }
    this.view?.context(mode);
    if (this.chosen && "row" in this.chosen) this.legend(this.chosen.row);
  }

  /** Names the clash under the pointer. */
  private hover(row: number | null, [x, y]: [number, number]): void {
    const tip = byId("tip");
    tip.hidden = row === null;
    if (row === null) return;
    const clash = this.report.header.rows[row];
    const name = (part: number) => element("bdi", {}, this.report.name(part));
    tip.replaceChildren(color(element("b", { class: "dot" }, clash.verdict), COLORS[clash.verdict]), name(clash.a), name(clash.b));
    const isLeft = x > byId("stage").clientWidth / 2;
    tip.style.transform = `translate(${x}px, ${y}px) translate(${isLeft ? "calc(-100% - 12px)" : "12px"}, 12px)`;
  }

  /** What lies over the picture: the axes, and the length of a gap. */
  private overlay(): void {
    const view = this.view;
    if (!view) return;
    drawAxes(view);
    const gap = byId("gap");
    const row = this.chosen && "row" in this.chosen ? this.report.header.rows[this.chosen.row] : null;
    const isThere = !row?.interval || row.interval.at === this.report.moment;
    const ends = row && row.distance > 0 && isThere ? row.points.map((point) => view.project(point)) : [];
    const [p, q] = ends;
    gap.hidden = !(p && q);
    if (!(p && q && row)) return;
    gap.textContent = this.lengths.show(row.distance);
    gap.style.transform = `translate(${(p[0] + q[0]) / 2 + 14}px, ${(p[1] + q[1]) / 2 - 30}px)`;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      void this.choose(null, null);
      return;
    }
    if (event.target instanceof Element && event.target.matches("input, select, textarea")) return;
    const side = VIEWS[Number(event.key) - 1];
    if (event.key === "/") {
      event.preventDefault();
      byId("search").focus();
    } else if (event.key === "f") void this.view?.fit();
    else if (event.key === "i") this.context(this.mode === "hidden" ? "faint" : "hidden");
    else if (side) void this.view?.look(side);
  }

  listed(): number[] {
    return this.items.flatMap((item) => ("cluster" in item ? [] : ["row" in item ? item.row : -1 - item.resolved]));
  }

  review(row: number): Review {
    return this.reviews.of(this.report.header.rows[row]);
  }

  project(row: number): [number, number] | null {
    return this.view ? this.view.project(this.report.header.rows[row].points[0]) : null;
  }

  async settled(): Promise<void> {
    await this.view?.arrival;
  }

  camera(): Seen | null {
    return this.view ? this.view.seen() : null;
  }

  stats(): Record<string, unknown> {
    const { parts, meshes, rows } = this.report.header;
    return {
      parts: parts.name.length,
      meshes: meshes.length,
      rows: rows.length,
      hasView: this.view !== null,
      drawCalls: this.view?.parts.drawCalls ?? 0,
      drawnFaces: this.view?.parts.drawnFaces ?? 0,
      boxes: this.view?.parts.boxCount ?? 0,
      highlighted: [...(this.view?.highlight.faceCounts ?? [])],
      loaded: Math.round(performance.now()),
    };
  }
}

/** Copies a text. Returns whether that was possible. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Some browsers have no clipboard for pages from files.
    const field = element("textarea", { readonly: true });
    field.value = text;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    return isDone;
  }
}

async function start(): Promise<Page> {
  const data = byId("findings");
  const report = await read(data.textContent ?? "");
  // It may be large, and is not needed again.
  data.remove();
  const page = new Page(report);
  await page.showView();
  return page;
}

let page: Page | null = null;
let loaded = 0;
const ready = start().then(
  (made) => {
    page = made;
    loaded = performance.now();
  },
  (error: unknown) => {
    byId("loading").textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    throw error;
  },
);

window.impinge = {
  ready,
  select: async (row, place = null) => page?.choose(row === null ? null : { row }, place),
  settled: async () => page?.settled(),
  camera: () => page?.camera() ?? null,
  stats: () => ({ ...page?.stats(), loaded: Math.round(loaded) }),
  project: (row) => page?.project(row) ?? null,
  listed: () => page?.listed() ?? [],
  review: (row) => page?.review(row) ?? null,
  moveTo: (moment) => page?.moveTo(moment),
  report: () => {
    if (!page) throw new Error("the page is not ready");
    return page.report;
  },
};
