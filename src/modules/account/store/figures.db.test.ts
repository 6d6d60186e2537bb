/** The sums of the ledger by day and by month agree with its entries for any range of days. */

import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../test/support/pg.ts';
import { posting } from '../../../../test/support/posting.ts';
import { sql } from '../../../../test/support/sql.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { dayOf } from '../../../kernel/australia/sydney.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import { createIds } from '../../../kernel/ids.ts';
import { minor } from '../../../kernel/money.ts';
import { createPool } from '../../../platform/db/pool.ts';
import { createWithSeller } from '../../../platform/db/scope.ts';
import { postJournals } from '../../ledger/actions/post-journals.ts';
import { type NewJournal, statementLegs } from '../../ledger/domain/journal.ts';
import { hashedTotals, rangeTotals } from '../../settlements/store/lines.ts';
import { asOfInstant } from '../domain/as-of.ts';
import { figuresAt } from './figures.ts';

const database = await testDatabase();
const pool = createPool({ url: database.url, max: 4, name: 'sums', log: pino({ level: 'silent' }) });
afterAll(() => pool.end());
const withSeller = createWithSeller(pool);
/** After the last of the days, and before their quarter is locked. */
const NOW = Date.parse('2026-06-30T00:00:00Z');
const FIRST = '2026-04-27';
const DAYS = 60;
const ids = createIds(() => NOW);
const day = fc.integer({ min: 0, max: DAYS - 1 }).map((days) => addDays(FIRST, days));

interface Sold {
  readonly on: string;
  readonly order: number;
  readonly cents: number;
  readonly hold: number;
  readonly refund: boolean;
}
/** Few orders, so that many are delivered in parts; with different holds, so that the holds overlap. */
const sold = fc.record({
  on: day,
  order: fc.integer({ min: 1, max: 6 }),
  cents: fc.integer({ min: 1, max: 9_999 }),
  hold: fc.integer({ min: 0, max: 12 }),
  refund: fc.boolean(),
});

const journalOf = ({ on, order, cents, hold, refund }: Sold, index: number): NewJournal => {
  const type = refund ? 'refund' : 'sale';
  const legs = statementLegs(minor(refund ? -cents : cents), { type, description: 'x' });
  return {
    kind: refund ? 'refund_created' : 'order_delivered',
    key: `k${index}`,
    currency: 'AUD',
    occurred_at: new Date(dayOf(on).start + index).toISOString(),
    actor: 'marketplace',
    order_id: `ord_${order}`,
    hold_days: hold,
    legs: [...legs, ...legs],
  };
};

/** A seller, its journals in small groups, and the questions to its figures. */
async function ofSeller<T>(
  all: readonly Sold[],
  ask: (db: CursorDb, sellerId: string) => Promise<T>,
): Promise<T> {
  const sellerId = ids.next('slr_');
  const journals = all.map(journalOf);
  for (let at = 0; at < journals.length; at += 3)
    await withSeller(sellerId, 'write', (db) =>
      postJournals(
        posting(db, sellerId, ids, () => NOW),
        journals.slice(at, at + 3),
      ),
    );
  return withSeller(sellerId, 'snapshot', (db) => ask(db, sellerId));
}

test('the lines, sums and orders of any range of days, posted in any order', () =>
  fc.assert(
    fc.asyncProperty(fc.array(sold, { minLength: 1, maxLength: 20 }), day, day, async (all, one, other) => {
      const [first = '', through = ''] = [one, other].sort();
      const range = { currency: 'AUD', closed_through: one < other ? first : null, through };
      await ofSeller(all, async (db, sellerId) => {
        const { lines_sha256: _, ...entries } = await hashedTotals({ db, seller_id: sellerId }, range);
        expect(await rangeTotals({ db, seller_id: sellerId }, range)).toEqual({
          ...entries,
          lines_sha256: null,
        });
      });
    }),
    { numRuns: 40 },
  ));

const FROM_ENTRIES =
  "select coalesce(-sum(amount_minor) filter (where type = 'sale'), 0)::bigint as sales, " +
  "count(distinct order_id) filter (where type = 'sale')::int as orders, " +
  "coalesce(-sum(amount_minor) filter (where type = 'refund'), 0)::bigint as adjustments, " +
  'coalesce(-sum(amount_minor) filter (where available_on > $1::date), 0)::bigint as in_hold, ' +
  'coalesce(-sum(amount_minor) filter (where available_on <= $1::date), 0)::bigint as available, ' +
  'coalesce(-sum(amount_minor) filter (where available_on <= $2::date), 0)::bigint as available_by ' +
  'from ledger_entry where posted_on <= $1::date';

test('the account at the end of any day, and the amount that is available on another day', () =>
  fc.assert(
    fc.asyncProperty(fc.array(sold, { minLength: 1, maxLength: 20 }), day, day, async (all, last, by) => {
      const inTurn = [...all].sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0));
      await ofSeller(inTurn, async (db, sellerId) => {
        const of = { db, seller_id: sellerId, currency: 'AUD' };
        const whole = asOfInstant(dayOf(last).next - 1);
        const days = { ...whole, wholeBefore: last };
        const entries = await db.one(sql(FROM_ENTRIES, [last, by]));
        expect(await figuresAt(of, whole, by)).toMatchObject(entries ?? {});
        expect(await figuresAt(of, days, by)).toMatchObject(entries ?? {});
      });
    }),
    { numRuns: 40 },
  ));
