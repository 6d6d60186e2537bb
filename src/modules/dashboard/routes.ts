import Type from 'typebox';
import { Instant, StringEnum } from '../../kernel/schema.ts';
import { defineRoute } from '../../platform/http/define-route.ts';
import {
  currencyQuery,
  described,
  figures,
  OVERVIEW_EXAMPLE,
  Overview,
  payload,
  readAsOf,
  readOverview,
} from '../financials/index.ts';
import { readWaiting } from './store/waiting.ts';

const CONTRACT = 'dashboard.summary.v1';
/** What a seller would look for here and no part of the service records. */
const NOT_RECORDED = ['storefront_traffic', 'supplier_cost'];

const count = (description: string) => Type.Integer({ description });
const Summary = Type.Object(
  {
    finance: Overview,
    orders: Type.Object(
      {
        to_accept: count('Orders with units that wait for an answer'),
        to_dispatch: count('Orders with accepted units that are not dispatched'),
        cancel_requests: count('Cancel requests without an answer'),
        returns_to_answer: count('Returns without an answer'),
        disputes: count('Open disputes'),
      },
      { title: 'DashboardOrders' },
    ),
    generated_at: Instant(),
    semantic_status: StringEnum(['complete', 'partial'], {
      description: 'partial: some component that these figures need is missing',
    }),
    ...payload,
  },
  { title: 'DashboardSummary' },
);

const summary = defineRoute({
  id: 'dashboard.summary.get',
  method: 'GET',
  path: '/summary',
  summary: 'Money and work at a glance',
  access: { auth: 'seller', permission: 'finance:read', rate: 'read', idempotency: 'none' },
  ...figures,
  query: Type.Object(currencyQuery),
  ok: [
    {
      status: 200,
      description: 'The summary',
      schema: Summary,
      example: {
        finance: OVERVIEW_EXAMPLE,
        orders: { to_accept: 3, to_dispatch: 12, cancel_requests: 0, returns_to_answer: 2, disputes: 0 },
        generated_at: '2026-09-01T00:00:00.000Z',
        semantic_status: 'complete' as const,
        cache_status: 'live' as const,
        source_contract: CONTRACT,
        missing_components: NOT_RECORDED,
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const of = await described(ctx, query.currency);
    const now = readAsOf(undefined, ctx.now());
    const finance = await readOverview(of, now, ctx.services.config.SETTLEMENT_SCHEDULE);
    return {
      body: {
        finance,
        orders: await readWaiting(ctx.db),
        generated_at: finance.generated_at,
        semantic_status: finance.missing_components.length === 0 ? 'complete' : 'partial',
        cache_status: 'live',
        source_contract: CONTRACT,
        missing_components: [...finance.missing_components, ...NOT_RECORDED],
      },
    };
  },
});

export const routes = [summary];
