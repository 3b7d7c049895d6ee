// The pixels of a PNG as browsers write them: eight bits a channel, not interlaced.

import { inflateSync } from "node:zlib";

/**
 * @param {Buffer} file
 * @returns {{ width: number, height: number, pixel: (x: number, y: number) => number[] }}
 */
export function decode(file) {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [depth, kind, , , interlace] = file.subarray(24, 29);
  const channels = { 2: 3, 6: 4 }[kind];
  if (depth !== 8 || !channels || interlace !== 0) throw new Error(`a PNG of kind ${kind}, depth ${depth}`);
  const packed = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString("latin1", at + 4, at + 8) === "IDAT") packed.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const lines = inflateSync(Buffer.concat(packed));
  const size = width * channels;
  const bytes = new Uint8Array(size * height);
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (size + 1)];
    for (let x = 0; x < size; x++) {
      const left = x >= channels ? bytes[y * size + x - channels] : 0;
      const up = y > 0 ? bytes[(y - 1) * size + x] : 0;
      const corner = x >= channels && y > 0 ? bytes[(y - 1) * size + x - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter];
      bytes[y * size + x] = lines[y * (size + 1) + 1 + x] + guess;
    }
  }
  return { width, height, pixel: (x, y) => [...bytes.subarray(y * size + x * channels, y * size + x * channels + 3)] };
}

/**
 * Whichever of the three is nearest to left + up - corner.
 *
 * @param {number} left
 * @param {number} up
 * @param {number} corner
 */
function nearest(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
