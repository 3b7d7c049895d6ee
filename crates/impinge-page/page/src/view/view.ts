// The picture: the assembly, and the chosen clash in it.

import { Raycaster, Sphere, Vector2, Vector3 } from "three";
import type { Box, Point, Report } from "../data.ts";
import { AssemblySpace } from "./assembly_space.ts";
import { Highlight } from "./highlight.ts";
import { Parts, type Mode } from "./parts.ts";
import { Pins } from "./pins.ts";
import { Stage, type Ball, type Up } from "./stage.ts";

/** How much larger than a clash the picture of it is. */
const AROUND = 1.5;
/** How many faces a graphics card draws at once with ease, and how many a processor does in its place. */
const EASY = 4_000_000;
const EASY_IN_SOFTWARE = 400_000;
/** Among how many marks the one under the pointer is looked for whenever it moves. */
const EASY_MARKS = 20_000;

export class View extends Stage {
  onPickClash: (row: number) => void = () => {};
  onHover: (row: number | null, at: [number, number]) => void = () => {};
  onPickPart: (part: number | null) => void = () => {};
  declare readonly space: AssemblySpace;
  readonly parts: Parts;
  readonly highlight: Highlight;
  private readonly pins: Pins;
  private mode: Mode = "faint";
  private chosen: { row: number; place: number | null } | null = null;
  private listed: ArrayLike<number> = [];

  constructor(
    container: HTMLElement,
    private readonly report: Report,
    up: Up,
  ) {
    super(container, new AssemblySpace(report), up, "The assembly; drag to turn it, scroll to come closer");
    this.parts = new Parts(report, this.space, this.isInSoftware() ? EASY_IN_SOFTWARE : EASY);
    this.highlight = new Highlight(report, this.space, this.parts);
    this.pins = new Pins(report, this.space);
    this.scene.add(this.parts, this.highlight, this.pins.object);
    this.listenForClicks();
    this.start();
    this.arrange();
    this.fit(false);
  }

  /** Shows which clashes the list shows. */
  list(rows: ArrayLike<number>): void {
    this.listed = rows;
    this.pins.arrange(rows, this.renderer.getPixelRatio());
    this.draw();
  }

  context(mode: Mode): void {
    this.mode = mode;
    this.arrange();
    this.draw();
  }

  private showMode(): void {
    // With nothing chosen, hiding all else would leave nothing.
    const isWhole = !this.chosen;
    this.parts.show(isWhole ? "solid" : this.mode);
    this.parts.shells.visible = isWhole && this.mode !== "solid";
    this.pins.object.visible = isWhole;
  }

  private arrange(): void {
    const row = this.chosen && this.report.header.rows[this.chosen.row];
    if (row) this.parts.arrange(row.points[0], new Set([row.a, row.b]), this.mode === "faint");
    else this.parts.arrange(null, this.parts.unseen(this.mode), false);
    const around = new Sphere();
    if (this.chosen) {
      const [center, radius] = this.sphere(this.chosen.row, this.chosen.place);
      around.set(this.space.toPicture(center), radius * this.space.scale);
    }
    this.highlight.show(this.chosen?.row ?? null, this.chosen?.place ?? null, around, this.renderer.getPixelRatio());
    this.showMode();
  }

  /** Shows another moment of the path. */
  moveTo(moment: number): void {
    this.report.moveTo(moment);
    this.arrange();
    this.draw();
  }

  /** Chooses a clash, or a place of it, and frames it; null shows all again. */
  select(row: number | null, place: number | null, isAnimated = true): Promise<void> {
    this.chosen = row === null ? null : { row, place };
    if (row === null) {
      this.arrange();
      return this.fit(isAnimated);
    }
    const [center, radius] = this.sphere(row, place);
    this.moveOrigin(center);
    this.pins.arrange(this.listed, this.renderer.getPixelRatio());
    this.arrange();
    return this.frameBall([center, AROUND * radius], this.across(row), isAnimated);
  }

  /** From where one looked; at a gap, turned so far that one looks across it. */
  private across(row: number): Vector3 {
    const direction = this.wish ?? this.direction();
    this.wish = direction;
    const [p, q] = this.report.header.rows[row].points.map((point) => this.space.toPicture(point));
    const gap = q.sub(p);
    if (gap.lengthSq() === 0) return direction;
    gap.normalize();
    const turned = direction.clone().projectOnPlane(gap);
    if (turned.lengthSq() < 1e-3) return direction;
    // A little aslant, so that the faces on its sides are seen as well.
    const slant = Math.sign(direction.dot(gap)) * 0.35;
    return turned.normalize().addScaledVector(gap, slant).normalize();
  }

  /** Where a clash is: around all of it; of a gap or a point as much as tells what is there. */
  private sphere(row: number, place: number | null): Ball {
    const clash = this.report.header.rows[row];
    if (clash.verdict === "inside") {
      // What lies inside is the matter, not where it comes closest.
      const part = this.space.radius(clash.a) < this.space.radius(clash.b) ? clash.a : clash.b;
      return [this.space.middle(part), this.space.radius(part)];
    }
    const at = place === null ? clash : clash.places[place];
    const point = place === null ? clash.points[0] : clash.places[place].point;
    const [min, max]: Box = at.extent ?? [point, point];
    const center = min.map((low, axis) => low / 2 + max[axis] / 2) as Point;
    const radius = Math.hypot(...min.map((low, axis) => (max[axis] - low) / 2));
    const smaller = Math.min(this.space.radius(clash.a), this.space.radius(clash.b));
    return [center, Math.max(radius, Math.min(0.2 * smaller, 40 * radius || Infinity), 1e-9 / this.space.scale)];
  }

  protected chosenBall(): Ball | null {
    if (!this.chosen) return null;
    const [center, radius] = this.sphere(this.chosen.row, this.chosen.place);
    return [center, AROUND * radius];
  }

  private listenForClicks(): void {
    const canvas = this.renderer.domElement;
    let start: [number, number] | null = null;
    canvas.addEventListener("pointerdown", (event) => (start = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      const isClick = start && Math.hypot(event.clientX - start[0], event.clientY - start[1]) < 4;
      start = null;
      if (isClick && event.button === 0) this.click(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      const clash = event.buttons === 0 && this.listed.length <= EASY_MARKS ? this.pinAt(event) : null;
      canvas.style.cursor = clash === null ? "" : "pointer";
      this.onHover(clash, [event.offsetX, event.offsetY]);
    });
    canvas.addEventListener("pointerleave", () => this.onHover(null, [0, 0]));
  }

  /** The clash whose mark is under the pointer. */
  private pinAt(event: PointerEvent): number | null {
    const { clientWidth: width, clientHeight: height } = this.container;
    return this.pins.pick(...this.pointer(event), [24 / width, 24 / height], this.camera);
  }

  private click(event: PointerEvent): void {
    const [x, y] = this.pointer(event);
    const clash = this.pinAt(event);
    if (clash !== null) {
      this.onPickClash(clash);
      return;
    }
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.camera);
    this.onPickPart(this.parts.visible ? this.parts.pick(ray) : null);
  }
}
