import type { ByteSource, TextEncodingName } from './records.ts';
import { type FileMagic, fileMagic } from './text/file-magic.ts';
import { Utf8Check } from './text/utf8-check.ts';

/** The first bytes, in which signatures and NULs are searched. In real files they include the header. */
const HEAD_BYTES = 4096;

export interface SniffedEncoding {
  readonly encoding: TextEncodingName;
  readonly bom: boolean;
  /** Whether the encoding is a guess, because the bytes do not prove it. */
  readonly guessed: boolean;
  /** The kind of a file that is not text. */
  readonly magic?: FileMagic;
}

const BOMS: readonly (readonly [string, TextEncodingName])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
];

/**
 * Finds the encoding of a text file in one read of the whole file, with constant memory. In this order:
 * - A byte order mark decides.
 * - NULs in every second byte mean UTF-16.
 * - A file that is valid UTF-8, or has at least one valid multi-byte sequence, is UTF-8. So the invalid rows of a mixed
 *   file are reported, and its valid rows are read correctly.
 * - Every other file is Windows-1252.
 *
 * Source: docs/design/feeds-and-imports.md#encoding.
 */
export async function sniffEncoding(source: ByteSource): Promise<SniffedEncoding> {
  const check = new Utf8Check();
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    if (head.length < HEAD_BYTES) {
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    }
    check.push(chunk);
  }
  check.finish();
  const magic = fileMagic(head);
  const found = decide(head, check);
  return magic === undefined ? found : { ...found, magic };
}

function decide(head: Buffer, check: Utf8Check): SniffedEncoding {
  const start = head.toString('latin1', 0, 3);
  const bom = BOMS.find(([bytes]) => start.startsWith(bytes));
  if (bom !== undefined) return { encoding: bom[1], bom: true, guessed: false };
  const utf16 = utf16ByNuls(head);
  if (utf16 !== undefined) return { encoding: utf16, bom: false, guessed: true };
  if (check.valid) return { encoding: 'utf-8', bom: false, guessed: false };
  return { encoding: check.multibyte ? 'utf-8' : 'windows-1252', bom: false, guessed: true };
}

/** Delimiters, digits and line ends alone make up this share of the characters of a table. They are below U+0100. */
const NUL_SHARE = 0.3;

/** Detects UTF-16 without a byte order mark: many high bytes of the pairs are NUL, and few low bytes. */
function utf16ByNuls(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const nuls = [0, 0];
  const pairs = head.length >> 1;
  for (let i = 0; i < pairs * 2; i++) {
    if (head[i] === 0) nuls[i & 1] = (nuls[i & 1] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = nuls;
  const enough = Math.max(1, pairs * NUL_SHARE);
  if (odd >= enough && even * 10 <= odd) return 'utf-16le';
  return even >= enough && odd * 10 <= even ? 'utf-16be' : undefined;
}
