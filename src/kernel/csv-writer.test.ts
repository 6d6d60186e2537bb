import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../test/support/any-text.ts';
import { allOf, CSV, cellsOf } from '../../test/support/text-files.ts';
import { type CsvColumn, type CsvColumnKind, type CsvValue, csvWriter } from './csv-writer.ts';
import { unguardCell } from './formula-guard.ts';
import { readRecords } from './readers/read-records.ts';

function line(kind: CsvColumnKind, value: CsvValue): string {
  return csvWriter<CsvValue>([{ name: 'v', kind, value: (row) => row }], { line_end: '\n' }).line(value);
}

describe('kinds', () => {
  test('text is guarded, numbers and dates never are', () => {
    expect(line('text', '-5.00')).toBe("'-5.00\n");
    expect(line('text', -5)).toBe("'-5\n");
    expect(line('decimal', '-5.00')).toBe('-5.00\n');
    expect(line('number', -5)).toBe('-5\n');
    expect(line('number', -(10n ** 20n))).toBe('-100000000000000000000\n');
    expect(line('date', '2025-07-01T00:00:00+10:00')).toBe('2025-07-01T00:00:00+10:00\n');
    expect(line('date', '01/07/2025')).toBe('01/07/2025\n');
    expect(line('boolean', false)).toBe('false\n');
  });

  test.each<[CsvColumnKind, CsvValue]>([
    ['number', Number.NaN],
    ['number', Number.POSITIVE_INFINITY],
    ['decimal', '=1+1'],
    ['decimal', '1,5'],
    ['decimal', '5.00\n'],
    ['date', '-1'],
    ['date', "=cmd|' /C calc'!A0"],
    ['boolean', 'yes'],
  ])('a %s column refuses %j', (kind, value) => {
    expect(() => line(kind, value)).toThrow(TypeError);
  });

  test('null and undefined are empty cells, and a lone empty cell is no blank line', () => {
    expect(line('decimal', null)).toBe('""\n');
    expect(line('text', undefined)).toBe('""\n');
  });
});

test('CRLF by default; quotes only where needed', () => {
  const columns: CsvColumn<readonly string[]>[] = [
    { name: 'a', kind: 'text', value: (row) => row[0] },
    { name: 'b, c', kind: 'text', value: (row) => row[1] },
  ];
  const writer = csvWriter(columns);
  expect(writer.header).toBe('a,"b, c"\r\n');
  expect(writer.line(['x "y"', 'plain'])).toBe('"x ""y""",plain\r\n');
  expect(csvWriter(columns, { delimiter: '|', line_end: '\n' }).line(['a|b', 'c,d'])).toBe('"a|b"|c,d\n');
});

test('what is written is read back cell by cell', async () => {
  const risky = fc
    .array(fc.constantFrom('"', ',', ';', '\t', '|', '\n', '\r', '\0', "'", '=', 'a', ' ', '🦘', '\ufeff'), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''));
  const cell = fc.oneof(risky, anyText({ maxLength: 10 }));
  const tables = fc
    .integer({ min: 1, max: 5 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
    );
  await fc.assert(
    fc.asyncProperty(
      tables,
      fc.constantFrom<',' | ';' | '\t' | '|'>(',', ';', '\t', '|'),
      fc.constantFrom<'\n' | '\r\n'>('\n', '\r\n'),
      async (table, delimiter, line_end) => {
        const columns = (table[0] ?? []).map(
          (name, i): CsvColumn<readonly string[]> => ({ name, kind: 'text', value: (row) => row[i] }),
        );
        const writer = csvWriter(columns, { delimiter, line_end });
        const file =
          writer.header +
          table
            .slice(1)
            .map((row) => writer.line(row))
            .join('');
        const records = await allOf(readRecords([Buffer.from(file)], { ...CSV, delimiter }));
        expect(records.filter((record) => record.problem !== undefined)).toEqual([]);
        expect(cellsOf(records).map((cells) => cells.map(unguardCell))).toEqual(table);
      },
    ),
    { numRuns: 500 },
  );
});
