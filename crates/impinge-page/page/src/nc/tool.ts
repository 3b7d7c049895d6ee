// The tool, with its parts in different colours.

import { DoubleSide, Group, LatheGeometry, Mesh, MeshLambertMaterial, Quaternion, Vector2, Vector3 } from "three";
import type { Space } from "../view/space.ts";
import { TOOL_PARTS, type Pose, type Report, type ToolPartName } from "./data.ts";

const SIDES = 64;

export class ToolView extends Group {
  private readonly materials: Record<ToolPartName, MeshLambertMaterial>;
  private readonly tools = new Map<number, Group>();

  constructor(
    report: Report,
    private readonly space: Space,
  ) {
    super();
    const { tools, colors } = report.header;
    const material = (part: ToolPartName) =>
      new MeshLambertMaterial({ color: colors.tool[part], side: DoubleSide, transparent: true, opacity: 0.62, depthWrite: false });
    this.materials = Object.fromEntries(TOOL_PARTS.map((part) => [part, material(part)])) as Record<ToolPartName, MeshLambertMaterial>;
    for (const { number, parts } of tools) {
      const made = new Group();
      for (const { kind, contour } of parts) {
        const shape = new LatheGeometry(contour.map(([radius, height]) => new Vector2(radius, height)), SIDES);
        const mesh = new Mesh(shape, this.materials[kind]);
        mesh.renderOrder = 5;
        made.add(mesh);
      }
      made.visible = false;
      this.tools.set(number, made);
      this.add(made);
    }
  }

  /** Puts the tool at a place. */
  put({ tip, axis, tool }: Pose): void {
    this.tools.forEach((made, number) => (made.visible = number === tool));
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...axis));
    this.position.copy(this.space.toPicture(tip));
    this.quaternion.copy(turn);
    this.scale.setScalar(this.space.scale);
  }

  /** Emphasises the part of the tool that hits; null for none. */
  emphasise(part: ToolPartName | null): void {
    for (const name of TOOL_PARTS) this.materials[name].opacity = part === null ? 0.62 : name === part ? 0.8 : 0.3;
  }
}
