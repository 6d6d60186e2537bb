import { ApiError, invalid } from '../../../kernel/errors.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { itemErrorBody } from '../../../platform/http/errors.ts';
import { type BulkOutcome, bulkWrite } from '../actions/bulk-write.ts';
import type { ProductRequest } from '../actions/plan-requests.ts';
import { shopOf } from '../actions/shop-of.ts';
import { productIdOf } from '../domain/product-id.ts';
import { errors, productWriteErrors } from '../errors.ts';
import { BULK_MAX, BulkInput, type BulkOperation, BulkResult } from '../schemas/bulk.ts';
import { PRODUCT_EXAMPLE } from '../schemas/examples.ts';
import type { ProductBody } from '../schemas/product-input.ts';
import { type Shop, toWire } from '../schemas/to-wire.ts';
import { readBody } from './read-body.ts';

const MODES: Readonly<Record<BulkOperation, ProductRequest['mode']>> = {
  upsert: 'upsert',
  create: 'create_only',
  update: 'update_only',
  archive: 'update_only',
};

interface Item {
  readonly operation?: BulkOperation;
  readonly product_id?: string;
  readonly seller_sku?: string;
  readonly product?: ProductBody;
}

/** @throws ApiError 422 when the item and its product name two SKUs: either could be meant */
function refuseTwoSkus({ product_id, seller_sku, product }: Item): void {
  const stated = product?.seller_sku;
  if (product_id !== undefined || seller_sku === undefined || stated == null) return;
  if (seller_sku.trim() === stated.trim()) return;
  const msg =
    'The item and its product have two SKUs. To change the SKU of a product, name it by product_id.';
  throw invalid([{ loc: ['body', 'seller_sku'], msg, type: 'sku_conflict', input: stated }]);
}

/** Reads one item; an error concerns this item only. */
function readItem(item: Item): ProductRequest | ApiError {
  const { operation = 'upsert', product_id, seller_sku, product = {} } = item;
  try {
    if (operation !== 'archive') refuseTwoSkus(item);
    // The SKU of the item names the product unless the product has one.
    const named = seller_sku === undefined ? {} : { seller_sku };
    const read =
      operation === 'archive'
        ? { patch: { ...named, status: 'archived' as const }, messages: [] }
        : readBody(product.seller_sku === undefined ? { ...product, ...named } : product);
    return {
      mode: MODES[operation],
      ...read,
      ...(product_id === undefined ? {} : { product_id: productIdOf({ product_id }) }),
    };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const STATUS = { created: 201, updated: 200, unchanged: 200 } as const;

function toResult(
  { outcome, product, warnings, error }: BulkOutcome,
  index: number,
  item: Item | undefined,
  { shop, requestId }: { readonly shop: Shop; readonly requestId: string },
) {
  // The fields are those of the product, except for a SKU that only the item has.
  const ofItem = item?.product?.seller_sku === undefined ? 'seller_sku' : undefined;
  const pathTo = (field: unknown) => ['items', index, ...(field === ofItem ? [] : ['product'])];
  return {
    index,
    status: error === null && outcome !== 'failed' ? STATUS[outcome] : (error?.status ?? 500),
    outcome,
    product: product === null ? null : toWire(product, shop),
    warnings,
    error: error === null ? null : itemErrorBody(error, requestId, pathTo),
  };
}

const OUTCOMES = ['created', 'updated', 'unchanged', 'failed'] as const;

export const bulkRoutes = [
  defineRoute({
    id: 'products.bulk.write',
    method: 'POST',
    path: '/bulk',
    summary: `Write up to ${BULK_MAX} products`,
    description:
      'Items are applied in their order, in one transaction. Each item gets its own result; a rejected item does not stop the others. `update` and `archive` name a product by `product_id` or `seller_sku`.',
    access: {
      auth: 'seller',
      permission: 'catalogue:write',
      plan: 'bulk_operations',
      growsCatalogue: true,
      rate: 'write',
      idempotency: 'optional',
    },
    body: {
      kind: 'json',
      schema: BulkInput,
      example: {
        items: [
          { operation: 'update', seller_sku: 'MUG-BLU', product: { price_minor: 2299 } },
          { operation: 'archive', seller_sku: 'MUG-RED' },
        ],
      },
    },
    ok: okJson('One result per item, in the order of the items', BulkResult, {
      counts: { items: 1, created: 0, updated: 1, unchanged: 0, failed: 0 },
      results: [
        {
          index: 0,
          status: 200,
          outcome: 'updated',
          product: { ...PRODUCT_EXAMPLE, price_minor: 2299, version: 2 },
          warnings: [],
          error: null,
        },
      ],
    }),
    errors: [...productWriteErrors, errors.stock_mirrored],
    handler: async (ctx, { body }) => {
      const outcomes = await bulkWrite(ctx, body.items.map(readItem));
      const about = { shop: await shopOf(ctx), requestId: ctx.request_id };
      const counted = OUTCOMES.map((name) => [
        name,
        outcomes.filter(({ outcome }) => outcome === name).length,
      ]);
      return {
        body: {
          counts: { items: outcomes.length, ...Object.fromEntries(counted) },
          results: outcomes.map((outcome, index) => toResult(outcome, index, body.items[index], about)),
        },
      };
    },
  }),
];
