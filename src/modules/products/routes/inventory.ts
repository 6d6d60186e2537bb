import Type from 'typebox';
import type { Db } from '../../../kernel/context.ts';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import { PAGE_LIMIT_DEFAULT, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { type Adjustment, adjustStock } from '../actions/adjust-stock.ts';
import { type StockWritten, setStock } from '../actions/set-stock.ts';
import { productIdOf } from '../domain/product-id.ts';
import { errors, ofProduct } from '../errors.ts';
import {
  AdjustInput,
  AdjustResult,
  INVENTORY_EXAMPLE,
  Inventory,
  InventoryPage,
  ReorderPointInput,
  StockInput,
  WrittenInventory,
} from '../schemas/inventory.ts';
import { inventoryToWire } from '../schemas/inventory-to-wire.ts';
import { LookupText, productParams, SinceInstant } from '../schemas/parts.ts';
import { type InventoryPosition, listInventory, loadStock, loadStocks } from '../store/list-inventory.ts';

const read = { auth: 'seller', permission: 'catalogue:read', rate: 'read', idempotency: 'none' } as const;
const write = {
  auth: 'seller',
  permission: 'catalogue:write',
  rate: 'write',
  idempotency: 'optional',
} as const;

const example = INVENTORY_EXAMPLE;
const written = {
  status: 200,
  description: 'The stock as it is now',
  schema: WrittenInventory,
  example: { ...example, warnings: [] },
};

/** Entity tag of a stock: its own version, not that of the product. */
const tagOf = (stock: { readonly stock_version: number }): string => `s${stock.stock_version}`;

async function answer(db: Db, { product, warnings }: StockWritten) {
  const stock = await loadStock(db, product.product_id);
  if (stock === undefined) throw fail(coreErrors.not_found);
  return { body: { ...inventoryToWire(stock), warnings }, etag: tagOf(stock) };
}

/** The one adjustment of a short body, or the list of a long one. */
function adjustmentsOf(
  body: Partial<Adjustment> & { readonly adjustments?: readonly Adjustment[] },
): readonly Adjustment[] {
  const { adjustments, delta, ...one } = body;
  if (adjustments !== undefined && delta === undefined) return adjustments;
  if (adjustments === undefined && delta !== undefined) return [{ ...one, delta }];
  const msg = 'Send either `adjustments` or one `delta` with its product.';
  throw invalid([{ loc: ['body', 'adjustments'], msg, type: 'missing' }]);
}

export const inventoryRoutes = [
  defineRoute({
    id: 'products.inventory.list',
    method: 'GET',
    path: '/inventory',
    summary: 'List the stock of all products that are not archived',
    description: 'Newest product first, or last changed first with `updated_since`.',
    access: read,
    query: Type.Object({
      sku: Type.Optional(LookupText({ description: 'Exact `seller_sku`' })),
      low_stock: Type.Optional(
        Type.Boolean({ description: 'Available units are at the reorder point or below' }),
      ),
      updated_since: Type.Optional(
        SinceInstant('Stock changed at or after this instant, the last changed first'),
      ),
      ...pageQuery,
    }),
    ok: [
      {
        status: 200,
        description: 'One page',
        schema: InventoryPage,
        example: { data: [example], page: { limit: 50, next_cursor: null, has_more: false } },
      },
    ],
    errors: [],
    handler: async (ctx, { query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filters } = query;
      const { cursors } = ctx.services;
      const scope = { seller_id: ctx.seller.seller_id, route: 'products.inventory.list', filters };
      const after = cursor === undefined ? undefined : cursors.decode(scope, cursor).map(String);
      const rows = await listInventory(ctx.db, filters, after as InventoryPosition | undefined, limit);
      const { data, page } = pageOf(rows, limit, ({ product_id, stock_updated_at }) =>
        cursors.encode(
          scope,
          filters.updated_since === undefined ? [product_id] : [stock_updated_at ?? '', product_id],
        ),
      );
      return { body: { data: data.map(inventoryToWire), page } };
    },
  }),
  defineRoute({
    id: 'products.inventory.get',
    method: 'GET',
    path: '/{product_id}/inventory',
    summary: 'Read the stock of a product',
    access: read,
    params: productParams,
    ok: [{ status: 200, description: 'The stock', schema: Inventory, example }],
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const stock = await loadStock(ctx.db, productIdOf(params));
      if (stock === undefined) throw fail(coreErrors.not_found);
      return { body: inventoryToWire(stock), etag: tagOf(stock) };
    },
  }),
  defineRoute({
    id: 'products.inventory.set',
    method: 'PUT',
    path: '/{product_id}/inventory',
    summary: 'Set the stock of a product',
    description:
      'Units on hand, absolutely. With `expected_quantity` the write is refused when somebody else was faster. Fewer units than open orders hold are recorded and warned about: `stock_below_reserved`.',
    access: write,
    params: productParams,
    body: { kind: 'json', schema: StockInput, example: { quantity: 12, expected_quantity: 10 } },
    ok: [written],
    errors: [...ofProduct, errors.quantity_changed],
    handler: async (ctx, { params, body, headers }) => {
      const result = await setStock(ctx, { product_id: productIdOf(params), ...body }, (before) =>
        checkIfMatch(headers, tagOf(before)),
      );
      return answer(ctx.db, result);
    },
  }),
  defineRoute({
    id: 'products.reorder_point.set',
    method: 'PUT',
    path: '/{product_id}/reorder-point',
    summary: 'Set or remove the reorder point of a product',
    access: write,
    params: productParams,
    body: { kind: 'json', schema: ReorderPointInput, example: { reorder_point: 3 } },
    ok: [written],
    errors: ofProduct,
    handler: async (ctx, { params, body, headers }) => {
      const result = await setStock(ctx, { product_id: productIdOf(params), ...body }, (before) =>
        checkIfMatch(headers, tagOf(before)),
      );
      return answer(ctx.db, result);
    },
  }),
  defineRoute({
    id: 'products.inventory.adjust',
    method: 'POST',
    path: '/inventory/adjust',
    summary: 'Add to or take from the stock of products',
    description:
      'All adjustments are applied or none; no stock goes below zero. One adjustment may be sent without a list.',
    access: write,
    body: {
      kind: 'json',
      schema: AdjustInput,
      example: { adjustments: [{ seller_sku: 'MUG-BLU', delta: -2, reason: 'broken in the store' }] },
    },
    ok: [
      {
        status: 200,
        description: 'The stock of each product as it is now',
        schema: AdjustResult,
        example: { data: [example], warnings: [] },
      },
    ],
    errors: [coreErrors.not_found, errors.insufficient_stock, errors.quantity_unknown],
    handler: async (ctx, { body }) => {
      const { products, warnings } = await adjustStock(ctx, adjustmentsOf(body));
      const stocks = new Map(
        (
          await loadStocks(
            ctx.db,
            products.map(({ product_id }) => product_id),
          )
        ).map((row) => [row.product_id, row]),
      );
      const data = products.flatMap(({ product_id }) => stocks.get(product_id) ?? []);
      return { body: { data: data.map(inventoryToWire), warnings } };
    },
  }),
];
