// A mark at each listed finding. The worst verdicts are drawn last, in front of the others.

import { BufferAttribute, BufferGeometry, Color, Points, type PerspectiveCamera, Vector3 } from "three";
import { VERDICTS, type Report } from "../data.ts";
import { COLORS } from "../words.ts";
import { marks } from "./materials.ts";
import type { Space } from "./space.ts";

/** If there are more marks than this, parts hide those behind them; otherwise the marks would hide the assembly. */
const MANY = 2000;

export class Pins {
  readonly object: Points;
  private rows: ArrayLike<number> = [];
  private readonly few = marks(11, true);
  private readonly many = marks(6, false);

  constructor(
    private readonly report: Report,
    private readonly space: Space,
  ) {
    this.object = new Points(new BufferGeometry(), this.few);
    this.object.frustumCulled = false;
    this.object.renderOrder = 9;
    this.object.raycast = () => {};
  }

  /** Puts marks at these findings. */
  arrange(listed: ArrayLike<number>, ratio: number): void {
    const { header } = this.report;
    const ranks = new Map(VERDICTS.map((verdict, rank) => [verdict, rank]));
    const rank = (row: number) => ranks.get(header.rows[row].verdict)!;
    const rows = Uint32Array.from(listed).sort((a, b) => rank(b) - rank(a) || b - a);
    this.rows = rows;
    const positions = new Float32Array(3 * rows.length);
    const tints = new Float32Array(3 * rows.length);
    const colors = new Map(Object.entries(COLORS).map(([verdict, color]) => [verdict, new Color(color)]));
    for (let i = 0; i < rows.length; i++) {
      const row = this.report.header.rows[rows[i]];
      this.space.toPicture(row.points[0]).toArray(positions, 3 * i);
      colors.get(row.verdict)!.toArray(tints, 3 * i);
    }
    this.object.geometry.dispose();
    this.object.geometry = new BufferGeometry();
    this.object.geometry.setAttribute("position", new BufferAttribute(positions, 3));
    this.object.geometry.setAttribute("tint", new BufferAttribute(tints, 3));
    this.object.material = rows.length > MANY ? this.many : this.few;
    this.few.uniforms.size.value = 11 * ratio;
    this.many.uniforms.size.value = 6 * ratio;
  }

  /** The finding whose mark is nearest to a point of the screen (-1 to 1) within a reach; of equally near ones, the one in front. */
  pick(x: number, y: number, reach: [number, number], camera: PerspectiveCamera): number | null {
    const positions = this.object.geometry.getAttribute("position");
    if (!positions || !this.object.visible) return null;
    const at = new Vector3();
    let [best, nearest] = [null as number | null, 1];
    for (let i = 0; i < this.rows.length; i++) {
      at.fromBufferAttribute(positions, i).project(camera);
      const far = Math.hypot((at.x - x) / reach[0], (at.y - y) / reach[1]);
      if (at.z < 1 && far <= nearest) [best, nearest] = [this.rows[i], far];
    }
    return best;
  }
}
