// The data of a page as it stands in the file: a header and long lists of numbers, compressed. The crate `impinge-page`
// packs them.

export type Point = [number, number, number];
export type Box = [Point, Point];

/** A mesh in the header of a page. Its positions are divided by `scale` and relative to `center`. */
export interface MeshInfo {
  vertices: number;
  faces: number;
  has_faces: boolean;
  center: Point;
  half: Point;
  scale: number;
}

export interface MeshData {
  positions: Float32Array;
  corners: Uint32Array;
}

/** Reads numbers that were split into planes of bytes of equal weight: see `pack.rs`. */
export class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  take(count: number): Uint8Array {
    if (this.at + count > this.bytes.length) throw new Error("the data of this page is cut off");
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  floats(count: number): Float64Array {
    return new Float64Array(this.planes(count, 8));
  }

  singles(count: number): Float32Array {
    return new Float32Array(this.planes(count, 4));
  }

  indices(count: number): Uint32Array {
    const values = new Uint32Array(this.planes(count, 4));
    let value = 0;
    for (let i = 0; i < count; i++) {
      const step = values[i];
      value = (value + ((step >>> 1) ^ -(step & 1))) >>> 0;
      values[i] = value;
    }
    return values;
  }

  private planes(count: number, size: number): ArrayBuffer {
    const planes = this.take(count * size);
    const bytes = new Uint8Array(count * size);
    for (let plane = 0; plane < size; plane++) {
      const first = plane * count;
      for (let i = 0, to = plane; i < count; i++, to += size) bytes[to] = planes[first + i];
    }
    return bytes.buffer;
  }

  /** A mesh; null if there was no room for its faces. */
  mesh(info: MeshInfo): MeshData | null {
    if (!info.has_faces) return null;
    return { positions: this.singles(3 * info.vertices), corners: this.indices(3 * info.faces) };
  }
}

/** Unpacks the data of a page: the header, the lists after it, and a number that differs between different data. */
export async function unpack<H>(letters: string): Promise<{ header: H; reader: Reader; run: string }> {
  const stream = new Blob([fromBase64(letters)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const reader = new Reader(bytes);
  const [a, b, c, d] = reader.take(4);
  const length = a + (b << 8) + (c << 16) + d * 2 ** 24;
  const header = JSON.parse(new TextDecoder().decode(reader.take(length))) as H;
  return { header, reader, run: hash(letters) };
}

function fromBase64(letters: string): Uint8Array<ArrayBuffer> {
  // Newer browsers have a way that is ten times faster.
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64(letters);
  return Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
}

/** A 32-bit hash of a text (FNV-1a), with its length. */
function hash(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${text.length.toString(16)}-${(hash >>> 0).toString(16)}`;
}
