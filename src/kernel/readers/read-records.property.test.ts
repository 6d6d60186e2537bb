import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../../test/support/any-text.ts';
import { allOf, CSV, cellsOf, encodeText, inChunks } from '../../../test/support/text-files.ts';
import { readRecords } from './read-records.ts';
import type { RecordFormat, TextEncodingName, TextRecord } from './records.ts';

const read = (bytes: Buffer, format: RecordFormat, sizes: readonly number[]): Promise<TextRecord[]> =>
  allOf(readRecords(inChunks(bytes, sizes), format));

/** Text in which the characters of the grammar are frequent. */
const soup = fc
  .array(
    fc.constantFrom('"', '"', ',', ',', '\n', '\r', '\r\n', ' ', 'a', 'bc', '""', 'é', '🦘', '\t', ';'),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(''));

const chunkSizes = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 });
const encodings: TextEncodingName[] = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'];

const tinyLimits = fc.record({
  max_row_bytes: fc.integer({ min: 1, max: 40 }),
  max_cell_bytes: fc.integer({ min: 1, max: 12 }),
  max_columns: fc.integer({ min: 1, max: 6 }),
});

describe('for any bytes', () => {
  test('chunks of other sizes give the same records', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          soup.map((text) => Buffer.from(text)),
          fc.uint8Array({ maxLength: 80 }).map(Buffer.from),
        ),
        fc.constantFrom(...encodings),
        fc.boolean(),
        tinyLimits,
        chunkSizes,
        async (bytes, encoding, quoting, limits, sizes) => {
          const format: RecordFormat = { encoding, delimiter: ',', quoting, limits };
          expect(await read(bytes, format, sizes)).toEqual(await read(bytes, format, [1 << 20]));
        },
      ),
      { numRuns: 400 },
    );
  });

  test('each record is hashed over the bytes between its line end and the one before', async () => {
    await fc.assert(
      fc.asyncProperty(
        soup,
        fc.constantFrom(...encodings.slice(0, 3)),
        chunkSizes,
        async (text, encoding, sizes) => {
          const records = await read(encodeText(text, encoding), { ...CSV, encoding }, sizes);
          const lines = text.split(/\r\n|\n|\r/);
          for (const { line_start, line_end, raw_sha256, problem } of records) {
            if (problem?.code === 'quote_unclosed') continue;
            // The record does not say its inner line ends, so the test takes the text from its first to its last line.
            const from = offsetOfLine(text, line_start);
            const to = offsetOfLine(text, line_end) + (lines[line_end - 1] ?? '').length;
            const raw = encodeText(text.slice(from, to), encoding);
            expect(raw_sha256.equals(createHash('sha256').update(raw).digest())).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('no cell, row or column is over its limit; one over it is a problem', async () => {
    await fc.assert(
      fc.asyncProperty(soup, tinyLimits, chunkSizes, async (text, limits, sizes) => {
        for (const { cells, problem } of await read(Buffer.from(text), { ...CSV, limits }, sizes)) {
          expect(cells.length).toBeLessThanOrEqual(limits.max_columns);
          const bytes = cells.map((cell) => Buffer.byteLength(cell));
          expect(Math.max(...bytes, 0)).toBeLessThanOrEqual(limits.max_cell_bytes);
          if (problem === undefined) continue;
          expect(bytes.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(limits.max_row_bytes);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a longer limit never changes a record that the shorter one passed', async () => {
    await fc.assert(
      fc.asyncProperty(soup, tinyLimits, async (text, limits) => {
        const free = await read(Buffer.from(text), CSV, [7]);
        const tight = await read(Buffer.from(text), { ...CSV, limits }, [5]);
        expect(tight.map((r) => [r.line_start, r.line_end, r.raw_sha256])).toEqual(
          free.map((r) => [r.line_start, r.line_end, r.raw_sha256]),
        );
        for (const [i, record] of tight.entries()) {
          if (record.problem === undefined) expect(record).toEqual(free[i]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function offsetOfLine(text: string, line: number): number {
  const ends = text.matchAll(/\r\n|\n|\r/g);
  let offset = 0;
  for (let n = 1; n < line; n++) {
    const end = ends.next().value;
    if (end !== undefined) offset = end.index + end[0].length;
  }
  return offset;
}

describe('beside csv-parse', () => {
  const oracle = (text: string, delimiter: string): string[][] =>
    parse(text, {
      delimiter,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });

  const cell = fc.oneof(soup, anyText({ maxLength: 8 }), fc.string({ maxLength: 8 }));

  test('tables with necessary and unnecessary quotes give the same cells', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 2, maxLength: 6 }), { maxLength: 8 }),
        fc.constantFrom(',', ';', '\t', '|' as const),
        fc.constantFrom('\n', '\r\n', '\r'),
        chunkSizes,
        async (table, delimiter, end, sizes) => {
          const quoted = (text: string, always: boolean) =>
            always || /["\r\n\ufeff,;\t|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
          const text = table.map((row) => row.map((c) => quoted(...c)).join(delimiter) + end).join('');
          const format: RecordFormat = { ...CSV, delimiter: delimiter as RecordFormat['delimiter'] };
          const records = await read(Buffer.from(text), format, sizes);
          expect(records.filter((record) => record.problem !== undefined)).toEqual([]);
          expect(cellsOf(records)).toEqual(table.map((row) => row.map(([c]) => c)));
          expect(cellsOf(records)).toEqual(oracle(text, delimiter));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('any text in which no quote is out of place gives the same cells', async () => {
    await fc.assert(
      fc.asyncProperty(soup, chunkSizes, async (text, sizes) => {
        const records = await read(Buffer.from(text), CSV, sizes);
        fc.pre(records.every((record) => record.problem === undefined));
        expect(cellsOf(records)).toEqual(oracle(text, ','));
      }),
      { numRuns: 1000 },
    );
  });

  const samples = fileURLToPath(new URL('../../../../shared/samples/', import.meta.url));

  test.skipIf(!existsSync(samples))('real files give the same cells', async () => {
    const files = globSync('**/*.csv', { cwd: samples });
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const bytes = readFileSync(samples + file);
      const records = await read(bytes, { ...CSV, limits: { ...CSV.limits, max_columns: 5000 } }, [65_536]);
      expect(records.filter((record) => record.problem !== undefined)).toEqual([]);
      expect(cellsOf(records)).toEqual(oracle(bytes.toString(), ','));
    }
  });
});
