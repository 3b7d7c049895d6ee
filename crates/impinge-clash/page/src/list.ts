// The list of clashes: only the rows in sight are in the document, so a hundred thousand scroll as well as ten.

import { element, byId, color } from "./dom.ts";
import type { Report, Verdict } from "./data.ts";
import type { Item } from "./filter.ts";
import { COLORS, type Lengths } from "./words.ts";

const HEIGHT = 58;
/** Browsers know no element higher than some 17 million pixels. */
const HIGHEST = 12_000_000;

export class List {
  onChoose: (item: Item) => void = () => {};
  private readonly box = byId("list");
  private readonly inner = element("div", { class: "rows", role: "presentation" });
  private readonly shown = new Map<number, HTMLElement>();
  private items: Item[] = [];
  private chosen = -1;

  constructor(
    private readonly report: Report,
    private readonly lengths: Lengths,
  ) {
    this.box.append(this.inner);
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.inner.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-index]");
      if (row) this.choose(Number(row.dataset.index));
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Lists other items; what was chosen stays so if it is among them. */
  set(items: Item[]): void {
    const before = this.items[this.chosen];
    this.items = items;
    this.chosen = before ? items.findIndex((item) => same(item, before)) : -1;
    this.shown.forEach((row) => row.remove());
    this.shown.clear();
    this.inner.style.height = `${Math.min(items.length * HEIGHT, HIGHEST)}px`;
    this.inner.classList.toggle("is-empty", items.length === 0);
    if (this.chosen >= 0) this.reveal();
    else this.box.scrollTop = 0;
    this.draw();
  }

  /** Marks an item, without telling of it. */
  mark(item: Item | null): void {
    this.chosen = item ? this.items.findIndex((other) => same(other, item)) : -1;
    if (this.chosen >= 0) this.reveal();
    this.draw();
  }

  step(by: number): void {
    if (this.items.length > 0) this.choose(Math.min(this.items.length - 1, Math.max(0, this.chosen + by)));
  }

  /** Where the chosen item is, counted from 1, and of how many. */
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
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.step(by);
  }

  /** How many pixels of the list one of the scroll bar stands for. */
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
    const clash = this.report.header.rows[item.row];
    const name = (part: number) => element("span", { title: this.report.fullName(part) }, this.report.name(part));
    const measure = this.lengths.measure(clash);
    const row = element(
      "div",
      { ...common, id: `row-${item.row}`, "data-row": item.row },
      element("span", { class: "names" }, name(clash.a), name(clash.b)),
      element(
        "span",
        { class: "facts" },
        element("span", { class: "verdict" }, clash.verdict),
        element("span", { class: "measure" }, measure, clash.status === "new" ? tag("new") : null),
      ),
    );
    color(row, COLORS[clash.verdict as Verdict]);
    return row;
  }
}

function tag(text: string): HTMLElement {
  return element("span", { class: `tag tag-${text}` }, text);
}

function same(one: Item, other: Item): boolean {
  return "row" in one
    ? "row" in other && one.row === other.row
    : "resolved" in other && one.resolved === other.resolved;
}
