/**
 * Imports real export files over HTTP. The files are not part of the repository: the tests run when their folder is
 * next to it. An independent CSV reader has read the expected rows.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ExpectedFile } from '../../../../../test/fixtures/profiles/expected-file.ts';
import {
  AUCTION_FILES,
  HANDMADE_FILES,
  MARKETPLACE_FILES,
} from '../../../../../test/fixtures/profiles/expected-listings.ts';
import { STORE_FILES } from '../../../../../test/fixtures/profiles/expected-store-platform.ts';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  type Counts,
  catalogueOf,
  type FeedFailure,
  feed,
  type RowResult,
  type Run,
  rowsOf,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const SAMPLES = new URL('../../../../../../shared/samples/', import.meta.url).pathname;
const FILES = [...STORE_FILES, ...MARKETPLACE_FILES, ...AUCTION_FILES, ...HANDMADE_FILES];
const present = existsSync(SAMPLES);

/** Expected outcomes of the first import that differ from the roles of the rows. */
const REFUSED_BY_THE_CATALOGUE: Readonly<
  Record<string, { readonly rejected: number; readonly codes: string[] }>
> = {
  // Pictures without a valid URL.
  'auction-ebay/us-bulk-out-473rows.csv': { rejected: 2, codes: ['url_invalid'] },
};

const OUTCOME: Readonly<Record<string, string>> = {
  product: 'created',
  staged: 'staged',
  merged: 'merged',
  ignored: 'ignored',
  error: 'rejected',
};

/** The expected number of rows by outcome. */
function expectedCounts(file: ExpectedFile): Partial<Counts> {
  const counts: Record<string, number> = { rows: file.rows };
  for (const [role, count] of Object.entries(file.roles)) counts[OUTCOME[role] ?? role] = count;
  const refused = REFUSED_BY_THE_CATALOGUE[file.path]?.rejected ?? 0;
  return {
    ...counts,
    ...(refused === 0
      ? {}
      : { staged: (counts['staged'] ?? 0) - refused, rejected: (counts['rejected'] ?? 0) + refused }),
  };
}

/** Fields that have the same name in a patch and in the changes of its row. */
const SHOWN = [
  'seller_sku',
  'title',
  'brand',
  'category',
  'price_minor',
  'compare_at_minor',
  'external_key',
  'variation',
];

function expectChanges(row: RowResult, patch: Readonly<Record<string, unknown>>): void {
  for (const field of SHOWN) {
    const value = patch[field];
    if (value === undefined || value === null) continue;
    const change = row.changes.find((candidate) => candidate.field === field);
    expect([row.row_number, field, change?.after]).toEqual([
      row.row_number,
      field,
      typeof value === 'bigint' ? Number(value) : value,
    ]);
  }
}

describe.skipIf(!present)('real export files over HTTP', async () => {
  const app = present ? await startTestApp() : undefined;

  async function sellerWith(currency: string): Promise<TestSeller> {
    if (app === undefined) throw new Error('no samples');
    const seller = await app.seller({ plan: 'Big' });
    await runOn(app.database.adminUrl, (client) =>
      client.query('update seller set currency = $1 where seller_id = $2', [currency, seller.seller_id]),
    );
    return seller;
  }
  const send = (
    seller: TestSeller,
    file: Pick<ExpectedFile, 'path' | 'second_header'>,
    query: string[] = [],
  ) =>
    feed<Run & FeedFailure>(seller, readFileSync(SAMPLES + file.path), {
      path: '/products/import-profiles',
      type: file.path.endsWith('.txt') ? 'text/tab-separated-values' : 'text/csv',
      query: [
        ...query,
        ...(file.second_header === undefined ? [] : [`on_second_header=${file.second_header}`]),
      ].join('&'),
    });
  const runIn = ({ body }: { body: Run & FeedFailure }): Run => body.run ?? body;

  test.each(FILES.filter(({ rows }) => rows > 0))('$path (second header: $second_header)', async (file) => {
    const seller = await sellerWith(file.currency);
    const answer = await send(seller, file);
    if (file.roles['error'] === file.rows) {
      // A second header rejects the whole file.
      expect([answer.status, answer.body.code]).toEqual([422, 'second_header']);
      expect(await catalogueOf(seller)).toHaveProperty('size', 0);
      return;
    }
    const run = runIn(answer);
    const counts = expectedCounts(file);
    expect(answer.status).toBe(counts.created || counts.staged ? 201 : 422);
    expect(run).toMatchObject({ kind: 'profile_import', source: { profile: file.profile }, counts });
    expect(run.detection).toMatchObject({ answer: { profile: file.profile, generation: file.generation } });
    const rows = await rowsOf(seller, run.run_id);
    const found = new Map(rows.map((row) => [row.row_number, row]));
    expect(file.evidence.length).toBeGreaterThanOrEqual(3);
    for (const { row: number, role, codes, part_of, patch } of file.evidence) {
      const row = found.get(number) as RowResult & { part_of: number | null };
      expect([number, row.outcome]).toEqual([number, OUTCOME[role]]);
      expect(row.messages.map(({ code }) => code)).toEqual(expect.arrayContaining([...(codes ?? [])]));
      if (part_of !== undefined) expect(row.part_of).toBe(part_of);
      if (patch !== undefined && row.outcome !== 'rejected') expectChanges(row, patch);
    }
    for (const code of REFUSED_BY_THE_CATALOGUE[file.path]?.codes ?? [])
      expect(await rowsOf(seller, run.run_id, `&outcome=rejected&code=${code}`)).not.toEqual([]);
    const before = await catalogueOf(seller);
    expect(before.size).toBe((counts.created ?? 0) + (counts.staged ?? 0));

    const again = runIn(await send(seller, file));
    expect(again.counts).toMatchObject({
      created: 0,
      updated: 0,
      staged: 0,
      deactivated: 0,
      unchanged: before.size,
      merged: run.counts.merged,
      ignored: run.counts.ignored,
      rejected: run.counts.rejected,
    });
    expect(await catalogueOf(seller)).toEqual(before);
  });

  test.each(FILES.filter(({ rows }) => rows === 0))('$path has no rows', async (file) => {
    const answer = await send(await sellerWith(file.currency), file);
    expect([answer.status, answer.body.error, answer.body.code]).toEqual([
      422,
      'feed_validation_failed',
      'no_rows',
    ]);
  });

  test('a preview of a real file is committed and completely reverted', async () => {
    const [file] = MARKETPLACE_FILES;
    if (file === undefined) throw new Error('no file');
    const seller = await sellerWith(file.currency);
    const preview = runIn(await send(seller, file, ['dry_run=true']));
    expect(await catalogueOf(seller)).toHaveProperty('size', 0);
    const commit = await seller.call<Run>('POST', `/products/feed-runs/${preview.run_id}/commit`);
    expect(commit.body.counts).toEqual(preview.counts);
    expect(runIn(await send(seller, file)).counts.unchanged).toBe(
      preview.counts.created + preview.counts.staged,
    );
    const revert = await seller.call<Run>('POST', `/products/feed-runs/${commit.body.run_id}/revert`);
    expect(revert.body.counts.deactivated).toBe(preview.counts.created + preview.counts.staged);
    expect(await catalogueOf(seller)).toHaveProperty('size', 0);
  });

  test.each([
    ['near-miss/not-shopify-product-template.csv', 'store_platform_products'],
    ['near-miss/home-made-inventory-3cols.csv', 'marketplace_listings'],
  ])('%s is rejected with its most similar profile', async (path, profile) => {
    const answer = await send(await sellerWith('AUD'), { path });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      error: 'feed_validation_failed',
      code: 'profile_not_recognised',
      detection: { profile: null, near_miss: { profile, missing: expect.any(Array) } },
    });
  });
});
