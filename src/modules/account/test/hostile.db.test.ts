/** Every query of settlements, payouts and entries gets an answer or a typed refusal, never a server error. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { moneyObjects } from '../../../../test/support/settlements.ts';

const app = await startTestApp();
let seller: TestSeller;
let owned: Readonly<Record<string, string>>;

beforeAll(async () => {
  seller = await app.seller();
  owned = await moneyObjects(app, seller);
});

const LISTS = [
  '/financials/settlements',
  '/financials/settlements/{settlement_id}/entries',
  '/financials/settlements/{settlement_id}/proof',
  '/financials/entries',
  '/payments/payouts',
  '/payments/payouts/{payout_id}/entries',
] as const;
const path = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => owned[name] ?? '');

interface Refused {
  readonly detail: readonly {
    readonly loc: readonly string[];
    readonly type: string;
    readonly msg: string;
  }[];
}
async function expectRefusal(asked: string, at: string): Promise<void> {
  const { status, body, text } = await seller.call<Refused>('GET', asked);
  expect([status, text.slice(0, 200)], asked).toEqual([422, expect.any(String)]);
  expect(body.detail[0]?.loc.slice(0, 2), asked).toEqual(['query', at]);
  expect(body.detail[0]?.type, asked).toMatch(/^[a-z_]+$/);
}

describe.each(LISTS)('%s', (list) => {
  test.each(['', 'x', 'bm9uc2Vuc2U', '%F0%9F%92%A9', 'A'.repeat(1_000), 'null', '..%2F..'])(
    'the cursor "%s"',
    async (cursor) => {
      await expectRefusal(`${path(list)}?cursor=${cursor}`, 'cursor');
    },
  );

  test.each(['0', '-1', '201', '1e3', 'all', '1.5', '99999999999999999999'])(
    'the page size %s',
    async (limit) => {
      await expectRefusal(`${path(list)}?limit=${limit}`, 'limit');
    },
  );

  test('a cursor that was changed by one character, and one of another list', async () => {
    const { body } = await seller.call<{ page: { next_cursor: string } }>(
      'GET',
      `${path('/financials/entries')}?limit=1`,
    );
    const cursor = body.page.next_cursor;
    const changed = `${cursor.slice(0, -2)}${cursor.at(-2) === 'A' ? 'B' : 'A'}${cursor.at(-1)}`;
    await expectRefusal(`${path(list)}?cursor=${changed}`, 'cursor');
    if (list !== '/financials/entries') await expectRefusal(`${path(list)}?cursor=${cursor}`, 'cursor');
  });

  test('an unknown parameter', async () => {
    await expectRefusal(`${path(list)}?seller_id=slr_1`, 'seller_id');
  });
});

const DAYS = [
  '2026-02-30',
  '2026-13-01',
  '0000-00-00',
  '-0001-01-01',
  '0001-01-01',
  '9999-12-31',
  '99999-01-01',
  'today',
  '2026-07-01T00',
  '',
];
describe.each(['/financials/settlements', '/financials/settlements/summary', '/financials/entries'])(
  'days of %s',
  (list) => {
    test.each(DAYS.flatMap((day) => [['from', day] as const, ['to', day] as const]))(
      '%s=%s',
      async (name, day) => {
        await expectRefusal(`${list}?${name}=${day}`, name);
      },
    );

    test('an end before the beginning', async () => {
      await expectRefusal(`${list}?from=2026-07-02&to=2026-07-01`, 'from');
    });

    test('all of history', async () => {
      expect((await seller.call('GET', `${list}?from=1000-01-01&to=2999-12-31`)).status).toBe(200);
    });
  },
);

describe('other filters', () => {
  test.each([
    ['/financials/settlements?currency=aud', 'currency'],
    ['/financials/settlements?currency=AUDX', 'currency'],
    ['/financials/settlements?currency=XXX', 'currency'],
    ['/payments/payouts/summary?currency=XXX&group=month', 'currency'],
    ['/financials/holds?currency=XXX', 'currency'],
    ['/financials/settlements/summary?currency=%00%00%00', 'currency'],
    ['/financials/entries?currency=A$D', 'currency'],
    ['/financials/holds?currency=', 'currency'],
    ['/payments/payouts?currency=1', 'currency'],
    ['/payments/payouts/summary?currency=au', 'currency'],
    ["/financials/settlements?status=open'--", 'status'],
    ['/financials/settlements?include_empty=perhaps', 'include_empty'],
    ['/payments/payouts?status=lost', 'status'],
    ['/payments/payouts/summary?group=year', 'group'],
    ['/payments/payouts?created_since=yesterday', 'created_since'],
    ['/payments/payouts?created_since=2026-02-30T00:00:00Z', 'created_since'],
    ['/payments/payouts?created_before=2026-07-01', 'created_before'],
    ['/financials/entries?type=sale&type=gift', 'type'],
    ['/financials/entries?bucket=everything', 'bucket'],
    [`/financials/entries?order_id=${'o'.repeat(300)}`, 'order_id'],
  ])('%s', async (asked, at) => {
    await expectRefusal(asked, at);
  });

  test.each([
    '/payments/payouts?created_since=1000-01-01T00:00:00Z',
    '/payments/payouts?created_since=2026-07-02T00:00:00Z&created_before=2026-07-01T00:00:00Z',
    '/payments/payouts?created_before=2999-12-31T23:59:59.999Z',
    '/financials/settlements?currency=NZD',
    '/payments/payouts/summary?currency=NZD&group=month',
    '/financials/holds?currency=NZD',
    "/financials/entries?order_id='%20or%201=1--",
  ])('%s is answered', async (asked) => {
    expect((await seller.call('GET', asked)).status).toBe(200);
  });

  test.each([
    '/financials/entries?order_id=a%00b',
    '/financials/entries?related_id=%00',
    '/financials/entries?settlement_id=%00',
    '/payments/payouts?settlement_id=%00',
  ])('%s: a character that no text may have', async (asked) => {
    expect([200, 422]).toContain((await seller.call('GET', asked)).status);
  });
});

describe('ids that do not exist', () => {
  const NAMES = ['x', 'stl_', '%00', '%2F', "'", '%F0%9F%92%A9', '%FF', 'a'.repeat(2_000)];
  test.each(
    [
      '/financials/settlements/*',
      '/financials/settlements/*/entries',
      '/financials/settlements/*/proof',
      '/payments/payouts/*',
      '/payments/payouts/*/entries',
      '/payments/payouts/*/statement.csv',
    ].flatMap((pattern) => NAMES.map((name) => pattern.replace('*', name))),
  )('%s', async (asked) => {
    const { status } = await seller.call('GET', asked);
    expect([400, 404, 414, 422], asked).toContain(status);
  });
});
