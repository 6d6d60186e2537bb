/**
 * Emits events about a balance that stays below zero, and finally writes it off.
 * Source: docs/design/money.md#hold-reserve-debt.
 */
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import type { EventOf } from '../../../kernel/events.ts';
import { type Minor, minorToJson } from '../../../kernel/money.ts';
import { lockLedger, postJournals, statementLegs } from '../../ledger/index.ts';
import { passedMarks, uncovered, WRITE_OFF_DAYS, WRITE_OFF_REASON } from '../domain/debt.ts';
import { balanceNegative, balanceWrittenOff } from '../events.ts';
import { type DebtWire, debtToWire } from '../schemas/debt.ts';
import { addNotices, balanceOf, negativeSince, noticesSince } from '../store/debts.ts';

const DAY_MS = 86_400_000;

async function writeOff(ctx: Acting, currency: string, amount: Minor, today: string): Promise<void> {
  const line = { type: 'manual_adjustment', description: 'Negative balance written off' } as const;
  await postJournals(ctx, [
    {
      kind: 'adjustment_recorded',
      key: `write_off:${currency}:${today}`,
      currency,
      occurred_at: ctx.at(),
      actor: ctx.by.kind,
      reason_code: WRITE_OFF_REASON,
      legs: statementLegs(amount, line, 'platform_loss'),
    },
  ]);
}

const emitDebt = (ctx: Acting, event: EventOf<DebtWire>, object: DebtWire): Promise<void> =>
  // There is at most one event a day, so the number of the day serves as a growing version.
  ctx.emit(event.of(object, { object_id: ctx.seller_id, version: Math.floor(ctx.now() / DAY_MS) }));

/**
 * Follows one debt, in a transaction of its own. Repeating it on the same day changes nothing.
 *
 * @returns what was written off; undefined when nothing was
 */
export async function followOldDebt(ctx: Acting, currency: string): Promise<Minor | undefined> {
  await lockLedger(ctx);
  const today = sydneyDate(ctx.now());
  const began = await negativeSince(ctx, currency, addDays(today, 1));
  if (began === null) return undefined;
  const notices = await noticesSince(ctx, currency, began);
  // A debt after a write-off is a new debt, even if a late journal makes the days between them negative too.
  const writtenOffOn = notices.findLast(({ days }) => days === WRITE_OFF_DAYS)?.told_on;
  const since = writtenOffOn ?? began;
  const own = notices.filter(({ told_on }) => writtenOffOn === undefined || told_on > writtenOffOn);
  const { payable, owed } = await balanceOf(ctx, currency);
  const loss = uncovered(payable, owed);
  const marks = passedMarks(
    since,
    today,
    own.map(({ days }) => days),
  ).filter((days) => days !== WRITE_OFF_DAYS || loss > 0n);
  const days = marks.at(-1);
  if (days === undefined) return undefined;
  await addNotices(ctx, currency, marks, today);
  const debt = { currency, balance: payable, since, days, write_off_on: addDays(since, WRITE_OFF_DAYS) };
  if (days !== WRITE_OFF_DAYS) {
    await emitDebt(ctx, balanceNegative, debtToWire(debt));
    return undefined;
  }
  await writeOff(ctx, currency, loss, today);
  await emitDebt(ctx, balanceWrittenOff, { ...debtToWire(debt), written_off_minor: minorToJson(loss) });
  return loss;
}
