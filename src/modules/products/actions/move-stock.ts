/**
 * Stock as orders move it: placement reserves what there is, cancellation releases it, dispatch consumes it, a
 * return may put it back. Sets of products at once; none ever goes below zero.
 * Source: docs/design/orders.md#stock-and-orders.
 */
import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import { QUANTITY_MAX } from '../domain/fields/limits.ts';
import type { StockRow } from '../domain/product.ts';
import { isLowStock, quantityAvailable } from '../domain/visibility.ts';
import { inventoryToWire } from '../schemas/inventory-to-wire.ts';
import { cameIn, offerStock } from '../store/offer-stock.ts';
import { insertChanges } from '../store/product-changes.ts';
import { type HeldStock, holdStock, writeHeldStock } from '../store/stock-moves.ts';
import type { WriteContext } from './write-context.ts';

export interface StockLine {
  readonly product_id: string;
  /** Units, above zero. */
  readonly quantity: number;
}

export interface StockMove extends StockLine {
  readonly kind: 'release' | 'consume' | 'restock';
}

type Units = Pick<StockRow, 'quantity_on_hand' | 'quantity_reserved'>;

/** What is physically there may be less than what is reserved (stock can be set so), and is never negative. */
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
};

/** The types of events that a move calls for, in their order. */
function typesOf(before: StockRow, after: StockRow, short: boolean): string[] {
  const types = ['inventory.updated'];
  if (quantityAvailable(after) === 0 && quantityAvailable(before) !== 0) types.push('inventory.out_of_stock');
  else if (isLowStock(after) && !isLowStock(before)) types.push('inventory.low_stock');
  return short ? [...types, 'inventory.oversold'] : types;
}

function eventsOf(before: StockRow, after: StockRow, short: boolean): DeclaredEvent[] {
  const object = inventoryToWire(after);
  const now: Readonly<Record<string, unknown>> = { ...object };
  const previous = Object.fromEntries(
    Object.entries(inventoryToWire(before)).filter(
      ([key, value]) => key !== 'version' && key !== 'updated_at' && value !== now[key],
    ),
  );
  return typesOf(before, after, short).map((type) => ({
    type,
    object_id: after.product_id,
    object_version: after.stock_version,
    data: { object, previous },
  }));
}

interface Moved {
  readonly before: HeldStock;
  readonly units: Units;
  /** An order asked for more than there was. */
  readonly short: boolean;
}

async function save(
  ctx: WriteContext,
  moved: readonly Moved[],
  action: string,
  reference: string,
): Promise<void> {
  const at = new Date(ctx.now()).toISOString();
  const rows = moved.map(({ before, units, short }) => {
    const after = {
      ...before,
      ...units,
      stock_version: before.stock_version + 1,
      stock_updated_at: at,
    };
    return { before, after, short };
  });
  if (rows.length === 0) return;
  const fields = ['quantity_on_hand', 'quantity_reserved'] as const;
  const changes = rows.map(({ before, after }) => ({
    product_id: after.product_id,
    version: after.product_version,
    action,
    changes: [
      ...fields
        .filter((field) => before[field] !== after[field])
        .map((field) => ({ field, before: before[field], after: after[field] })),
      { field: 'reason', before: null, after: reference },
    ],
  }));
  const held = rows.map(({ after }) => after);
  await Promise.all([
    writeHeldStock(ctx.db, ctx.sellerId, held, at),
    insertChanges(ctx.db, ctx.sellerId, ctx.actor, at, changes),
    ctx.emit(...rows.flatMap(({ before, after, short }) => eventsOf(before, after, short))),
  ]);
  if (rows.some(({ before, after }) => cameIn(before, after)))
    await offerStock(ctx.db, { ...ctx, now: ctx.now() });
}

const idsOf = (lines: readonly StockLine[]): string[] => [
  ...new Set(lines.map(({ product_id }) => product_id)),
];

/** Units that can still be reserved. A stock that is not known is taken for the largest there can be. */
const room = (stock: StockRow): number =>
  quantityAvailable(stock) ?? Math.max(0, QUANTITY_MAX - stock.quantity_reserved);

/**
 * Reserves as much of each product as there is. Of a product whose stock is not known everything is reserved, up to
 * the largest stock there can be.
 *
 * @param lines one for each product
 * @param reference what the units are reserved for, for the history
 * @returns units reserved, by product
 */
export async function reserveStock(
  ctx: WriteContext,
  lines: readonly StockLine[],
  reference: string,
): Promise<ReadonlyMap<string, number>> {
  if (lines.length === 0) return new Map();
  const at = new Date(ctx.now()).toISOString();
  const held = await holdStock(ctx.db, ctx.sellerId, idsOf(lines), at);
  const wanted = new Map(lines.map(({ product_id, quantity }) => [product_id, quantity]));
  const taken = held.map((before) => {
    const units = wanted.get(before.product_id) ?? 0;
    const reserved = Math.min(units, room(before));
    return { before, reserved, short: reserved < units };
  });
  await save(
    ctx,
    taken
      .filter(({ reserved, short }) => reserved > 0 || short)
      .map(({ before, reserved, short }) => ({
        before,
        short,
        units: {
          quantity_on_hand: before.quantity_on_hand,
          quantity_reserved: before.quantity_reserved + reserved,
        },
      })),
    'stock_reserved',
    reference,
  );
  return new Map(taken.map(({ before, reserved }) => [before.product_id, reserved]));
}

/**
 * Moves units of many products, several moves of one product one after the other.
 *
 * @param action word for the history of the products
 * @param reference what the units are moved for
 * @returns units that were to be consumed and were not there, by product: the stock had been set below what is reserved
 */
export async function moveStock(
  ctx: WriteContext,
  moves: readonly StockMove[],
  action: string,
  reference: string,
): Promise<ReadonlyMap<string, number>> {
  const missing = new Map<string, number>();
  if (moves.length === 0) return missing;
  const held = await holdStock(ctx.db, ctx.sellerId, idsOf(moves), new Date(ctx.now()).toISOString());
  const moved = held.map((before) => ({
    before,
    short: false,
    units: moves
      .filter(({ product_id }) => product_id === before.product_id)
      .reduce<Units>((stock, { kind, product_id, quantity }) => {
        const short = kind === 'consume' ? quantity - (stock.quantity_on_hand ?? quantity) : 0;
        if (short > 0) missing.set(product_id, (missing.get(product_id) ?? 0) + short);
        return MOVES[kind](stock, quantity);
      }, before),
  }));
  await save(
    ctx,
    moved.filter(
      ({ before, units }) =>
        before.quantity_on_hand !== units.quantity_on_hand ||
        before.quantity_reserved !== units.quantity_reserved,
    ),
    action,
    reference,
  );
  return missing;
}
