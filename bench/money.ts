/**
 * Money: the close of a settlement compared with its bare statements; reads of an account and of its settlements with a
 * thousand and with a million ledger entries; a settlement as a file; fee documents. The ledgers are written with set
 * statements and audited at the end, because figures of a wrong ledger are worthless.
 */
import pg from 'pg';
import { pino } from 'pino';
import { sydneyDate } from '../src/kernel/australia/sydney.ts';
import { readFindings } from '../src/modules/financials/index.ts';
import { settledPageOf } from '../src/modules/settlements/store/lines.ts';
import { createPool } from '../src/platform/db/pool.ts';
import { createWithSystem } from '../src/platform/db/scope.ts';
import { benchDocuments } from './documents.ts';
import { applyLoad, wireGet } from './lab/apply-load.ts';
import { openCloser } from './lab/close.ts';
import { copyAway } from './lab/copy.ts';
import { download } from './lab/download.ts';
import { daysBefore, fillLedger, legsOf, statementLinesOf } from './lab/ledger.ts';
import type { LoadResult } from './lab/load.ts';
import { watchMemory } from './lab/memory.ts';
import { makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading, median, milliseconds, pairedRatio, rateOf, report, whole } from './lab/statistics.ts';

/** The orders are delivered in the first days of a month, so every line is available in its first half. */
const PERIOD = { from: '2026-07-01', to: '2026-07-05' };
const LINES_EACH = 5;

async function withClient<T>(service: Service, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Tables of the same columns and indexes, without foreign keys, triggers and row-level security. */
const UNCHECKED =
  'create table if not exists bench_settlement_line (like settlement_line including all); ' +
  'create table if not exists bench_invoice_line (like invoice_line including all)';
const PUT_LINES =
  'insert into bench_settlement_line (seller_id, entry_id, settlement_id, row_no) ' +
  "select seller_id, entry_id, 'stl_limit', row_number() over (order by posted_on, position) from ledger_entry " +
  "where seller_id = $1 and bucket is not null and currency = 'AUD' and available_on <= $2::date";
const PUT_FEES =
  "insert into bench_invoice_line (seller_id, entry_id, invoice_id) select seller_id, entry_id, 'inv_limit' from ledger_entry " +
  "where seller_id = $1 and bucket = 'fees' and currency = 'AUD' and available_on <= $2::date";

async function writeUnchecked(client: pg.Client, sellerId: string): Promise<void> {
  const values = [sellerId, '2026-07-15'];
  await client.query('begin');
  await client.query(PUT_LINES, values);
  await client.query(PUT_FEES, values);
  await client.query('commit');
}

interface ClosedSeller {
  readonly seller: Seller;
  readonly settlementId: string;
}

/** Closes a period with this many order lines, in each round for another seller. @returns the last settlement */
async function measureClose(
  service: Service,
  { orderLines, linesEach, rounds }: { orderLines: number; linesEach: number; rounds: number },
): Promise<ClosedSeller> {
  const ours: number[] = [];
  const limits: number[] = [];
  let last: ClosedSeller | undefined;
  const closer = openCloser(service.superuserUrl);
  await withClient(service, async (client) => {
    await client.query(UNCHECKED);
    for (const seller of await makeSellers(service, rounds)) {
      await fillLedger(client, seller.seller_id, { orders: orderLines / linesEach, linesEach, ...PERIOD });
      await settle(service);
      const { ms, settlementId } = await closer.next(seller.seller_id);
      ours.push(ms);
      limits.push(await milliseconds(() => writeUnchecked(client, seller.seller_id)));
      last = { seller, settlementId };
    }
  });
  await closer.stop();
  const lines = (orderLines / linesEach) * statementLinesOf(linesEach);
  report({
    name: `close of ${whole(orderLines)} order lines`,
    figure: `${(median(ours) / 1000).toFixed(2)} s  ${whole((lines / median(ours)) * 1000)} lines/s`,
    limit: `${(median(limits) / 1000).toFixed(2)} s  ${whole((lines / median(limits)) * 1000)} lines/s`,
    ratio: `${pairedRatio(ours, limits).toFixed(2)}x`,
    aim: '<= 3x',
  });
  if (last === undefined) throw new Error('no settlement was closed');
  return last;
}

const READS = [
  { name: 'overview', path: '/api/v1/financials/dashboard' },
  { name: 'list of settlements', path: '/api/v1/financials/settlements?limit=50' },
] as const;
const DAYS = 720;
const SLICE_MS = 1_500;

/** A ledger of two years, closed up to the period that is still open. */
async function twoYears(service: Service, seller: Seller, entries: number): Promise<void> {
  const today = sydneyDate(Date.now());
  const size = { linesEach: 1, from: daysBefore(today, DAYS), to: daysBefore(today, 1) };
  const orders = Math.ceil(entries / legsOf(1));
  await withClient(service, (client) => fillLedger(client, seller.seller_id, { orders, ...size }));
  const closer = openCloser(service.superuserUrl);
  while (await closer.isDue(seller.seller_id)) await closer.next(seller.seller_id);
  await closer.stop();
}

async function measureReads(service: Service, quick: boolean): Promise<void> {
  const sizes = quick ? [1_000, 100_000] : [1_000, 1_000_000];
  const sellers = await makeSellers(service, sizes.length);
  for (const [index, seller] of sellers.entries()) await twoYears(service, seller, sizes[index] ?? 0);
  await settle(service);
  await signIn(service, sellers);
  const port = Number(new URL(service.url).port);
  for (const { name, path } of READS)
    for (const connections of [16, 64]) {
      const rates: LoadResult[][] = sellers.map(() => []);
      // The first round of each warms up the compiler.
      for (let round = 0; round < (quick ? 4 : 8); round += 1)
        for (const [index, { token }] of sellers.entries()) {
          const load = { port, connections, warmUpMs: 300, ms: SLICE_MS, requests: [wireGet(path, token)] };
          const result = await applyLoad(load);
          if (round > 0) rates[index]?.push(result);
        }
      const [few = [], many = []] = rates;
      const perSecond = (results: readonly LoadResult[]) => results.map((result) => result.perSecond);
      report({
        name: `${name}, ${connections} connections, ${whole(sizes[1] ?? 0)} entries`,
        figure: rateOf(many),
        limit: `${rateOf(few)} (${whole(sizes[0] ?? 0)})`,
        ratio: `${(100 * pairedRatio(perSecond(many), perSecond(few))).toFixed(0)} %`,
        aim: '>= 90 %',
      });
    }
}

/** The statement of the export, of all lines at once. */
function copyStatement(sellerId: string, settlementId: string): string {
  const after = { row_no: 0, running_balance_minor: 0n };
  const { text, values } = settledPageOf(sellerId, settlementId, after, 10_000_000);
  const literals = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  return `copy (${text.replaceAll(/\$(\d+)/g, (_, number: string) => literals[Number(number) - 1] ?? '')}) to stdout (format csv)`;
}

async function measureFile(service: Service, closed: ClosedSeller, quick: boolean): Promise<void> {
  const { seller, settlementId } = closed;
  await signIn(service, [seller]);
  const path = `/financials/settlements/${settlementId}/export/csv`;
  const { lines, bytes } = await download(service, seller, path);
  const ours: number[] = [];
  const limits: number[] = [];
  await withClient(service, async (client) => {
    for (let round = 0; round < (quick ? 3 : 5); round += 1) {
      ours.push(await milliseconds(() => download(service, seller, path)));
      limits.push(await milliseconds(() => copyAway(client, copyStatement(seller.seller_id, settlementId))));
    }
  });
  const [ms, limitMs] = [median(ours), median(limits)];
  report({
    name: `settlement of ${whole(lines)} lines as CSV, ${whole(bytes / 1e6)} MB`,
    figure: `${(ms / 1000).toFixed(2)} s  ${whole((lines / ms) * 1000)} rows/s`,
    limit: `${(limitMs / 1000).toFixed(2)} s  ${whole((lines / limitMs) * 1000)} rows/s`,
    ratio: `${pairedRatio(ours, limits).toFixed(2)}x`,
    aim: '',
  });
  const { idleHeapMb, peakHeapMb, peakRssMb } = await watchMemory(service, () =>
    download(service, seller, path),
  );
  report({
    name: `settlement of ${whole(lines)} lines as CSV, heap above idle`,
    figure: `${whole(peakHeapMb - idleHeapMb)} MB  (peak resident ${whole(peakRssMb)} MB)`,
    limit: '250 MB',
    ratio: `${((peakHeapMb - idleHeapMb) / 250).toFixed(2)}x`,
    aim: '<= 1x',
  });
}

/** @throws when the audit finds a difference in the measured ledger */
async function audit(service: Service): Promise<void> {
  const log = pino({ level: 'silent' });
  const pool = createPool({ url: service.superuserUrl, max: 1, name: 'bench-audit', log, longWork: true });
  const findings = await readFindings(createWithSystem(pool, ['ledger-audit']));
  await pool.end();
  const broken = findings.filter(({ violations }) => violations > 0);
  if (broken.length > 0) throw new Error(`the ledger violates invariants: ${JSON.stringify(broken)}`);
  console.log(`All ${findings.length} invariants hold.`);
}

export async function benchMoney(service: Service, { quick }: { readonly quick: boolean }): Promise<void> {
  heading(
    'Money (limits: the same INSERT … SELECT unchecked; the same read of 1,000 entries; COPY … TO STDOUT)',
  );
  await measureClose(service, { orderLines: 10_000, linesEach: LINES_EACH, rounds: quick ? 2 : 3 });
  // Each order has four statement lines: 100,000 in all.
  const file = await measureClose(service, { orderLines: quick ? 8_000 : 40_000, linesEach: 4, rounds: 1 });
  if (!quick) await measureClose(service, { orderLines: 100_000, linesEach: LINES_EACH, rounds: 1 });
  await measureFile(service, file, quick);
  await measureReads(service, quick);
  await benchDocuments(quick);
  await audit(service);
}
