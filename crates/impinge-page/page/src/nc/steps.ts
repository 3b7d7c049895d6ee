// Where along the program: the slider below the view, with the places of gouges, and the buttons that step by line.

import { byId, element } from "../dom.ts";
import { number } from "../words.ts";
import type { Place, Report } from "./data.ts";

/** Seconds that playing the whole program takes. */
const SECONDS = 40;
/** The most marks on the slider. */
const MARKS = 2000;

export class Steps {
  onMove: (length: number) => void = () => {};
  /** The length of the path up to the place that is shown, in millimetres. */
  length = 0;
  private readonly slider = byId<HTMLInputElement>("moment");
  private timer: number | null = null;

  constructor(private readonly report: Report) {
    document.body.classList.add("has-path");
    this.slider.max = String(report.pathLength);
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    byId("back").addEventListener("click", () => this.step(-1));
    byId("on").addEventListener("click", () => this.step(1));
    byId("play").addEventListener("click", () => this.play());
  }

  /** Marks the places of gouges; the worst come first. */
  mark(gouges: number[]): void {
    const whole = this.report.pathLength || 1;
    const bars = gouges.slice(0, MARKS).map((gouge) => {
      const bar = element("span", {});
      bar.style.left = `${(100 * this.report.lengthOf(gouge)) / whole}%`;
      bar.style.width = "3px";
      bar.style.background = this.report.header.colors.path.gouging;
      return bar;
    });
    byId("intervals").replaceChildren(...bars);
  }

  /** Goes to a place, and shows it. */
  go(length: number): void {
    this.show(length);
    this.onMove(length);
  }

  /** Shows a place on the slider, without moving the tool. */
  show(length: number): void {
    this.length = Math.min(Math.max(length, 0), this.report.pathLength);
    this.slider.value = String(this.length);
    const text = this.describe(this.report.placeAt(this.length));
    this.slider.setAttribute("aria-valuetext", text);
    byId("when").textContent = text;
  }

  private describe(place: Place): string {
    const { header, lines } = this.report;
    if (lines.length === 0) return "The program has no moves.";
    const line = lines[this.report.pointAt(place)];
    const { tip, tool } = this.report.pose(place);
    const text = header.source?.[line - 1];
    const named = tool > 0 ? `T${tool} at` : "tip at";
    return `Line ${line} · ${named} (${tip.map((value) => number(Number(value.toFixed(3)))).join(", ")})${text ? ` · ${text}` : ""}`;
  }

  /** Goes to the end of the next line, or back to the end of the one before. */
  step(by: 1 | -1): void {
    const { lines, lengths } = this.report;
    if (lines.length === 0) return;
    const at = this.report.pointAt(this.report.placeAt(this.length));
    let next = at;
    if (by > 0) {
      // At the end of a line, the next line begins.
      const isEnd = this.length >= lengths[at] && lines[at + 1] !== lines[at];
      if (isEnd) next = Math.min(at + 1, lines.length - 1);
      while (next + 1 < lines.length && lines[next + 1] === lines[next]) next++;
    } else {
      while (next > 0 && lines[next] === lines[at]) next--;
    }
    this.go(lengths[next]);
  }

  /** Plays the program from here, or stops. */
  play(): void {
    const button = byId("play");
    if (this.timer !== null) {
      cancelAnimationFrame(this.timer);
      this.timer = null;
      button.textContent = "▶▶";
      return;
    }
    if (this.length >= this.report.pathLength) this.go(0);
    button.textContent = "❚❚";
    let before = performance.now();
    const frame = (now: number) => {
      const share = Math.min(0.1, (now - before) / 1000) / SECONDS;
      before = now;
      this.go(this.length + share * this.report.pathLength);
      if (this.length < this.report.pathLength) this.timer = requestAnimationFrame(frame);
      else this.play();
    };
    this.timer = requestAnimationFrame(frame);
  }

  get isPlaying(): boolean {
    return this.timer !== null;
  }
}
