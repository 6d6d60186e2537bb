import Type from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import { Instant, nameFilter, PAGE_LIMIT_MAX, withDefault } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { PAGE_EXAMPLE, pageRoute } from '../../../platform/rest/page-route.ts';
import {
  access,
  accountRoute,
  currencyQuery,
  describeFigures,
  describeList,
  figures,
  listMetadataExample,
  listSource,
  metadataExample,
} from '../../reconciliation/index.ts';
import { lineRoute, PAYOUT_STATUSES, requireSettlement } from '../../settlements/index.ts';
import { expectedPayouts } from '../actions/expected-payouts.ts';
import { PAID_PAYOUT } from '../schemas/examples.ts';
import { PayoutSchema, payoutToWire } from '../schemas/payout.ts';
import { EXPECTED_EXAMPLE, ExpectedPage, PayoutGrouping, SummarySchema } from '../schemas/records.ts';
import {
  findPayout,
  listPayouts,
  type PayoutPosition,
  type PayoutRow,
  sumByMonth,
  sumByStatus,
} from '../store/payouts.ts';

const SUMMARY_CONTRACT = 'payments.payout_summary.v1';
const EXPECTED_CONTRACT = 'payments.expected_payouts.v1';
const params = Type.Object({ payout_id: Type.String({ description: 'Id of the payout, `pay_…`' }) });

/** The filters of the list and of its file. */
export const payoutFilter = {
  status: Type.Optional(
    Type.Array(PayoutSchema.properties.status, {
      maxItems: 6,
      description: 'Payouts in any of these states; repeat the parameter',
    }),
  ),
  settlement_id: nameFilter('Payouts of this settlement'),
  ...currencyQuery,
  created_since: Type.Optional(Instant({ description: 'Payouts made at or after this instant' })),
  created_before: Type.Optional(Instant({ description: 'Payouts made before this instant' })),
};

const list = pageRoute({
  id: 'payments_payouts.list',
  path: '',
  summary: 'List payouts',
  description: 'The newest first. Each attempt to pay a settlement is a payout of its own.',
  access,
  ...figures,
  filters: payoutFilter,
  schema: PayoutSchema,
  example: PAID_PAYOUT,
  more: listSource('payments.payouts.v1'),
  read: (ctx, { filters, after, limit }) =>
    listPayouts(ctx, filters, after as PayoutPosition | undefined, limit),
  position: ({ created_at, payout_id }) => [created_at, payout_id],
  view: (row, ctx) => payoutToWire(row, ctx.now()),
});

const summary = accountRoute({
  id: 'payments_payouts.summary.get',
  path: '/summary',
  summary: 'Sum payouts by status or by month',
  description: 'Each group has the number of payouts and their sum.',
  query: { group: Type.Optional(withDefault('status', PayoutGrouping)) },
  answer: 'The totals',
  schema: SummarySchema,
  example: {
    group: 'month',
    data: [{ key: '2026-07', payout_count: 1, amount_minor: 94_959 }],
    completed: { payout_count: 1, amount_minor: 94_959 },
    ...metadataExample(SUMMARY_CONTRACT),
  },
  read: async (of, { group = 'status' }) => {
    const byStatus = await sumByStatus(of, of.currency);
    const found = group === 'status' ? byStatus : await sumByMonth(of, of.currency);
    const sumOf = (rows: typeof found, key: string) => {
      const row = rows.find((one) => one.key === key);
      return {
        payout_count: row?.payout_count ?? 0,
        amount_minor: minorToJson(minor(row?.amount_minor ?? 0n)),
      };
    };
    const keys = group === 'status' ? PAYOUT_STATUSES : found.map(({ key }) => key);
    return {
      group,
      data: keys.map((key) => ({ key, ...sumOf(found, key) })),
      completed: sumOf(byStatus, 'paid'),
      ...(await describeFigures(of, SUMMARY_CONTRACT)),
    };
  },
});

const expected = defineRoute({
  id: 'payments_payouts.expected.list',
  method: 'GET',
  path: '/expected',
  summary: 'List expected payouts, and what each waits for',
  description:
    'Payouts in transit, settlements that wait to be paid, and what the open settlement would pay.',
  access,
  ...figures,
  ok: okJson('All expected payouts', ExpectedPage, {
    data: [EXPECTED_EXAMPLE],
    page: PAGE_EXAMPLE,
    ...listMetadataExample(EXPECTED_CONTRACT),
  }),
  errors: [],
  handler: async (ctx) => {
    const data = await expectedPayouts(ctx);
    const source = await describeList(ctx, EXPECTED_CONTRACT, data);
    return { body: { data, page: { limit: PAGE_LIMIT_MAX, next_cursor: null, has_more: false }, ...source } };
  },
});

/** @throws ApiError 404 */
async function requirePayout(ctx: SellerCtx, payoutId: string): Promise<PayoutRow> {
  return requireFound(await findPayout(ctx, payoutId));
}

const get = defineRoute({
  id: 'payments_payouts.get',
  method: 'GET',
  path: '/{payout_id}',
  summary: 'Read a payout with its history',
  description: 'Shows the attempt, its settlement, its references and each change of status.',
  access,
  ...figures,
  params,
  ok: okJson('The payout', PayoutSchema, PAID_PAYOUT),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { payout_id } }) => {
    const row = await requirePayout(ctx, payout_id);
    const body = payoutToWire(row, ctx.now());
    // The bank's trace and the provider's report change the body without a new version.
    return { body, etag: shownTag(String(row.version), body) };
  },
});

const entries = lineRoute({
  id: 'payments_payouts.entries.list',
  path: '/{payout_id}/entries',
  summary: 'List the lines that a payout pays',
  description:
    'The lines of its settlement, in the order of the statement. With the opening balance they sum to the amount of the payout.',
  params,
  find: async (ctx, { payout_id }) =>
    requireSettlement(ctx, (await requirePayout(ctx, payout_id)).settlement_id),
});

export const recordRoutes = [list, summary, expected, get, entries];
