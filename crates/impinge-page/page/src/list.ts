// The list of findings. Only the visible rows are in the document, so a list of a hundred thousand scrolls as fast as a
// list of ten.

import { element, byId, color } from "./dom.ts";
import { VERDICTS, type Report } from "./data.ts";
import type { Cluster, Item } from "./filter.ts";
import { span } from "./path.ts";
import type { Reviews } from "./review.ts";
import { COLORS, type Lengths } from "./words.ts";

const HEIGHT = 58;
/** Browsers limit the height of an element to about 17 million pixels. */
const HIGHEST = 12_000_000;

export class List {
  onChoose: (item: Item) => void = () => {};
  /** Called when a cluster is to be opened or closed. */
  onOpen: (cluster: Cluster, isOpen: boolean) => void = () => {};
  /** Called when other rows are ticked. */
  onTick: () => void = () => {};
  /** The numbers of the findings that are ticked, to be changed together. */
  readonly ticked = new Set<number>();
  private readonly box = byId("list");
  private readonly inner = element("div", { class: "rows", role: "presentation" });
  private readonly shown = new Map<number, HTMLElement>();
  private items: Item[] = [];
  private hasHeads = false;
  private chosen = -1;

  constructor(
    private readonly report: Report,
    private readonly lengths: Lengths,
    private readonly reviews: Reviews,
  ) {
    this.box.append(this.inner);
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.inner.addEventListener("click", (event) => {
      const target = event.target as Element;
      const row = target.closest<HTMLElement>("[data-index]");
      if (!row) return;
      const index = Number(row.dataset.index);
      if (target.closest(".tick") || event.ctrlKey || event.metaKey) this.tick([index]);
      else if (event.shiftKey && this.chosen >= 0) this.tickTo(index);
      else if (target.closest(".fold")) this.fold(index);
      else this.choose(index);
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Lists other items. The chosen item stays chosen if it is among them. */
  set(items: Item[]): void {
    const before = this.items[this.chosen];
    this.items = items;
    this.hasHeads = items.some((item) => "cluster" in item);
    this.chosen = before ? items.findIndex((item) => same(item, before)) : -1;
    this.forget();
    this.inner.style.height = `${Math.min(items.length * HEIGHT, HIGHEST)}px`;
    this.inner.classList.toggle("is-empty", items.length === 0);
    if (this.chosen >= 0) this.reveal();
    else this.box.scrollTop = 0;
    this.draw();
  }

  /** Draws all rows anew, because reviews have changed. */
  redraw(): void {
    this.forget();
    this.draw();
  }

  private forget(): void {
    this.shown.forEach((row) => row.remove());
    this.shown.clear();
  }

  /** The findings of an item. */
  private rowsOf(index: number): number[] {
    const item = this.items[index];
    if (!item || "resolved" in item) return [];
    return "row" in item ? [item.row] : item.cluster.rows;
  }

  private isTicked(index: number): boolean {
    const rows = this.rowsOf(index);
    return rows.length > 0 && rows.every((row) => this.ticked.has(row));
  }

  /** Ticks the findings of some items; if all are ticked already, unticks them. */
  private tick(indices: number[]): void {
    const rows = indices.flatMap((index) => this.rowsOf(index));
    const isTicked = rows.every((row) => this.ticked.has(row));
    rows.forEach((row) => (isTicked ? this.ticked.delete(row) : this.ticked.add(row)));
    this.redraw();
    this.onTick();
  }

  /** Ticks everything from the chosen item to another. */
  private tickTo(index: number): void {
    const [from, to] = [Math.min(index, this.chosen), Math.max(index, this.chosen)];
    for (let at = from; at <= to; at++) this.rowsOf(at).forEach((row) => this.ticked.add(row));
    this.redraw();
    this.onTick();
  }

  untick(): void {
    this.ticked.clear();
    this.redraw();
    this.onTick();
  }

  private fold(index: number, isOpen?: boolean): void {
    const item = this.items[index];
    if (item && "cluster" in item) this.onOpen(item.cluster, isOpen ?? !item.cluster.isOpen);
  }

  /** Marks an item as chosen, without calling `onChoose`. */
  mark(item: Item | null): void {
    this.chosen = item ? this.items.findIndex((other) => same(other, item)) : -1;
    if (this.chosen >= 0) this.reveal();
    this.draw();
  }

  step(by: number): void {
    if (this.items.length > 0) this.choose(Math.min(this.items.length - 1, Math.max(0, this.chosen + by)));
  }

  /** The position of the chosen item, from 1, and the number of items. */
  get position(): [number, number] {
    return [this.chosen + 1, this.items.length];
  }

  private choose(index: number): void {
    this.chosen = index;
    this.reveal();
    this.draw();
    this.onChoose(this.items[index]);
  }

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 1);
    const all = this.items.length;
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: this.chosen < 0 ? 1 : -1,
      PageDown: page,
      PageUp: -page,
      Home: -all,
      End: all,
    };
    const by = steps[event.key];
    if (this.chosen >= 0 && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const acts: Record<string, () => void> = {
        " ": () => this.tick([this.chosen]),
        Enter: () => this.fold(this.chosen),
        ArrowRight: () => this.fold(this.chosen, true),
        ArrowLeft: () => this.fold(this.chosen, false),
      };
      if (acts[event.key]) {
        event.preventDefault();
        acts[event.key]();
        return;
      }
    }
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const before = this.chosen;
    this.step(by);
    if (event.shiftKey && before >= 0) {
      this.rowsOf(before).forEach((row) => this.ticked.add(row));
      this.tickTo(this.chosen);
    }
  }

  /** How many pixels of the list one pixel of the scrolled element stands for. */
  private get ratio(): number {
    const [all, box] = [this.items.length * HEIGHT, this.box.clientHeight];
    return all > HIGHEST ? (all - box) / (HIGHEST - box) : 1;
  }

  private reveal(): void {
    const top = this.chosen * HEIGHT;
    const from = this.box.scrollTop * this.ratio;
    const lowest = top + HEIGHT - this.box.clientHeight;
    if (top < from) this.box.scrollTop = top / this.ratio;
    else if (lowest > from) this.box.scrollTop = lowest / this.ratio;
  }

  private draw(): void {
    const scroll = this.box.scrollTop;
    const from = scroll * this.ratio;
    const first = Math.max(0, Math.floor(from / HEIGHT) - 4);
    const last = Math.min(this.items.length, Math.ceil((from + this.box.clientHeight) / HEIGHT) + 4);
    for (const [index, row] of this.shown) {
      if (index >= first && index < last) continue;
      row.remove();
      this.shown.delete(index);
    }
    for (let index = first; index < last; index++) {
      let row = this.shown.get(index);
      if (!row) {
        row = this.row(index);
        this.shown.set(index, row);
        this.inner.append(row);
      }
      row.style.transform = `translateY(${scroll + index * HEIGHT - from}px)`;
      row.setAttribute("aria-selected", String(index === this.chosen));
    }
    const chosen = this.shown.get(this.chosen);
    if (chosen) this.box.setAttribute("aria-activedescendant", chosen.id);
    else this.box.removeAttribute("aria-activedescendant");
  }

  private row(index: number): HTMLElement {
    const item = this.items[index];
    const common = {
      class: "row",
      role: "option",
      "data-index": index,
      "aria-posinset": index + 1,
      "aria-setsize": this.items.length,
      "aria-checked": String(this.isTicked(index)),
    };
    if ("resolved" in item) {
      const { a, b, verdict } = this.report.header.resolved[item.resolved];
      const row = element(
        "div",
        { ...common, id: `resolved-${item.resolved}`, "data-resolved": item.resolved },
        element("span", { class: "names" }, element("span", { title: a }, a), element("span", { title: b }, b)),
        element("span", { class: "facts" }, element("span", { class: "verdict" }, verdict), tag("resolved")),
      );
      row.classList.add("is-resolved");
      return row;
    }
    if ("cluster" in item) return this.head(item.cluster, common);
    const clash = this.report.header.rows[item.row];
    const review = this.reviews.of(clash);
    const name = (part: number) => element("span", { title: this.report.fullName(part) }, this.report.name(part));
    const { path } = this.report.header;
    const measure = path && clash.interval ? span(path, clash.interval) : this.lengths.measure(clash);
    const row = element(
      "div",
      { ...common, id: `row-${item.row}`, "data-row": item.row },
      this.tickMark([item.row]),
      element("span", { class: "names" }, name(clash.a), name(clash.b)),
      element(
        "span",
        { class: "facts" },
        element(
          "span",
          {},
          clash.status === "new" || clash.status === "worse" ? tag(clash.status, `${clash.status} since the earlier run`) : null,
          review.status === "new" ? null : tag(review.status, `review: ${review.status}`),
          element("span", { class: "verdict" }, clash.verdict),
        ),
        element("span", { class: "measure" }, measure),
      ),
    );
    if (this.hasHeads && this.isBelowHead(index)) row.classList.add("is-below");
    return color(row, COLORS[clash.verdict]);
  }

  /** Whether the row is below the head of its cluster. */
  private isBelowHead(index: number): boolean {
    const item = this.items[index];
    for (let at = index - 1; at >= 0 && "row" in item; at--) {
      const before = this.items[at];
      if ("cluster" in before) return before.cluster.isOpen && before.cluster.rows.includes(item.row);
    }
    return false;
  }

  private tickMark(rows: number[]): HTMLElement {
    const isTicked = rows.every((row) => this.ticked.has(row));
    const title = "Tick to change several findings together (Space, Ctrl+click)";
    return element("span", { class: isTicked ? "tick is-ticked" : "tick", title, "aria-hidden": "true" });
  }

  /** The head of a cluster: its name, the number of its findings, and how many have each verdict. */
  private head(cluster: Cluster, common: Record<string, string | number>): HTMLElement {
    const { rows } = this.report.header;
    const counts = VERDICTS.map((verdict) => ({
      verdict,
      count: cluster.rows.filter((row) => rows[row].verdict === verdict).length,
    })).filter(({ count }) => count > 0);
    const dots = counts.map(({ verdict, count }) =>
      color(element("span", { class: "dot", title: `${count} ${verdict}` }, String(count)), COLORS[verdict]),
    );
    const row = element(
      "div",
      { ...common, id: `cluster-${common["data-index"]}`, "data-cluster": cluster.id, "aria-expanded": String(cluster.isOpen) },
      this.tickMark(cluster.rows),
      element("span", { class: "fold", "aria-hidden": "true" }, cluster.isOpen ? "▾" : "▸"),
      element("span", { class: "names" }, element("span", { title: cluster.name }, cluster.name), element("span", {}, cluster.note)),
      element("span", { class: "facts" }, element("span", { class: "verdict" }, counts[0].verdict), element("span", { class: "counts" }, ...dots)),
    );
    row.classList.add("is-cluster");
    return color(row, COLORS[counts[0].verdict]);
  }
}

function tag(text: string, title = text): HTMLElement {
  return element("span", { class: `tag tag-${text}`, title }, text);
}

function same(one: Item, other: Item): boolean {
  if ("row" in one) return "row" in other && one.row === other.row;
  if ("resolved" in one) return "resolved" in other && one.resolved === other.resolved;
  return "cluster" in other && one.cluster.id === other.cluster.id;
}
