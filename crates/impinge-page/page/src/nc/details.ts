// The panel with the details of the chosen gouge; of the whole program if nothing is chosen.

import { byId, button, color, element } from "../dom.ts";
import { Lengths, count, number, plural } from "../words.ts";
import { TOOL_PARTS, type Gouge, type Report } from "./data.ts";

const lengths = new Lengths("mm");

const MEANINGS = {
  cutter: { part: "The cutter removes material that should remain.", stock: "The tool enters the stock in a rapid move.", fixture: "The cutter hits a fixture." },
  shank: { part: "The shank, which does not cut, hits the part.", stock: "The shank, which does not cut, hits the stock.", fixture: "The shank hits a fixture." },
  holder: { part: "The holder hits the part.", stock: "The holder hits the stock.", fixture: "The holder hits a fixture." },
};

export class Details {
  onStep: (by: number) => void = () => {};
  onClose: () => void = () => {};
  private readonly box = byId("details");

  constructor(private readonly report: Report) {}

  /** Shows the whole program. `notes` says what the page leaves out. */
  overview(notes: string[]): void {
    const { header } = this.report;
    const counts = TOOL_PARTS.map((part) => {
      const total = header.gouges.filter((gouge) => gouge.with === part).length;
      return [color(element("dt", { class: "dot" }, `by the ${part}`), header.colors.tool[part]), element("dd", {}, count(total))];
    });
    const faces = (role: string) => header.bodies.filter((body) => body.role === role).reduce((sum, body) => sum + body.mesh.faces, 0);
    const bodies: [string, string][] = [["Part", plural(faces("part"), "face")]];
    if (faces("stock") > 0) bodies.push(["Stock", plural(faces("stock"), "face")]);
    if (faces("fixture") > 0) bodies.push(["Fixtures", plural(faces("fixture"), "face")]);
    this.box.replaceChildren(
      element("h2", {}, header.gouge_count === 0 ? "No gouges" : plural(header.gouge_count, "gouge")),
      element("dl", { class: "facts-list" }, ...counts.flat()),
      element("h3", {}, "What was checked"),
      facts([
        ...bodies,
        ["Lines", count(header.lines)],
        ["Moves", count(header.moves)],
        ["Moves that gouge", count(header.gouging_moves)],
        ["Deepest", header.gouge_count > 0 ? lengths.show(header.worst_depth) : "none"],
        ["Tolerance", lengths.show(header.tolerance)],
        ["Stock to leave", lengths.show(header.stock_to_leave)],
        ["Clearance", lengths.show(header.clearance)],
        ["Unit of the program", header.program_unit],
      ]),
      element("h3", {}, header.tools.length === 1 ? "Tool" : "Tools"),
      element("ul", { class: "skipped" }, ...header.tools.map((tool) => element("li", {}, tool.number > 0 ? `T${tool.number}: ${tool.name}` : tool.name))),
      ...[...notes, ...header.notes].map((note) => element("p", { class: "note" }, note)),
      element("h3", {}, "Terms"),
      element(
        "dl",
        { class: "meanings" },
        element("dt", {}, "depth"),
        element("dd", {}, "Distance from the tool's deepest point inside the body to the body's surface, plus the allowance or clearance that had to remain."),
        element("dt", {}, "lift"),
        element("dd", {}, "How far the tool must be lifted along its axis to clear the faces that it touches."),
      ),
      element("p", { class: "made" }, `Made by impinge ${header.version}.`),
    );
  }

  /** Shows a gouge. */
  gouge(gouge: Gouge, [at, all]: [number, number]): void {
    const { header } = this.report;
    const body = header.bodies[gouge.body];
    const tool = header.tools.find((other) => other.number === gouge.tool);
    const point = (values: number[]) => `(${values.map(number).join(", ")})`;
    const isTilted = gouge.axis[2] < 1;
    const list: [string, string][] = [
      ["Depth", lengths.show(gouge.depth)],
      ["Lift to clear", lengths.show(gouge.lift)],
      ["Move", gouge.rapid ? "rapid" : "feed"],
      ["Tool", gouge.tool > 0 ? `T${gouge.tool}` : (tool?.name ?? "")],
      [body.role === "part" ? "Part" : body.role === "stock" ? "Stock" : "Fixture", body.name],
      ["Deepest point", point(gouge.at)],
      ["Tip of the tool", point(gouge.tip)],
      ...(isTilted ? [["Axis of the tool", point(gouge.axis)] as [string, string]] : []),
      ["Faces", count(gouge.faces)],
    ];
    const badge = color(element("h2", { class: "badge" }, gouge.with), header.colors.tool[gouge.with]);
    this.box.replaceChildren(
      element(
        "div",
        { class: "bar" },
        badge,
        element("span", { class: "position" }, at > 0 ? `${count(at)} of ${count(all)}` : ""),
        button("‹", { "aria-label": "Previous gouge" }, () => this.onStep(-1)),
        button("›", { "aria-label": "Next gouge" }, () => this.onStep(1)),
        button("✕", { "aria-label": "Show all" }, () => this.onClose()),
      ),
      element("p", { class: "meaning" }, MEANINGS[gouge.with][body.role]),
      element("code", { class: "line-text" }, `${gouge.line}: ${gouge.text}`),
      facts(list),
      ...(gouge.faces_kept < gouge.faces ? [element("p", { class: "note" }, `${count(gouge.faces_kept)} of ${plural(gouge.faces, "face")} are highlighted; there was no room for more.`)] : []),
    );
  }
}

function facts(list: [string, string][]): HTMLElement {
  return element("dl", { class: "facts-list" }, ...list.flatMap(([term, value]) => [element("dt", {}, term), element("dd", {}, value)]));
}
