/**
 * The speed of the text readers, and a check that hostile files cost linear time and bounded memory.
 * Run: `npx node bench/readers.ts`. The limit of the CSV figures is csv-parse with the options that give the same
 * facts (line numbers and raw bytes for the hash).
 */
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse';
import { inflateLimited } from '../src/kernel/readers/inflate.ts';
import { readJsonRows } from '../src/kernel/readers/read-json-rows.ts';
import { readNdjsonRows } from '../src/kernel/readers/read-ndjson-rows.ts';
import { readRecords } from '../src/kernel/readers/read-records.ts';
import type { RecordFormat } from '../src/kernel/readers/records.ts';
import { sniffEncoding } from '../src/kernel/readers/sniff-encoding.ts';

const ROWS = 100_000;
const RUNS = 3;
const PIECE = 64 * 1024;
const limits = { max_row_bytes: 1024 * 1024, max_cell_bytes: 64 * 1024, max_columns: 500, max_depth: 8 };
const csv: RecordFormat = { encoding: 'utf-8', delimiter: ',', quoting: true, limits };

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

async function count(batches: AsyncIterable<{ length: number }>): Promise<number> {
  let rows = 0;
  for await (const batch of batches) rows += batch.length;
  return rows;
}

/** The shortest of several runs in milliseconds, and the answer of the last one. */
async function best<T>(run: () => Promise<T>): Promise<{ ms: number; answer: T }> {
  let ms = Number.POSITIVE_INFINITY;
  let answer = await run();
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    answer = await run();
    ms = Math.min(ms, performance.now() - start);
  }
  return { ms, answer };
}

async function report(name: string, bytes: number, run: () => Promise<number>): Promise<void> {
  const { ms, answer } = await best(run);
  const rate = `${Math.round(answer / ms).toLocaleString('en')}k rows/s`.padStart(14);
  console.log(`${name.padEnd(44)} ${(bytes / 1e6).toFixed(0).padStart(4)} MB ${rate} ${mbps(bytes, ms)}`);
}

const mbps = (bytes: number, ms: number) => `${(bytes / ms / 1000).toFixed(0)} MB/s`.padStart(10);

function rowCells(i: number): string[] {
  const description = `A text of ordinary length, as sellers write them for a product of this kind, number ${i}`;
  const link = `https://images.example.com/products/large/${i}.jpg`;
  const start = [`SKU-${i}`, `A title of ordinary length ${i}`, description, 'Some Brand', `MPN-${i}`];
  const code = String(9_300_000_000_000 + i);
  return [
    ...start,
    code,
    'global_id',
    '',
    '',
    'Home > Kitchen > Pots and pans',
    'new',
    '19.95',
    '24.95',
    '7',
    link,
  ];
}

function table(line: (i: number) => string): Buffer {
  return Buffer.from(Array.from({ length: ROWS }, (_, i) => `${line(i)}\n`).join(''));
}

function csvParse(bytes: Buffer): Promise<number> {
  const parser = parse({ info: true, raw: true });
  Readable.from(pieces(bytes)).pipe(parser);
  return (async () => {
    let rows = 0;
    for await (const { raw } of parser as AsyncIterable<{ raw: string }>) {
      hash('sha256', raw, 'hex');
      rows++;
    }
    return rows;
  })();
}

async function speeds(): Promise<void> {
  const plain = table((i) => rowCells(i).join(','));
  const quoted = table((i) => `"${rowCells(i).join('","')}"`);
  const accents = table((i) => `Größe ${rowCells(i).join(',')}`);
  const short = table((i) => `SKU-${i},${i % 90},19.95,new`);
  const html = table(
    (i) => `handle-${i},"<p class=""x"">${'Some words of a description\n'.repeat(12)}</p>",9.5`,
  );
  const objects = table((i) =>
    JSON.stringify(Object.fromEntries(rowCells(i).map((cell, n) => [`c${n}`, cell]))),
  );
  const array = Buffer.from(`[${objects.toString().trimEnd().replaceAll('\n', ',\n')}]`);
  const utf16 = Buffer.from(accents.toString(), 'utf16le');
  const packed = gzipSync(plain);

  const read = (bytes: Buffer, format = csv) => count(readRecords(pieces(bytes), format));
  await report('csv-parse, plain (the limit)', plain.length, () => csvParse(plain));
  await report('csv-parse, every cell quoted (the limit)', quoted.length, () => csvParse(quoted));
  await report('readRecords, plain, 15 columns', plain.length, () => read(plain));
  await report('readRecords, every cell quoted', quoted.length, () => read(quoted));
  await report('readRecords, not ASCII', accents.length, () => read(accents));
  await report('readRecords, short rows', short.length, () => read(short));
  await report('readRecords, HTML over many lines', html.length, () => read(html));
  await report('readRecords, UTF-16', utf16.length, () => read(utf16, { ...csv, encoding: 'utf-16le' }));
  const latin = Buffer.from(accents.toString(), 'latin1');
  await report('readRecords, Windows-1252', latin.length, () =>
    read(latin, { ...csv, encoding: 'windows-1252' }),
  );
  await report('readRecords, plain, from gzip', plain.length, () =>
    count(readRecords(inflateLimited(pieces(packed), 1e9), csv)),
  );
  await report('readNdjsonRows', objects.length, () => count(readNdjsonRows(pieces(objects), limits)));
  await report('readJsonRows', array.length, () => count(readJsonRows(pieces(array), limits)));
  for (const [name, bytes] of [
    ['ASCII', plain],
    ['UTF-8', accents],
    ['Windows-1252', latin],
  ] as const) {
    const { ms } = await best(() => sniffEncoding(pieces(bytes)));
    console.log(
      `sniffEncoding, ${name}`.padEnd(44),
      `${(bytes.length / 1e6).toFixed(0).padStart(4)} MB`,
      mbps(bytes.length, ms),
    );
  }
}

const HOSTILE: Readonly<Record<string, string>> = {
  'one endless cell': 'x',
  'one endless row of empty cells': ',',
  'one unclosed quote, then rows': '"a,b\n',
  'nothing but quotes': '"',
  'quotes out of place': 'z",q,"w\n',
  'an odd quote in every row': 'a,""",b\n',
  'blank lines': '\r\n',
  'a stray CR in every cell': 'a\r,',
};

/** Doubling the file must not more than about double the time; memory must not grow with it. */
async function hostile(): Promise<void> {
  console.log('\nhostile file (16 MB against 8 MB)'.padEnd(45), 'time ratio, speed, most memory in buffers');
  for (const [name, unit] of Object.entries(HOSTILE)) {
    const block = Buffer.from(unit.repeat(Math.ceil((1 << 20) / unit.length)));
    let most = 0;
    const run = (blocks: number) => async () => {
      const before = process.memoryUsage().arrayBuffers;
      const source = (function* () {
        if (name.includes('unclosed')) yield Buffer.from('"');
        for (let i = 0; i < blocks; i++) {
          yield block;
          most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        }
      })();
      return count(readRecords(source, csv));
    };
    const once = await best(run(8));
    const twice = await best(run(16));
    const ratio = (twice.ms / once.ms).toFixed(2).padStart(6);
    console.log(
      name.padEnd(44),
      ratio,
      mbps(16 * block.length, twice.ms),
      `${(most / 1e6).toFixed(1)} MB`.padStart(9),
    );
  }
}

await speeds();
await hostile();
