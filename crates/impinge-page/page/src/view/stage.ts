// The stage of a view: a scene, and a camera that goes round it and flies to what is chosen.

import {
  DirectionalLight,
  HemisphereLight,
  PerspectiveCamera,
  Quaternion,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Point } from "../packed.ts";
import type { Space } from "./space.ts";

export type Up = "y" | "z";
export const VIEWS = ["iso", "front", "top", "right"] as const;
export type Side = (typeof VIEWS)[number];

const FIELD = 32;
const HALF = ((FIELD / 2) * Math.PI) / 180;
const FLIGHT = 420;
const SLOW = 120;

export interface Seen {
  position: Point;
  target: Point;
  distance: number;
}

/** A ball that the camera frames: its centre in the coordinates of the report, and its radius. */
export type Ball = [Point, number];

export abstract class Stage {
  onFrame: () => void = () => {};
  /** When the camera is where it was last sent. */
  arrival: Promise<void> = Promise.resolve();
  protected readonly scene = new Scene();
  protected readonly camera = new PerspectiveCamera(FIELD, 1, 0.001, 10);
  protected readonly renderer: WebGLRenderer;
  private readonly light = new DirectionalLight("#ffffff", 1.9);
  private controls: OrbitControls;
  private isDue = false;
  private flight: { stop: () => void } | null = null;
  /** From where the user looked before the view was turned for them. */
  protected wish: Vector3 | null = null;

  constructor(
    protected readonly container: HTMLElement,
    readonly space: Space,
    private up: Up,
    label: string,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.domElement.tabIndex = -1;
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.setAttribute("aria-label", label);
    container.append(this.renderer.domElement);
    this.scene.add(new HemisphereLight("#e8f1ff", "#4a4f5c", 1.35), this.camera);
    this.light.position.set(0.6, 0.9, 1.2);
    this.camera.add(this.light, this.light.target);
    this.controls = this.newControls();
  }

  /** Starts to draw; called when the scene is complete. */
  protected start(): void {
    new ResizeObserver(() => this.resize()).observe(this.container);
    this.resize();
  }

  /** What the camera frames if it looks from another side; null for everything. */
  protected abstract chosenBall(): Ball | null;

  protected isInSoftware(): boolean {
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

  protected direction(): Vector3 {
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

  /** From one side: at what is chosen, else at all. */
  look(side: Side): Promise<void> {
    const direction = this.sideDirection(side);
    this.wish = direction;
    const ball = this.chosenBall();
    return ball ? this.frameBall(ball, direction, true) : this.fit(true, direction);
  }

  /** Flies to where a ball fills the view. */
  protected frameBall([center, radius]: Ball, direction: Vector3, isAnimated: boolean): Promise<void> {
    return this.frame(this.space.toPicture(center), radius * this.space.scale, direction, isAnimated);
  }

  /** Moves the origin of the picture; nothing seems to move. */
  protected moveOrigin(to: Point): void {
    const shift = this.space.toPicture(to);
    this.space.origin = to;
    this.camera.position.sub(shift);
    this.controls.target.sub(shift);
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

  /** Where the pointer is in the view, from -1 to 1. */
  protected pointer(event: PointerEvent): [number, number] {
    const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect();
    return [(2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height];
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
