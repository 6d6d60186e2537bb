/** The rules of every read of money: it shows one seller's figures, names their source, and has no figure of a tax. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type AnyRoute, isSellerAccess } from '../src/kernel/route.ts';
import { routePath } from '../src/kernel/route-path.ts';
import { MODULES } from '../src/modules.ts';
import { startTestApp, type TestSeller } from './support/app.ts';
import { GOLDEN_JOURNALS, postFor } from './support/golden-ledger.ts';
import { moneyObjects } from './support/settlements.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-08-31T13:59:59.999Z',
  LOG_LEVEL: 'silent',
  RATE_LIMITS: 'off',
  ROLE: 'api',
});
let seller: TestSeller;
let stranger: TestSeller;
beforeAll(async () => {
  [seller, stranger] = [await app.seller(), await app.seller()];
  await postFor(app, seller.seller_id, GOLDEN_JOURNALS);
});

const AREAS = new Set(['financials', 'fees', 'payments-payouts', 'profitability', 'dashboard']);
interface Read {
  readonly route: AnyRoute;
  readonly path: string;
}
const reads: readonly (readonly [name: string, read: Read])[] = MODULES.filter(({ name }) =>
  AREAS.has(name),
).flatMap((module) =>
  module.routes
    .filter(({ method, access }) => method === 'GET' && isSellerAccess(access))
    .map((route) => [route.id, { route, path: routePath(module, route) }] as const),
);
const lists = reads.filter(([, { path }]) => !path.includes('{'));

/** Lists in which each row says whether the provider agrees. */
const OF_ROWS = new Set([
  ...['financials.settlements.list', 'financials.invoices.list'],
  ...['payments_payouts.list', 'payments_payouts.expected.list'],
]);

function* keysOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) yield key;
    yield* keysOf(inner);
  }
}
const call = <Body>(who: TestSeller, path: string) =>
  app.call<Body>('GET', path, { headers: { authorization: `Bearer ${who.token}` } });

/** Routes with a single statement. */
const OF_ONE_STATEMENT = new Set(['fees.schedule.get', 'profitability.unit_costs.list']);
/** What the seller entered, and what is computed from it: the ledger is not their source. */
const OF_SELLERS_COSTS = new Set(['profitability.unit_costs.list', 'profitability.coverage.get']);

describe('every read', () => {
  test.each(reads.filter(([id]) => !OF_ONE_STATEMENT.has(id)))(
    '%s shows one instant, even if a period is closed meanwhile',
    (_, { route }) => {
      // Files are streamed from a snapshot of their own.
      expect(['snapshot', 'own']).toContain(route.tx);
    },
  );

  test.each(lists)('%s is not cached, and has no name and no figure of a tax', async (_, { path }) => {
    const { status, headers, text } = await call(seller, path);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const isFile = headers.get('content-type')?.startsWith('text/csv') === true;
    const names = isFile ? (text.split('\r\n', 1)[0] ?? '').split(',') : [...keysOf(JSON.parse(text))];
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => /gst|\bbas\b|bas_|_bas|tax/i.test(name))).toEqual([]);
    expect(text).not.toMatch(/\bGST\b|\bBAS\b/);
  });

  test.each(lists.filter(([, { route }]) => route.ok[0].schema !== undefined))(
    '%s says where its figures come from',
    async (id, { path }) => {
      if (id === 'fees.schedule.get' || OF_SELLERS_COSTS.has(id)) return;
      const { body } = await call<Record<string, Record<string, unknown>>>(seller, path);
      const finance = id === 'dashboard.summary.get' ? body['finance'] : body;
      expect(finance).toMatchObject({
        generated_at: '2026-08-31T13:59:59.999Z',
        source: {
          system: 'marketplace_ledger',
          contract: expect.stringMatching(/^[a-z]+\.[a-z_]+\.v1$/),
          ledger_position: expect.any(Number),
          timezone: 'Australia/Sydney',
        },
      });
      // Each row of these lists says whether the provider agrees.
      if (!OF_ROWS.has(id))
        expect(finance).toMatchObject({ reconciliation: { status: 'not_started', scope: 'account' } });
    },
  );

  test('also the lines of one settlement or payout, and its proof', async () => {
    const shop = await app.seller();
    const { settlement_id, payout_id } = await moneyObjects(app, shop);
    for (const path of [
      `/api/v1/financials/settlements/${settlement_id}/entries`,
      `/api/v1/financials/settlements/${settlement_id}/proof`,
      `/api/v1/payments/payouts/${payout_id}/entries`,
    ]) {
      const { body } = await call<Record<string, unknown>>(shop, path);
      expect(body, path).toMatchObject({
        generated_at: '2026-08-31T13:59:59.999Z',
        source: { system: 'marketplace_ledger', contract: expect.stringMatching(/^[a-z]+\.[a-z_]+\.v1$/) },
      });
    }
  });

  test('the reads of a seller without orders show nothing of another seller', async () => {
    const ids = new Set<string>();
    for (const [, { path }] of lists) {
      const [own, other] = [await call(seller, path), await call(stranger, path)];
      for (const [id] of own.text.matchAll(/\b(?:ord|txn|stl|inv|pay)_\w+/g)) {
        ids.add(id);
        expect(other.text).not.toContain(id);
      }
    }
    expect(ids.size).toBeGreaterThan(50);
  });
});

describe('every value of a query parameter is answered or refused', () => {
  const UNKNOWN = 'stl_01j0000000000000000000000';
  const HOSTILE = [
    ...['', "'", '"', '\\', '%', '-1', '1e9', 'null', '[]', '\u202e', '💥', '%00', 'aud', '$1', '::date'],
    ...['2026-02-30', '0000-01-01', '9999-99-99', '2026-13-01T00:00:00Z', '+275760-09-13T00:00:00Z'],
    ...['FY0000-01-Q1', 'FY9999-00-Q1', "x' or 1=1 --", 'a'.repeat(2_000)],
  ];

  test.each(reads)('%s', async (_, { route, path }) => {
    const declared = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {});
    const url = path.replaceAll(/\{\w+\}/g, UNKNOWN);
    for (const name of [...declared, 'unknown'])
      for (const value of HOSTILE) {
        const answer = await call<{ detail: { loc: string[] }[] }>(
          seller,
          `${url}?${name}=${encodeURIComponent(value)}`,
        );
        const about = `${name}=${value.slice(0, 30)}: ${answer.text.slice(0, 200)}`;
        expect([200, 404, 422], about).toContain(answer.status);
        if (answer.status === 422)
          expect(answer.body.detail[0]?.loc.slice(0, 2), about).toEqual(['query', name]);
        if (name === 'unknown') expect([404, 422], about).toContain(answer.status);
      }
  });
});
