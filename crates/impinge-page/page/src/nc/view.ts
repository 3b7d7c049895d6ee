// The picture: the bodies, the path, and the tool.

import { Vector3 } from "three";
import { Space } from "../view/space.ts";
import { Stage, type Ball } from "../view/stage.ts";
import { Bodies } from "./bodies.ts";
import type { Pose, Report } from "./data.ts";
import { PathView } from "./path.ts";
import { ToolView } from "./tool.ts";

/** The least rise of the camera over a chosen gouge: the sine of the angle above the plane across the tool's axis. */
const LEAST_RISE = 0.45;

export class NcView extends Stage {
  onPick: (gouge: number) => void = () => {};
  readonly bodies: Bodies;
  readonly path: PathView;
  readonly tool: ToolView;
  /** The number of faces that are highlighted. */
  highlighted = 0;
  private chosen: number | null = null;

  constructor(
    container: HTMLElement,
    private readonly report: Report,
  ) {
    super(container, new Space(report.bounds()), "z", "Part, path and tool; drag to turn, scroll to come closer");
    this.bodies = new Bodies(report, this.space);
    this.path = new PathView(report, this.space);
    this.tool = new ToolView(report, this.space);
    this.scene.add(this.bodies, this.path, this.tool);
    this.reach = this.farthest();
    this.listenForClicks();
    this.start();
    void this.fit(false);
  }

  /** How far from the centre anything is drawn: the path and the tool may leave the bodies. */
  private farthest(): number {
    const { header } = this.report;
    const heights = header.tools.flatMap((tool) => tool.parts.flatMap((part) => part.contour.map((point) => point[1])));
    const { center, scale } = header.path;
    const path = this.space.toPicture(center).length() + Math.sqrt(3) * scale * this.space.scale;
    return Math.max(1.1, path) + Math.max(0, ...heights) * this.space.scale;
  }

  /** Puts the tool at a place of the path. */
  moveTo(pose: Pose): void {
    this.tool.put(pose);
    this.draw();
  }

  list(gouges: number[]): void {
    this.path.list(gouges, this.renderer.getPixelRatio());
    this.draw();
  }

  /** Chooses a gouge and frames it; null shows all again. */
  select(gouge: number | null, isAnimated = true): Promise<void> {
    this.chosen = gouge;
    this.highlighted = this.bodies.highlight(gouge);
    const row = gouge === null ? null : this.report.header.gouges[gouge];
    this.tool.emphasise(row?.with ?? null);
    if (!row) return this.fit(isAnimated);
    this.wish ??= this.direction();
    return this.frameBall(this.ball(gouge!), this.clearDirection(this.wish, gouge!), isAnimated);
  }

  /** A direction from which the place of a gouge can be seen: as near as possible to the one from where one looked. */
  private clearDirection(wish: Vector3, gouge: number): Vector3 {
    const { at, tip, axis, depth } = this.report.header.gouges[gouge];
    const up = new Vector3(...axis);
    const across = new Vector3(...tip).sub(new Vector3(...at)).projectOnPlane(up);
    const seen = [wish];
    // From the other side of the wall that the tool cuts into.
    if (across.lengthSq() > 0) seen.push(wish.clone().reflect(across.normalize()));
    for (const [x, y] of [[1, -1], [-1, -1], [-1, 1], [1, 1]]) seen.push(new Vector3(x, y, 0.9).normalize());
    const above = seen.map((direction) => raised(direction, up, LEAST_RISE));
    above.push(raised(wish, up, 0.9));
    const place = this.space.toPicture(at);
    const isSeen = (direction: Vector3) => !this.bodies.hides(place, direction, 4 * depth * this.space.scale);
    return above.find(isSeen) ?? above[0];
  }

  protected chosenBall(): Ball | null {
    return this.chosen === null ? null : this.ball(this.chosen);
  }

  /** Around the place of a gouge, as large as the part of the tool that hits. */
  private ball(gouge: number): Ball {
    const { at, depth, tool, with: kind } = this.report.header.gouges[gouge];
    const parts = this.report.header.tools.find((other) => other.number === tool)?.parts ?? [];
    const radii = parts.filter((part) => part.kind === kind).flatMap((part) => part.contour.map((point) => point[0]));
    return [at, Math.max(4.5 * Math.max(0, ...radii), 6 * depth, 0.02 / this.space.scale)];
  }

  private listenForClicks(): void {
    const canvas = this.renderer.domElement;
    let start: [number, number] | null = null;
    canvas.addEventListener("pointerdown", (event) => (start = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      const isClick = start && Math.hypot(event.clientX - start[0], event.clientY - start[1]) < 4;
      start = null;
      const gouge = isClick && event.button === 0 ? this.pickAt(event) : null;
      if (gouge !== null) this.onPick(gouge);
    });
    canvas.addEventListener("pointermove", (event) => {
      canvas.style.cursor = event.buttons === 0 && this.pickAt(event) !== null ? "pointer" : "";
    });
  }

  private pickAt(event: PointerEvent): number | null {
    const { clientWidth: width, clientHeight: height } = this.container;
    return this.path.pick(...this.pointer(event), [24 / width, 24 / height], this.camera);
  }
}

/** A direction turned towards `up` until its rise is at least a number from 0 to 1. */
function raised(direction: Vector3, up: Vector3, least: number): Vector3 {
  if (direction.dot(up) >= least) return direction.clone();
  const level = direction.clone().projectOnPlane(up).normalize();
  return level.multiplyScalar(Math.sqrt(1 - least * least)).addScaledVector(up, least);
}
