// What lies around every view: the buttons that choose a side, and the axes in the corner.

import { byId, button, element } from "./dom.ts";
import { VIEWS, type Stage } from "./view/stage.ts";

const LABELS = { iso: "Iso", front: "Front", top: "Top", right: "Right" };

/** Buttons that show all, look from a side, and say which axis points up. */
export function lookButtons(view: Stage, whole: string): HTMLElement {
  const up = button(`${view.upAxis.toUpperCase()} up`, { title: "Which axis points up" }, () => {
    view.turnUp(view.upAxis === "z" ? "y" : "z");
    up.textContent = `${view.upAxis.toUpperCase()} up`;
  });
  return element(
    "div",
    { class: "buttons", role: "group", "aria-label": "Look from" },
    button("Fit all", { "data-view": "fit", title: `Show the whole ${whole} (F)` }, () => void view.fit()),
    ...VIEWS.map((side, i) => button(LABELS[side], { "data-view": side, title: `Look from this side (${i + 1})` }, () => void view.look(side))),
    up,
  );
}

/** Draws the axes as the camera sees them. */
export function drawAxes(view: Stage): void {
  const names = ["x", "y", "z"];
  const axes = view.axes().map((axis, i) => ({ axis, name: names[i] }));
  axes.sort((one, other) => one.axis.z - other.axis.z);
  const svg = byId<SVGSVGElement>("axes");
  svg.replaceChildren(...axes.flatMap(({ axis, name }) => axisMark(name, 26 * axis.x, -26 * axis.y)));
}

function axisMark(name: string, x: number, y: number): SVGElement[] {
  const make = (tag: string, attributes: Record<string, string | number>) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  };
  const text = make("text", { x: x * 1.25, y: y * 1.25, class: `axis-${name}` });
  text.textContent = name;
  return [make("line", { x2: x, y2: y, class: `axis-${name}` }), text];
}
