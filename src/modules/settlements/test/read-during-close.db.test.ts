/** A read during the close of a period shows the settlement once: open or closed. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-14T00:00:00.000Z',
  LOG_LEVEL: 'silent',
  // No worker closes settlements.
  ROLE: 'api',
});

const CLOSED =
  "insert into settlement select (jsonb_populate_record(s, jsonb_build_object('settlement_id', $2::text, 'period_start', " +
  "$3::text, 'period_end', $4::text))).* from settlement s where s.seller_id = $1 limit 1";
const WAITING =
  "select count(*)::int as count from pg_locks where not granted and relation = 'ledger_day'::regclass";

interface SettlementView {
  readonly settlement_id: string;
  readonly status: string;
  readonly period_start: string;
  readonly period_end: string;
}

test.each([
  ['a settlement', (id: string) => `/financials/settlements/${id}`],
  ['its entries', (id: string) => `/financials/settlements/${id}/entries`],
  ['the list of settlements', () => '/financials/settlements?include_empty=true'],
  ['what is expected', () => '/payments/payouts/expected'],
])('%s', async (_, pathOf) => {
  const seller = await app.seller();
  const { post, close } = bookkeeper(app, seller.seller_id);
  await post('2026-05-10', [{ amount: 900, type: 'manual_adjustment' }]);
  await close('2026-05-01', '2026-05-31');
  await post('2026-06-10', [{ amount: 400, type: 'manual_adjustment' }]);
  const { body } = await seller.call<{ data: SettlementView[] }>(
    'GET',
    '/financials/settlements?status=open',
  );
  const [open] = body.data;
  if (open === undefined) throw new Error('nothing is open');
  const { settlement_id, period_start, period_end } = open;
  const path = pathOf(settlement_id);
  const answer = await runOn(app.database.adminUrl, async (owner) => {
    await owner.query('begin');
    await owner.query('lock table ledger_day in access exclusive mode');
    const asked = seller.call<{ data?: SettlementView[] }>('GET', path);
    // The reader has read the closed settlements, and waits before it reads the open one.
    await eventually(
      async () => (await owner.query<{ count: number }>(WAITING)).rows[0]?.count ?? 0,
      (count) => count > 0,
      5_000,
    );
    await owner.query("set local session_replication_role = 'replica'");
    await owner.query(CLOSED, [seller.seller_id, settlement_id, period_start, period_end]);
    await owner.query('commit');
    return asked;
  });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  const named = answer.body.data?.filter((row) => row.settlement_id === settlement_id) ?? [];
  if (!path.includes(settlement_id)) expect(named).toHaveLength(1);
});
