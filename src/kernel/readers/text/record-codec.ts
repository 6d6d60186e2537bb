import { isUtf8 } from 'node:buffer';
import type { TextEncodingName } from '../records.ts';
import { utf8ToUtf16 } from './utf16.ts';
import { decodeWindows1252, isWindows1252 } from './windows-1252.ts';

/** Converts the scanner's bytes to text, and to the bytes of the file. */
export interface RecordCodec {
  decode(bytes: Buffer, from: number, to: number): string;
  /** Whether the bytes are text in this encoding. It is called only if some byte is not ASCII. */
  isValid(bytes: Buffer, from: number, to: number): boolean;
  /** The bytes of the file. */
  raw(bytes: Buffer): Buffer;
  /** Whether byte offsets are always character offsets. */
  readonly singleByte: boolean;
}

/** The scanner gets UTF-16 as UTF-8 (`utf16.ts`), so only the bytes for the hash differ. */
export function recordCodec(encoding: TextEncodingName): RecordCodec {
  if (encoding === 'windows-1252') {
    return { decode: decodeWindows1252, isValid: isWindows1252, raw: (bytes) => bytes, singleByte: true };
  }
  return {
    decode: (bytes, from, to) => bytes.toString('utf8', from, to),
    isValid: (bytes, from, to) => isUtf8(bytes.subarray(from, to)),
    raw: encoding === 'utf-8' ? (bytes) => bytes : (bytes) => utf8ToUtf16(bytes, encoding),
    singleByte: false,
  };
}
