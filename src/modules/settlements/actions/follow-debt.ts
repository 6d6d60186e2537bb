/**
 * Tells a seller whose balance stays below zero, and gives the debt up in the end.
 * Source: docs/design/money.md#hold-reserve-debt.
 */

import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { type Minor, minorToJson } from '../../../kernel/money.ts';
import { holdLedger, postJournals, statementLegs } from '../../ledger/index.ts';
import { passedMarks, uncovered, WRITE_OFF_DAYS, WRITE_OFF_REASON } from '../domain/debt.ts';
import { type DebtWire, debtToWire } from '../schemas/debt.ts';
import { negativeSince, noteTold, standingOf, toldSince } from '../store/debts.ts';
import { nowOf, type SettlementCtx } from './move-settlement.ts';

const DAY_MS = 86_400_000;

async function writeOff(ctx: SettlementCtx, currency: string, amount: Minor, today: string): Promise<void> {
  const line = { type: 'manual_adjustment', description: 'Negative balance written off' } as const;
  await postJournals(ctx, [
    {
      kind: 'adjustment_recorded',
      key: `write_off:${currency}:${today}`,
      currency,
      occurred_at: nowOf(ctx),
      actor: ctx.actor,
      reason_code: WRITE_OFF_REASON,
      legs: statementLegs(amount, line, 'platform_loss'),
    },
  ]);
}

const tell = (ctx: SettlementCtx, type: string, object: DebtWire): Promise<void> =>
  ctx.emit({
    type,
    object_id: ctx.sellerId,
    // One a day at most, each later than the one before.
    object_version: Math.floor(ctx.now() / DAY_MS),
    data: { object },
  });

/**
 * Looks at one debt. To be called in a transaction of its own; whoever calls again, or beside it, finds it done.
 *
 * @returns what was given up; undefined when nothing was
 */
export async function followOldDebt(ctx: SettlementCtx, currency: string): Promise<Minor | undefined> {
  const { db, sellerId } = ctx;
  await holdLedger(db, sellerId);
  const today = sydneyDate(ctx.now());
  const began = await negativeSince(db, sellerId, currency, addDays(today, 1));
  if (began === null) return undefined;
  const told = await toldSince(db, sellerId, currency, began);
  // A debt behind one that was given up is another one, even when old news has closed the gap between them.
  const givenUp = told.findLast(({ days }) => days === WRITE_OFF_DAYS)?.told_on;
  const since = givenUp ?? began;
  const fresh = told.filter(({ told_on }) => givenUp === undefined || told_on > givenUp);
  const { payable, owed } = await standingOf(db, sellerId, currency);
  const loss = uncovered(payable, owed);
  const marks = passedMarks(
    since,
    today,
    fresh.map(({ days }) => days),
  ).filter((days) => days !== WRITE_OFF_DAYS || loss > 0n);
  const days = marks.at(-1);
  if (days === undefined) return undefined;
  await noteTold(db, { seller_id: sellerId, currency }, marks, today);
  const debt = { currency, balance: payable, since, days, write_off_on: addDays(since, WRITE_OFF_DAYS) };
  if (days !== WRITE_OFF_DAYS) {
    await tell(ctx, 'balance.negative', debtToWire(debt));
    return undefined;
  }
  await writeOff(ctx, currency, loss, today);
  await tell(ctx, 'balance.written_off', { ...debtToWire(debt), written_off_minor: minorToJson(loss) });
  return loss;
}
