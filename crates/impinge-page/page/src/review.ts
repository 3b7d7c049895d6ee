// What people decide about findings: status, comment, assignee and groups made by hand.
//
// Edits are kept in the browser, by the files of the report and by the key of the finding, so a report of a later run
// shows them again. `--review` reads and writes the same data as a file, which this module exports and imports.
// docs/output.md describes the format.

import { REVIEW_STATUSES, type Report, type Review, type Row } from "./data.ts";

/** Edits of one finding: the fields that were changed. */
interface Edit extends Partial<Review> {
  /** The run in whose report the edit was made. */
  run: string;
  /** Whether the edit is in an exported file. */
  is_saved?: boolean;
}

const FORMAT = "impinge review";
const VERSION = 1;
const NOTHING: Readonly<Review> = { status: "new", comment: "", assignee: "", group: "" };

export class Reviews {
  /** Called after every change. */
  onChange: () => void = () => {};
  /** Why edits are not kept in the browser; empty if they are. */
  problem = "";
  private edits: Record<string, Edit> = {};
  /** Entries of the review file about findings that are not in the report: exported as they are. */
  private readonly others = new Map<string, Record<string, unknown>>();
  private readonly place: string;

  constructor(private readonly report: Report) {
    this.place = `impinge review: ${report.header.files.join(", ")}`;
    for (const entry of report.header.other_reviews ?? []) this.others.set(String(entry.key), entry);
    this.load();
    // The same report in another tab.
    addEventListener("storage", (event) => {
      if (event.key !== this.place) return;
      this.load();
      this.onChange();
    });
  }

  /** What is decided about a finding. */
  of(row: Row): Readonly<Review> {
    const edit = this.edits[row.key];
    if (!edit && !row.review) return NOTHING;
    // The file of a later run already has the edits that were exported, and may have changed the status since.
    const isInFile = row.review !== null && edit?.is_saved && edit.run !== this.report.run;
    return { ...NOTHING, ...row.review, ...(isInFile ? {} : pick(edit)) };
  }

  /** Changes some fields of findings. */
  set(rows: Row[], change: Partial<Review>): void {
    // Another tab may have changed other findings.
    this.load();
    for (const row of rows) {
      this.edits[row.key] = { ...pick(this.edits[row.key]), ...change, run: this.report.run };
    }
    this.save();
    this.onChange();
  }

  /** The number of edits that are not in an exported file. */
  get unsaved(): number {
    return this.report.header.rows.filter(({ key }) => this.edits[key] && !this.edits[key].is_saved).length;
  }

  /** The names of all groups made by hand, sorted. */
  groups(): string[] {
    const names = new Set(this.report.header.rows.map((row) => this.of(row).group));
    names.delete("");
    return [...names].sort(new Intl.Collator("en", { numeric: true }).compare);
  }

  /** Returns the review file as text, and marks all edits as saved. */
  export(): string {
    const { units, rows } = this.report.header;
    const findings = rows.map((row) => {
      const review = this.of(row);
      const measured = {
        verdict: row.verdict,
        depth: row.depth,
        depth_at_most: row.depth_at_most,
        distance: row.distance,
        volume: row.volume,
        fit_difference: row.fit?.difference ?? null,
      };
      // As long as a finding is approved, it is compared with what was approved.
      const approved = review.status === "approved" ? row.approved_as : null;
      const parts = [this.report.identity(row.a), this.report.identity(row.b)];
      return { key: row.key, parts, ...(approved ?? measured), ...review };
    });
    const others = [...this.others.values()].filter(({ key }) => this.report.withKey(String(key)) === undefined);
    this.load();
    for (const { key } of rows) if (this.edits[key]) this.edits[key].is_saved = true;
    this.save();
    this.onChange();
    return `${JSON.stringify({ format: FORMAT, version: VERSION, units, findings: [...findings, ...others] }, null, 2)}\n`;
  }

  /** Reads a review file. Returns how many of its entries are about findings of the report, and how many are not. */
  import(text: string): { found: number; others: number } {
    const file = JSON.parse(text) as { format?: unknown; version?: unknown; findings?: unknown };
    if (file?.format !== FORMAT || !Array.isArray(file.findings)) throw new Error("it is not a review file");
    if (file.version !== VERSION) throw new Error(`it has version ${String(file.version)}, not ${VERSION}`);
    this.load();
    let [found, others] = [0, 0];
    for (const entry of file.findings as Record<string, unknown>[]) {
      const key = String(entry?.key);
      if (this.report.withKey(key) === undefined) {
        this.others.set(key, entry);
        others++;
      } else {
        this.edits[key] = { ...reviewIn(entry), run: this.report.run, is_saved: true };
        found++;
      }
    }
    this.save();
    this.onChange();
    return { found, others };
  }

  private load(): void {
    try {
      const text = localStorage.getItem(this.place);
      const kept = text ? (JSON.parse(text) as unknown) : {};
      if (kept && typeof kept === "object") this.edits = kept as Record<string, Edit>;
    } catch (error) {
      this.problem = `This browser keeps no data for this page (${String(error)}). Save the review file before you close the page.`;
    }
  }

  private save(): void {
    try {
      localStorage.setItem(this.place, JSON.stringify(this.edits));
    } catch (error) {
      this.problem = `Edits cannot be kept in this browser (${String(error)}). Save the review file before you close the page.`;
    }
  }
}

/** The fields of a review that an edit has. */
function pick(edit: Edit | undefined): Partial<Review> {
  if (!edit) return {};
  const { run: _, is_saved: __, ...fields } = edit;
  return fields;
}

/** The review in an entry of a file. */
function reviewIn(entry: Record<string, unknown>): Review {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const status = REVIEW_STATUSES.find((status) => status === entry.status) ?? "new";
  return { status, comment: text(entry.comment), assignee: text(entry.assignee), group: text(entry.group) };
}
