/**
 * Orders move the stock of many products at once: placement reserves units, cancellation releases them, dispatch
 * consumes them, a return or a delivery of a supplier restocks them, and the reversal of a delivery removes them. A
 * connected store sets the units of a product. Stock never falls below zero.
 * Source: docs/design/orders.md#stock-and-orders.
 */
import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { QUANTITY_MAX } from '../domain/fields/limits.ts';
import type { StockRow, StockSource } from '../domain/product.ts';
import { quantityAvailable } from '../domain/visibility.ts';
import { errors } from '../errors.ts';
import { hasMoreUnits, offerStock } from '../store/offer-stock.ts';
import { insertChanges } from '../store/product-changes.ts';
import { type HeldStock, holdStock, writeHeldStock, writeStockSource } from '../store/stock-moves.ts';
import { eventsOfStock } from './events-of.ts';

/** The seller, the transaction and the actor. */
type StockContext = SellerDb & Pick<Acting, 'by' | 'at' | 'ids' | 'correlation' | 'emit'>;

interface StockLine {
  readonly product_id: string;
  /** At least 1. */
  readonly quantity: number;
}

interface StockMove extends StockLine {
  readonly kind: 'release' | 'consume' | 'restock' | 'remove';
}

type Units = Pick<StockRow, 'quantity_on_hand' | 'quantity_reserved'>;

/** Sellers may set fewer units on hand than are reserved; no number is negative. */
const MOVES: Readonly<Record<StockMove['kind'], (stock: Units, units: number) => Units>> = {
  release: ({ quantity_on_hand, quantity_reserved }, units) => ({
    quantity_on_hand,
    quantity_reserved: Math.max(0, quantity_reserved - units),
  }),
  consume: ({ quantity_on_hand, quantity_reserved }, units) => ({
    quantity_on_hand: quantity_on_hand === null ? null : Math.max(0, quantity_on_hand - units),
    quantity_reserved: Math.max(0, quantity_reserved - units),
  }),
  restock: ({ quantity_on_hand, quantity_reserved }, units) => ({
    quantity_on_hand: quantity_on_hand === null ? null : Math.min(QUANTITY_MAX, quantity_on_hand + units),
    quantity_reserved,
  }),
  remove: ({ quantity_on_hand, quantity_reserved }, units) => ({
    quantity_on_hand: quantity_on_hand === null ? null : Math.max(0, quantity_on_hand - units),
    quantity_reserved,
  }),
};

/**
 * What moves the stock that a supplier counts. A release takes the units away, so that the available units stay; the
 * mirror adds what the supplier's count allows. Units that come back from a buyer are not with the supplier.
 */
const MIRRORED: typeof MOVES = {
  ...MOVES,
  release: MOVES.consume,
  restock: (stock) => stock,
  remove: (stock) => stock,
};

interface StockChange {
  readonly before: HeldStock;
  readonly units: Units & Partial<Pick<StockRow, 'stock_source'>>;
  /** An order needs more units than are in stock. */
  readonly oversold: boolean;
}

const UNIT_FIELDS = ['quantity_on_hand', 'quantity_reserved'] as const;
const HISTORY_FIELDS = [...UNIT_FIELDS, 'stock_source'] as const;

async function save(
  acting: StockContext,
  stock: readonly StockChange[],
  action: string,
  reference: string,
): Promise<void> {
  if (stock.length === 0) return;
  const at = acting.at();
  const ctx = { ...acting, at: () => at };
  const rows = stock.map(({ before, units, oversold }) => ({
    before,
    after: { ...before, ...units, stock_version: before.stock_version + 1, stock_updated_at: at },
    oversold,
  }));
  const changes = rows.map(({ before, after }) => ({
    product_id: after.product_id,
    version: after.product_version,
    action,
    changes: [
      ...HISTORY_FIELDS.filter((field) => before[field] !== after[field]).map((field) => ({
        field,
        before: before[field],
        after: after[field],
      })),
      { field: 'reason', before: null, after: reference },
    ],
  }));
  await Promise.all([
    writeHeldStock(
      ctx,
      rows.map(({ after }) => after),
    ),
    insertChanges(ctx, changes),
    ctx.emit(...rows.flatMap(({ before, after, oversold }) => eventsOfStock(before, after, oversold))),
  ]);
  if (rows.some(({ before, after }) => hasMoreUnits(before, after))) await offerStock(ctx);
}

interface CountedStock {
  readonly before: HeldStock;
  readonly on_hand: number | null;
}

/**
 * Sets the units on hand of products whose stock is held. Products that another counts stay as they are.
 *
 * @param reference who counted them, for the history
 */
export const setUnits = (
  ctx: StockContext,
  counted: readonly CountedStock[],
  reference: string,
  source: StockSource = 'own',
): Promise<void> =>
  save(
    ctx,
    counted
      .filter(({ before, on_hand }) => before.stock_source === source && on_hand !== before.quantity_on_hand)
      .map(({ before, on_hand }) => ({
        ...{ before, oversold: false },
        units: { quantity_on_hand: on_hand, quantity_reserved: before.quantity_reserved },
      })),
    'stock_set',
    reference,
  );

/**
 * Hands the count of a product to a supplier or back to the seller. Only reserved units are left: the mirror adds what
 * the supplier has.
 *
 * @param reference the listing, for the history
 * @throws ApiError 404, 409 `own_stock_present`
 */
export async function changeStockSource(
  ctx: StockContext,
  productId: string,
  source: StockSource,
  reference: string,
): Promise<void> {
  const [before] = await holdStock(ctx.db, ctx.seller_id, [productId], ctx.at());
  if (before === undefined) throw fail(coreErrors.not_found);
  const { quantity_on_hand, quantity_reserved } = before;
  if (before.stock_source === source) return;
  if (source === 'supplier' && (quantity_on_hand ?? 0) > 0)
    throw fail(errors.own_stock_present, { facts: { quantity_on_hand } });
  await writeStockSource(ctx, productId, source);
  const units = { quantity_on_hand: quantity_reserved, quantity_reserved, stock_source: source };
  await save(ctx, [{ before, oversold: false, units }], 'stock_source_changed', reference);
}

const idsOf = (lines: readonly StockLine[]): string[] => [
  ...new Set(lines.map(({ product_id }) => product_id)),
];

/** Units that can still be reserved. Unknown stock counts as the largest possible stock. */
const reservable = (stock: StockRow): number =>
  quantityAvailable(stock) ?? Math.max(0, QUANTITY_MAX - stock.quantity_reserved);

/**
 * Reserves the available units of each line; all of them when the stock is unknown.
 *
 * @param lines at most one per product
 * @param reference the order, for the history
 * @returns the reserved units by product, and the products whose units a supplier counts
 */
export async function reserveStock(
  ctx: StockContext,
  lines: readonly StockLine[],
  reference: string,
): Promise<{ readonly reserved: ReadonlyMap<string, number>; readonly supplied: ReadonlySet<string> }> {
  if (lines.length === 0) return { reserved: new Map(), supplied: new Set() };
  const held = await holdStock(ctx.db, ctx.seller_id, idsOf(lines), ctx.at());
  const wanted = new Map(lines.map(({ product_id, quantity }) => [product_id, quantity]));
  const taken = held.map((before) => {
    const units = wanted.get(before.product_id) ?? 0;
    const reserved = Math.min(units, reservable(before));
    return { before, reserved, oversold: reserved < units };
  });
  await save(
    ctx,
    taken
      .filter(({ reserved, oversold }) => reserved > 0 || oversold)
      .map(({ before, reserved, oversold }) => ({
        before,
        oversold,
        units: {
          quantity_on_hand: before.quantity_on_hand,
          quantity_reserved: before.quantity_reserved + reserved,
        },
      })),
    'stock_reserved',
    reference,
  );
  return {
    reserved: new Map(taken.map(({ before, reserved }) => [before.product_id, reserved])),
    supplied: new Set(
      taken.flatMap(({ before }) => (before.stock_source === 'supplier' ? [before.product_id] : [])),
    ),
  };
}

/**
 * Moves units of many products; several moves of one product are applied one after the other.
 *
 * @param action one word for the history of the products
 * @param reference the order or the receipt, for the history
 * @returns by product, the consumed units that were not in stock: the seller had set the stock below the reserved
 *   units
 */
export async function moveStock(
  ctx: StockContext,
  moves: readonly StockMove[],
  action: string,
  reference: string,
): Promise<ReadonlyMap<string, number>> {
  const missing = new Map<string, number>();
  if (moves.length === 0) return missing;
  const held = await holdStock(ctx.db, ctx.seller_id, idsOf(moves), ctx.at());
  const moved = held.map((before) => ({
    before,
    oversold: false,
    units: moves
      .filter(({ product_id }) => product_id === before.product_id)
      .reduce<Units>((stock, { kind, product_id, quantity }) => {
        const short = kind === 'consume' ? quantity - (stock.quantity_on_hand ?? quantity) : 0;
        if (short > 0) missing.set(product_id, (missing.get(product_id) ?? 0) + short);
        return (before.stock_source === 'own' ? MOVES : MIRRORED)[kind](stock, quantity);
      }, before),
  }));
  await save(
    ctx,
    moved.filter(({ before, units }) => UNIT_FIELDS.some((field) => before[field] !== units[field])),
    action,
    reference,
  );
  return missing;
}
