/** RFC 6455 frames, as far as examples and tests need them: unfragmented, under 64 KiB. */
export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** `mask` as clients must send. */
export function encodeFrame(opcode: number, payload: Buffer, mask?: Buffer): Buffer {
  if (payload.length > 65_535) throw new Error('frame too long');
  const long = payload.length > 125;
  const head = Buffer.alloc(long ? 4 : 2);
  head[0] = 0x80 | opcode;
  head[1] = (mask === undefined ? 0 : 0x80) | (long ? 126 : payload.length);
  if (long) head.writeUInt16BE(payload.length, 2);
  if (mask === undefined) return Buffer.concat([head, payload]);
  return Buffer.concat([head, mask, masked(payload, mask)]);
}

function masked(payload: Buffer, mask: Buffer): Buffer {
  return Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #rest = Buffer.alloc(0);

  push(chunk: Buffer): Frame[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      const frame = this.#next();
      if (frame === undefined) return frames;
      frames.push(frame);
    }
  }

  #next(): Frame | undefined {
    const bytes = this.#rest;
    if (bytes.length < 2) return undefined;
    const first = bytes.readUInt8(0);
    const second = bytes.readUInt8(1);
    let length = second & 0x7f;
    let offset = 2;
    if (length === 127) throw new Error('frame too long');
    if (length === 126) {
      if (bytes.length < 4) return undefined;
      length = bytes.readUInt16BE(2);
      offset = 4;
    }
    const isMasked = (second & 0x80) !== 0;
    const end = offset + (isMasked ? 4 : 0) + length;
    if (bytes.length < end) return undefined;
    const mask = isMasked ? bytes.subarray(offset, offset + 4) : undefined;
    const payload = bytes.subarray(end - length, end);
    this.#rest = bytes.subarray(end);
    return { opcode: first & 0x0f, payload: mask === undefined ? Buffer.from(payload) : masked(payload, mask) };
  }
}
