import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  type Run,
  rowsOf,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();

const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'deactivated',
  'merged',
  'staged',
  'ignored',
  'rejected',
  'not_attempted',
] as const;

/** Random rows for a few SKUs, so that files have repeats and conflicts. */
const row = fc.record({
  seller_sku: fc.constantFrom('A', 'B', 'C', 'D', 'E', '', 'x'.repeat(65)),
  title: fc.constantFrom('One', 'Two', '', 'a\u0000b', '=1+1', 'Ünï'),
  price: fc.constantFrom('1', '24.99', '', '-1', '1e3', '0.001'),
  quantity: fc.constantFrom('0', '5', '', '-5', '1.5', '99999999999'),
  status: fc.constantFrom('active', 'active', 'draft', 'inactive', 'archived', 'gone', ''),
  identity_strategy: fc.constantFrom('exempt', 'mpn_brand', 'global_id', ''),
  exempt_reason: fc.constantFrom('handmade', '', 'none'),
  mpn: fc.constantFrom('', 'M1', 'M2'),
  brand: fc.constantFrom('', 'Clay', 'generic'),
  global_id: fc.constantFrom('', '9781234567897', '0000000000000', '3.65E+11'),
});
const query = fc
  .record({
    mode: fc.constantFrom('upsert', 'update_only', 'create_only', 'inventory'),
    on_error: fc.constantFrom('continue', 'abort'),
    dry_run: fc.constantFrom('true', 'false'),
  })
  .map((parameters) => new URLSearchParams(parameters).toString());
const fileOf = (rows: readonly Record<string, string>[], asJson: boolean): string =>
  asJson ? JSON.stringify(rows) : csv(rows);

test('for random files the outcomes sum to the rows, the evidence to the counts, and a preview equals its run', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await feed(seller, csv([goods('A'), goods('B')]));
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 12 }),
      query,
      fc.boolean(),
      async (rows, sent, asJson) => {
        const type = asJson ? 'application/json' : 'text/csv';
        const file = fileOf(rows, asJson);
        const preview = await feed<Run & FeedFailure>(seller, file, {
          query: sent.replace('dry_run=false', 'dry_run=true'),
          type,
        });
        const answer = await feed<Run & FeedFailure>(seller, file, { query: sent, type });
        expect([201, 422]).toContain(answer.status);
        expect(preview.status).toBe(answer.status);
        const run: Run = answer.status === 201 ? answer.body : (answer.body.run as Run);
        expect(run.counts.rows).toBe(rows.length);
        expect(OUTCOMES.reduce((sum, outcome) => sum + run.counts[outcome], 0)).toBe(rows.length);
        const evidence = await rowsOf(seller, run.run_id);
        expect(evidence).toHaveLength(rows.length);
        for (const outcome of OUTCOMES)
          expect(evidence.filter((found) => found.outcome === outcome)).toHaveLength(run.counts[outcome]);
        const warnings = evidence.flatMap(({ messages }) =>
          messages.filter(({ severity }) => severity === 'warning'),
        );
        expect(warnings).toHaveLength(run.counts.warnings);
        const said = (found: typeof evidence) =>
          found.map(({ outcome, messages }) => [
            outcome,
            messages.map(({ code, column }) => `${code} ${column}`),
          ]);
        expect(said(preview.body.row_results)).toEqual(said(evidence));
      },
    ),
    { numRuns: 60 },
  );
});

test('a random file sent again changes nothing that it has written', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const sent = async (file: string): Promise<Run> => {
    const answer = await feed<Run & FeedFailure>(seller, file);
    return answer.status === 201 ? answer.body : (answer.body.run as Run);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
      const file = csv(rows);
      const first = await rowsOf(seller, (await sent(file)).run_id);
      const before = await catalogueOf(seller);
      const again = await rowsOf(seller, (await sent(file)).run_id);
      const changed = again.filter(({ outcome }) => !['unchanged', 'rejected', 'ignored'].includes(outcome));
      // After the first run, an identity that one row has given up is free for another row.
      for (const { row_number } of changed)
        expect(first[row_number - 1]).toMatchObject({
          outcome: 'rejected',
          messages: expect.arrayContaining([expect.objectContaining({ code: 'mpn_brand_conflict' })]),
        });
      if (changed.length === 0) expect(await catalogueOf(seller)).toEqual(before);
    }),
    { numRuns: 40 },
  );
});
