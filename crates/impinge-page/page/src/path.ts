// Where along a path: the slider below the view with the intervals of the findings, and moments as text.

import { element, byId, button } from "./dom.ts";
import { VERDICTS, type Interval, type Path, type Report, type Row } from "./data.ts";
import { COLORS, number, plural, type Lengths } from "./words.ts";

/** Why something worse than the verdict cannot be ruled out. */
const DOUBTS = {
  samples: "The parts are in contact while they turn or slide farther than the touch band between two checks, so something worse cannot be ruled out.",
  gaps: "A surface has holes, so a part may get inside without a contact.",
  near: "The parts come within the widest touch band, but no check says that they touch.",
};

/** The slider that moves parts along the path. Shown only if the report has a path. */
export class PathSlider {
  onMove: (moment: number) => void = () => {};
  private readonly slider = byId<HTMLInputElement>("moment");

  constructor(
    private readonly report: Report,
    private readonly lengths: Lengths,
  ) {
    const { path } = report.header;
    byId("path").hidden = path === null;
    if (!path) return;
    document.body.classList.add("has-path");
    this.slider.max = String(path.moments.row.length - 1);
    this.slider.addEventListener("input", () => this.onMove(Number(this.slider.value)));
    this.show();
  }

  /** Brings the slider and its label up to date. */
  show(): void {
    const { path } = this.report.header;
    if (!path) return;
    this.slider.value = String(this.report.moment);
    const text = when(path, this.report.moment);
    this.slider.setAttribute("aria-valuetext", text);
    byId("when").textContent = `${text}: ${displacement(this.report, this.report.moment, this.lengths)}`;
  }

  /** Draws the intervals of findings: one if it is chosen, else all, the worst in front. */
  mark(rows: Row[]): void {
    const { path } = this.report.header;
    if (!path) return;
    const last = Math.max(1, path.moments.row.length - 1);
    const worst = [...rows].sort((a, b) => VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict));
    const bars = merged(worst).map(({ from, until, verdict }) => {
      const bar = element("span", {});
      bar.style.left = `${(100 * from) / last}%`;
      bar.style.width = `max(2px, ${(100 * (until - from)) / last}%)`;
      bar.style.background = COLORS[verdict];
      return bar;
    });
    byId("intervals").replaceChildren(...bars);
  }
}

interface Bar {
  from: number;
  until: number;
  verdict: Row["verdict"];
}

/** The intervals of rows of the same verdict as few bars as possible; the order of verdicts is kept. */
function merged(rows: Row[]): Bar[] {
  const bars: Bar[] = [];
  for (const verdict of new Set(rows.map((row) => row.verdict))) {
    const own = rows.flatMap((row) => (row.verdict === verdict && row.interval ? [row.interval] : []));
    own.sort((a, b) => a.from - b.from);
    let open: Bar | null = null;
    for (const { from, until } of own) {
      if (open && from <= open.until) open.until = Math.max(open.until, until);
      else bars.push((open = { from, until, verdict }));
    }
  }
  return bars;
}

/** The row and the time of a moment. */
export function when({ moments }: Path, moment: number): string {
  const [row, fraction] = [moments.row[moment], moments.fraction[moment]];
  const at = fraction > 0 ? `row ${trimmed(row + fraction)}` : `row ${row}`;
  return moments.time ? `t = ${trimmed(moments.time[moment])}, ${at}` : at;
}

/** The times of an interval, or its rows if the path has no times, with four digits. */
export function span({ moments }: Path, { from, until }: Interval): string {
  const at = (moment: number) => number(moments.time ? moments.time[moment] : moments.row[moment] + moments.fraction[moment]);
  return `${moments.time ? "t" : "row"} ${at(from)} – ${at(until)}`;
}

/** How the parts are displaced at a moment: the translation of the origin, and a rotation. */
export function displacement(report: Report, moment: number, lengths: Lengths): string {
  const d = report.displacements.subarray(12 * moment, 12 * moment + 12);
  const unit = lengths.units ? ` ${lengths.units}` : "";
  const shift = `(${[d[3], d[7], d[11]].map(number).join(", ")})${unit}`;
  const axis = [d[9] - d[6], d[2] - d[8], d[4] - d[1]];
  const sine = Math.hypot(...axis) / 2;
  const angle = (Math.atan2(sine, (d[0] + d[5] + d[10] - 1) / 2) * 180) / Math.PI;
  if (angle < 1e-6) return `moved by ${shift}`;
  if (sine < 1e-9) return `turned by 180°, then moved by ${shift}`;
  const about = axis.map((value) => number(value / (2 * sine))).join(", ");
  return `turned by ${number(angle)}° about (${about}), then moved by ${shift}`;
}

/** The moments of a finding, each with a button that shows it. */
export function interval(report: Report, row: Row, lengths: Lengths, show: (moment: number) => void): HTMLElement[] {
  const { path } = report.header;
  if (!path || !row.interval) return [];
  const { from, at, until, doubt } = row.interval;
  const middle = row.verdict === "clearance" ? "Closest" : "First at";
  const moments: [string, number][] = [["Begins", from], [middle, at], ["Ends", until]];
  const entry = ([label, moment]: [string, number]) => {
    const made = button("", { class: "place", "data-moment": String(moment), "aria-pressed": String(moment === report.moment) }, () => show(moment));
    const text = element("span", {}, when(path, moment), element("br", {}), displacement(report, moment, lengths));
    made.append(element("b", {}, label), text);
    return element("li", {}, made);
  };
  return [
    element("h3", {}, `Along the path of ${plural(path.rows, "row")}`),
    element("ol", { class: "places moments" }, ...moments.map(entry)),
    ...(doubt ? [element("p", { class: "note" }, `Not certified. ${DOUBTS[doubt]}`)] : []),
  ];
}

const trimmed = (value: number) => String(Number(value.toPrecision(7)));
