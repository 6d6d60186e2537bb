/** Settlements written by hand, for tests of their readers; the close has tests of its own. */

import { randomUUID } from 'node:crypto';
import type { CursorDb } from '../../src/kernel/context.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { minor } from '../../src/kernel/money.ts';
import { issueInvoices } from '../../src/modules/invoices/actions/issue-invoices.ts';
import { postJournals } from '../../src/modules/ledger/actions/post-journals.ts';
import {
  type NewJournal,
  type StatementLine,
  statementLegs,
} from '../../src/modules/ledger/domain/journal.ts';
import { acting } from '../../src/platform/acting.ts';
import type { TestApp, TestSeller } from './app.ts';
import { posting } from './posting.ts';
import { sql } from './sql.ts';

/** A line of the seller's statement: amount from the seller's side, type, and what it belongs to. */
export interface Posting extends Partial<StatementLine> {
  readonly amount: number;
  readonly type: StatementLine['type'];
  readonly order_id?: string;
}

let count = 0;

/** Writes one seller's money straight into the ledger. */
export function bookkeeper({ app }: TestApp, sellerId: string) {
  const { withSeller, ids } = app.services;
  const inside = <T>(work: (db: CursorDb) => Promise<T>): Promise<T> => withSeller(sellerId, 'write', work);

  /** Posts on a Sydney day, at noon; one journal, available at once. */
  const post = (
    day: string,
    postings: readonly Posting[],
    more: Partial<NewJournal> = {},
  ): Promise<unknown> => {
    const at = Date.parse(`${day}T02:00:00Z`);
    count += 1;
    const byOrder = [...Map.groupBy(postings, ({ order_id }) => order_id)];
    const journals = byOrder.map(
      ([order_id, own], index): NewJournal => ({
        kind: 'adjustment_recorded',
        key: `by-hand-${count}-${index}`,
        currency: 'AUD',
        occurred_at: new Date(at).toISOString(),
        actor: 'test',
        order_id: order_id ?? null,
        legs: own.flatMap(({ amount, type, order_id: _order, ...line }) =>
          statementLegs(minor(amount), { description: type, ...line, type }, 'manual_adjustments'),
        ),
        ...more,
      }),
    );
    return inside((db) =>
      postJournals(
        posting(
          db,
          sellerId,
          createIds(() => at),
          () => at,
        ),
        journals,
      ),
    );
  };

  /** Closes a period without a journal: takes all lines that are available by its end and not settled. */
  const close = async (start: string, end: string, { pay = true } = {}): Promise<string> => {
    const settlement_id = ids.next('stl_');
    await inside(async (db) => {
      await db.run(sql(INSERT, [sellerId, settlement_id, start, end, pay]));
      await db.run(sql(LINES, [sellerId, settlement_id, end]));
    });
    return settlement_id;
  };
  return { inside, post, close };
}

/** A settlement with a payout in transit: one object of each kind of money that has an id. */
export async function moneyObjects(app: TestApp, seller: TestSeller): Promise<Record<string, string>> {
  const { post, close, inside } = bookkeeper(app, seller.seller_id);
  await post('2026-05-10', [
    { amount: 10_000, type: 'sale' },
    { amount: -1_000, type: 'platform_fee' },
  ]);
  const period = { period_start: '2026-05-01', period_end: '2026-05-15' };
  const settlement_id = await close(period.period_start, period.period_end);
  const closed = { settlement_id, currency: 'AUD', ...period, closed_at: '2026-05-15T16:00:00.000Z' };
  const [invoice_id = ''] = await inside((db) =>
    issueInvoices(acting(app.app.services, { db, seller_id: seller.seller_id }), closed),
  );
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.payout.updated',
    subject: settlement_id,
    sellerid: seller.seller_id,
    time: '2026-05-18T00:00:00Z',
    data: { status: 'in_transit' },
  });
  if (result?.status !== 'applied') throw new Error(`payout: ${JSON.stringify(result)}`);
  const payout = await inside((db) => db.one<{ payout_id: string }>(sql('select payout_id from payout')));
  return { settlement_id, invoice_id, payout_id: payout?.payout_id ?? '' };
}

const FREE = (end: string) =>
  "from ledger_entry e where e.seller_id = $1 and e.bucket is not null and e.currency = 'AUD' and e.available_on <= " +
  `${end}::date ` +
  'and not exists (select from settlement_line l where l.seller_id = e.seller_id and l.entry_id = e.entry_id)';
const LINES =
  'insert into settlement_line (seller_id, entry_id, settlement_id, row_no) ' +
  `select e.seller_id, e.entry_id, $2, row_number() over (order by e.posted_on, e.position) ${FREE('$3')}`;
const SUM = (bucket: string) =>
  `coalesce(-sum(e.amount_minor) filter (where e.bucket = '${bucket}'), 0)::bigint`;
const BY_TYPE =
  "(select coalesce(json_object_agg(t.type, json_build_object('lines', t.lines, 'amount_minor', t.amount)), '{}') from " +
  `(select e.type, count(*) as lines, (-sum(e.amount_minor))::bigint as amount ${FREE('$4')} group by e.type) as t)`;
const INSERT =
  'insert into settlement (seller_id, settlement_id, currency, period_start, period_end, status, opening_balance_minor, ' +
  'gross_amount_minor, fees_minor, adjustments_minor, net_amount_minor, reserve_change_minor, payable_amount_minor, ' +
  'payout_amount_minor, closing_balance_minor, by_type, order_count, line_count, lines_sha256, calculation_version, ' +
  'ledger_position, created_at, closed_at, closed_by, version) ' +
  "select $1, $2, 'AUD', $3::date, $4::date, case when p.payout > 0 then 'ready' else 'carried_forward' end, p.opening, " +
  'p.gross, p.fees, p.adjustments, p.net, p.reserve, p.payable, p.payout, p.payable - p.payout, p.by_type, p.orders, ' +
  "p.lines, '', 1, 0, $4::date + 1, $4::date + 1, 'test', 1 from (" +
  'select *, case when $5 and payable > 0 then payable else 0 end as payout from (' +
  'select *, opening + net + reserve as payable from (select ' +
  'coalesce((select closing_balance_minor from settlement where seller_id = $1 and period_end < $3::date ' +
  'order by period_end desc limit 1), 0) as opening, ' +
  `${SUM('gross')} as gross, -${SUM('fees')} as fees, ${SUM('adjustments')} as adjustments, ${SUM('reserve')} as reserve, ` +
  `${SUM('gross')} + ${SUM('fees')} + ${SUM('adjustments')} as net, ${BY_TYPE} as by_type, ` +
  "count(distinct e.order_id) filter (where e.type = 'sale')::int as orders, count(*)::int as lines " +
  `${FREE('$4')}) as a) as b) as p`;
