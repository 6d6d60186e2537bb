/** Enrolment in the program: what the seller asks for, and what became of it. */
import { Temporal } from 'temporal-polyfill';
import { firstInstant, sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { fail, invalid, requireFound } from '../../../kernel/errors.ts';
import { requireMove } from '../../../kernel/moves.ts';
import { firstVersion, writeVersion } from '../../../platform/db/table.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { type EnrolmentState, enrolmentMachine } from '../domain/enrolment.ts';
import { loyaltyErrors } from '../errors.ts';
import { loyaltyEvents } from '../events.ts';
import type { WireEnrolment } from '../schemas/loyalty.ts';
import { type EnrolmentRow, enrolments, lastEnrolment, lockLoyalty } from '../store/enrolments.ts';
import { allPrograms, programOn } from '../store/programs.ts';

/** The job that ends an enrolment whose notice is over. */
export const EXPIRE = 'loyalty.expire_enrolment';

const daysAfter = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).add({ days }).toString();

export const stateOf = (row: EnrolmentRow | undefined): EnrolmentState =>
  row === undefined || row.state === 'ended' ? 'not_enrolled' : row.state;

export const factOf = (row: EnrolmentRow | undefined): WireEnrolment => ({
  enrolment_id: row?.enrolment_id ?? null,
  state: stateOf(row),
  from_on: row?.from_on ?? null,
  to_on: row?.to_on ?? null,
  program_version: row?.program_version ?? null,
  reason: row?.reason ?? null,
  version: row?.version ?? 0,
});

/** Tells the seller, or the marketplace. */
export const tell = (ctx: Acting, event: 'changed' | 'decided', row: EnrolmentRow): Promise<void> =>
  ctx.emit(loyaltyEvents[event].of(factOf(row), { object_id: row.enrolment_id }));

export async function newEnrolment(
  ctx: Acting,
  fields: Pick<EnrolmentRow, 'state' | 'from_on' | 'program_version'> & Partial<EnrolmentRow>,
): Promise<EnrolmentRow> {
  const row: EnrolmentRow = {
    ...{ to_on: null, requested_by: null, decided_at: null, reason: null },
    ...{ known_at: null, known_version: null },
    ...fields,
    ...{ enrolment_id: ctx.ids.next('len_'), ...firstVersion(ctx.at()) },
  };
  await enrolments.insert(ctx, row);
  return row;
}

interface Wanted {
  readonly enrolled: boolean;
  readonly effective_on?: string | undefined;
  readonly program_version: string;
}

/**
 * Asks to take part, or to leave. The caller has locked the enrolments.
 *
 * @throws ApiError 404 without terms, 409 `program_terms_changed`, `invalid_transition`, `notice_too_short`,
 *   422 `effective_on_too_early`
 */
export async function changeEnrolment(ctx: HandlerCtx, wanted: Wanted): Promise<EnrolmentRow> {
  const today = sydneyDate(ctx.now());
  const program = requireFound(programOn(await allPrograms(ctx.db), today));
  const { version: program_version, notice_days } = program;
  if (wanted.program_version !== program_version)
    throw fail(loyaltyErrors.program_terms_changed, { facts: { program_version } });
  const last = await lastEnrolment(ctx);
  requireMove(enrolmentMachine, wanted.enrolled ? 'request' : 'leave', stateOf(last));
  const earliest_on = daysAfter(today, wanted.enrolled ? 1 : notice_days);
  const { effective_on = earliest_on } = wanted;
  if (!wanted.enrolled && last !== undefined) {
    if (effective_on < earliest_on)
      throw fail(loyaltyErrors.notice_too_short, { facts: { earliest_on, notice_days } });
    const after = await writeVersion(enrolments, ctx, last, { state: 'ending', to_on: effective_on });
    await ctx.jobs.add({ kind: EXPIRE, uniqueKey: last.enrolment_id, dueAt: firstInstant(effective_on) });
    await tell(ctx, 'changed', after);
    return after;
  }
  if (effective_on < earliest_on) {
    const msg = `Enrolment begins tomorrow in Sydney at the earliest: ${earliest_on}.`;
    const at = { loc: ['body', 'effective_on'], input: effective_on };
    throw invalid([{ ...at, msg, type: 'effective_on_too_early' }]);
  }
  const requested_by = ctx.seller.member_id;
  const fields = { state: 'requested', from_on: effective_on, program_version, requested_by } as const;
  const row = await newEnrolment(ctx, fields);
  await tell(ctx, 'changed', row);
  return row;
}

/** Ends an enrolment whose notice is over. It is safe to run twice. */
export async function expireEnrolment(ctx: Acting): Promise<void> {
  await lockLoyalty(ctx);
  const row = await lastEnrolment(ctx);
  if (row === undefined || row.to_on === null || !enrolmentMachine.allows('expire', stateOf(row))) return;
  if (row.to_on > sydneyDate(ctx.now())) return;
  await tell(ctx, 'decided', await writeVersion(enrolments, ctx, row, { state: 'ended' }));
}
