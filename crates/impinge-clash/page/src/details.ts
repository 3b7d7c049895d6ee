// What is known of the chosen clash; of the whole report where none is chosen.

import { element, byId, button, color } from "./dom.ts";
import { VERDICTS, type Place, type Report, type Row } from "./data.ts";
import { COLORS, MEANINGS, SIDES, count, plural, type Lengths } from "./words.ts";

/** More places than this are not listed one by one. */
const LISTED = 200;

export class Details {
  onPlace: (place: number | null) => void = () => {};
  onStep: (by: number) => void = () => {};
  onClose: () => void = () => {};
  onPart: (part: number) => void = () => {};
  private readonly box = byId("details");

  constructor(
    private readonly report: Report,
    private readonly lengths: Lengths,
  ) {}

  /** The whole report. */
  overview(notes: string[]): void {
    const { header } = this.report;
    const counts = VERDICTS.map((verdict) => {
      const total = header.rows.filter((row) => row.verdict === verdict).length;
      const term = color(element("dt", { class: "dot" }, verdict), COLORS[verdict]);
      return [term, element("dd", {}, count(total))];
    });
    const skipped = header.skipped.slice(0, 100).map(({ name, why }) => element("li", { title: why }, `${name}: ${why}`));
    this.fill(
      element("h2", {}, header.rows.length === 0 ? "No clashes" : plural(header.rows.length, "clash", "clashes")),
      element("dl", { class: "facts-list" }, ...counts.flat()),
      element("h3", {}, "What was checked"),
      facts([
        ["Parts", count(header.part_count)],
        ["Faces", count(header.face_count)],
        ["Pairs looked at", count(header.pairs_checked)],
        ["Touch band", this.lengths.show(header.touch)],
        ["Clearance asked for", header.clearance > 0 ? this.lengths.show(header.clearance) : "none"],
        ["Units", header.units ?? "not known"],
      ]),
      header.resolved.length > 0 && element("p", { class: "note" }, `${plural(header.resolved.length, "pair")} of the earlier run no longer ${header.resolved.length === 1 ? "clashes" : "clash"}.`),
      ...notes.map((note) => element("p", { class: "note" }, note)),
      skipped.length > 0 && element("h3", {}, `${plural(header.skipped.length, "part")} left out: could not be read`),
      skipped.length > 0 && element("ul", { class: "skipped" }, ...skipped),
      element("h3", {}, "Verdicts"),
      element(
        "dl",
        { class: "meanings" },
        ...VERDICTS.flatMap((verdict) => [
          color(element("dt", { class: "dot" }, verdict), COLORS[verdict]),
          element("dd", {}, MEANINGS[verdict]),
        ]),
      ),
      element("p", { class: "made" }, `Made by impinge ${header.version}.`),
    );
  }

  resolved(index: number, position: [number, number]): void {
    const { a, b, verdict } = this.report.header.resolved[index];
    this.fill(
      this.bar("resolved", "#8b96a5", position),
      element("p", { class: "meaning" }, `This pair was ${verdict} in the earlier run and clashes no longer.`),
      element("div", { class: "parts" }, element("p", { class: "part" }, a), element("p", { class: "part" }, b)),
    );
  }

  clash(index: number, place: number | null, position: [number, number]): void {
    const row = this.report.header.rows[index];
    const list: [string, string, string?][] = [
      ["Depth", row.depth === null ? "none" : this.lengths.show(row.depth), exact(row.depth)],
      ["Distance", this.lengths.show(row.distance), exact(row.distance)],
    ];
    if (row.length > 0) list.push(["Length of the curve", this.lengths.show(row.length), exact(row.length)]);
    if (row.extent && row.places.length > 0) list.push(["Extent", this.lengths.size(row.extent)]);
    list.push(["Pairs of faces", count(row.pairs)], ["Faces", `${count(row.faces[0])} and ${count(row.faces[1])}`]);
    if (row.status) list.push(["In the earlier run", row.status === "new" ? "not there: new" : "there as well"]);
    const [p, q] = row.points;
    const isOne = p.every((value, axis) => value === q[axis]);
    list.push([isOne ? "Point" : "Closest points", coordinates(p), p.join(", ")]);
    if (!isOne) list.push(["", coordinates(q), q.join(", ")]);
    this.fill(
      this.bar(row.verdict, COLORS[row.verdict], position),
      element("p", { class: "meaning" }, MEANINGS[row.verdict]),
      element("div", { class: "parts" }, this.part(row.a, 0, row.closed[0]), this.part(row.b, 1, row.closed[1])),
      facts(list),
      this.depth(row),
      row.pairs_kept < row.pairs && element("p", { class: "note" }, `${count(row.pairs_kept)} of ${plural(row.pairs, "pair")} of faces are highlighted; there was no room for more.`),
      ...this.places(row, place),
    );
  }

  private depth(row: Row): HTMLElement {
    const open = [row.a, row.b].filter((_, side) => !row.closed[side]).map((part) => element("bdi", {}, this.report.name(part)));
    const say = (...text: (string | HTMLElement)[]) => element("p", { class: "hint" }, ...text);
    if (row.depth !== null) return say("The depth is a lower bound: it is measured at vertices and where the surfaces cross.");
    if (row.verdict === "duplicate") return say("There is no depth, for the parts are one and the same.");
    if (row.verdict === "clearance") return say("There is no depth, for the surfaces do not meet.");
    if (open.length === 2) return say("There is no depth, for ", open[0], " and ", open[1], " are open and so without an inside.");
    if (open.length === 1) return say("There is no depth, for ", open[0], " is open and so without an inside.");
    return say("There is no depth, for neither part reaches into the other.");
  }

  private bar(verdict: string, tint: string, [at, all]: [number, number]): HTMLElement {
    const step = (label: string, sign: string, by: number) => button(sign, { "aria-label": label, title: label }, () => this.onStep(by));
    return element(
      "div",
      { class: "bar" },
      color(element("h2", { class: "badge" }, verdict), tint),
      element("span", { class: "position" }, at > 0 ? `${count(at)} of ${count(all)}` : ""),
      step("Previous clash", "↑", -1),
      step("Next clash", "↓", 1),
      button("✕", { "aria-label": "Close and show all", title: "Close and show all (Esc)" }, () => this.onClose()),
    );
  }

  private part(part: number, side: number, isClosed: boolean): HTMLElement {
    const path = this.report.path(part).join(" / ");
    const show = button(this.report.name(part), { class: "name", title: "List the clashes of this part" }, () => this.onPart(part));
    const made = element(
      "div",
      { class: "part" },
      element("span", { class: "swatch", "aria-hidden": "true" }),
      element("div", {}, show, path ? element("span", { class: "path" }, path) : null),
      element("span", { class: "state", title: isClosed ? "Its surface encloses a solid" : "Its surface has a boundary, so it has no inside" }, isClosed ? "closed" : "open"),
    );
    return color(made, SIDES[side]);
  }

  private places(row: Row, chosen: number | null): HTMLElement[] {
    if (row.places.length < 2) return [];
    const entry = (place: Place, index: number) => {
      const text = [
        place.length > 0 ? `curve ${this.lengths.show(place.length)}` : null,
        plural(place.pairs, "pair"),
      ].filter(Boolean);
      const made = button("", { class: "place", "data-place": String(index), "aria-pressed": String(index === chosen) }, () =>
        this.onPlace(index === chosen ? null : index),
      );
      made.append(element("b", {}, String(index + 1)), element("span", {}, text.join(" · ")));
      return element("li", {}, made);
    };
    const rest = row.place_count - Math.min(row.places.length, LISTED);
    return [
      element("h3", {}, `${plural(row.place_count, "place")}`),
      element("ol", { class: "places" }, ...row.places.slice(0, LISTED).map(entry)),
      ...(rest > 0 ? [element("p", { class: "note" }, `${plural(rest, "more place")} not listed.`)] : []),
    ];
  }

  private fill(...children: (HTMLElement | false)[]): void {
    this.box.replaceChildren(...children.filter((child) => child !== false));
    this.box.scrollTop = 0;
  }
}

function facts(list: [string, string, string?][]): HTMLElement {
  const entries = list.flatMap(([term, text, exact]) => [
    element("dt", {}, term),
    element("dd", exact ? { title: exact } : {}, text),
  ]);
  return element("dl", { class: "facts-list" }, ...entries);
}

const exact = (value: number | null) => (value === null ? undefined : String(value));

const coordinates = (point: number[]) => point.map((value) => String(Number(value.toPrecision(7)))).join(", ");
