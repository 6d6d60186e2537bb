import Type from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import {
  Instant,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
  withDefault,
} from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import {
  accountScope,
  describeFigures,
  describeList,
  figures,
  listMetadataExample,
  metadataExample,
  moneyOf,
} from '../../reconciliation/index.ts';
import { linePage, linePageResponse, PAYOUT_STATUSES, requireSettlement } from '../../settlements/index.ts';
import { expectedPayouts } from '../actions/expected-payouts.ts';
import { PAID_PAYOUT } from '../schemas/examples.ts';
import { PayoutPage, PayoutSchema, payoutToWire } from '../schemas/payout.ts';
import { EXPECTED_EXAMPLE, ExpectedPage, PayoutGrouping, SummarySchema } from '../schemas/records.ts';
import {
  findPayout,
  listPayouts,
  type PayoutPosition,
  type PayoutRow,
  sumByMonth,
  sumByStatus,
} from '../store/payouts.ts';

const access = { auth: 'seller', permission: 'finance:read', rate: 'read', idempotency: 'none' } as const;
const LIST_CONTRACT = 'payments.payouts.v1';
const SUMMARY_CONTRACT = 'payments.payout_summary.v1';
const EXPECTED_CONTRACT = 'payments.expected_payouts.v1';
const page = { limit: 50, next_cursor: null, has_more: false };
const params = Type.Object({ payout_id: Type.String({ description: 'Id of the payout, `pay_…`' }) });
const currencyQuery = {
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'Currency, ISO 4217 code' })),
};
const notFoundErrors = [coreErrors.not_found];

/** The filters of the list and of its file. */
export const payoutFilter = {
  status: Type.Optional(
    Type.Array(PayoutSchema.properties.status, {
      maxItems: 6,
      description: 'Payouts in any of these states; repeat the parameter',
    }),
  ),
  settlement_id: Type.Optional(Type.String({ maxLength: 100, description: 'Payouts of this settlement' })),
  ...currencyQuery,
  created_since: Type.Optional(Instant({ description: 'Payouts made at or after this instant' })),
  created_before: Type.Optional(Instant({ description: 'Payouts made before this instant' })),
};

const list = defineRoute({
  id: 'payments_payouts.list',
  method: 'GET',
  path: '',
  summary: 'List payouts',
  description: 'The newest first. Each attempt to pay a settlement is a payout of its own.',
  access,
  ...figures,
  query: Type.Object({ ...payoutFilter, ...pageQuery }),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: PayoutPage,
      example: { data: [PAID_PAYOUT], page, ...listMetadataExample(LIST_CONTRACT) },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filter } = query;
    const { cursors } = ctx.services;
    const { seller_id } = ctx.seller;
    const scope = { seller_id, route: 'payments_payouts.list', filters: filter };
    const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as PayoutPosition);
    const rows = await listPayouts(ctx, filter, after, limit);
    const cut = pageOf(rows, limit, (row) => cursors.encode(scope, [row.created_at, row.payout_id]));
    const data = cut.data.map((row) => payoutToWire(row, ctx.now()));
    const source = await describeList(ctx, LIST_CONTRACT, data, query.currency);
    return { body: { data, page: cut.page, ...source } };
  },
});

const summary = defineRoute({
  id: 'payments_payouts.summary.get',
  method: 'GET',
  path: '/summary',
  summary: 'Payout totals by status or by month',
  access,
  ...figures,
  query: Type.Object({
    group: Type.Optional(withDefault('status', PayoutGrouping)),
    ...currencyQuery,
  }),
  ok: [
    {
      status: 200,
      description: 'The totals',
      schema: SummarySchema,
      example: {
        group: 'month',
        data: [{ key: '2026-07', payout_count: 1, amount_minor: 94_959 }],
        completed: { payout_count: 1, amount_minor: 94_959 },
        ...moneyOf('AUD'),
        ...metadataExample(SUMMARY_CONTRACT),
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query: { group = 'status', currency: asked } }) => {
    const of = await accountScope(ctx, asked);
    const { currency } = of;
    const byStatus = await sumByStatus(ctx, currency);
    const found = group === 'status' ? byStatus : await sumByMonth(ctx, currency);
    const sumOf = (rows: typeof found, key: string) => {
      const row = rows.find((one) => one.key === key);
      return {
        payout_count: row?.payout_count ?? 0,
        amount_minor: minorToJson(minor(row?.amount_minor ?? 0n)),
      };
    };
    const keys = group === 'status' ? PAYOUT_STATUSES : found.map(({ key }) => key);
    const body = {
      group,
      data: keys.map((key) => ({ key, ...sumOf(found, key) })),
      completed: sumOf(byStatus, 'paid'),
      ...moneyOf(currency),
      ...(await describeFigures(of, SUMMARY_CONTRACT)),
    };
    return { body };
  },
});

const expected = defineRoute({
  id: 'payments_payouts.expected.list',
  method: 'GET',
  path: '/expected',
  summary: 'What is going to be paid, and what it waits for',
  description:
    'Payouts in transit, settlements that wait to be paid, and what the open settlement would pay.',
  access,
  ...figures,
  ok: [
    {
      status: 200,
      description: 'All of it',
      schema: ExpectedPage,
      example: { data: [EXPECTED_EXAMPLE], page, ...listMetadataExample(EXPECTED_CONTRACT) },
    },
  ],
  errors: [],
  handler: async (ctx) => {
    const data = await expectedPayouts(ctx);
    const source = await describeList(ctx, EXPECTED_CONTRACT, data);
    return { body: { data, page: { limit: PAGE_LIMIT_MAX, next_cursor: null, has_more: false }, ...source } };
  },
});

/** @throws ApiError 404 */
async function requirePayout(ctx: SellerCtx, payoutId: string): Promise<PayoutRow> {
  const row = await findPayout(ctx, payoutId);
  if (row === undefined) throw fail(coreErrors.not_found);
  return row;
}

const get = defineRoute({
  id: 'payments_payouts.get',
  method: 'GET',
  path: '/{payout_id}',
  summary: 'Read a payout with its history',
  access,
  ...figures,
  params,
  ok: [{ status: 200, description: 'The payout', schema: PayoutSchema, example: PAID_PAYOUT }],
  errors: notFoundErrors,
  handler: async (ctx, { params: { payout_id } }) => {
    const row = await requirePayout(ctx, payout_id);
    const body = payoutToWire(row, ctx.now());
    // The trace of the bank and the provider's list change the body without a new version.
    return { body, etag: shownTag(String(row.version), body) };
  },
});

const entries = defineRoute({
  id: 'payments_payouts.entries.list',
  method: 'GET',
  path: '/{payout_id}/entries',
  summary: 'The lines that a payout pays',
  description:
    'Those of its settlement, in the order of the statement: with the opening balance they come to the amount of the payout.',
  access,
  ...figures,
  params,
  query: Type.Object(pageQuery),
  ok: [linePageResponse],
  errors: notFoundErrors,
  handler: async (ctx, { params: { payout_id }, query }) => {
    const scope = { route: 'payments_payouts.entries.list', filters: { payout_id } };
    const settlement = async () =>
      requireSettlement(ctx, (await requirePayout(ctx, payout_id)).settlement_id);
    return { body: await linePage(ctx, scope, query, settlement) };
  },
});

export const recordRoutes = [list, summary, expected, get, entries];
