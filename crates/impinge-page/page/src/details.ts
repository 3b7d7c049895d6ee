// The panel with the details of the chosen finding or cluster; of the whole report if nothing is chosen.

import { element, byId, button, color } from "./dom.ts";
import { REVIEW_STATUSES, VERDICTS, type Place, type Report, type Review, type ReviewStatus, type Row } from "./data.ts";
import type { Cluster } from "./filter.ts";
import { interval } from "./path.ts";
import type { Reviews } from "./review.ts";
import { COLORS, HIDDEN, MEANINGS, SIDES, count, plural, type Lengths } from "./words.ts";

/** Maximum number of places that are listed. */
const LISTED = 200;

export class Details {
  onPlace: (place: number | null) => void = () => {};
  onStep: (by: number) => void = () => {};
  onClose: () => void = () => {};
  onPart: (part: number) => void = () => {};
  /** Shows a moment of the path. */
  onMoment: (moment: number) => void = () => {};
  /** Copies a link to a finding. Returns whether that was possible. */
  onLink: (key: string) => Promise<boolean> = async () => false;
  private readonly box = byId("details");
  private readonly gaps: Map<number, { width: number; closed: boolean }>;

  constructor(
    private readonly report: Report,
    private readonly lengths: Lengths,
    private readonly reviews: Reviews,
  ) {
    this.gaps = new Map(report.header.gaps.map((gap) => [gap.part, gap]));
  }

  /** Shows the whole report. */
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
        ["Pairs compared", count(header.pairs_checked)],
        ...(header.path ? [["Path", `${header.path.file}, ${plural(header.path.rows, "row")}`] as [string, string]] : []),
        ["Widest touch band", this.lengths.show(header.touch)],
        ["Clearance", header.clearance > 0 ? this.lengths.show(header.clearance) : "none"],
        ["Units", header.units ?? "not known"],
      ]),
      header.is_quick && element("p", { class: "note" }, "This was a quick check: it decided verdicts only, without depths and faces."),
      ...this.hidden(),
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

  /** What is not in the list, and what was not read. */
  private hidden(): HTMLElement[] {
    const { hidden, left_out } = this.report.header;
    const reasons = Object.entries(hidden).filter(([, total]) => total > 0);
    const all: [string, number][] = reasons.map(([reason, total]) => {
      const what = reason.startsWith("pairs_") ? "Pairs not compared" : "Findings not listed";
      return [`${what}: ${HIDDEN[reason] ?? reason}`, total];
    });
    for (const { kind, count: total } of left_out) all.push([`Not read: ${kind}`, total]);
    if (all.length === 0) return [];
    return [element("h3", {}, "Not in this report"), facts(all.map(([what, total]) => [what, count(total)]))];
  }

  resolved(index: number, position: [number, number]): void {
    const { a, b, verdict } = this.report.header.resolved[index];
    this.fill(
      this.bar("resolved", "#8b96a5", position),
      element("p", { class: "meaning" }, `This pair was ${verdict} in the earlier run and clashes no longer.`),
      element("div", { class: "parts" }, element("p", { class: "part" }, a), element("p", { class: "part" }, b)),
    );
  }

  /** Shows a finding, or a place of it. */
  clash(index: number, place: number | null, position: [number, number]): void {
    const row = this.report.header.rows[index];
    const list: [string, string, string?][] = [];
    const depth = this.lengths.depth(row);
    if (depth) list.push(["Depth", depth, [row.depth, row.depth_at_most].filter((value) => value !== null).join(" to ")]);
    if (row.fit) {
      list.push(
        ["Difference of radii", this.lengths.difference(row.fit.difference), exact(row.fit.difference)],
        ["Shaft", `${this.lengths.show(row.fit.shaft_radius)} radius`, exact(row.fit.shaft_radius)],
        ["Hole", `${this.lengths.show(row.fit.hole_radius)} radius`, exact(row.fit.hole_radius)],
      );
    }
    if (row.volume !== null) list.push(["Common volume", this.lengths.volume(row.volume), exact(row.volume)]);
    list.push(["Distance", this.lengths.show(row.distance), exact(row.distance)]);
    if (row.band > 0) list.push(["Touch band", this.lengths.show(row.band), exact(row.band)]);
    if (row.length > 0) list.push(["Length of the curve", this.lengths.show(row.length), exact(row.length)]);
    if (row.extent && row.places.length > 0) list.push(["Extent", this.lengths.size(row.extent)]);
    list.push(["Pairs of faces", count(row.pairs)], ["Faces", `${count(row.faces[0])} and ${count(row.faces[1])}`]);
    const before = { new: "not there: new", known: "there as well", worse: "there, but less severe" };
    if (row.status) list.push(["In the earlier run", before[row.status]]);
    const [p, q] = row.points;
    const isOne = p.every((value, axis) => value === q[axis]);
    list.push([isOne ? "Point" : "Closest points", coordinates(p), p.join(", ")]);
    if (!isOne) list.push(["", coordinates(q), q.join(", ")]);
    this.fill(
      this.bar(row.verdict, COLORS[row.verdict], position, row.key),
      element("p", { class: "meaning" }, ...this.meaning(row)),
      element("div", { class: "parts" }, this.part(row.a, 0, row.closed[0]), this.part(row.b, 1, row.closed[1])),
      ...(row.interval ? interval(this.report, row, this.lengths, (moment) => this.onMoment(moment)) : [this.form([row])]),
      row.interval !== null && element("h3", {}, row.verdict === "clearance" ? "At the closest moment" : "At the first moment"),
      facts(list),
      this.hint(row),
      row.pairs_kept < row.pairs && element("p", { class: "note" }, `${count(row.pairs_kept)} of ${plural(row.pairs, "pair")} of faces are highlighted; there was no room for more.`),
      ...this.places(row, place),
    );
  }

  /** Shows a cluster. */
  cluster(cluster: Cluster, position: [number, number]): void {
    const rows = cluster.rows.map((row) => this.report.header.rows[row]);
    const counts = VERDICTS.map((verdict) => ({ verdict, rows: rows.filter((row) => row.verdict === verdict) }));
    const terms = counts
      .filter(({ rows }) => rows.length > 0)
      .flatMap(({ verdict, rows }) => [
        color(element("dt", { class: "dot" }, verdict), COLORS[verdict]),
        element("dd", {}, count(rows.length)),
      ]);
    const worst = rows.reduce((worst, { verdict }) => Math.min(worst, VERDICTS.indexOf(verdict)), VERDICTS.length - 1);
    this.fill(
      this.bar(plural(rows.length, "finding"), COLORS[VERDICTS[worst]], position),
      element("p", { class: "meaning" }, element("bdi", {}, cluster.name)),
      element("dl", { class: "facts-list" }, ...terms),
      this.report.header.path === null && this.form(rows),
    );
  }

  /** The meaning of the verdict; which part is inside, if one is. */
  private meaning(row: Row): (string | HTMLElement)[] {
    const [a, b] = [row.a, row.b].map((part) => element("bdi", {}, this.report.name(part)));
    if (row.inside) return row.inside === "a" ? [a, " is inside ", b, "."] : [b, " is inside ", a, "."];
    return [MEANINGS[row.verdict]];
  }

  /** The fields of the review. Fields in which several findings differ are empty, and stay so until they are set. */
  form(rows: Row[]): HTMLElement {
    const reviews = rows.map((row) => this.reviews.of(row));
    const common = <K extends keyof Review>(field: K): Review[K] | null =>
      reviews.every((review) => review[field] === reviews[0][field]) ? reviews[0][field] : null;
    const set = (change: Partial<Review>) => this.reviews.set(rows, change);
    const label = (text: string, field: HTMLElement) => element("label", {}, element("span", {}, text), field);

    const status = element("select", { "data-review": "status" });
    if (common("status") === null) status.append(element("option", { value: "", disabled: true, selected: true }, "different"));
    for (const name of REVIEW_STATUSES) status.append(element("option", { value: name }, name));
    status.value = common("status") ?? "";
    status.addEventListener("change", () => set({ status: status.value as ReviewStatus }));

    const field = (name: "assignee" | "group", list: string) => {
      const placeholder = common(name) === null ? "different" : "";
      const made = element("input", { "data-review": name, type: "text", list, placeholder, autocomplete: "off" });
      made.value = common(name) ?? "";
      made.addEventListener("input", () => set({ [name]: made.value.trim() }));
      return made;
    };
    const comment = element("textarea", { "data-review": "comment", rows: 2, placeholder: common("comment") === null ? "different" : "" });
    comment.value = common("comment") ?? "";
    comment.addEventListener("input", () => set({ comment: comment.value }));
    return element(
      "div",
      { class: "review", role: "group", "aria-label": "Review" },
      label("Status", status),
      label("Assignee", field("assignee", "assignees")),
      label("Group", field("group", "groups")),
      label("Comment", comment),
    );
  }

  /** What the depth means, or why there is none. */
  private hint(row: Row): HTMLElement | false {
    const say = (...text: (string | HTMLElement)[]) => element("p", { class: "hint" }, ...text);
    if (row.depth !== null && row.depth <= row.band) return row.verdict === "touching" && say("Neither part reaches into the other deeper than the touch band.");
    if (row.depth !== null && row.separation) return say(`The depth is the length of the shortest move that frees the parts. Moving the second part by (${coordinates(row.separation)}) frees them.`);
    if (row.depth !== null) return say("The depth is a lower bound: no shorter move frees the parts.");
    const open = [row.a, row.b].filter((_, side) => !row.closed[side]).map((part) => element("bdi", {}, this.report.name(part)));
    if (row.verdict === "duplicate" || row.verdict === "clearance" || row.verdict === "fit") return false;
    if (open.length === 2) return say("The depth is not known, because ", open[0], " and ", open[1], " are open.");
    if (open.length === 1) return say("The depth is not known, because ", open[0], " is open.");
    return false;
  }

  private bar(title: string, tint: string, [at, all]: [number, number], key?: string): HTMLElement {
    const step = (label: string, sign: string, by: number) => button(sign, { "aria-label": label, title: label }, () => this.onStep(by));
    return element(
      "div",
      { class: "bar" },
      color(element("h2", { class: "badge" }, title), tint),
      element("span", { class: "position" }, at > 0 ? `${count(at)} / ${count(all)}` : ""),
      key !== undefined && this.linkButton(key),
      step("Previous", "↑", -1),
      step("Next", "↓", 1),
      button("✕", { "aria-label": "Close and show all", title: "Close and show all (Esc)" }, () => this.onClose()),
    );
  }

  private linkButton(key: string): HTMLElement {
    const label = "Copy a link to this finding";
    const made = button("#", { "aria-label": label, title: label, "data-act": "link" }, () => {
      void this.onLink(key).then((isDone) => {
        made.textContent = isDone ? "✓" : "!";
        made.title = isDone ? "Copied" : "Not possible: copy the address of the page";
        setTimeout(() => {
          made.textContent = "#";
          made.title = label;
        }, 1500);
      });
    });
    return made;
  }

  private part(part: number, side: number, isClosed: boolean): HTMLElement {
    const path = this.report.path(part).join(" / ");
    const show = button(this.report.name(part), { class: "name", title: "List the findings of this part" }, () => this.onPart(part));
    const made = element(
      "div",
      { class: "part" },
      element("span", { class: "swatch", "aria-hidden": "true" }),
      element("div", {}, show, path ? element("span", { class: "path" }, path) : null, this.gap(part)),
      element("span", { class: "state", title: isClosed ? "Its surface encloses a solid" : "Its surface has a boundary, so it has no inside" }, isClosed ? "closed" : "open"),
    );
    return color(made, SIDES[side]);
  }

  /** How wide the gaps of a part are, if it has any. */
  private gap(part: number): HTMLElement | null {
    const gap = this.gaps.get(part);
    if (!gap) return null;
    const effect = gap.closed ? "counts as closed" : "too wide to count as closed";
    return element("span", { class: "path" }, `gaps up to ${this.lengths.show(gap.width)}: ${effect}`);
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
