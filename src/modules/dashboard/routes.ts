import Type from 'typebox';
import type { Permission } from '../../kernel/permissions.ts';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { defineRoute } from '../../platform/http/define-route.ts';
import { OVERVIEW_EXAMPLE, Overview, readAsOf, readOverview } from '../account/index.ts';
import { accountScope, currencyQuery, figures, payload } from '../reconciliation/index.ts';
import { activeHolds, HOLD_REASONS, policyOf } from '../settlements/index.ts';
import { readWaiting } from './store/waiting.ts';

const CONTRACT = 'dashboard.summary.v1';
/** Figures that a seller may expect here, but that the service does not record. */
const NOT_RECORDED = ['storefront_traffic', 'account_health', 'supplier_cost'];
/** The routes with all details of each part. */
const LINKS = {
  finance: '/api/v1/financials/dashboard',
  orders: '/api/v1/orders/queues',
  feeds: '/api/v1/products/feed-runs',
  messages: '/api/v1/messages/threads?waiting_on=seller',
  settlement_holds: '/api/v1/financials/holds',
};

/** The parts that need a permission besides that of the route. Without it a part is null and named as withheld. */
const NEEDS = {
  feeds: 'catalogue:read',
  finance: 'finance:read',
  messages: 'support:read',
  orders: 'orders:read',
  settlement_holds: 'finance:read',
} as const satisfies Record<string, Permission>;
type Part = keyof typeof NEEDS;
const PARTS = Object.keys(NEEDS) as Part[];

const path = (description: string) => Type.String({ description });
const linkFields = {
  finance: path('Path of the financial overview'),
  orders: path('Path of the orders'),
  feeds: path('Path of the feed runs'),
  messages: path('Path of the threads in which an answer is owed'),
  settlement_holds: path('Path of what holds money back'),
};
const count = (description: string) => Type.Integer({ description });
const Summary = Type.Object(
  {
    finance: Nullable(Overview),
    orders: Nullable(
      Type.Object(
        {
          to_accept: count('Orders with units that wait for an answer'),
          to_dispatch: count('Orders with accepted units that are not dispatched'),
          late_to_dispatch: count('Of those: past their dispatch deadline'),
          cancel_requests: count('Cancel requests without an answer'),
          returns_to_answer: count('Returns without an answer'),
          disputes: count('Open disputes'),
        },
        { title: 'DashboardOrders', description: 'Orders that wait for the seller.' },
      ),
    ),
    feeds: Nullable(
      Type.Object(
        { failed_in_24_hours: count('Feed runs of the last 24 hours that ended without applying anything') },
        { title: 'DashboardFeeds', description: 'Recent feed runs.' },
      ),
    ),
    messages: Nullable(
      Type.Object(
        {
          threads_unread: count('Threads with unread messages'),
          to_answer: count('Threads in which an answer is owed'),
          answers_overdue: count('Of those: overdue'),
        },
        { title: 'DashboardMessages', description: 'Buyers who wait for the seller.' },
      ),
    ),
    settlement_holds: Nullable(
      Type.Array(StringEnum(HOLD_REASONS, { title: 'HoldReason', description: 'Why money is held back' }), {
        description: 'Why settlements are not paid; empty: nothing keeps them back',
      }),
    ),
    withheld_components: Type.Array(
      StringEnum(PARTS, { title: 'DashboardPart', description: 'A part of the summary' }),
      {
        description: 'Parts that are null because the roles of this token do not include their permission',
      },
    ),
    links: Type.Object(linkFields, {
      title: 'DashboardLinks',
      description: 'Where each part is read in full',
    }),
    generated_at: Instant(),
    semantic_status: StringEnum(['complete', 'partial'], {
      description: 'partial: some component that these figures need is missing',
    }),
    ...payload,
  },
  { title: 'DashboardSummary', description: 'What a seller sees first.' },
);

const summary = defineRoute({
  id: 'dashboard.summary.get',
  method: 'GET',
  path: '/summary',
  summary: 'Money and work at a glance',
  description:
    'Every role may read it. A part whose permission the token lacks is null and named in `withheld_components`; it is never zero. `links` name the routes that show each part in full.',
  access: { auth: 'seller', permission: 'settings:read', rate: 'read', idempotency: 'none' },
  ...figures,
  query: Type.Object(currencyQuery),
  ok: [
    {
      status: 200,
      description: 'The summary',
      schema: Summary,
      example: {
        finance: OVERVIEW_EXAMPLE,
        orders: {
          ...{ to_accept: 3, to_dispatch: 12, late_to_dispatch: 1 },
          ...{ cancel_requests: 0, returns_to_answer: 2, disputes: 0 },
        },
        feeds: { failed_in_24_hours: 0 },
        messages: { threads_unread: 2, to_answer: 1, answers_overdue: 0 },
        settlement_holds: [],
        withheld_components: [],
        links: LINKS,
        generated_at: '2026-09-01T00:00:00.000Z',
        semantic_status: 'partial' as const,
        cache_status: 'live' as const,
        source_contract: CONTRACT,
        missing_components: NOT_RECORDED,
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const withheld = PARTS.filter((part) => !ctx.seller.permissions.includes(NEEDS[part]));
    const shown = <T>(part: Part, value: T) => (withheld.includes(part) ? null : value);
    const of = await accountScope(ctx, query.currency);
    const now = readAsOf(undefined, ctx.now());
    const finance = await readOverview(of, now, policyOf(ctx).schedule);
    const waiting = await readWaiting(ctx, ctx.now());
    const { feed_runs_failed, threads_unread, to_answer, answers_overdue, ...orders } = waiting;
    const messages = { threads_unread, to_answer, answers_overdue };
    const holds = await activeHolds(ctx);
    const missing = [...(withheld.includes('finance') ? [] : finance.missing_components), ...NOT_RECORDED];
    return {
      body: {
        finance: shown('finance', finance),
        orders: shown('orders', orders),
        feeds: shown('feeds', { failed_in_24_hours: feed_runs_failed }),
        messages: shown('messages', messages),
        settlement_holds: shown('settlement_holds', [...new Set(holds.map(({ reason }) => reason))]),
        withheld_components: withheld,
        links: LINKS,
        generated_at: finance.generated_at,
        semantic_status: missing.length === 0 ? ('complete' as const) : ('partial' as const),
        cache_status: 'live' as const,
        source_contract: CONTRACT,
        missing_components: missing,
      },
    };
  },
});

export const routes = [summary];
