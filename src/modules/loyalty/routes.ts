import { Temporal } from 'temporal-polyfill';
import Type from 'typebox';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { coreErrors, invalid, requireFound } from '../../kernel/errors.ts';
import { liveFrame } from '../../kernel/frame.ts';
import { moveErrors } from '../../kernel/moves.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../platform/http/etag.ts';
import { reads } from '../../platform/rest/access.ts';
import { pageRoute } from '../../platform/rest/page-route.ts';
import { allSchedules } from '../fees/index.ts';
import { changeEnrolment, factOf, stateOf } from './actions/enrolment.ts';
import { readWallet } from './actions/wallet.ts';
import { enrolmentMachine } from './domain/enrolment.ts';
import { loyaltyErrors } from './errors.ts';
import {
  Day,
  DETAIL_EXAMPLE,
  ENROLMENT_EXAMPLE,
  Enrolment,
  EnrolmentInput,
  kind,
  PROGRAM_EXAMPLE,
  ProgramState,
  RECONCILIATION_EXAMPLE,
  Reconciliation,
  reconciledStatus,
  STATEMENT_EXAMPLE,
  Statement,
  StatementDetail,
  TRANSACTION_EXAMPLE,
  Transaction,
  toWireOrder,
  toWireReconciliation,
  toWireStatement,
  toWireTransaction,
  WALLET_EXAMPLE,
  Wallet,
} from './schemas/loyalty.ts';
import { type EnrolmentRow, lastEnrolment, lockLoyalty } from './store/enrolments.ts';
import { ordersOfStatement, pageOfCompared, statementsOf } from './store/fund.ts';
import { pageOfTransactions } from './store/points.ts';
import { allPrograms, type Program } from './store/programs.ts';

const growth = reads('growth');
const finance = reads('finance');
const settlement = {
  params: Type.Object({ settlement_id: Type.String({ description: 'Id of the settlement, `stl_…`' }) }),
};

const terms = ({ published_at: _published, recorded_at: _recorded, ...program }: Program) => program;

const program = defineRoute({
  id: 'loyalty.program.get',
  method: 'GET',
  path: '/program',
  summary: 'Read the terms of the loyalty program',
  description: 'Terms in force and to come, and the rate that sellers pay into the fund.',
  access: growth,
  ok: okJson('The terms', ProgramState, PROGRAM_EXAMPLE),
  errors: [],
  handler: async (ctx) => {
    const today = sydneyDate(ctx.now());
    const programs = await allPrograms(ctx.db);
    const present = programs.findLast(({ effective_from }) => effective_from <= today);
    const { currency } = await ctx.standing();
    const schedules = (await allSchedules(ctx.db)).filter((one) => one.currency === currency);
    return {
      body: {
        current: present === undefined ? null : terms(present),
        upcoming: programs.filter(({ effective_from }) => effective_from > today).map(terms),
        funding: schedules.map(({ version, effective_from, loyalty_program_fund_bps }) => ({
          fee_schedule_version: version,
          ...{ effective_from, loyalty_program_fund_bps },
        })),
        ...liveFrame(
          ctx.at(),
          'loyalty.program.v1',
          programs.length === 0 ? { semantic_status: 'no_usable_report' } : {},
        ),
      },
    };
  },
});

/** The version of the object is that of the newest enrolment; before any it is `none.0`. */
const tagOf = (row: EnrolmentRow | undefined): string =>
  `${row?.enrolment_id ?? 'none'}.${row?.version ?? 0}`;
const answer = (row: EnrolmentRow | undefined) => {
  const body = { ...factOf(row), allowed_actions: enrolmentMachine.eventsFrom(stateOf(row), 'seller') };
  return { body, etag: shownTag(tagOf(row), body) };
};
const enrolled = [
  { status: 200, description: 'The enrolment', schema: Enrolment, example: ENROLMENT_EXAMPLE },
] as const;

const readEnrolment = defineRoute({
  id: 'loyalty.enrolment.get',
  method: 'GET',
  path: '/enrolment',
  tagged: true,
  summary: 'Read whether the seller takes part in the program',
  description: 'Send its `ETag` as `If-Match` with a change.',
  access: growth,
  ok: enrolled,
  errors: [],
  handler: async (ctx) => answer(await lastEnrolment(ctx)),
});

const setEnrolment = defineRoute({
  id: 'loyalty.enrolment.set',
  method: 'PUT',
  path: '/enrolment',
  summary: 'Ask to take part in the program, or to leave it',
  description:
    'The marketplace decides about an enrolment. Leaving takes effect after the notice of the terms; orders that were placed before keep theirs.',
  access: { ...growth, permission: 'growth:write', rate: 'write', idempotency: 'optional' },
  body: {
    kind: 'json',
    schema: EnrolmentInput,
    example: { enrolled: true, effective_on: '2026-08-02', program_version: '2026-1' },
  },
  ok: enrolled,
  errors: [
    coreErrors.not_found,
    coreErrors.precondition_failed,
    coreErrors.conflict,
    moveErrors.invalid_transition,
    ...Object.values(loyaltyErrors),
  ],
  handler: async (ctx, { body, headers }) => {
    await lockLoyalty(ctx);
    checkIfMatch(headers, tagOf(await lastEnrolment(ctx)));
    const row = await changeEnrolment(ctx, body);
    ctx.audit({ target_type: 'loyalty_enrolment', target_id: row.enrolment_id });
    return answer(row);
  },
});

const wallet = defineRoute({
  id: 'loyalty.wallet.get',
  method: 'GET',
  path: '/wallet',
  summary: 'Read the points that the seller’s fund has bought',
  description: 'At the end of a Sydney day that is over. Figures of such a day never change.',
  access: growth,
  cache: 'no-store',
  query: Type.Object({ as_of: Type.Optional(Day('A Sydney day that is over; default: yesterday')) }),
  ok: okJson('The wallet', Wallet, WALLET_EXAMPLE),
  errors: [],
  handler: async (ctx, { query }) => {
    const today = sydneyDate(ctx.now());
    const yesterday = Temporal.PlainDate.from(today).subtract({ days: 1 }).toString();
    const { as_of = yesterday } = query;
    if (as_of >= today) {
      const msg = `The day is not over in Sydney; ask for ${yesterday} or earlier.`;
      throw invalid([{ loc: ['query', 'as_of'], msg, type: 'day_not_over', input: as_of }]);
    }
    return { body: await readWallet(ctx, as_of) };
  },
});

const transactions = pageRoute({
  id: 'loyalty.transactions.list',
  path: '/transactions',
  summary: 'List the points of the seller’s orders',
  description: 'Newest first. What members spend elsewhere is shown in sums by month only, in the wallet.',
  access: growth,
  cache: 'no-store',
  filters: {
    kind: Type.Optional(kind),
    order_id: Type.Optional(Type.String({ maxLength: 100, description: 'Points of this order' })),
    from: Type.Optional(Day('Booked on this Sydney day or later')),
    to: Type.Optional(Day('Booked on this Sydney day or earlier')),
  },
  schema: Transaction,
  example: TRANSACTION_EXAMPLE,
  read: (ctx, { filters, ...page }) => pageOfTransactions(ctx, filters, page),
  position: ({ journal_id }) => [journal_id],
  view: toWireTransaction,
});

const statements = pageRoute({
  id: 'loyalty.statements.list',
  path: '/statements',
  summary: 'List closed settlements with their loyalty fund',
  description: 'Newest first. The sums are those of the settlement’s own lines.',
  access: finance,
  cache: 'no-store',
  schema: Statement,
  example: STATEMENT_EXAMPLE,
  read: (ctx, { after, limit }) => statementsOf(ctx, { after, limit: limit + 1 }),
  position: ({ period_start, settlement_id }) => [period_start, settlement_id],
  view: toWireStatement,
});

const statement = defineRoute({
  id: 'loyalty.statements.get',
  method: 'GET',
  path: '/statements/{settlement_id}',
  summary: 'Read the loyalty fund of a settlement by order, beside the points',
  description:
    '`charged_minor` is the component of the settlement, `credited_minor` its share of the credits.',
  access: finance,
  cache: 'no-store',
  ...settlement,
  ok: okJson('The statement', StatementDetail, DETAIL_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { settlement_id } }) => {
    const [row] = await statementsOf(ctx, { id: settlement_id, limit: 1 });
    const orders = await ordersOfStatement(ctx, settlement_id);
    const body = { ...toWireStatement(requireFound(row)), orders: orders.map(toWireOrder) };
    return { body, etag: shownTag(settlement_id, body) };
  },
});

const reconciliation = pageRoute({
  id: 'loyalty.reconciliation.list',
  path: '/reconciliation',
  summary: 'Compare the points of orders with their loyalty fund',
  description: 'Lists every order that has points or a part of the fund, to the cent.',
  access: finance,
  cache: 'no-store',
  filters: {
    status: Type.Optional(reconciledStatus),
    order_id: Type.Optional(Type.String({ maxLength: 100, description: 'This order' })),
  },
  schema: Reconciliation,
  example: RECONCILIATION_EXAMPLE,
  read: (ctx, { filters, after, limit }) =>
    pageOfCompared(ctx, { ...filters, now: ctx.now(), after, limit: limit + 1 }),
  position: ({ order_id }) => [order_id],
  view: toWireReconciliation,
});

export const loyaltyRoutes = [
  program,
  readEnrolment,
  setEnrolment,
  wallet,
  transactions,
  statements,
  statement,
  reconciliation,
];
