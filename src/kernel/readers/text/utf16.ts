import { StringDecoder } from 'node:string_decoder';
import type { ByteSource } from '../records.ts';

export type Utf16Name = 'utf-16le' | 'utf-16be';

/** The size of a piece of input. Two bytes become at most three bytes of UTF-8, so its output is at most 48 KiB. */
const INPUT_PIECE = 32 * 1024;

/**
 * Converts UTF-16 to UTF-8, with whole characters in each piece, so that one byte scanner can read all encodings. A lone
 * surrogate is written as its three bytes (WTF-8), and an odd last byte as 0xFF and two more bytes. Neither is valid
 * UTF-8, so the reader reports the record as `encoding_invalid`. {@link utf8ToUtf16} restores the exact bytes of the file
 * for the record's hash.
 */
export async function* utf16ToUtf8(source: ByteSource, encoding: Utf16Name): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf16le');
  let odd: Buffer | undefined;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += INPUT_PIECE) {
      let piece = chunk.subarray(at, at + INPUT_PIECE);
      if (odd !== undefined) piece = Buffer.concat([odd, piece]);
      odd = piece.length % 2 === 1 ? Buffer.from(piece.subarray(-1)) : undefined;
      const even = piece.subarray(0, piece.length - (odd === undefined ? 0 : 1));
      const text = decoder.write(encoding === 'utf-16be' ? Buffer.from(even).swap16() : even);
      if (text.length > 0) yield toWtf8(text);
    }
  }
  const rest = decoder.end();
  if (rest.length > 0) yield toWtf8(rest);
  const last = odd?.[0];
  if (last !== undefined) yield Buffer.from([0xff, 0x80 | (last >> 4), 0x80 | (last & 0x0f)]);
}

function toWtf8(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const out = Buffer.allocUnsafe(text.length * 3);
  let at = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const lone = code >= 0xd800 && code <= 0xdfff;
    if (lone) at = writeThree(out, at, code);
    else at += out.write(char, at);
  }
  return out.subarray(0, at);
}

function writeThree(out: Buffer, at: number, code: number): number {
  out[at] = 0xe0 | (code >> 12);
  out[at + 1] = 0x80 | ((code >> 6) & 0x3f);
  out[at + 2] = 0x80 | (code & 0x3f);
  return at + 3;
}

/** The inverse of {@link utf16ToUtf8} for whole characters. */
export function utf8ToUtf16(bytes: Buffer, encoding: Utf16Name): Buffer {
  const text = bytes.toString('utf8');
  const out = text.includes('\ufffd') ? fromWtf8(bytes) : { units: Buffer.from(text, 'utf16le'), odd: [] };
  const units = encoding === 'utf-16be' ? out.units.swap16() : out.units;
  return out.odd.length === 0 ? units : Buffer.concat([units, Buffer.from(out.odd)]);
}

function fromWtf8(bytes: Buffer): { units: Buffer; odd: number[] } {
  const codes: number[] = [];
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i] ?? 0;
    const next = (n: number) => (bytes[i + n] ?? 0) & 0x3f;
    if (lead === 0xff) return { units: toUnits(codes), odd: [(next(1) << 4) | next(2)] };
    if (lead < 0x80) codes.push(lead);
    else if (lead < 0xe0) codes.push(((lead & 0x1f) << 6) | next(1));
    else if (lead < 0xf0) codes.push(((lead & 0x0f) << 12) | (next(1) << 6) | next(2));
    else codes.push(((lead & 0x07) << 18) | (next(1) << 12) | (next(2) << 6) | next(3));
    i += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  }
  return { units: toUnits(codes), odd: [] };
}

function toUnits(codes: readonly number[]): Buffer {
  const parts: string[] = [];
  for (const code of codes) parts.push(String.fromCodePoint(code));
  return Buffer.from(parts.join(''), 'utf16le');
}
