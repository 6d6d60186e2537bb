import Type from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import { ApiError, coreErrors, invalid, requireFound } from '../../../kernel/errors.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { itemErrorBody } from '../../../platform/http/errors.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { type Adjustment, adjustStock } from '../actions/adjust-stock.ts';
import { resumeSince } from '../actions/resume-since.ts';
import { type StockItem, type StockSetting, setStock, setStocks } from '../actions/set-stock.ts';
import { productIdOf } from '../domain/product-id.ts';
import { errors, productRouteErrors } from '../errors.ts';
import {
  AdjustInput,
  AdjustResult,
  INVENTORY_EXAMPLE,
  Inventory,
  ReorderPointInput,
  STOCK_ITEMS_MAX,
  StockInput,
  StockListInput,
  StockListResult,
  WrittenInventory,
} from '../schemas/inventory.ts';
import { inventoryToWire } from '../schemas/inventory-to-wire.ts';
import { LookupText, productParams, SinceInstant } from '../schemas/parts.ts';
import { writeLeadTime } from '../store/lead-times.ts';
import { type InventoryPosition, listInventory, loadStock, loadStocks } from '../store/list-inventory.ts';

const read = reads('catalogue');
const write = writes('catalogue');

const example = INVENTORY_EXAMPLE;
const written = {
  status: 200,
  description: 'The changed stock',
  schema: WrittenInventory,
  example: { ...example, warnings: [] },
};

/** The entity tag of stock is made of its own version, not of the product's. */
const tagOf = (stock: { readonly stock_version: number }): string => `s${stock.stock_version}`;

interface SetRequest {
  readonly params: { readonly product_id: string };
  readonly body: StockSetting & { readonly lead_time_days?: number | null };
  readonly headers: Parameters<typeof checkIfMatch>[0];
}

/** Sets the stock or the reorder point of a product if it has the version of `If-Match`. */
async function set(ctx: SellerCtx, { params, body, headers }: SetRequest) {
  const product_id = productIdOf(params);
  const { lead_time_days, ...setting } = body;
  const { warnings } = await setStock(ctx, { product_id, ...setting }, (before) =>
    checkIfMatch(headers, tagOf(before)),
  );
  if (lead_time_days !== undefined) await writeLeadTime(ctx, product_id, lead_time_days);
  const stock = requireFound(await loadStock(ctx, product_id));
  return { body: { ...inventoryToWire(stock), warnings }, etag: tagOf(stock) };
}

/** Sets the stock of each item, and counts the outcomes. */
async function setMany(ctx: SellerCtx, items: readonly StockItem[]) {
  const outcomes = await setStocks(ctx, items);
  const ids = outcomes.flatMap((one) => ('product' in one ? [one.product.product_id] : []));
  const stocks = new Map((await loadStocks(ctx, ids)).map((row) => [row.product_id, row]));
  const counts = { items: items.length, updated: 0, unchanged: 0, failed: 0 };
  const results = outcomes.map((one, index) => {
    const item = { index, seller_sku: items[index]?.seller_sku ?? '' };
    if (one instanceof ApiError) {
      counts.failed += 1;
      const error = itemErrorBody(one, ctx.request_id, () => ['items', index]);
      return {
        ...item,
        status: one.status,
        outcome: 'failed' as const,
        inventory: null,
        warnings: [],
        error,
      };
    }
    const { product, changed, warnings } = one;
    const stock = stocks.get(product.product_id);
    const outcome = changed ? ('updated' as const) : ('unchanged' as const);
    counts[outcome] += 1;
    const inventory = stock === undefined ? null : inventoryToWire(stock);
    return { ...item, status: 200, outcome, inventory, warnings, error: null };
  });
  return { counts, results };
}

/** A body has one adjustment, or a list of them. */
function adjustmentsOf(
  body: Partial<Adjustment> & { readonly adjustments?: readonly Adjustment[] },
): readonly Adjustment[] {
  const { adjustments, delta, ...one } = body;
  if (adjustments !== undefined && delta === undefined) return adjustments;
  if (adjustments === undefined && delta !== undefined) return [{ ...one, delta }];
  const msg = 'Send either `adjustments`, or one `delta` with its product.';
  throw invalid([{ loc: ['body', 'adjustments'], msg, type: 'missing' }]);
}

export const inventoryRoutes = [
  pageRoute({
    id: 'products.inventory.list',
    path: '/inventory',
    summary: 'List the stock of all products that are not archived',
    description: 'Newest product first; with `updated_since` last changed first.',
    access: read,
    filters: {
      sku: Type.Optional(LookupText({ description: 'Exact `seller_sku`' })),
      low_stock: Type.Optional(
        Type.Boolean({ description: 'Products whose available units are at or below the reorder point' }),
      ),
      out_of_stock: Type.Optional(
        Type.Boolean({ description: 'Products whose counted stock has no available unit, or all others' }),
      ),
      updated_since: Type.Optional(
        SinceInstant('Stock changed at or after this instant, last changed first'),
      ),
    },
    schema: Inventory,
    example,
    read: async (ctx, { filters, after, limit }) => {
      const rows = await listInventory(ctx, filters, after as InventoryPosition | undefined, limit);
      return rows.map((row) => ({ row, byChange: filters.updated_since !== undefined }));
    },
    position: ({ row: { stock_updated_at, product_id }, byChange }) =>
      byChange ? [stock_updated_at ?? '', product_id] : [product_id],
    view: ({ row }) => inventoryToWire(row),
    resume: resumeSince,
  }),
  defineRoute({
    id: 'products.inventory.get',
    method: 'GET',
    path: '/{product_id}/inventory',
    tagged: true,
    summary: 'Read the stock of a product',
    description: 'Shows units on hand, reserved and available, and the reorder point.',
    access: read,
    params: productParams,
    ok: okJson('The stock', Inventory, example),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const stock = requireFound(await loadStock(ctx, productIdOf(params)));
      return { body: inventoryToWire(stock), etag: tagOf(stock) };
    },
  }),
  defineRoute({
    id: 'products.inventory.set',
    method: 'PUT',
    path: '/{product_id}/inventory',
    summary: 'Set the stock of a product',
    description:
      'Sets the units on hand. With `expected_quantity`, a request fails with 409 when the quantity has changed. A quantity below the reserved units is stored and gets the warning `stock_below_reserved`.',
    access: write,
    params: productParams,
    body: { kind: 'json', schema: StockInput, example: { quantity: 12, expected_quantity: 10 } },
    ok: [written],
    errors: [...productRouteErrors, errors.quantity_changed, errors.stock_mirrored],
    handler: set,
  }),
  defineRoute({
    id: 'products.reorder_point.set',
    method: 'PUT',
    path: '/{product_id}/reorder-point',
    summary: 'Set or remove the reorder point of a product',
    description:
      'Null removes it. Stock at or below it counts as low. `lead_time_days` is shown in the reorder suggestions.',
    access: write,
    params: productParams,
    body: { kind: 'json', schema: ReorderPointInput, example: { reorder_point: 3, lead_time_days: 14 } },
    ok: [written],
    errors: productRouteErrors,
    handler: set,
  }),
  defineRoute({
    id: 'products.stock_list.set',
    method: 'POST',
    path: '/inventory/set',
    summary: 'Set the stock of products by their SKUs',
    description: `Sets the units on hand of up to ${STOCK_ITEMS_MAX} products, in one transaction. Each item gets its own result; a rejected item does not stop the others. Every plan has this route, and it uses no feed run.`,
    access: write,
    body: {
      kind: 'json',
      schema: StockListInput,
      example: { items: [{ seller_sku: 'MUG-BLU', quantity: 12 }] },
    },
    ok: okJson('One result per item, in the order of the items', StockListResult, {
      counts: { items: 1, updated: 1, unchanged: 0, failed: 0 },
      results: [
        {
          index: 0,
          seller_sku: 'MUG-BLU',
          status: 200,
          outcome: 'updated',
          inventory: example,
          warnings: [],
          error: null,
        },
      ],
    }),
    errors: [coreErrors.conflict],
    handler: async (ctx, { body }) => ({ body: await setMany(ctx, body.items) }),
  }),
  defineRoute({
    id: 'products.inventory.adjust',
    method: 'POST',
    path: '/inventory/adjust',
    summary: 'Adjust the stock of products',
    description:
      'Adds units or removes them. All adjustments are applied or none; stock cannot fall below zero. A single adjustment needs no list.',
    access: write,
    body: {
      kind: 'json',
      schema: AdjustInput,
      example: { adjustments: [{ seller_sku: 'MUG-BLU', delta: -2, reason: 'broken in the store' }] },
    },
    ok: okJson('The changed stock of each product', AdjustResult, { data: [example], warnings: [] }),
    errors: [coreErrors.not_found, errors.insufficient_stock, errors.quantity_unknown, errors.stock_mirrored],
    handler: async (ctx, { body }) => {
      const { products, warnings } = await adjustStock(
        ctx,
        adjustmentsOf(body),
        body.adjustments !== undefined,
      );
      const ids = products.map(({ product_id }) => product_id);
      const stocks = new Map((await loadStocks(ctx, ids)).map((row) => [row.product_id, row]));
      const data = ids.flatMap((id) => stocks.get(id) ?? []);
      return { body: { data: data.map(inventoryToWire), warnings } };
    },
  }),
];
