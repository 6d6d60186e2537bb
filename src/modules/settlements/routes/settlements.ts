import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import { pageQuery } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { pageRoute, readPage } from '../../../platform/rest/page-route.ts';
import {
  access,
  accountRoute,
  currencyQuery,
  Day,
  describeFigures,
  figures,
  listSource,
} from '../../reconciliation/index.ts';
import { proofTree, proveSettlement } from '../actions/prove-settlement.ts';
import { requireSettlement, settlementPage, settlementTotals } from '../actions/read-settlements.ts';
import { errors, notFoundErrors } from '../errors.ts';
import { CLOSED_EXAMPLE } from '../schemas/examples.ts';
import { PROOF_EXAMPLE, SUMMARY_CONTRACT, SUMMARY_EXAMPLE } from '../schemas/part-examples.ts';
import { allJson, SettlementSchema, settlementToWire } from '../schemas/settlement.ts';
import { ProofSchema, SummarySchema } from '../schemas/settlement-parts.ts';
import { proofOrders } from '../store/proof.ts';
import type { SettlementPosition } from '../store/settlements.ts';
import { lineRoute } from './line-route.ts';

const params = Type.Object({
  settlement_id: Type.String({ description: 'Id of the settlement, `stl_…`' }),
});
const periods = {
  from: Type.Optional(Day('Periods that end on this Sydney day or later')),
  to: Type.Optional(Day('Periods that begin on this Sydney day or earlier')),
  include_empty: Type.Optional(
    Type.Boolean({ default: false, description: 'Include periods without any line or balance' }),
  ),
};

const list = pageRoute({
  id: 'financials.settlements.list',
  path: '/settlements',
  summary: 'List settlements',
  description:
    'The last period first. The list includes the open settlement with its figures of this moment.',
  access,
  ...figures,
  filters: {
    status: Type.Optional(
      Type.Array(SettlementSchema.properties.status, {
        maxItems: 8,
        description: 'Settlements in any of these states; repeat the parameter',
      }),
    ),
    ...currencyQuery,
    ...periods,
  },
  schema: SettlementSchema,
  example: CLOSED_EXAMPLE,
  more: listSource('financials.settlements.v1'),
  read: async (ctx, { filters, after, limit }) => {
    requireDays(filters);
    return settlementPage(ctx, filters, after as SettlementPosition | undefined, limit);
  },
  position: ({ period_end, settlement_id }) => [period_end, settlement_id],
  view: (row, ctx) => settlementToWire(row, ctx.at()),
});

const summary = accountRoute({
  id: 'financials.settlement_summary.get',
  path: '/settlements/summary',
  summary: 'Sum settlements by status',
  description: 'Sums are in minor units of the account’s currency.',
  query: periods,
  answer: 'The totals',
  schema: SummarySchema,
  example: SUMMARY_EXAMPLE,
  read: async (of, query, ctx) => {
    requireDays(query);
    const { by_status, totals } = await settlementTotals(ctx, { ...query, currency: of.currency });
    const shown = ({ settlement_count, ...sums }: typeof totals) => ({ settlement_count, ...allJson(sums) });
    return {
      by_status: by_status.map(({ status, ...sums }) => ({ status, ...shown(sums) })),
      totals: shown(totals),
      ...(await describeFigures(of, SUMMARY_CONTRACT)),
    };
  },
});

const get = defineRoute({
  id: 'financials.settlements.get',
  method: 'GET',
  path: '/settlements/{settlement_id}',
  summary: 'Read a settlement',
  description: 'Shows its figures, its status with each change, and the payout.',
  access,
  ...figures,
  params,
  ok: okJson('The settlement', SettlementSchema, CLOSED_EXAMPLE),
  errors: notFoundErrors,
  handler: async (ctx, { params: { settlement_id } }) => {
    const { row } = await requireSettlement(ctx, settlement_id);
    const body = settlementToWire(row, ctx.at());
    // An open settlement shows the instant of the read, which must not change its entity tag.
    const { as_of: _, ...source } = body.source;
    return { body, etag: shownTag(String(row.version), { ...body, source }) };
  },
});

const entries = lineRoute({
  id: 'financials.settlement_entries.list',
  path: '/settlements/{settlement_id}/entries',
  summary: 'List the lines of a settlement',
  description:
    'In the order of the statement: by the day on which a line counts, then by the order of posting. With the opening balance, less the payout and the closing balance, they sum to zero.',
  params,
  find: (ctx, { settlement_id }) => requireSettlement(ctx, settlement_id),
});

const proof = defineRoute({
  id: 'financials.settlement_proof.get',
  method: 'GET',
  path: '/settlements/{settlement_id}/proof',
  summary: 'Prove a settlement from its payout down to every entry',
  description:
    'Compares the figures of the close with the sums of the lines now, and names the smallest part that does not add up. `data` is the tree of orders, lines and entries, one page of orders at a time; everything else covers all of them.',
  access,
  ...figures,
  params,
  query: Type.Object(pageQuery),
  ok: okJson('The proof', ProofSchema, PROOF_EXAMPLE),
  errors: [...notFoundErrors, errors.settlement_open],
  handler: async (ctx, { params: { settlement_id }, query }) => {
    const proved = await proveSettlement(ctx, settlement_id);
    const { data, page } = await readPage(
      ctx,
      { route: 'financials.settlement_proof.get', filters: { settlement_id } },
      query,
      (after, limit) => proofOrders(ctx, settlement_id, after && String(after[0]), limit),
      ({ order_id }) => [order_id],
    );
    return { body: { ...proved, data: await proofTree(ctx, settlement_id, data), page } };
  },
});

export const readRoutes = [list, summary, get, entries, proof];
