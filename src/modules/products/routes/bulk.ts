import { ApiError } from '../../../kernel/errors.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { errorBody } from '../../../platform/http/errors.ts';
import { type BulkItem, type BulkOutcome, bulkWrite } from '../actions/bulk-write.ts';
import type { ProductRequest } from '../actions/plan-requests.ts';
import { productIdOf } from '../domain/product-id.ts';
import { ofWrite } from '../errors.ts';
import { BULK_MAX, BulkInput, type BulkOperation, BulkResult } from '../schemas/bulk.ts';
import { PRODUCT_EXAMPLE } from '../schemas/examples.ts';
import type { ProductBody } from '../schemas/product-input.ts';
import { toWire } from '../schemas/to-wire.ts';
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

/** An item as a request; an error is that of the item alone. */
function readItem(item: Item): BulkItem | ApiError {
  const { operation = 'upsert', product_id, seller_sku, product = {} } = item;
  try {
    const read =
      operation === 'archive' ? { patch: { status: 'archived' as const }, messages: [] } : readBody(product);
    return {
      seller_sku,
      request: {
        mode: MODES[operation],
        ...read,
        ...(product_id === undefined ? {} : { product_id: productIdOf({ product_id }) }),
      },
    };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const STATUS = { created: 201, updated: 200, unchanged: 200 } as const;

function toResult({ outcome, product, warnings, error }: BulkOutcome, index: number, requestId: string) {
  return {
    index,
    status: error === null && outcome !== 'failed' ? STATUS[outcome] : (error?.status ?? 500),
    outcome,
    product: product === null ? null : toWire(product),
    warnings,
    error: error === null ? null : errorBody(error, requestId),
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
      'Items are taken in their order, each with an answer of its own; refused ones leave the others standing, and all that is written is written in one transaction. `update` and `archive` name a product by `product_id` or `seller_sku`.',
    access: {
      auth: 'seller',
      permission: 'catalogue:write',
      plan: 'bulk_operations',
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
    ok: [
      {
        status: 200,
        description: 'One result for each item, in the order of the items',
        schema: BulkResult,
        example: {
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
        },
      },
    ],
    errors: ofWrite,
    handler: async (ctx, { body }) => {
      const outcomes = await bulkWrite(ctx, body.items.map(readItem));
      const counted = OUTCOMES.map((name) => [
        name,
        outcomes.filter(({ outcome }) => outcome === name).length,
      ]);
      return {
        body: {
          counts: { items: outcomes.length, ...Object.fromEntries(counted) },
          results: outcomes.map((outcome, index) => toResult(outcome, index, ctx.request_id)),
        },
      };
    },
  }),
];
