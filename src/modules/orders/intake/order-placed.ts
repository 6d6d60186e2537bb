/** `marketplace.order.placed`: a sale. It is recorded even without stock, because it has happened. */
import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { requireNotFuture } from '../../../kernel/event-order.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
  requireCurrency,
} from '../../../kernel/events.ts';
import { minor, sumMinor } from '../../../kernel/money.ts';
import { CURRENCY, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { cleanAlias, type ResolvedBuyer, resolveBuyer } from '../../../platform/buyers/buyers.ts';
import { eraseLater } from '../../../platform/buyers/erasures.ts';
import { hasRates } from '../../fees/index.ts';
import { productsBySku, type SkuProduct } from '../../products/index.ts';
import { readTrading } from '../../sellers/index.ts';
import { type DispatchDeadline, dispatchDeadline, MARKETPLACE_RULE } from '../../shipping/index.ts';
import { finishWork, reserveAll } from '../actions/change-order.ts';
import { usePromotions } from '../actions/promotions.ts';
import { acceptBy } from '../domain/deadlines.ts';
import { openOf } from '../domain/order.ts';
import { itemsOf } from '../domain/pick-lines.ts';
import { ImpossibleAmounts, type Placed, type PlacedLine, place } from '../domain/place.ts';
import { searchText } from '../domain/search-text.ts';
import { emitOrder, openWork } from '../domain/work.ts';
import { Amount, Name, ORDER_ID_CHARS_MAX, optionalText, QUANTITY_MAX } from '../schemas/parts.ts';
import { findOrderId, loadOrder, lockOrderName } from '../store/load-orders.ts';
import { sellerNotFound } from './apply.ts';

const LINES_MAX = 500;

const Data = Type.Object({
  order_number: optionalText(100),
  currency: Type.String({ ...CURRENCY }),
  placed_at: Type.Optional(Instant()),
  dispatch_by: Type.Optional(
    Instant({ description: 'Promised to the buyer; absent: the service works it out by the seller’s rules' }),
  ),
  buyer: Type.Optional(Type.Object({ alias: optionalText(200), customer_ref: optionalText(200) })),
  ship_to: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      additionalProperties: true,
      description:
        '`name, company, line1, line2, city, state, postcode, country, phone, email, delivery_note, authority_to_leave`',
    }),
  ),
  loyalty: Type.Optional(Type.Boolean()),
  seller_discount_minor: Type.Optional(Amount),
  promotions: Type.Optional(
    Type.Array(Type.Object({ promotion_id: Name(), discount_minor: Amount }), {
      maxItems: LINES_MAX,
      description: 'What of `seller_discount_minor` the seller’s promotions have granted',
    }),
  ),
  lines: Type.Array(
    Type.Object({
      kind: StringEnum(['item', 'shipping']),
      seller_sku: optionalText(200),
      title: optionalText(500),
      quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: QUANTITY_MAX })),
      unit_price_minor: Amount,
      platform_fee_bps: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 10_000 }))),
    }),
    { minItems: 1, maxItems: LINES_MAX },
  ),
});
type PlacedData = Static<typeof Data>;

/** A line with a title is recorded even with an unknown SKU, so that no sale is lost. */
const UNKNOWN_SKU = 'sku_not_found';
/** For the same reason: a promotion that is unknown, another seller's or was over when the order was placed. */
const UNKNOWN_PROMOTION = 'promotion_not_found';

function lineOf(line: PlacedData['lines'][number], products: ReadonlyMap<string, SkuProduct>): PlacedLine {
  const product = line.seller_sku == null ? undefined : products.get(line.seller_sku);
  if (line.kind === 'item' && product === undefined && line.title == null)
    throw new IntakeRejection(
      UNKNOWN_SKU,
      `The seller has no product with the SKU "${line.seller_sku ?? ''}".`,
    );
  return {
    kind: line.kind,
    quantity: line.kind === 'item' ? (line.quantity ?? 1) : 1,
    unit_price_minor: minor(line.unit_price_minor),
    seller_sku: line.seller_sku ?? null,
    title: line.title ?? product?.title ?? null,
    category: product?.category ?? null,
    gtin: product?.gtin14 ?? null,
    weight_g: product?.weight_g ?? null,
    image_url: product?.image_url ?? null,
    product_id: line.kind === 'item' ? (product?.product_id ?? null) : null,
    platform_fee_bps: line.platform_fee_bps ?? null,
  };
}

type Deadlines = DispatchDeadline & Pick<Placed, 'accept_by'>;

/**
 * The deadlines of an order that is recorded now, by the settings, the profiles and the closing of its placement. A
 * later change of the seller does not move them.
 */
async function deadlinesOf(ctx: Acting, data: PlacedData, placedAt: string, now: number): Promise<Deadlines> {
  const trading = readTrading(ctx, placedAt);
  const items = data.lines.filter(({ kind }) => kind === 'item');
  const dispatch =
    data.dispatch_by === undefined
      ? await dispatchDeadline(
          ctx,
          items.map(({ seller_sku }) => seller_sku ?? null),
          { placedAt, from: now },
          trading,
        )
      : { dispatch_by: new Date(data.dispatch_by).toISOString(), dispatch_rule: MARKETPLACE_RULE };
  return { accept_by: acceptBy(now, (await trading).extension), ...dispatch };
}

/** The placement without contact data in the alias. */
function withoutContact(data: PlacedData): PlacedData {
  const { buyer } = data;
  return buyer?.alias == null ? data : { ...data, buyer: { ...buyer, alias: cleanAlias(buyer.alias) } };
}

/** The placement without the buyer. */
const withoutBuyer = ({ buyer: _, ...data }: Readonly<Record<string, unknown>>) => data;

function placedOf(
  { ids }: IntakeCtx,
  { subject, data: sent, placed_at }: { subject: string; data: PlacedData; placed_at: string },
  products: readonly SkuProduct[],
  deadlines: Deadlines,
  buyer: ResolvedBuyer,
): Placed {
  const data: PlacedData = buyer.erased ? { ...sent, buyer: {} } : sent;
  const own = subject.startsWith('ord_') && subject.length <= ORDER_ID_CHARS_MAX;
  const bySku = new Map(products.map((product) => [product.seller_sku, product]));
  return {
    order_id: own ? subject : ids.next('ord_'),
    external_order_id: own ? null : subject,
    order_number: data.order_number ?? subject,
    currency: data.currency,
    loyalty: data.loyalty ?? false,
    seller_discount_minor: minor(data.seller_discount_minor ?? 0),
    buyer_id: buyer.buyer_id,
    buyer_alias: data.buyer?.alias ?? buyer.alias,
    customer_ref: data.buyer?.customer_ref ?? null,
    ship_to: data.ship_to ?? {},
    placed_at: new Date(placed_at).toISOString(),
    placed_facts: buyer.erased ? withoutBuyer(data) : { ...data },
    search_text: searchText({ ...data, names: [subject, data.order_number, data.buyer?.alias] }),
    ...deadlines,
    lines: data.lines.map((line) => lineOf(line, bySku)),
  };
}

/** A repeated placement is stale when its content is the same, and refused when it differs. */
async function answerRepeated(ctx: Acting, orderId: string, data: PlacedData): Promise<IntakeOutcome> {
  const head = (await loadOrder(ctx, orderId))?.head;
  if (head === undefined || head.erased_at !== null) return { status: 'stale' };
  const sent = JSON.parse(JSON.stringify(data)) as Readonly<Record<string, unknown>>;
  // What was erased of the buyer is not compared.
  const same = isDeepStrictEqual(head.placed_facts, 'buyer' in head.placed_facts ? sent : withoutBuyer(sent));
  if (same) return { status: 'stale' };
  throw new IntakeRejection(
    'invalid_transition',
    'An order with this id was placed before with different content.',
  );
}

async function applyPlaced(intake: IntakeCtx, event: MarketplaceEvent<PlacedData>): Promise<IntakeOutcome> {
  const { subject } = event;
  const data = withoutContact(event.data);
  if (subject === null) throw new IntakeRejection('data_invalid', 'subject must name the order');
  requireNotFuture(intake.now(), {
    'data/placed_at': data.placed_at,
    'data/dispatch_by': data.dispatch_by,
  });
  const { dispatch_by, placed_at = event.time } = data;
  if (dispatch_by !== undefined && Date.parse(dispatch_by) < Date.parse(placed_at))
    throw new IntakeRejection('data_invalid', 'data/dispatch_by must not be before the order was placed');
  if (!data.lines.some(({ kind }) => kind === 'item'))
    throw new IntakeRejection('data_invalid', 'data/lines must contain at least one line of kind item');
  requireCurrency('data/currency', data.currency);
  const { promotions = [], seller_discount_minor = 0 } = data;
  if (sumMinor(promotions.map((one) => minor(one.discount_minor))) > minor(seller_discount_minor))
    throw new IntakeRejection(
      'promotion_amounts',
      'data/promotions must not sum to more than data/seller_discount_minor',
    );
  const ctx = intake.acting(event.seller_id ?? '');
  const now = ctx.now();
  const skus = data.lines.flatMap(({ seller_sku }) => (seller_sku == null ? [] : [seller_sku]));
  const [known, , existing, products, deadlines, buyer] = await Promise.all([
    intake.knows(ctx.seller_id),
    lockOrderName(ctx, subject),
    findOrderId(ctx, 'order', subject),
    productsBySku(ctx, skus),
    deadlinesOf(ctx, data, placed_at, now),
    resolveBuyer(ctx, event.data.buyer ?? {}, placed_at),
  ]);
  if (!known) throw sellerNotFound();
  if (existing !== undefined) return answerRepeated(ctx, existing, data);
  if (!(await hasRates(ctx.db, data.currency, sydneyDate(now))))
    throw new IntakeRejection(
      'no_schedule_for_currency',
      `No fee schedule for orders in ${data.currency} counts yet; publish one with marketplace.fee_schedule.published`,
    );
  const placed = placedOf(intake, { subject, data, placed_at }, products, deadlines, buyer);
  const unknown = placed.lines.some(({ kind, product_id }) => kind === 'item' && product_id === null);
  const warnings = unknown ? [UNKNOWN_SKU] : [];
  try {
    const order = place(placed, now, (kind) => ctx.ids.next(kind));
    const work = openWork(order, now, (kind) => ctx.ids.next(kind));
    await reserveAll(
      ctx,
      work,
      itemsOf(work.order).map((line) => ({ line, quantity: openOf(line) })),
    );
    work.notes.push({ action: 'placed', occurred_at: placed.placed_at });
    emitOrder(work, 'order.created');
    const recorded = await finishWork(ctx, undefined, work);
    if (!(await usePromotions(ctx, recorded))) warnings.push(UNKNOWN_PROMOTION);
    // The order is delivered before it is erased.
    if (buyer.erased) await eraseLater(ctx, data.buyer?.customer_ref ?? '', placed.order_id);
  } catch (error) {
    if (error instanceof ImpossibleAmounts) throw new IntakeRejection('data_invalid', error.message);
    throw error;
  }
  return { status: 'applied', ...(warnings.length > 0 ? { warnings } : {}) };
}

export const orderPlaced = defineMarketplaceEvent({
  type: 'marketplace.order.placed',
  summary:
    'A sale. Units beyond the stock are recorded and flagged as oversold. A line with a title is recorded even when its SKU is unknown',
  subject: 'marketplace order id',
  schema: Data,
  example: {
    order_number: '1002',
    currency: 'AUD',
    placed_at: '2026-06-28T01:00:00Z',
    buyer: { alias: 'buyer_9f2', customer_ref: 'cus_77' },
    ship_to: {
      name: 'Mia Chen',
      line1: '1 George Street',
      city: 'Sydney',
      state: 'NSW',
      postcode: '2000',
      country: 'AU',
    },
    loyalty: true,
    seller_discount_minor: 500,
    lines: [
      {
        kind: 'item',
        seller_sku: 'MUG-BLU',
        title: 'Blue stoneware mug, 350 ml',
        quantity: 3,
        unit_price_minor: 2499,
        platform_fee_bps: 1000,
      },
      { kind: 'shipping', unit_price_minor: 995 },
    ],
  },
  apply: applyPlaced,
});
