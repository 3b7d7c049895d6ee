// The list of gouges. Only the visible rows are in the document.

import { byId, color, element } from "../dom.ts";
import { Lengths } from "../words.ts";
import type { Report } from "./data.ts";

const HEIGHT = 58;

export class List {
  onChoose: (gouge: number) => void = () => {};
  private readonly box = byId("list");
  private readonly inner = element("div", { class: "rows", role: "presentation" });
  private readonly shown = new Map<number, HTMLElement>();
  private readonly lengths = new Lengths("mm");
  private gouges: number[] = [];
  private chosen = -1;

  constructor(private readonly report: Report) {
    this.box.append(this.inner);
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.inner.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-index]");
      if (row) this.onChoose(this.gouges[Number(row.dataset.index)]);
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Lists other gouges. */
  set(gouges: number[]): void {
    const before = this.gouges[this.chosen];
    this.gouges = gouges;
    this.shown.forEach((row) => row.remove());
    this.shown.clear();
    this.inner.style.height = `${gouges.length * HEIGHT}px`;
    this.inner.classList.toggle("is-empty", gouges.length === 0);
    this.mark(before ?? null);
  }

  /** Marks a gouge as chosen, without calling `onChoose`. */
  mark(gouge: number | null): void {
    this.chosen = gouge === null ? -1 : this.gouges.indexOf(gouge);
    if (this.chosen >= 0) {
      const [top, bottom] = [this.chosen * HEIGHT, (this.chosen + 1) * HEIGHT];
      if (top < this.box.scrollTop) this.box.scrollTop = top;
      else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
    }
    this.draw();
  }

  /** The place of the chosen gouge in the list, from 1, and the length of the list. */
  get position(): [number, number] {
    return [this.chosen + 1, this.gouges.length];
  }

  /** Chooses a neighbour of the chosen gouge. */
  step(by: number): void {
    const next = Math.min(Math.max(this.chosen + by, 0), this.gouges.length - 1);
    if (this.gouges.length > 0) this.onChoose(this.gouges[next]);
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.step(by);
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - 2);
    const last = Math.min(this.gouges.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / HEIGHT) + 2);
    for (const [index, row] of this.shown) {
      if (index >= first && index < last) continue;
      row.remove();
      this.shown.delete(index);
    }
    for (let index = first; index < last; index++) {
      const row = this.shown.get(index) ?? this.row(index);
      row.setAttribute("aria-selected", String(index === this.chosen));
    }
  }

  private row(index: number): HTMLElement {
    const gouge = this.report.header.gouges[this.gouges[index]];
    const made = element(
      "div",
      { class: "row", role: "option", "data-index": index, "data-gouge": this.gouges[index] },
      element("div", { class: "names" }, element("span", {}, `Line ${gouge.line}`), element("code", {}, gouge.text)),
      element(
        "div",
        { class: "facts" },
        element("span", { class: "measure" }, `${this.lengths.show(gouge.depth)} deep`),
        element("span", { class: "verdict" }, gouge.rapid ? `${gouge.with}, rapid` : gouge.with),
      ),
    );
    made.style.top = `${index * HEIGHT}px`;
    color(made, this.report.header.colors.tool[gouge.with]);
    this.shown.set(index, made);
    this.inner.append(made);
    return made;
  }
}
