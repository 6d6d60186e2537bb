/** What the marketplace says about the program and about enrolments. */

import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { isOlder, orderOf } from '../../../kernel/event-order.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { isoOf } from '../../../kernel/instant.ts';
import { DAY_FROM_2000, Nullable, SHA_256, StringEnum, WEB_ADDRESS } from '../../../kernel/schema.ts';
import { actingForSubject } from '../../../platform/acting-for-seller.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { newEnrolment, stateOf, tell } from '../actions/enrolment.ts';
import { enrolmentMachine } from '../domain/enrolment.ts';
import { PROGRAM } from '../schemas/loyalty.ts';
import { type EnrolmentRow, enrolments, lastEnrolment, lockLoyalty } from '../store/enrolments.ts';
import { allPrograms, insertProgram, programOn } from '../store/programs.ts';

const Day = Type.String({ format: 'date', ...DAY_FROM_2000 });
const Published = Type.Object({
  version: Type.String({ minLength: 1, maxLength: 64 }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  effective_from: Day,
  points_per_major: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  notice_days: Type.Integer({ minimum: 0, maximum: 365 }),
  terms_url: Type.String({ ...WEB_ADDRESS, maxLength: 2_000 }),
  terms_sha256: Type.String({ ...SHA_256 }),
});

async function applyPublished(
  { db, now }: IntakeCtx,
  { data, subject, time }: MarketplaceEvent<Static<typeof Published>>,
): Promise<IntakeOutcome> {
  if (subject !== null && subject !== data.version)
    throw new IntakeRejection('data_invalid', 'subject and data/version name different versions');
  const { version, name, effective_from, points_per_major, notice_days, terms_url, terms_sha256 } = data;
  const row = { version, name, effective_from, points_per_major, notice_days, terms_url, terms_sha256 };
  const recorded_at = isoOf(now());
  if (await insertProgram(db, { ...row, published_at: time, recorded_at })) return { status: 'applied' };
  const known = (await allPrograms(db)).find((one) => one.version === version);
  if (isDeepStrictEqual({ ...known, ...row }, known)) return { status: 'stale' };
  throw new IntakeRejection(
    'version_reused',
    `The terms ${version} were published before with other content.`,
  );
}

const Decided = Type.Object({
  enrolment_id: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
  state: StringEnum(['active', 'refused', 'ended']),
  from_on: Type.Optional(Nullable(Day)),
  to_on: Type.Optional(Nullable(Day)),
  reason: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
});
type DecidedData = Static<typeof Decided>;
const MOVES = { active: 'accept', refused: 'refuse', ended: 'end' } as const;

/** What a decision changes of an enrolment. */
function changeBy(data: DecidedData, row: Pick<EnrolmentRow, 'from_on' | 'to_on'>, today: string) {
  const { state, from_on, to_on, reason = null } = data;
  const ends = state === 'ended' ? (to_on ?? today) : (to_on ?? null);
  return { state, reason, from_on: from_on ?? row.from_on, to_on: ends };
}

async function applyDecided(intake: IntakeCtx, event: MarketplaceEvent<DecidedData>): Promise<IntakeOutcome> {
  const { data } = event;
  const ctx = await actingForSubject(intake, event);
  await lockLoyalty(ctx);
  const last = await lastEnrolment(ctx);
  const named = data.enrolment_id ?? null;
  const row = named === null ? last : await enrolments.find(ctx, { enrolment_id: named }, 'for update');
  if (named !== null && row === undefined)
    throw new IntakeRejection('enrolment_not_found', 'The seller has no such enrolment.');
  const order = orderOf(event);
  // A decision without an id is about the enrolment of its time, which a newer request may have replaced.
  const since = row?.known_at ?? (named === null ? row?.created_at : null) ?? null;
  if (row !== undefined && isOlder(order, { at: since, version: row.known_version }))
    return { status: 'stale' };
  // A decision about an enrolment that a newer one has followed changes nothing.
  if (named !== null && named !== last?.enrolment_id) return { status: 'stale' };
  if (!enrolmentMachine.allows(MOVES[data.state], stateOf(row)))
    throw new IntakeRejection('invalid_transition', `The enrolment is ${stateOf(row)}.`);
  const today = sydneyDate(ctx.now());
  const known = { decided_at: order.at, known_at: order.at, known_version: order.version };
  if (row !== undefined && row.state !== 'ended' && row.state !== 'refused') {
    const after = await writeVersion(enrolments, ctx, row, { ...changeBy(data, row, today), ...known });
    await tell(ctx, 'decided', after);
    return { status: 'applied' };
  }
  const program = programOn(await allPrograms(ctx.db), today);
  if (program === undefined) throw new IntakeRejection('program_not_found', 'No terms were published.');
  const change = changeBy(data, { from_on: today, to_on: null }, today);
  await tell(
    ctx,
    'decided',
    await newEnrolment(ctx, { ...change, program_version: program.version, ...known }),
  );
  return { status: 'applied' };
}

export const programIntake = [
  defineMarketplaceEvent({
    type: 'marketplace.loyalty.program_published',
    summary: 'Terms of the loyalty program from a Sydney day on; a version never changes',
    subject: 'terms version',
    schema: Published,
    example: PROGRAM,
    example_subject: PROGRAM.version,
    apply: applyPublished,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.loyalty.enrolment_decided',
    summary:
      'The marketplace enrols a seller, refuses the request, or ends the enrolment; without an id it acts unasked',
    subject: 'seller id',
    schema: Decided,
    example: {
      enrolment_id: 'len_01j0000000000000000000000',
      state: 'active',
      from_on: '2026-08-02',
      to_on: null,
      reason: null,
    },
    apply: applyDecided,
  }),
];
