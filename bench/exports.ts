/**
 * The whole catalogue of a seller over HTTP, against `COPY … TO STDOUT` of the columns that the export reads, in its
 * order. This process receives both and drops them.
 */
import pg from 'pg';
import { EXPORT_COLUMNS } from '../src/modules/products/store/export-rows.ts';
import { JOIN_STOCK } from '../src/modules/products/store/stock-columns.ts';
import { copyAway } from './lab/copy.ts';
import { download, type Received } from './lab/download.ts';
import { feedFile } from './lab/feed-file.ts';
import { watchMemory } from './lab/memory.ts';
import { feed, makeSellers, type Seller } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { heading, median, milliseconds, report, whole } from './lab/statistics.ts';

/** The first export is not counted, because the service compiles its code in it. */
const FORMATS = [
  { format: 'csv', linesBeside: 1 },
  { format: 'jsonl', linesBeside: 0 },
] as const;
const pathOf = (format: string): string => `/products/export?format=${format}`;

async function measure(service: Service, seller: Seller, rows: number, rounds: number): Promise<void> {
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  const limitSql =
    `copy (select ${EXPORT_COLUMNS} from product p ${JOIN_STOCK.texts[0]} where p.seller_id = '${seller.seller_id}' ` +
    "and p.status <> 'archived' order by p.product_id) to stdout (format csv)";
  try {
    for (const { format, linesBeside } of FORMATS) {
      await download(service, seller, pathOf(format));
      const ours: number[] = [];
      const limits: number[] = [];
      let bytes = 0;
      for (let round = 0; round < rounds; round += 1) {
        let received: Received = { lines: 0, bytes: 0 };
        ours.push(
          await milliseconds(async () => {
            received = await download(service, seller, pathOf(format));
          }),
        );
        if (received.lines !== rows + linesBeside) throw new Error(`${format}: ${received.lines} lines`);
        ({ bytes } = received);
        let copied = 0;
        limits.push(
          await milliseconds(async () => {
            copied = await copyAway(client, limitSql);
          }),
        );
        if (copied !== rows) throw new Error(`the limit: ${copied} rows`);
      }
      const [ms, limitMs] = [median(ours), median(limits)];
      report({
        name: `${whole(rows)} products as ${format}, ${whole(bytes / 1e6)} MB`,
        figure: `${(ms / 1000).toFixed(2)} s  ${whole((rows / ms) * 1000)} rows/s`,
        limit: `${(limitMs / 1000).toFixed(2)} s  ${whole((rows / limitMs) * 1000)} rows/s`,
        ratio: `${(ms / limitMs).toFixed(2)}x`,
        aim: '',
      });
    }
  } finally {
    await client.end();
  }
}

async function memory(service: Service, seller: Seller, rows: number): Promise<void> {
  for (const { format } of FORMATS) {
    const { idleHeapMb, peakHeapMb, peakRssMb } = await watchMemory(service, () =>
      download(service, seller, pathOf(format)),
    );
    report({
      name: `${whole(rows)} products as ${format}, heap above idle`,
      figure: `${whole(peakHeapMb - idleHeapMb)} MB  (peak resident ${whole(peakRssMb)} MB)`,
      limit: '250 MB',
      ratio: `${((peakHeapMb - idleHeapMb) / 250).toFixed(2)}x`,
      aim: '<= 1x',
    });
  }
}

export async function benchExports(service: Service, { quick }: { readonly quick: boolean }): Promise<void> {
  heading('Exports (time to the last byte; limit: COPY … TO STDOUT of the same columns)');
  const rows = quick ? 20_000 : 100_000;
  const [seller] = await makeSellers(service, 1);
  if (seller === undefined) return;
  await feed(service, seller, feedFile(rows));
  await measure(service, seller, rows, quick ? 3 : 5);
  await memory(service, seller, rows);
}
