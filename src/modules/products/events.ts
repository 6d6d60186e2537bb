/**
 * Events about products, stock and feed runs. `object_version` is the version of the object in the event: the product
 * or its stock.
 */
import Type from 'typebox';
import { defineEvent, type EventOf, type OutgoingEventDef } from '../../kernel/events.ts';
import { StringEnum } from '../../kernel/schema.ts';
import type { ProductEventType, StockEventType } from './domain/event-types.ts';
import { LIVE_EXAMPLE, PRODUCT_EXAMPLE } from './schemas/examples.ts';
import { RUN_EXAMPLE } from './schemas/feed-examples.ts';
import { FeedRunSchema } from './schemas/feed-run.ts';
import { INVENTORY_EXAMPLE, Inventory, type WireInventory } from './schemas/inventory.ts';
import { Product, type WireProduct } from './schemas/product.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace'>;

const product = (type: ProductEventType, summary: string, example: Partial<WireProduct>, more: More = {}) =>
  defineEvent({
    type,
    summary,
    schema: Product,
    id: 'product_id',
    mayBeGone: true,
    example: { ...PRODUCT_EXAMPLE, ...example },
    ...more,
  });
const stock = (type: StockEventType, summary: string, example: Partial<WireInventory>, more: More) =>
  defineEvent({
    type,
    summary,
    schema: Inventory,
    id: 'product_id',
    mayBeGone: true,
    example: { ...INVENTORY_EXAMPLE, ...example },
    ...more,
  });
const run = (type: string, summary: string, example: object, notification: More['notification'] & object) =>
  defineEvent({
    type,
    summary,
    schema: FeedRunSchema,
    mayBeGone: true,
    example: { ...RUN_EXAMPLE, ...example },
    notification,
  });

/** The marketplace shows these changes to buyers. */
const forMarketplace = { marketplace: true } as const;

export const productEvents: Readonly<Record<ProductEventType, EventOf<WireProduct>>> = {
  'product.created': product('product.created', 'A product was created', {}, forMarketplace),
  'product.updated': product('product.updated', 'A product changed', { version: 2 }, forMarketplace),
  'product.deactivated': product(
    'product.deactivated',
    'A product was taken off sale or archived',
    { status: 'inactive', version: 3 },
    forMarketplace,
  ),
  'product.curation_changed': product(
    'product.curation_changed',
    'The review state or the live version of a product changed',
    {
      curation: { state: 'rejected', reasons: [{ code: 'image_quality', detail: 'The image is blurred.' }] },
      version: 2,
    },
    {
      notification: {
        severity: 'info',
        // That a review begins follows from what the seller did, so only its outcome is told.
        when: { 'curation.state': ['approved', 'rejected', 'suspended'] },
        title: '{title} ({seller_sku}) was {curation.state} by the marketplace',
        // A file of 5,000 products makes one notification, and what is wrong with a product makes one of its own.
        together: {
          where: { 'curation.state': 'approved' },
          by: 'source.run_id',
          title: 'Products of {source.run_id} that were approved: {times}',
        },
      },
    },
  ),
  'product.visibility_changed': product(
    'product.visibility_changed',
    'A product became visible to buyers, or stopped being visible. A holiday closing sends only `seller.holiday_changed`',
    {
      curation: { state: 'approved', reasons: [] },
      visible: true,
      hidden_reasons: [],
      live: LIVE_EXAMPLE,
      version: 2,
    },
  ),
  'product.issue_raised': product(
    'product.issue_raised',
    'A draft has issues that it did not have before; `issues` lists all of them. A new product shows its issues in `product.created`',
    {
      status: 'draft',
      issues: [
        {
          code: 'required_missing',
          severity: 'error',
          attribute: 'title',
          message: 'The title is required.',
        },
      ],
      version: 2,
    },
  ),
  'product.issue_resolved': product(
    'product.issue_resolved',
    'Issues of a product are gone; `issues` lists those that are left',
    { version: 3 },
  ),
};

export const stockEvents: Readonly<Record<StockEventType, EventOf<WireInventory>>> = {
  'inventory.updated': stock(
    'inventory.updated',
    'The units on hand, the reserved units or the reorder point of a product changed',
    {},
    forMarketplace,
  ),
  'inventory.low_stock': stock(
    'inventory.low_stock',
    'The available units reached the reorder point',
    { quantity_on_hand: 5, quantity_available: 3, low_stock: true },
    {
      notification: {
        severity: 'warning',
        title: '{title} ({seller_sku}) runs low: {quantity_available} left',
      },
    },
  ),
  'inventory.out_of_stock': stock(
    'inventory.out_of_stock',
    'The last available unit was sold or removed',
    { quantity_on_hand: 2, quantity_available: 0, low_stock: true },
    { notification: { severity: 'warning', title: '{title} ({seller_sku}) is sold out' } },
  ),
  'inventory.oversold': stock(
    'inventory.oversold',
    'An order needs more units than are in stock',
    { quantity_on_hand: 2, quantity_available: 0, low_stock: true },
    {
      notification: {
        severity: 'critical',
        title: '{title} ({seller_sku}) is oversold: restock it or reject the order',
      },
    },
  ),
};

export const runCompleted = run(
  'feed_run.completed',
  'A feed run ended and its accepted rows were applied',
  {},
  { severity: 'info', title: '{source.filename|run_id}: {counts.rows row}, {counts.rejected} rejected' },
);
export const runFailed = run(
  'feed_run.failed',
  'A feed run ended without changing anything',
  { status: 'rejected' },
  { severity: 'warning', title: '{source.filename|run_id} changed nothing: {error.detail|status}' },
);

const PlanUsage = Type.Object(
  {
    limit: StringEnum(['products'], { description: 'The limit, as in `GET /billing/entitlements`' }),
    used: Type.Integer({ description: 'Products that are not archived' }),
    allowed: Type.Integer({ description: 'How many the plan allows' }),
  },
  { title: 'PlanUsage', description: 'How much of a limit of the plan is used.' },
);
export const planLimitNear = defineEvent({
  type: 'plan.limit_near',
  summary: '80 per cent of the products that the plan allows are used',
  schema: PlanUsage,
  id: 'limit',
  example: { limit: 'products' as const, used: 82, allowed: 100 },
  notification: {
    severity: 'info',
    href: '/billing/usage',
    title: '{used} of the {allowed} products of your plan are used',
  },
});
export const planLimitReached = defineEvent({
  type: 'plan.limit_reached',
  summary: 'The plan allows no more products; creating one is refused with 402',
  schema: PlanUsage,
  id: 'limit',
  example: { limit: 'products' as const, used: 100, allowed: 100 },
  notification: {
    severity: 'warning',
    href: '/billing/usage',
    title: 'All {allowed} products of your plan are used: archive products or choose a larger plan',
  },
});

export const events: readonly OutgoingEventDef[] = [
  ...Object.values(productEvents),
  ...Object.values(stockEvents),
  runCompleted,
  runFailed,
  planLimitNear,
  planLimitReached,
];
