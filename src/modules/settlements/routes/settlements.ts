import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import type { SellerCtx } from '../../../kernel/context.ts';
import { pageOf } from '../../../kernel/cursor.ts';
import { minorToJson } from '../../../kernel/money.ts';
import { PAGE_LIMIT_DEFAULT, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import {
  access,
  accountScope,
  Day,
  describeFigures,
  describeList,
  figures,
  listMetadataExample,
  moneyOf,
} from '../../reconciliation/index.ts';
import { proofTree, proveSettlement, readProofOrders } from '../actions/prove-settlement.ts';
import { requireSettlement, settlementPage, settlementTotals } from '../actions/read-settlements.ts';
import { errors, notFoundErrors } from '../errors.ts';
import { CLOSED_EXAMPLE } from '../schemas/examples.ts';
import { PROOF_EXAMPLE, SUMMARY_CONTRACT, SUMMARY_EXAMPLE } from '../schemas/part-examples.ts';
import { SettlementPage, SettlementSchema, settlementToWire } from '../schemas/settlement.ts';
import { ProofSchema, SummarySchema } from '../schemas/settlement-parts.ts';
import type { SettlementPosition, SettlementRow } from '../store/settlements.ts';
import { linePage, linePageResponse } from './line-page.ts';

const LIST_CONTRACT = 'financials.settlements.v1';
const page = { limit: 50, next_cursor: null, has_more: false };
const params = Type.Object({
  settlement_id: Type.String({ description: 'Id of the settlement, `stl_…`' }),
});
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'Currency, ISO 4217 code' });

const periods = {
  from: Type.Optional(Day('Periods that end on this Sydney day or later')),
  to: Type.Optional(Day('Periods that begin on this Sydney day or earlier')),
  include_empty: Type.Optional(
    Type.Boolean({ default: false, description: 'Periods without any line and balance too' }),
  ),
};

const list = defineRoute({
  id: 'financials.settlements.list',
  method: 'GET',
  path: '/settlements',
  summary: 'List settlements',
  description: 'The last period first; the open one, computed as it would be closed now, is among them.',
  access,
  ...figures,
  query: Type.Object({
    status: Type.Optional(
      Type.Array(SettlementSchema.properties.status, {
        maxItems: 8,
        description: 'Settlements in any of these states; repeat the parameter',
      }),
    ),
    currency: Type.Optional(Currency),
    ...periods,
    ...pageQuery,
  }),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: SettlementPage,
      example: { data: [CLOSED_EXAMPLE], page, ...listMetadataExample(LIST_CONTRACT) },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filter } = query;
    requireDays({ from: filter.from, to: filter.to });
    const { cursors } = ctx.services;
    const scope = { seller_id: ctx.seller.seller_id, route: 'financials.settlements.list', filters: filter };
    const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as SettlementPosition);
    const rows = await settlementPage(ctx, filter, after, limit);
    const cut = pageOf(rows, limit, (row) => cursors.encode(scope, [row.period_end, row.settlement_id]));
    const at = new Date(ctx.now()).toISOString();
    const data = cut.data.map((row) => settlementToWire(row, at));
    const source = await describeList(ctx, LIST_CONTRACT, data, query.currency);
    return { body: { data, page: cut.page, ...source } };
  },
});

const summary = defineRoute({
  id: 'financials.settlement_summary.get',
  method: 'GET',
  path: '/settlements/summary',
  summary: 'Settlement totals by status',
  access,
  ...figures,
  query: Type.Object({ currency: Type.Optional(Currency), ...periods }),
  ok: [{ status: 200, description: 'The totals', schema: SummarySchema, example: SUMMARY_EXAMPLE }],
  errors: [],
  handler: async (ctx, { query }) => {
    requireDays({ from: query.from, to: query.to });
    const of = await accountScope(ctx, query.currency);
    const { currency } = of;
    const { by_status, totals } = await settlementTotals(ctx, { ...query, currency });
    const shown = ({ settlement_count, ...sums }: typeof totals) => ({
      settlement_count,
      gross_amount_minor: minorToJson(sums.gross_amount_minor),
      fees_minor: minorToJson(sums.fees_minor),
      adjustments_minor: minorToJson(sums.adjustments_minor),
      net_amount_minor: minorToJson(sums.net_amount_minor),
      payout_amount_minor: minorToJson(sums.payout_amount_minor),
    });
    const body = {
      by_status: by_status.map(({ status, ...sums }) => ({ status, ...shown(sums) })),
      totals: shown(totals),
      ...moneyOf(currency),
      ...(await describeFigures(of, SUMMARY_CONTRACT)),
    };
    return { body };
  },
});

function settlementAnswer(ctx: SellerCtx, row: SettlementRow) {
  const body = settlementToWire(row, new Date(ctx.now()).toISOString());
  // The instant of the read is no change of an open settlement.
  const { as_of: _, ...source } = body.source;
  return { body, etag: shownTag(String(row.version), { ...body, source }) };
}

const get = defineRoute({
  id: 'financials.settlements.get',
  method: 'GET',
  path: '/settlements/{settlement_id}',
  summary: 'Read a settlement',
  access,
  ...figures,
  params,
  ok: [{ status: 200, description: 'The settlement', schema: SettlementSchema, example: CLOSED_EXAMPLE }],
  errors: notFoundErrors,
  handler: async (ctx, { params: { settlement_id } }) => {
    const { row } = await requireSettlement(ctx, settlement_id);
    return settlementAnswer(ctx, row);
  },
});

const entries = defineRoute({
  id: 'financials.settlement_entries.list',
  method: 'GET',
  path: '/settlements/{settlement_id}/entries',
  summary: 'The lines of a settlement',
  description:
    'In the order of the statement: by the day that they count for, then as they were posted. Together with the opening balance, the payout and the closing balance they sum to zero.',
  access,
  ...figures,
  params,
  query: Type.Object(pageQuery),
  ok: [linePageResponse],
  errors: notFoundErrors,
  handler: async (ctx, { params: { settlement_id }, query }) => {
    const scope = { route: 'financials.settlement_entries.list', filters: { settlement_id } };
    return { body: await linePage(ctx, scope, query, () => requireSettlement(ctx, settlement_id)) };
  },
});

const proof = defineRoute({
  id: 'financials.settlement_proof.get',
  method: 'GET',
  path: '/settlements/{settlement_id}/proof',
  summary: 'Prove a settlement from its payout down to every entry',
  description:
    'Figures as they were closed against what their lines say now, with the smallest part that does not add up, should there be one. `data` is the tree of orders, lines and entries, a page of orders at a time; the rest is about all of them.',
  access,
  ...figures,
  params,
  query: Type.Object(pageQuery),
  ok: [{ status: 200, description: 'The proof', schema: ProofSchema, example: PROOF_EXAMPLE }],
  errors: [...notFoundErrors, errors.settlement_open],
  handler: async (ctx, { params: { settlement_id }, query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor } = query;
    const { cursors } = ctx.services;
    const { seller_id } = ctx.seller;
    const scope = { seller_id, route: 'financials.settlement_proof.get', filters: { settlement_id } };
    const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
    const proved = await proveSettlement(ctx, settlement_id);
    const orders = await readProofOrders(ctx, settlement_id, after, limit);
    const { data, page: part } = pageOf(orders, limit, ({ order_id }) => cursors.encode(scope, [order_id]));
    return { body: { ...proved, data: await proofTree(ctx, settlement_id, data), page: part } };
  },
});

export const readRoutes = [list, summary, get, entries, proof];
