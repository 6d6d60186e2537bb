import { describe, expect, test } from 'vitest';
import { allOf, CSV, encodeText, joined, LIMITS, repeated } from '../../../test/support/text-files.ts';
import { readJsonRows } from './read-json-rows.ts';
import { readNdjsonRows } from './read-ndjson-rows.ts';
import { readRecords } from './read-records.ts';
import type { ByteSource, RecordFormat } from './records.ts';

/** How much the buffers of a reader may grow: the row limit, doubled once while growing, and some pieces. */
const MEMORY_BYTES = 4 * LIMITS.max_row_bytes + 1024 * 1024;
const MEGABYTE = 'x'.repeat(1024 * 1024);

/** Passes chunks on and remembers the most memory that buffers took meanwhile. */
class Watched implements AsyncIterable<Buffer> {
  readonly #source: Iterable<Buffer>;
  most = 0;

  constructor(source: Iterable<Buffer>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const before = process.memoryUsage().arrayBuffers;
    for (const chunk of this.#source) {
      yield chunk;
      this.most = Math.max(this.most, process.memoryUsage().arrayBuffers - before);
    }
  }
}

async function readWatched(source: Iterable<Buffer>, format: RecordFormat = CSV) {
  const watched = new Watched(source);
  const records = await allOf(readRecords(watched, format));
  expect(watched.most).toBeLessThan(MEMORY_BYTES);
  return records;
}

const text = (...parts: string[]) => parts.map((part) => Buffer.from(part));

describe('each is one record with a problem, in bounded memory, and the rows behind it are read', () => {
  test.each([
    ['unquoted', '', ''],
    ['quoted', '"', '"'],
  ])('a cell of 50 MB, %s', async (_name, open, close) => {
    const records = await readWatched(
      joined(text(`a,b\nc,${open}`), repeated(MEGABYTE, 50), text(`${close},d\ne,f\n`)),
    );
    expect(records.map((r) => [r.line_start, r.problem?.code])).toEqual([
      [1, undefined],
      [2, 'cell_too_long'],
      [3, undefined],
    ]);
    expect(records[1]?.cells).toEqual(['c', 'x'.repeat(LIMITS.max_cell_bytes)]);
    expect(records[1]?.problem?.message).toContain('Column 2 holds 52428800 bytes');
  });

  test('a quoted cell of 10 MB in 160,000 lines', async () => {
    const lines = `${'<p>some words of a description</p> '.repeat(2)}\n`.repeat(16_000);
    const records = await readWatched(joined(text('a,"'), repeated(lines, 10), text('",b\nc,d\n')));
    expect(records.map((r) => [r.line_start, r.line_end, r.problem?.code])).toEqual([
      [1, 160_001, 'cell_too_long'],
      [160_002, 160_002, undefined],
    ]);
  });

  test('100,000 columns, and 5 million', async () => {
    const records = await readWatched(
      joined(text('a,'.repeat(99_999), 'a\n'), repeated(','.repeat(1_000_000), 5), text('\nb,c\n')),
    );
    expect(records.map((r) => r.problem?.code)).toEqual(['too_many_columns', 'too_many_columns', undefined]);
    expect(records[0]?.cells).toHaveLength(LIMITS.max_columns);
  });

  test('an unclosed quote before 20 MB of rows', async () => {
    const records = await readWatched(joined(text('a,b\n"c,d\n'), repeated('e,f\n'.repeat(250_000), 20)));
    expect(records.map((r) => [r.line_start, r.line_end, r.problem?.code])).toEqual([
      [1, 1, undefined],
      [2, 5_000_003, 'quote_unclosed'],
    ]);
  });

  test('5 MB of quotes', async () => {
    const records = await readWatched(joined(repeated('"'.repeat(1_000_000), 5), text('\na,b\n')));
    expect(records.map((r) => r.problem?.code)).toEqual(['cell_too_long', undefined]);
  });

  test('20 MB of invalid bytes in one row, and rows of them', async () => {
    const bad = Buffer.alloc(1_000_000, 0xff);
    const one = await readWatched(joined(repeated(bad, 20), text('\na,b\n')));
    expect(one.map((r) => r.problem?.code)).toEqual(['cell_too_long', undefined]);
    const row = Buffer.concat([Buffer.alloc(99, 0xff), Buffer.from('\n')]);
    const many = await readWatched(repeated(row, 20_000));
    expect(many).toHaveLength(20_000);
    expect(many.every((r) => r.problem?.code === 'encoding_invalid')).toBe(true);
  });

  test('half characters of UTF-16', async () => {
    const half = encodeText('\ud800'.repeat(100_000), 'utf-16le');
    const records = await readWatched(joined(repeated(half, 20), [encodeText('\na,b\n', 'utf-16le')]), {
      ...CSV,
      encoding: 'utf-16le',
    });
    expect(records.map((r) => r.problem?.code)).toEqual(['cell_too_long', undefined]);
  });
});

test('20 million blank lines are no records', async () => {
  const records = await readWatched(joined(repeated('\r\n'.repeat(500_000), 40), text('a\n')));
  expect(records.map((r) => r.line_start)).toEqual([20_000_001]);
});

describe('JSON', () => {
  const limits = { ...LIMITS, max_depth: 8 };
  const watch = async (
    read: (
      source: ByteSource,
      use: typeof limits,
    ) => AsyncIterable<readonly { problem?: { code: string } }[]>,
    source: Iterable<Buffer>,
  ) => {
    const watched = new Watched(source);
    const rows = await allOf(read(watched, limits));
    expect(watched.most).toBeLessThan(MEMORY_BYTES);
    return rows.map((row) => row.problem?.code);
  };

  test('a string of 50 MB is one row with a problem, and the rows behind it are read', async () => {
    const long = () => repeated(MEGABYTE, 50);
    expect(await watch(readJsonRows, joined(text('[{"a":"'), long(), text('"},{"a":1}]')))).toEqual([
      'row_too_long',
      undefined,
    ]);
    expect(await watch(readNdjsonRows, joined(text('{"a":"'), long(), text('"}\n{"a":1}')))).toEqual([
      'row_too_long',
      undefined,
    ]);
  });

  test('20 million brackets are refused', async () => {
    const brackets = () => repeated('['.repeat(1_000_000), 20);
    await expect(watch(readJsonRows, brackets())).rejects.toMatchObject({ code: 'json_invalid' });
    expect(await watch(readNdjsonRows, brackets())).toEqual(['row_too_long']);
  });

  test('a member of 20 MB beside the rows is refused', async () => {
    const source = joined(text('{"a":"'), repeated(MEGABYTE, 20), text('","rows":[]}'));
    await expect(watch(readJsonRows, source)).rejects.toMatchObject({ code: 'json_invalid' });
  });
});
