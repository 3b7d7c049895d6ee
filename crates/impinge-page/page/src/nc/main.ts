// Puts the page of a checked program together: the view and the details show the gouge that is chosen in the list.

import "../style.css";
import "./nc.css";
import { byId, button, color, element } from "../dom.ts";
import { drawAxes, lookButtons } from "../frame.ts";
import { Lengths, count, plural } from "../words.ts";
import { VIEWS, type Seen } from "../view/stage.ts";
import { CLASSES, TOOL_PARTS, read, type PathClass, type Report, type ToolPartName } from "./data.ts";
import { Details } from "./details.ts";
import { List } from "./list.ts";
import { Steps } from "./steps.ts";
import { NcView } from "./view.ts";

/** Functions for scripts and tests. */
export interface NcHooks {
  ready: Promise<void>;
  /** Chooses a gouge by its number in the report; done when it is in view. */
  select(gouge: number | null): Promise<void>;
  /** Done when the camera stands still. */
  settled(): Promise<void>;
  camera(): Seen | null;
  stats(): Record<string, unknown>;
  /** Where on the screen the deepest point of a gouge is. */
  project(gouge: number): [number, number] | null;
  listed(): number[];
  /** Moves the tool to a length of the path. */
  moveTo(length: number): void;
  report(): Report;
}

const LABELS: Record<PathClass, string> = { clear: "Feed", rapid: "Rapid", gouging: "Gouging" };

class Page {
  private readonly list: List;
  private readonly details: Details;
  private readonly steps: Steps;
  private view: NcView | null = null;
  private why = "";
  private gouges: number[] = [];
  private chosen: number | null = null;
  private readonly wanted = { text: "", parts: new Set<ToolPartName>(), isRapid: false, byLine: false };
  private isFaint = false;

  constructor(readonly report: Report) {
    this.list = new List(report);
    this.details = new Details(report);
    this.steps = new Steps(report);
    this.list.onChoose = (gouge) => void this.choose(gouge);
    this.details.onStep = (by) => this.list.step(by);
    this.details.onClose = () => void this.choose(null);
    this.steps.onMove = (length) => this.moveTo(length);
    this.head();
    this.tools();
    document.addEventListener("keydown", (event) => this.key(event));
    this.refilter();
    this.describe();
  }

  private head(): void {
    const { part, program, moves, gouge_count } = this.report.header;
    byId("source").textContent = `${part} · ${program}`;
    byId("facts").textContent = `${plural(moves, "move")} · ${plural(gouge_count, "gouge")}`;
    document.title = `NC report: ${program}`;
  }

  private tools(): void {
    const { gouges, colors } = this.report.header;
    const search = byId<HTMLInputElement>("search");
    search.addEventListener("input", () => {
      this.wanted.text = search.value;
      this.refilter();
    });
    const chip = (label: string, total: number, tint: string, toggle: () => boolean) => {
      const made = button("", { class: "chip", "aria-pressed": "false", "data-filter": label }, () => {
        made.setAttribute("aria-pressed", String(toggle()));
        this.refilter();
      });
      made.append(element("span", { class: "dot" }, label), element("b", {}, count(total)));
      made.hidden = total === 0;
      return color(made, tint);
    };
    const { parts } = this.wanted;
    const ofPart = (part: ToolPartName) =>
      chip(part, gouges.filter((gouge) => gouge.with === part).length, colors.tool[part], () => {
        if (!parts.delete(part)) parts.add(part);
        return parts.has(part);
      });
    const rapids = gouges.filter((gouge) => gouge.rapid).length;
    byId("kinds").append(
      ...TOOL_PARTS.map(ofPart),
      chip("rapid", rapids, colors.path.rapid, () => (this.wanted.isRapid = !this.wanted.isRapid)),
    );
    const sort = byId<HTMLSelectElement>("sort");
    sort.append(element("option", { value: "depth" }, "Deepest first"), element("option", { value: "line" }, "By line"));
    sort.addEventListener("change", () => {
      this.wanted.byLine = sort.value === "line";
      this.refilter();
    });
  }

  private refilter(): void {
    const { gouges, gouge_count } = this.report.header;
    const { parts, isRapid, byLine } = this.wanted;
    const text = this.wanted.text.trim().toLowerCase();
    const fits = (i: number) => {
      const gouge = gouges[i];
      const isFound = text === "" || String(gouge.line) === text || gouge.text.toLowerCase().includes(text);
      return isFound && (parts.size === 0 || parts.has(gouge.with)) && (!isRapid || gouge.rapid);
    };
    this.gouges = gouges.map((_, i) => i).filter(fits);
    if (byLine) this.gouges.sort((a, b) => gouges[a].move - gouges[b].move || a - b);
    this.list.set(this.gouges);
    byId("count").textContent = this.gouges.length === gouge_count ? `${count(gouge_count)} listed` : `${count(this.gouges.length)} of ${count(gouge_count)} listed`;
    this.view?.list(this.gouges);
    this.steps.mark(this.gouges);
  }

  /** Chooses a gouge: the camera flies there, and the tool stands where it hits. */
  async choose(gouge: number | null): Promise<void> {
    if (this.steps.isPlaying) this.steps.play();
    this.chosen = gouge;
    this.list.mark(gouge);
    this.describe();
    document.body.classList.toggle("has-choice", gouge !== null);
    const flight = this.view?.select(gouge);
    if (gouge !== null) {
      const { tip, axis, tool } = this.report.header.gouges[gouge];
      this.view?.moveTo({ tip, axis, tool });
      this.steps.show(this.report.lengthOf(gouge));
    }
    await flight;
  }

  moveTo(length: number): void {
    if (this.report.lengths.length > 0) this.view?.moveTo(this.report.pose(this.report.placeAt(length)));
  }

  private describe(): void {
    if (this.chosen === null) this.details.overview(this.notes());
    else this.details.gouge(this.report.header.gouges[this.chosen], this.list.position);
  }

  /** What the page leaves out or simplifies. */
  private notes(): string[] {
    const { gouges, gouge_count, path, bodies, source } = this.report.header;
    const notes = [];
    const lengths = new Lengths("mm");
    if (gouges.length < gouge_count) notes.push(`Only the ${count(gouges.length)} deepest of ${count(gouge_count)} gouges are in this page.`);
    if (path.deviation > 0) notes.push(`The path has so many moves that points of it were left out here. The line is within ${lengths.show(path.deviation)} of the true path. The check used the true path, and the places of all listed gouges are exact.`);
    const boxes = bodies.filter((body) => !body.mesh.has_faces).length;
    if (boxes > 0) notes.push(`${plural(boxes, "body has", "bodies have")} too many faces for this page, and ${boxes === 1 ? "is" : "are"} shown as a box.`);
    if (source === null) notes.push("The program is too long to be shown line by line; the lines of the gouges are shown.");
    if (this.why) notes.push(this.why);
    return notes;
  }

  async showView(): Promise<void> {
    // So that the list is seen before the view is built.
    await new Promise((resolve) => setTimeout(resolve, 0));
    try {
      this.view = new NcView(byId("canvas"), this.report);
    } catch (error) {
      this.why = "This browser shows no 3D graphics (WebGL), so there is no view of the part. The list is complete.";
      const notice = byId("notice");
      notice.textContent = this.why;
      notice.hidden = false;
      console.info(String(error));
    }
    byId("loading").hidden = true;
    if (this.view) {
      this.view.onPick = (gouge) => void this.choose(gouge);
      this.view.onFrame = () => this.view && drawAxes(this.view);
      this.toolbar(this.view);
      this.legend();
    }
    this.refilter();
    this.describe();
    if (this.report.lengths.length > 0) this.steps.go(0);
    await this.view?.drawn();
  }

  private toolbar(view: NcView): void {
    const bar = byId("toolbar");
    bar.append(lookButtons(view, "part"));
    const toggle = (label: string, title: string, attributes: Record<string, string>, isOn: boolean, act: (isOn: boolean) => void) => {
      const made = button(label, { title, "aria-pressed": String(isOn), ...attributes }, () => {
        const isPressed = made.getAttribute("aria-pressed") !== "true";
        made.setAttribute("aria-pressed", String(isPressed));
        act(isPressed);
        view.draw();
      });
      return made;
    };
    const paths = CLASSES.map((name) => toggle(LABELS[name], `Show ${name} moves`, { "data-path": name }, true, (isOn) => view.path.showClass(name, isOn)));
    bar.append(
      element("div", { class: "buttons", role: "group", "aria-label": "What is shown" },
        ...paths,
        toggle("Tool", "Show the tool (T)", { "data-show": "tool" }, true, (isOn) => (view.tool.visible = isOn)),
        toggle("Faint", "See through the part (I)", { "data-show": "faint" }, false, (isOn) => {
          this.isFaint = isOn;
          view.bodies.show(isOn);
        }),
      ),
    );
  }

  private legend(): void {
    const { colors, tools } = this.report.header;
    const entry = (label: string, tint: string) => color(element("span", { class: "dot" }, label), tint);
    const kinds = new Set(tools.flatMap((tool) => tool.parts.map((part) => part.kind)));
    byId("legend").replaceChildren(...TOOL_PARTS.filter((part) => kinds.has(part)).map((part) => entry(part, colors.tool[part])), ...CLASSES.map((name) => entry(`${LABELS[name].toLowerCase()} move`, colors.path[name])));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      void this.choose(null);
      return;
    }
    if (event.target instanceof Element && event.target.matches("input, select, textarea")) return;
    const side = VIEWS[Number(event.key) - 1];
    const press = (show: string) => document.querySelector<HTMLElement>(`[data-show="${show}"]`)?.click();
    if (event.key === "/") {
      event.preventDefault();
      byId("search").focus();
    } else if (event.key === "f") void this.view?.fit();
    else if (event.key === "i") press("faint");
    else if (event.key === "t") press("tool");
    else if (event.key === "ArrowRight") this.steps.step(1);
    else if (event.key === "ArrowLeft") this.steps.step(-1);
    else if (event.key === " " && !(event.target instanceof HTMLButtonElement)) {
      event.preventDefault();
      this.steps.play();
    } else if (side) void this.view?.look(side);
  }

  hooks(ready: Promise<void>): NcHooks {
    return {
      ready,
      select: (gouge) => this.choose(gouge),
      settled: async () => this.view?.arrival,
      camera: () => this.view?.seen() ?? null,
      stats: () => ({
        hasView: this.view !== null,
        highlighted: this.view?.highlighted ?? 0,
        isFaint: this.isFaint,
        length: this.steps.length,
        pathLength: this.report.pathLength,
      }),
      project: (gouge) => this.view?.project(this.report.header.gouges[gouge].at) ?? null,
      listed: () => [...this.gouges],
      moveTo: (length) => this.steps.go(length),
      report: () => this.report,
    };
  }
}

async function start(): Promise<Page> {
  const data = byId("data");
  const report = await read(data.textContent ?? "");
  // It may be large, and is not needed again.
  data.remove();
  const page = new Page(report);
  await page.showView();
  return page;
}

const holder = window as unknown as { impinge: NcHooks | { ready: Promise<void> } };
const ready: Promise<void> = start().then(
  (page) => {
    holder.impinge = page.hooks(ready);
  },
  (error: unknown) => {
    byId("loading").textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    throw error;
  },
);
holder.impinge = { ready };
