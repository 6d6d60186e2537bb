import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { allOf, CSV, cellsOf, encodeText } from '../../../test/support/text-files.ts';
import { readRecords } from './read-records.ts';
import type { RecordFormat, TextEncodingName, TextRecord } from './records.ts';

function read(text: string | Buffer, format: Partial<RecordFormat> = {}): Promise<TextRecord[]> {
  return allOf(readRecords([Buffer.from(text)], { ...CSV, ...format }));
}

async function cells(text: string | Buffer, format: Partial<RecordFormat> = {}) {
  return cellsOf(await read(text, format));
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('line ends and blank lines', () => {
  test('LF, CRLF and CR end a record, also mixed in one file', async () => {
    expect(await cells('a,b\nc,d\r\ne,f\rg,h')).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      ['g', 'h'],
    ]);
  });

  test('blank lines are no records but count as lines', async () => {
    const records = await read('\n\na\r\n\r\n\rb\n\n');
    expect(records.map((r) => [r.cells, r.line_start, r.line_end])).toEqual([
      [['a'], 3, 3],
      [['b'], 6, 6],
    ]);
  });

  test('a line with an empty quoted cell, a blank or only delimiters is a record', async () => {
    expect(await cells('""\n \n,,\n')).toEqual([[''], [' '], ['', '', '']]);
  });

  test('an empty file and a file of a byte order mark have no records', async () => {
    expect(await read('')).toEqual([]);
    expect(await read('\ufeff')).toEqual([]);
  });

  test('lines inside a quoted cell count, CRLF as one', async () => {
    const records = await read('"a\r\nb\nc\rd",x\ne\n');
    expect(records.map((r) => [r.line_start, r.line_end])).toEqual([
      [1, 4],
      [5, 5],
    ]);
    expect(records[0]?.cells).toEqual(['a\r\nb\nc\rd', 'x']);
  });
});

describe('quotes', () => {
  test('quoted cells hold delimiters, line ends and doubled quotes', async () => {
    expect(await cells('"a,b","c""d","","""",e\n')).toEqual([['a,b', 'c"d', '', '"', 'e']]);
  });

  test('a quote inside an unquoted cell is data', async () => {
    const [record] = await read('19" monitor, "x",y""\n');
    expect(record?.cells).toEqual(['19" monitor', ' "x"', 'y""']);
    expect(record?.problem).toBeUndefined();
  });

  test('without quoting a quote is an ordinary character', async () => {
    expect(await cells('"a\tb"\n"c\t"d', { delimiter: '\t', quoting: false })).toEqual([
      ['"a', 'b"'],
      ['"c', '"d'],
    ]);
  });

  test('text after a closing quote is quote_misplaced, and the next row is read as usual', async () => {
    const records = await read('"19" monitor",x\n"a" ,b\n"c"d,"e",f\ng,h\n');
    expect(records.map((r) => r.problem?.code)).toEqual([
      'quote_misplaced',
      'quote_misplaced',
      'quote_misplaced',
      undefined,
    ]);
    expect(records.map((r) => r.line_start)).toEqual([1, 2, 3, 4]);
    expect(records[0]?.problem?.message).toContain('Line 1, column 1');
    expect(records[3]?.cells).toEqual(['g', 'h']);
  });

  test('a quote left open is closed by the next proper closing quote, and the rows behind it are read', async () => {
    const records = await read('a,"b\nc,"d",e\nf,g\n');
    expect(records.map((r) => [r.line_start, r.line_end, r.problem?.code])).toEqual([
      [1, 2, 'quote_misplaced'],
      [3, 3, undefined],
    ]);
    expect(records[0]?.problem?.message).toContain('began on line 1');
  });

  test('a quote that is never closed takes the rest of the file into one record', async () => {
    const records = await read('a,b\nc,"d\ne,f\ng,h\n');
    expect(records).toHaveLength(2);
    expect(records[1]).toMatchObject({ line_start: 2, cells: ['c', 'd\ne,f\ng,h\n'] });
    expect(records[1]?.problem).toEqual({
      code: 'quote_unclosed',
      message: expect.stringContaining('opened on line 2 in column 2'),
    });
  });

  test('a closing quote as the last byte of the file closes', async () => {
    const [record] = await read('a,"b"');
    expect(record?.cells).toEqual(['a', 'b']);
    expect(record?.problem).toBeUndefined();
  });
});

describe('encodings', () => {
  const text = 'sku,title\r\nA1,"Größe, 5 – “x”"\r\nA2,€ 3…\r\n'.replaceAll(/[“”]/g, '’');
  const expected = [
    ['sku', 'title'],
    ['A1', 'Größe, 5 – ’x’'],
    ['A2', '€ 3…'],
  ];

  test.each<TextEncodingName>(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])(
    '%s gives the same cells, and the hash is over the bytes in the file',
    async (encoding) => {
      const records = await read(encodeText(text, encoding), { encoding });
      expect(cellsOf(records)).toEqual(expected);
      expect(records[2]?.raw_sha256.toString('hex')).toBe(sha256(encodeText('A2,€ 3…', encoding)));
    },
  );

  test.each<TextEncodingName>(['utf-8', 'utf-16le', 'utf-16be'])(
    'the mark of %s is no text',
    async (encoding) => {
      const records = await read(encodeText(`\ufeff"a"\nb`, encoding), { encoding });
      expect(cellsOf(records)).toEqual([['a'], ['b']]);
      expect(records[0]?.raw_sha256.toString('hex')).toBe(sha256(encodeText('"a"', encoding)));
    },
  );

  test('bytes that are not UTF-8 make only their own row wrong', async () => {
    const bytes = Buffer.concat([Buffer.from('ä,b\nx'), Buffer.from([0xe9]), Buffer.from(',y\nö,z\n')]);
    const records = await read(bytes);
    expect(records.map((r) => r.problem?.code)).toEqual([undefined, 'encoding_invalid', undefined]);
    expect(records[1]?.cells).toEqual(['x\ufffd', 'y']);
    expect(records[1]?.raw_sha256.toString('hex')).toBe(sha256(bytes.subarray(5, 9)));
  });

  test('bytes without a character in Windows-1252 make only their own row wrong', async () => {
    const bytes = Buffer.from([0x61, 0x81, 0x0a, 0x80, 0x0a]);
    const records = await read(bytes, { encoding: 'windows-1252' });
    expect(records.map((r) => [r.cells, r.problem?.code])).toEqual([
      [['a\ufffd'], 'encoding_invalid'],
      [['€'], undefined],
    ]);
  });

  test('half characters of UTF-16 make only their own row wrong, and its hash is still that of the bytes', async () => {
    const units = Buffer.from('a\ud800b\nc\n\udc00', 'utf16le');
    const bytes = Buffer.concat([units, Buffer.from([0x41])]);
    const records = await read(bytes, { encoding: 'utf-16le' });
    expect(records.map((r) => r.problem?.code)).toEqual(['encoding_invalid', undefined, 'encoding_invalid']);
    expect(records[0]?.raw_sha256.toString('hex')).toBe(sha256(units.subarray(0, 6)));
    expect(records[2]?.raw_sha256.toString('hex')).toBe(sha256(bytes.subarray(12)));
  });

  test('NUL and other control characters are data', async () => {
    expect(await cells('a\0b,\u001a\n')).toEqual([['a\0b', '\u001a']]);
  });
});

describe('limits', () => {
  const limits = { max_row_bytes: 40, max_cell_bytes: 10, max_columns: 4 };

  test('a value exactly at each limit passes, one more is a problem with the cells cut', async () => {
    const row = '0123456789,0123456789,0123456789,0123456';
    expect(row).toHaveLength(40);
    const records = await read(`${row}\n${row}7\n0123456789a,b\n1,2,3,4\n1,2,3,4,5\nend\n`, { limits });
    expect(records.map((r) => r.problem?.code)).toEqual([
      undefined,
      'row_too_long',
      'cell_too_long',
      undefined,
      'too_many_columns',
      undefined,
    ]);
    expect(records[1]?.cells).toEqual(row.split(','));
    expect(records[2]?.cells).toEqual(['0123456789', 'b']);
    expect(records[2]?.problem?.message).toContain('Column 1 holds 11 bytes; at most 10');
    expect(records[4]?.cells).toEqual(['1', '2', '3', '4']);
    expect(records[4]?.line_start).toBe(5);
  });

  test('a cut never splits a character', async () => {
    const [record] = await read('123456789äöü,x\n', { limits });
    expect(record?.cells).toEqual(['123456789', 'x']);
  });

  test('the hash of a row over the limit covers all its bytes', async () => {
    const long = 'x,'.repeat(100_000);
    const records = await read(`${long}\nend`, { limits });
    expect(records[0]?.raw_sha256.toString('hex')).toBe(sha256(long));
    expect(records[1]?.cells).toEqual(['end']);
  });
});

describe('batches', () => {
  test('hold at most 1,000 records, in order, none lost', async () => {
    const text = Array.from({ length: 12_345 }, (_, i) => `${i}\n`).join('');
    const sizes: number[] = [];
    let next = 0;
    for await (const batch of readRecords([Buffer.from(text)], CSV)) {
      sizes.push(batch.length);
      for (const record of batch) {
        expect(record.cells[0]).toBe(String(next++));
        expect(record.line_start).toBe(next);
      }
    }
    expect(next).toBe(12_345);
    expect(Math.max(...sizes)).toBe(1000);
  });

  test('leaving early closes the source', async () => {
    let closed = false;
    async function* source() {
      try {
        for (;;) yield Buffer.from('a\n'.repeat(5000));
      } finally {
        closed = true;
      }
    }
    for await (const batch of readRecords(source(), CSV)) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    expect(closed).toBe(true);
  });
});
