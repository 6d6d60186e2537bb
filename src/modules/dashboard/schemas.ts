import Type, { type Static } from 'typebox';
import { SEVERITIES } from '../../kernel/events.ts';
import type { Permission } from '../../kernel/permissions.ts';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { OVERVIEW_EXAMPLE, Overview } from '../account/index.ts';
import { payload } from '../reconciliation/index.ts';
import { HOLD_REASONS } from '../settlements/index.ts';
import { COUNT_MAX, KIND_NAMES } from './domain/attention.ts';

export const CONTRACT = 'dashboard.summary.v1';
/** Figures that a seller may expect here, but that the service does not record. */
export const NOT_RECORDED = ['storefront_traffic', 'supplier_cost'];
/** The routes with all details of each part. */
export const LINKS = {
  finance: '/api/v1/financials/dashboard',
  orders: '/api/v1/orders/queues',
  feeds: '/api/v1/products/feed-runs',
  messages: '/api/v1/messages/threads?waiting_on=seller',
  settlement_holds: '/api/v1/financials/holds',
  stock: '/api/v1/products/inventory',
  quality: '/api/v1/quality/summary',
  integrations: '/api/v1/channels/issues',
};

/** The parts that need a permission besides that of the route. Without it a part is null and named as withheld. */
export const NEEDS = {
  feeds: 'catalogue:read',
  finance: 'finance:read',
  integrations: 'webhooks:read',
  messages: 'support:read',
  orders: 'orders:read',
  quality: 'catalogue:read',
  settlement_holds: 'finance:read',
  stock: 'catalogue:read',
} as const satisfies Record<string, Permission>;
export type Part = keyof typeof NEEDS;
export const PARTS = Object.keys(NEEDS) as Part[];

const path = (description: string) => Type.String({ description });
const linkFields = {
  finance: path('Path of the financial overview'),
  orders: path('Path of the orders'),
  feeds: path('Path of the feed runs'),
  messages: path('Path of the threads in which an answer is owed'),
  settlement_holds: path('Path of what holds money back'),
  stock: path('Path of the stock'),
  quality: path('Path of how ready the products are'),
  integrations: path('Path of the open issues of connected stores'),
};
const count = (description: string) => Type.Integer({ description });
const upTo = (description: string) => count(`${description}; counted up to ${COUNT_MAX}`);
const known = (description: string) =>
  Nullable(Type.Integer({ description: `${description}; null: not computed yet` }));
const tile = (title: string, description: string, fields: Type.TProperties) =>
  Nullable(Type.Object(fields, { title, description }));

export const Summary = Type.Object(
  {
    finance: Nullable(Overview),
    orders: tile('DashboardOrders', 'Orders that wait for the seller.', {
      to_accept: count('Orders with units that wait for an answer'),
      to_dispatch: count('Orders with accepted units that are not dispatched'),
      late_to_dispatch: count('Of those: past their dispatch deadline'),
      cancel_requests: count('Cancel requests without an answer'),
      returns_to_answer: count('Returns without an answer'),
      disputes: count('Open disputes'),
    }),
    feeds: tile('DashboardFeeds', 'Recent feed runs.', {
      failed_in_24_hours: count('Feed runs of the last 24 hours that ended without applying anything'),
    }),
    messages: tile('DashboardMessages', 'Buyers who wait for the seller.', {
      threads_unread: count('Threads with unread messages'),
      waiting: count('Threads that wait for the seller'),
      to_answer: count('Threads in which an answer is owed'),
      answers_overdue: count('Of those: overdue'),
    }),
    settlement_holds: Nullable(
      Type.Array(StringEnum(HOLD_REASONS, { title: 'HoldReason', description: 'Why money is held back' }), {
        description: 'Why settlements are not paid; empty: nothing keeps them back',
      }),
    ),
    stock: tile('DashboardStock', 'Stock of products that are not archived.', {
      out_of_stock: upTo('Products without an available unit'),
      at_reorder_point: upTo('Products at or below their reorder point'),
    }),
    quality: tile('DashboardQuality', 'Products that are not ready, and targets that are missed.', {
      not_ready: known('Products that are not ready for sale'),
      metrics_missed: known('Metrics of the last 30 days that miss their target'),
    }),
    integrations: tile('DashboardIntegrations', 'Connected stores and endpoints.', {
      open_issues: upTo('Open issues of connected stores'),
      failing_endpoints: count('Endpoints that refuse deliveries, or were disabled for it'),
    }),
    attention: Type.Array(
      Type.Object(
        {
          kind: StringEnum(KIND_NAMES, { title: 'AttentionKind', description: 'What it is' }),
          severity: StringEnum(SEVERITIES, {
            title: 'Severity',
            description: 'How soon the seller should look at it',
          }),
          count: upTo('How many the list has'),
          due_at: Nullable(Instant({ description: 'The earliest deadline; null without any' })),
          href: path('Path of the list'),
        },
        { title: 'DashboardAttention', description: 'Something that needs the seller.' },
      ),
      { description: 'At most 10, the gravest first, then by deadline; only what the token may read' },
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

export const SUMMARY_EXAMPLE: Static<typeof Summary> = {
  finance: OVERVIEW_EXAMPLE,
  orders: {
    ...{ to_accept: 3, to_dispatch: 12, late_to_dispatch: 1 },
    ...{ cancel_requests: 0, returns_to_answer: 2, disputes: 0 },
  },
  feeds: { failed_in_24_hours: 0 },
  messages: { threads_unread: 2, waiting: 1, to_answer: 1, answers_overdue: 0 },
  settlement_holds: [],
  stock: { out_of_stock: 2, at_reorder_point: 5 },
  quality: { not_ready: 1, metrics_missed: 0 },
  integrations: { open_issues: 0, failing_endpoints: 0 },
  attention: [
    {
      ...{ kind: 'order_late', severity: 'critical', count: 1, due_at: '2026-08-31T07:00:00.000Z' },
      href: '/api/v1/orders?attention=late',
    },
  ],
  withheld_components: [],
  links: LINKS,
  generated_at: '2026-09-01T00:00:00.000Z',
  semantic_status: 'partial',
  cache_status: 'live',
  source_contract: CONTRACT,
  missing_components: NOT_RECORDED,
};
