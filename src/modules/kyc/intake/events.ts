/** What the marketplace says about the identity of a seller: it asks, it reviews, it decides. */
import Type, { type Static } from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { DAY_FROM_2000, INSTANT_FROM_2000, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { actingForSubject } from '../../../platform/acting-for-seller.ts';
import { addItems, askInstead, openCase, schedule, waiveCase, writeCase } from '../actions/change-case.ts';
import { noticeOf } from '../actions/show-case.ts';
import { type CaseStatus, caseMachine } from '../domain/case-machine.ts';
import { type Asked, defaultItems, REASON_CODES, type Reason } from '../domain/items.ts';
import { approved, moreInfoRequired, rejected } from '../events.ts';
import {
  type CaseRow,
  expireDocuments,
  findCase,
  type ItemRow,
  idsOf,
  items,
  itemsOf,
  readCompany,
  relyOnDocuments,
} from '../store/cases.ts';

const DAY_MS = 86_400_000;
const KEPT_AFTER_REJECTION_MS = 90 * DAY_MS;
const KEPT_AFTER_ROUND_MS = 30 * DAY_MS;
const APPLIED: IntakeOutcome = { status: 'applied' };
const STALE: IntakeOutcome = { status: 'stale' };

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const Day = () => Type.String({ format: 'date', ...DAY_FROM_2000 });
const Deadline = () => Type.String({ format: 'date-time', ...INSTANT_FROM_2000 });

function refuseMove(event: Parameters<typeof caseMachine.allows>[0], status: CaseStatus): void {
  if (!caseMachine.allows(event, status))
    throw new IntakeRejection('invalid_transition', `The case is ${status}.`);
}

const Required = Type.Object({
  required: Type.Boolean(),
  entity_type: Type.Optional(Nullable(Text(64))),
  items: Type.Optional(
    Nullable(
      Type.Array(Type.Object({ code: Text(64), subject: Type.Optional(Nullable(Text(64))) }), {
        minItems: 1,
        maxItems: 20,
        description: 'Absent: those of a sole trader or a company; for other legal forms they must be named',
      }),
    ),
  ),
  deadline: Type.Optional(Nullable(Deadline())),
  reason: Type.Optional(Nullable(Text(500))),
  reopen: Type.Optional(Type.Boolean({ description: 'Begins a new round of a case that was decided' })),
});
type RequiredData = Static<typeof Required>;

/** What a call asks for, each item once. */
async function askedItems(ctx: Acting, { items: named, entity_type }: RequiredData): Promise<Asked[]> {
  if (named == null) {
    const form = entity_type ?? (await readCompany(ctx)).entity_type;
    const byForm = defaultItems(form);
    if (byForm.length > 0) return byForm;
    throw new IntakeRejection(
      'data_invalid',
      `data/items must name what is asked for: for the legal form ${form} there are no items of its own.`,
    );
  }
  const asked = named.map(({ code, subject = null }) => ({ code, subject }));
  return [...new Map(asked.map((item) => [JSON.stringify(item), item])).values()];
}

/** Takes the documents of the round out of the case. Their content is kept for a while. */
async function endRound(ctx: Acting, row: CaseRow, keptMs: number): Promise<void> {
  await expireDocuments(ctx, idsOf(await itemsOf(ctx, row)), new Date(ctx.now() + keptMs).toISOString());
}

/** Begins a round: everything is asked for. */
async function beginRound(
  ctx: Acting,
  row: CaseRow,
  data: RequiredData,
  change: Partial<CaseRow>,
): Promise<CaseRow> {
  await endRound(ctx, row, KEPT_AFTER_ROUND_MS);
  const fresh = {
    began_at: change.required_at ?? null,
    reasons: [],
    submitted_at: null,
    decided_at: null,
    expires_on: null,
    reminded: null,
  };
  const next = { ...change, ...fresh, status: 'collecting' as const, round: row.round + 1 };
  const after = await writeCase(ctx, row, next);
  await addItems(ctx, after, await askedItems(ctx, data));
  return after;
}

/**
 * An open case follows the newest call, so that calls in any order have the same end: it takes the deadline,
 * and also the items while the seller can still hand in. An item for which the seller has sent a document
 * stays.
 */
async function extendCase(
  ctx: Acting,
  row: CaseRow,
  data: RequiredData,
  change: Partial<CaseRow>,
): Promise<CaseRow> {
  if (!(await askInstead(ctx, row, await askedItems(ctx, data))))
    throw new IntakeRejection(
      'invalid_transition',
      `The case is ${row.status}; ask again by a decision first.`,
    );
  return writeCase(ctx, row, change);
}

async function applyRequired(
  intake: IntakeCtx,
  event: MarketplaceEvent<RequiredData>,
): Promise<IntakeOutcome> {
  const ctx = await actingForSubject(intake, event);
  const { data, time } = event;
  const row = await findCase(ctx, true);
  if (row === undefined) {
    const { entity_type = null, deadline = null } = data;
    const opened = data.required
      ? await openCase(ctx, {
          ...{ entity_type, deadline, required_at: time, asked: await askedItems(ctx, data) },
        })
      : await waiveCase(ctx, time);
    if (opened === undefined)
      throw new IntakeRejection('conflict', 'Another event has opened the case; send it again.');
    return APPLIED;
  }
  if (row.required_at !== null && Date.parse(time) < Date.parse(row.required_at)) return STALE;
  const change = {
    required_at: time,
    entity_type: data.entity_type ?? null,
    deadline: data.deadline ?? null,
  };
  await schedule(ctx, await requiredAgain(ctx, row, data, change));
  return APPLIED;
}

async function requiredAgain(
  ctx: Acting,
  row: CaseRow,
  data: RequiredData,
  change: Partial<CaseRow>,
): Promise<CaseRow> {
  const isDecided = row.status === 'approved' || row.status === 'rejected';
  if (!data.required) {
    refuseMove('waive', row.status);
    await endRound(ctx, row, KEPT_AFTER_ROUND_MS);
    return writeCase(ctx, row, { ...change, status: 'not_required', deadline: null });
  }
  refuseMove(isDecided && data.reopen === true ? 'reopen' : 'require', row.status);
  const begins = isDecided || row.status === 'not_required';
  return begins ? beginRound(ctx, row, data, change) : extendCase(ctx, row, data, change);
}

interface About {
  readonly round?: number;
  readonly reviewed_version?: number;
}

/**
 * Whether an event is about documents that were handed in before the present ones. Before the first decision of a round
 * there were no others.
 */
function isOvertaken(
  { version, submitted_at, submitted_version, decided_at }: CaseRow,
  { data: { reviewed_version: reviewed }, time }: MarketplaceEvent<About>,
): boolean {
  if (reviewed === undefined)
    return decided_at !== null && submitted_at !== null && Date.parse(time) < Date.parse(submitted_at);
  if (reviewed > version)
    throw new IntakeRejection('version_unknown', `The case has no version ${reviewed} yet.`);
  return reviewed < (submitted_version ?? 0);
}

/**
 * The case of an event about a round; locked. An event without a round is about the round of its time.
 *
 * @returns undefined if the round of the event has ended, or if the seller has handed in other documents
 *   since
 */
async function caseOfRound(ctx: Acting, event: MarketplaceEvent<About>): Promise<CaseRow | undefined> {
  const { data, time } = event;
  const { round } = data;
  const row = await findCase(ctx, true);
  if (row === undefined) throw new IntakeRejection('invalid_transition', 'The seller has no case.');
  if (round !== undefined && round !== row.round)
    throw new IntakeRejection('round_mismatch', `The case is in round ${row.round}.`);
  const isEarlier = row.began_at !== null && Date.parse(time) < Date.parse(row.began_at);
  return (round === undefined && isEarlier) || isOvertaken(row, event) ? undefined : row;
}

const Decided = Type.Object({
  decision: StringEnum(['approved', 'more_info_required', 'rejected']),
  round: Type.Optional(Type.Integer({ minimum: 1 })),
  reviewed_version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: '`version` of the `kyc.submitted` that was reviewed; without it `time` decides',
    }),
  ),
  items: Type.Optional(
    Type.Array(
      Type.Object({
        code: StringEnum(REASON_CODES, { description: 'Why; ignored for an accepted item' }),
        item_id: Type.Optional(Nullable(Text(64))),
        detail: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
        outcome: Type.Optional(StringEnum(['accepted', 'refused'])),
      }),
      { maxItems: 100 },
    ),
  ),
  deadline: Type.Optional(Nullable(Deadline())),
  expires_on: Type.Optional(Nullable(Day())),
  reviewed_by: Type.Optional(Nullable(Text(200))),
});
type DecidedData = Static<typeof Decided>;
type Finding = NonNullable<DecidedData['items']>[number];

const reasonOf = ({ code, detail = null }: Finding): Reason => ({ code, detail });

/**
 * The items after a request for more: refused ones with all their reasons; the others are accepted. A finding
 * without an item is about all items that were handed in, except those that the decision accepts by name.
 */
function judged(rows: readonly ItemRow[], findings: readonly Finding[]): ItemRow[] {
  const refusals = findings.filter(({ outcome }) => outcome !== 'accepted');
  const unknown = findings.find(
    ({ item_id }) => item_id != null && !rows.some((row) => row.item_id === item_id),
  );
  if (unknown !== undefined)
    throw new IntakeRejection('item_not_found', `The case has no item ${unknown.item_id} in this round.`);
  const named = new Set(findings.flatMap(({ item_id, outcome }) => (outcome === 'accepted' ? item_id : [])));
  const after = rows.map((row) => {
    const isAbout = ({ item_id }: Finding) =>
      item_id == null ? row.status === 'provided' && !named.has(row.item_id) : item_id === row.item_id;
    const reasons = refusals.filter(isAbout).map(reasonOf);
    return { ...row, status: reasons.length > 0 ? ('refused' as const) : ('accepted' as const), reasons };
  });
  if (after.every(({ status }) => status === 'accepted'))
    throw new IntakeRejection('data_invalid', 'data/items must refuse an item');
  return after;
}

async function applyDecided(intake: IntakeCtx, event: MarketplaceEvent<DecidedData>): Promise<IntakeOutcome> {
  const ctx = await actingForSubject(intake, event);
  const { decision, items: findings = [], deadline = null, expires_on = null } = event.data;
  const row = await caseOfRound(ctx, event);
  if (row === undefined) return STALE;
  refuseMove(
    ({ approved: 'approve', more_info_required: 'ask_again', rejected: 'reject' } as const)[decision],
    row.status,
  );
  const before = await itemsOf(ctx, row);
  const after =
    decision === 'more_info_required'
      ? judged(before, findings)
      : decision === 'approved'
        ? before.map((item) => ({ ...item, status: 'accepted' as const, reasons: [] }))
        : before;
  await items.upsertMany(ctx, after);
  const change = {
    approved: { deadline: null, expires_on, reasons: [], reminded: null },
    more_info_required: { deadline: deadline ?? row.deadline },
    rejected: { reasons: findings.map(reasonOf) },
  }[decision];
  const written = await writeCase(ctx, row, { ...change, status: decision, decided_at: ctx.at() });
  if (decision === 'rejected') await endRound(ctx, row, KEPT_AFTER_REJECTION_MS);
  if (decision === 'approved') await relyOnDocuments(ctx, idsOf(before));
  await schedule(ctx, written);
  const told = { approved, more_info_required: moreInfoRequired, rejected }[decision];
  await ctx.emit(told.of(noticeOf(written, after), { version: written.version }));
  return APPLIED;
}

const Review = Type.Object({
  round: Type.Optional(Type.Integer({ minimum: 1 })),
  actor: Type.Optional(Nullable(Text(200))),
});

async function applyReview(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Review>>,
): Promise<IntakeOutcome> {
  const ctx = await actingForSubject(intake, event);
  const row = await caseOfRound(ctx, event);
  if (row === undefined) return STALE;
  refuseMove('start_review', row.status);
  if (row.status === 'in_review') return STALE;
  await writeCase(ctx, row, { status: 'in_review' });
  return APPLIED;
}

export const kycMarketplaceEvents = [
  defineMarketplaceEvent({
    type: 'marketplace.kyc.required',
    summary: 'The identity of a seller must be verified by a deadline, or need not be verified',
    subject: 'seller id',
    schema: Required,
    example: {
      required: true,
      entity_type: 'company',
      items: [{ code: 'identity_document', subject: 'director_1' }],
      deadline: '2026-08-01T00:00:00Z',
      reason: 'annual_review',
      reopen: false,
    },
    apply: applyRequired,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.kyc.review_started',
    summary: 'Somebody reviews the documents of a round',
    subject: 'seller id',
    schema: Review,
    example: { round: 1, actor: 'ops:7' },
    apply: applyReview,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.kyc.decided',
    summary: 'The decision about the documents of a round; items that it does not name are accepted',
    subject: 'seller id',
    schema: Decided,
    example: {
      decision: 'more_info_required',
      round: 1,
      reviewed_version: 2,
      items: [{ code: 'document_unreadable', detail: 'Blurred', outcome: 'refused' }],
      deadline: '2026-09-01T00:00:00Z',
      expires_on: null,
      reviewed_by: 'ops:7',
    },
    apply: applyDecided,
  }),
];
