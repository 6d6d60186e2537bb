/** Makes text files in many encodings and chunkings, and collects the output of readers. */
import type { RecordFormat, TextEncodingName, TextRecord } from '../../src/kernel/readers/records.ts';

export const LIMITS = { max_row_bytes: 1024 * 1024, max_cell_bytes: 64 * 1024, max_columns: 500 };

export const CSV: RecordFormat = { encoding: 'utf-8', delimiter: ',', quoting: true, limits: LIMITS };

/** Windows-1252 for the characters that tests use above ASCII; the others must be below U+0100. */
const HIGH: Readonly<Record<string, number>> = { '€': 0x80, '…': 0x85, '’': 0x92, '–': 0x96, Ÿ: 0x9f };

export function encodeText(text: string, encoding: TextEncodingName): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  return Buffer.from(Array.from(text, (char) => HIGH[char] ?? char.charCodeAt(0)));
}

/** The bytes in chunks of the given sizes, taken in turn; sizes of 0 give empty chunks. */
export function inChunks(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] || (turn % sizes.length === 0 ? 1 : 0);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** All rows of a batching reader in one list. */
export async function allOf<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

export function cellsOf(records: readonly TextRecord[]): (readonly string[])[] {
  return records.map((record) => record.cells);
}

/** `unit` repeated `times` times, as a stream. */
export function* repeated(unit: string | Buffer, times: number): Generator<Buffer> {
  const bytes = Buffer.from(unit);
  for (let i = 0; i < times; i++) yield bytes;
}

export function* joined(...parts: Iterable<Buffer>[]): Generator<Buffer> {
  for (const part of parts) yield* part;
}
