// The picture: the assembly, the chosen clash in it, and a camera that goes round them.

import {
  DirectionalLight,
  HemisphereLight,
  PerspectiveCamera,
  Quaternion,
  Raycaster,
  Scene,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Box, Point, Report } from "../data.ts";
import { Highlight } from "./highlight.ts";
import { Parts, type Mode } from "./parts.ts";
import { Pins } from "./pins.ts";
import { Space } from "./space.ts";

export type Up = "y" | "z";
export const VIEWS = ["iso", "front", "top", "right"] as const;
export type Side = (typeof VIEWS)[number];

const FIELD = 32;
const HALF = ((FIELD / 2) * Math.PI) / 180;
const FLIGHT = 420;
const SLOW = 120;
/** How much larger than a clash the picture of it is. */
const AROUND = 1.5;
/** How many faces a graphics card draws at once with ease, and how many a processor does in its place. */
const EASY = 4_000_000;
const EASY_IN_SOFTWARE = 400_000;
/** Among how many marks the one under the pointer is looked for whenever it moves. */
const EASY_MARKS = 20_000;

export interface Seen {
  position: Point;
  target: Point;
  distance: number;
}

export class View {
  onFrame: () => void = () => {};
  onPickClash: (row: number) => void = () => {};
  onHover: (row: number | null, at: [number, number]) => void = () => {};
  onPickPart: (part: number | null) => void = () => {};
  /** When the camera is where it was last sent. */
  arrival: Promise<void> = Promise.resolve();
  readonly space: Space;
  readonly parts: Parts;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(FIELD, 1, 0.001, 10);
  private readonly renderer: WebGLRenderer;
  readonly highlight: Highlight;
  private readonly pins: Pins;
  private readonly light = new DirectionalLight("#ffffff", 1.9);
  private controls: OrbitControls;
  private mode: Mode = "faint";
  private chosen: { row: number; place: number | null } | null = null;
  private listed: ArrayLike<number> = [];
  private isDue = false;
  private flight: { stop: () => void } | null = null;
  /** From where the user looked before the view was turned for them. */
  private wish: Vector3 | null = null;

  constructor(
    private readonly container: HTMLElement,
    private readonly report: Report,
    private up: Up,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.domElement.tabIndex = -1;
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.setAttribute("aria-label", "The assembly; drag to turn it, scroll to come closer");
    container.append(this.renderer.domElement);

    this.space = new Space(report);
    this.parts = new Parts(report, this.space, this.isInSoftware() ? EASY_IN_SOFTWARE : EASY);
    this.highlight = new Highlight(report, this.space, this.parts);
    this.pins = new Pins(report, this.space);
    this.scene.add(this.parts, this.highlight, this.pins.object);
    this.scene.add(new HemisphereLight("#e8f1ff", "#4a4f5c", 1.35), this.camera);
    this.light.position.set(0.6, 0.9, 1.2);
    this.camera.add(this.light, this.light.target);
    this.controls = this.newControls();
    this.listenForClicks();
    new ResizeObserver(() => this.resize()).observe(container);
    this.resize();
    this.arrange();
    this.fit(false);
  }

  private isInSoftware(): boolean {
    const gl = this.renderer.getContext();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
  }

  private newControls(): OrbitControls {
    this.camera.up.set(0, this.up === "y" ? 1 : 0, this.up === "z" ? 1 : 0);
    const controls = new OrbitControls(this.camera, this.renderer.domElement);
    controls.zoomToCursor = true;
    controls.minDistance = 1e-7;
    controls.maxDistance = 20;
    controls.addEventListener("start", () => {
      this.flight?.stop();
      this.wish = null;
    });
    controls.addEventListener("change", () => this.draw());
    return controls;
  }

  get upAxis(): Up {
    return this.up;
  }

  turnUp(up: Up): void {
    const target = this.controls.target.clone();
    this.controls.dispose();
    this.up = up;
    this.controls = this.newControls();
    this.controls.target.copy(target);
    void this.look("iso");
  }

  /** Draws at the next frame, once, however often it is asked for. */
  draw(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.drawNow();
    });
  }

  private drawNow(): void {
    // Between as near and as far as anything is, so that depths are told apart as well as can be.
    const distance = this.camera.position.distanceTo(this.controls.target);
    const reach = this.camera.position.distanceTo(this.center()) + 1.1;
    this.camera.near = Math.max(distance / 60, reach / 1e5);
    this.camera.far = Math.max(reach, 2 * distance);
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    this.onFrame();
  }

  private center(): Vector3 {
    return this.space.box(this.space.bounds).getCenter(new Vector3());
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
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
    this.arrange();
    return this.frame(this.space.toPicture(center), AROUND * radius * this.space.scale, this.across(row), isAnimated);
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
  private sphere(row: number, place: number | null): [Point, number] {
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

  /** Moves the origin of the picture; nothing seems to move. */
  private moveOrigin(to: Point): void {
    const shift = this.space.toPicture(to);
    this.space.origin = to;
    this.camera.position.sub(shift);
    this.controls.target.sub(shift);
    this.pins.arrange(this.listed, this.renderer.getPixelRatio());
  }

  private direction(): Vector3 {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  /** Shows all. */
  fit(isAnimated = true, direction?: Vector3): Promise<void> {
    const from = direction ?? this.startingDirection(isAnimated);
    return this.fly(this.center(), this.wholeFrom(from), from, isAnimated);
  }

  /** From how far away all corners of the assembly's bounds are in the picture. */
  private wholeFrom(direction: Vector3): number {
    const half = this.space.box(this.space.bounds).getSize(new Vector3()).multiplyScalar(0.5);
    const right = new Vector3().crossVectors(this.camera.up, direction).normalize();
    const above = new Vector3().crossVectors(direction, right);
    const [tangentX, tangentY] = [Math.tan(HALF) * this.camera.aspect, Math.tan(HALF)];
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      const corner = half.clone().multiply(new Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
      const reach = Math.max(Math.abs(corner.dot(right)) / tangentX, Math.abs(corner.dot(above)) / tangentY);
      distance = Math.max(distance, corner.dot(direction) + reach);
    }
    return 1.06 * distance || 1;
  }

  private startingDirection(isTurned: boolean): Vector3 {
    return isTurned ? (this.wish ?? this.direction()) : this.sideDirection("iso");
  }

  /** From one side: at the clash if there is one, else at all. */
  look(side: Side): Promise<void> {
    const direction = this.sideDirection(side);
    this.wish = direction;
    if (!this.chosen) return this.fit(true, direction);
    const [center, radius] = this.sphere(this.chosen.row, this.chosen.place);
    return this.frame(this.space.toPicture(center), AROUND * radius * this.space.scale, direction, true);
  }

  private sideDirection(side: Side): Vector3 {
    // With z up one looks along y from the front; with y up, against z.
    const toward = { iso: [1, -1.25, 0.85], front: [0, -1, 0], top: [0, -1e-4, 1], right: [1, 0, 0] }[side];
    const [x, y, z] = toward;
    const direction = this.up === "z" ? new Vector3(x, y, z) : new Vector3(x, z, -y);
    return direction.normalize();
  }

  /** Flies to where a ball fills the view. */
  private frame(center: Vector3, radius: number, direction: Vector3, isAnimated: boolean): Promise<void> {
    const narrow = Math.min(HALF, Math.atan(Math.tan(HALF) * this.camera.aspect));
    return this.fly(center, (1.02 * radius) / Math.sin(narrow), direction, isAnimated);
  }

  /** Flies to where a point is seen from a direction, so far away. */
  private fly(center: Vector3, distance: number, direction: Vector3, isAnimated: boolean): Promise<void> {
    this.arrival = this.flyNow(center, distance, direction, isAnimated);
    return this.arrival;
  }

  private flyNow(center: Vector3, distance: number, direction: Vector3, isAnimated: boolean): Promise<void> {
    this.flight?.stop();
    const isStill = !isAnimated || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const from = {
      target: this.controls.target.clone(),
      direction: this.direction(),
      distance: this.camera.position.distanceTo(this.controls.target),
    };
    const turn = new Quaternion().setFromUnitVectors(from.direction, direction);
    const put = (t: number) => {
      const part = new Quaternion().slerp(turn, t);
      const toward = t < 1 ? from.direction.clone().applyQuaternion(part) : direction;
      // Nearer by equal shares, so that the way in does not end in a jump; the target leads.
      const away = from.distance > 0 ? from.distance * (distance / from.distance) ** t : distance;
      const near = t < 1 && from.distance !== distance ? (from.distance - away) / (from.distance - distance) : t;
      this.controls.target.lerpVectors(from.target, center, near);
      this.camera.position.copy(this.controls.target).addScaledVector(toward, away);
      this.controls.update();
      this.draw();
    };
    if (isStill || !Number.isFinite(from.distance)) {
      put(1);
      return this.drawn();
    }
    return new Promise((resolve) => {
      const start = performance.now();
      let isOver = false;
      const stop = () => {
        isOver = true;
        this.flight = null;
        resolve();
      };
      this.flight = { stop };
      let before = start;
      const step = (now: number) => {
        if (isOver) return;
        // Where drawing is slow, one picture of the end is worth more than three of the way.
        const isSlow = now - before > SLOW;
        before = now;
        const share = isSlow ? 1 : Math.min(1, Math.max(0, (now - start) / FLIGHT));
        put(share < 1 ? 1 - (1 - share) ** 3 : 1);
        if (share < 1) requestAnimationFrame(step);
        else void this.drawn().then(stop);
      };
      requestAnimationFrame(step);
    });
  }

  /** When what was asked for has been drawn. */
  drawn(): Promise<void> {
    this.draw();
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
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

  /** Where the pointer is in the view, from -1 to 1. */
  private pointer(event: PointerEvent): [number, number] {
    const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect();
    return [(2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height];
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

  /** Where on the screen a point of the assembly is, from the top left of the view; null behind the camera. */
  project(point: Point): [number, number] | null {
    const at = this.space.toPicture(point).project(this.camera);
    if (at.z > 1) return null;
    const { clientWidth: width, clientHeight: height } = this.container;
    return [((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height];
  }

  /** The axes of the assembly as the camera sees them: right, up and towards it. */
  axes(): Vector3[] {
    const back = this.camera.quaternion.clone().invert();
    return [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((axis) => axis.applyQuaternion(back));
  }

  seen(): Seen {
    return {
      position: this.space.toWorld(this.camera.position),
      target: this.space.toWorld(this.controls.target),
      distance: this.camera.position.distanceTo(this.controls.target) / this.space.scale,
    };
  }
}
