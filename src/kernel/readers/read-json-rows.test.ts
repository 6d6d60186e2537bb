import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allOf, inChunks, LIMITS } from '../../../test/support/text-files.ts';
import type { JsonLimits } from './json-row.ts';
import { readJsonRows } from './read-json-rows.ts';
import { readNdjsonRows } from './read-ndjson-rows.ts';

const limits: JsonLimits = { ...LIMITS, max_depth: 8 };
const tight: JsonLimits = { max_row_bytes: 60, max_cell_bytes: 10, max_columns: 3, max_depth: 3 };

const json = (text: string | Buffer, use = limits, sizes: readonly number[] = [1 << 16]) =>
  allOf(readJsonRows(inChunks(Buffer.from(text), sizes), use));
const ndjson = (text: string | Buffer, use = limits, sizes: readonly number[] = [1 << 16]) =>
  allOf(readNdjsonRows(inChunks(Buffer.from(text), sizes), use));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('JSON', () => {
  test('an array and an object with rows give the same rows, with their lines and hashes', async () => {
    const rows = '[\n  {"seller_sku": "A1",\n   "price": 19.95},\n  {"seller_sku": "]}\\"" }\n]';
    for (const [text, line] of [
      [rows, 2],
      [`\ufeff{"note": {"rows": [1]},\n"rows": ${rows}, "more": 5}\n`, 3],
    ] as const) {
      const read = await json(text);
      expect(read.map((r) => [r.row_number, r.line_start - line, r.line_end - line, r.value])).toEqual([
        [1, 0, 1, { seller_sku: 'A1', price: 19.95 }],
        [2, 2, 2, { seller_sku: ']}"' }],
      ]);
      expect(read[1]?.raw_sha256.toString('hex')).toBe(sha256('{"seller_sku": "]}\\"" }'));
    }
  });

  test('a file without rows has no rows', async () => {
    expect(await json('[]')).toEqual([]);
    expect(await json(' {"rows" : [ ] } ')).toEqual([]);
  });

  test('large ids keep their digits', async () => {
    const [row] = await json('[{"external_key": 12345678901234567890}]');
    expect(row?.value).toEqual({ external_key: '12345678901234567890' });
  });

  test.each([
    ['', 1],
    ['  \n\n', 3],
    ['sku,title\n', 1],
    ['5', 1],
    ['[', 1],
    ['[{}', 1],
    ['[{},]', 1],
    ['[,{}]', 1],
    ['[{} {}]', 1],
    ['[{}}', 1],
    ['[{}]]', 1],
    ['[{}] x', 1],
    ['[{}]\n[{}]', 2],
    ['[\n{"a":1},\n{"a" 1}\n]', 3],
    ['[\n{"a":1,\n"b":\ntru}]', 4],
    ["[{'a':1}]", 1],
    ['[{"a":01}]', 1],
    ['[{"a":"\n"}]', 1],
    ['[{"a":[}]]', 1],
    ['[nulll]', 1],
    ['{"rows":[]', 1],
    ['{"rows":{}}', 1],
    ['{"rows":null}', 1],
    ['{"row":[{}]}', 1],
    ['{}', 1],
    ['{"rows":[],}', 1],
    ['{"rows":[],"rows":[]}', 1],
    ['{"rows" []}', 1],
    ['{rows:[]}', 1],
    ['{"a":[1,],"rows":[]}', 1],
    ['[/* */]', 1],
    ['[{}]\0', 1],
  ])('%j is json_invalid on line %i', async (text, line) => {
    for (const sizes of [[1 << 16], [1], [3, 0, 2]]) {
      await expect(json(text, limits, sizes)).rejects.toMatchObject({ code: 'json_invalid', line });
    }
  });

  test('a row over a limit has a problem, and the others are read', async () => {
    const good = '{"a":1}';
    const bad = [
      `{"a":"${'x'.repeat(11)}"}`,
      '{"a":1,"b":2,"c":3,"d":4}',
      '{"a":[[[1]]]}',
      `{"a":"${'x'.repeat(200_000)}"}`,
      '5',
      '["a"]',
      'null',
      `{"a":["${'x'.repeat(11)}"]}`,
    ];
    const rows = await json(`[${bad.flatMap((row) => [row, good]).join(',\n')}]`, {
      ...tight,
      max_row_bytes: 25,
    });
    expect(rows.filter((_, i) => i % 2 === 1).every((row) => row.problem === undefined)).toBe(true);
    expect(rows.filter((_, i) => i % 2 === 0).map((row) => row.problem?.code)).toEqual([
      'cell_too_long',
      'too_many_columns',
      'nested_too_deep',
      'row_too_long',
      'row_not_object',
      'row_not_object',
      'row_not_object',
      'cell_too_long',
    ]);
    expect(rows[6]?.raw_sha256.toString('hex')).toBe(sha256(bad[3] ?? ''));
    expect(rows.at(-1)?.row_number).toBe(16);
  });

  test('bytes that are not UTF-8 make only their own row wrong', async () => {
    const bytes = Buffer.concat([Buffer.from('[{"a":"'), Buffer.from([0xe9]), Buffer.from('"},{"a":"é"}]')]);
    expect((await json(bytes)).map((row) => row.problem?.code)).toEqual(['encoding_invalid', undefined]);
  });

  test('brackets without end are refused without being followed', async () => {
    await expect(json('['.repeat(3_000_000))).rejects.toMatchObject({ code: 'json_invalid' });
    const rows = await json(`[${'['.repeat(50_000)}${']'.repeat(50_000)}]`);
    expect(rows[0]?.problem?.code).toBe('nested_too_deep');
  });

  test('__proto__ changes no prototype', async () => {
    const [row] = await json('[{"__proto__":{"polluted":1},"a":1}]');
    expect(Object.getPrototypeOf(row?.value)).toBe(Object.prototype);
    expect(row?.value).not.toHaveProperty('polluted');
  });
});

describe('NDJSON', () => {
  test('each line is a row; blank lines are none; the last needs no line end', async () => {
    const rows = await ndjson('\ufeff{"a":1}\r\n\n  \n{"a":2}\n{"a":"\\n"}');
    expect(rows.map((r) => [r.row_number, r.line_start, r.value])).toEqual([
      [1, 1, { a: 1 }],
      [2, 4, { a: 2 }],
      [3, 5, { a: '\n' }],
    ]);
    expect(rows[0]?.raw_sha256.toString('hex')).toBe(sha256('{"a":1}'));
  });

  test('a line that is not JSON is a bad row, and the others are read', async () => {
    const rows = await ndjson('{"a":1}\n{"a":\n{"a":2} x\n[1]\n{"a":3}\n');
    expect(rows.map((row) => row.problem?.code)).toEqual([
      undefined,
      'json_invalid',
      'json_invalid',
      'row_not_object',
      undefined,
    ]);
  });

  test('the CR of a CRLF does not count towards the limit of a line, wherever the chunks break', async () => {
    const long = `{"a":"${'x'.repeat(80)}"}`;
    for (let first = 60; first <= long.length + 2; first++) {
      const rows = await ndjson(`${long}\r\n{"a":2}\n`, tight, [first, 1]);
      expect(rows.map((row) => row.problem?.code)).toEqual(['row_too_long', undefined]);
      expect(rows[0]?.raw_sha256.toString('hex')).toBe(sha256(long));
    }
  });

  test('a line over the limit has a problem and the hash of all its bytes', async () => {
    const long = `{"a":"${'x'.repeat(300_000)}"}`;
    const rows = await ndjson(`{"a":1}\r\n${long}\r\n{"a":[[[1]]]}\n{"a":2}\n`, tight);
    expect(rows.map((row) => row.problem?.code)).toEqual([
      undefined,
      'row_too_long',
      'nested_too_deep',
      undefined,
    ]);
    expect(rows[1]?.raw_sha256.toString('hex')).toBe(sha256(long));
  });
});

describe('any rows', () => {
  const row = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });
  const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 4 });
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  test('JSON, wrapped or not, indented or not, and NDJSON give what was written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 6 }),
        fc.integer({ min: 0, max: 2 }),
        sizes,
        async (rows, indent, chunks) => {
          fc.pre(!/\d[eE]\+?\d{2}|\d[\d.]{15}/.test(JSON.stringify(rows)));
          const wanted = rows.map(plain);
          const lines = rows.map((value) => `${JSON.stringify(value)}\n`).join('');
          for (const read of [
            await json(JSON.stringify(rows, null, indent), limits, chunks),
            await json(JSON.stringify({ x: rows, rows }, null, indent), limits, chunks),
            await ndjson(lines, limits, chunks),
          ]) {
            expect(read.map((r) => r.value)).toEqual(wanted);
            expect(read.filter((r) => r.problem !== undefined)).toEqual([]);
          }
        },
      ),
    );
  });

  test('damaged text is refused, or read the same in any chunks', async () => {
    const parts = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"',
        ',',
        ':',
        '\\',
        '\n',
        ' ',
        '1',
        '"rows"',
        'true',
        '{"a":1}',
        'é',
      ),
      { maxLength: 15 },
    );
    await fc.assert(
      fc.asyncProperty(parts, fc.constantFrom('[', '', '{"rows":['), sizes, async (tail, head, chunks) => {
        const text = head + tail.join('');
        // Rows over a limit are not parsed, so the limits are wide, to find every flaw of the text.
        const roomy: JsonLimits = { max_row_bytes: 500, max_cell_bytes: 10, max_columns: 3, max_depth: 50 };
        const settle = async (how: readonly number[]) =>
          json(text, roomy, how).catch((error: { code: string; line: number }) => [error.code, error.line]);
        const whole = await settle([1 << 16]);
        expect(await settle(chunks)).toEqual(whole);
        const isJson = parses(text);
        if (Array.isArray(whole) && whole[0] === 'json_invalid') return;
        expect(isJson).toBe(true);
        expect(await ndjson(text, tight, chunks)).toEqual(await ndjson(text, tight));
      }),
      { numRuns: 1000 },
    );
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
