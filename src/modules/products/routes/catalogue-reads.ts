import Type from 'typebox';
import { type CursorPosition, pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { PAGE_LIMIT_DEFAULT, pageQuery, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { CURATION_STATES } from '../domain/product.ts';
import { productIdOf } from '../domain/product-id.ts';
import { PRODUCT_STATUSES } from '../domain/row.ts';
import { PRODUCT_EXAMPLE } from '../schemas/examples.ts';
import { LookupText, productParams, SinceInstant } from '../schemas/parts.ts';
import { Product, ProductPage } from '../schemas/product.ts';
import { productTag, toWire } from '../schemas/to-wire.ts';
import { listProducts, type ProductPosition } from '../store/list-products.ts';
import { loadProduct } from '../store/load-products.ts';

const access = { auth: 'seller', permission: 'catalogue:read', rate: 'read', idempotency: 'none' } as const;

export const productFilters = {
  status: Type.Optional(StringEnum(PRODUCT_STATUSES, { description: 'Default: all but archived' })),
  curation: Type.Optional(StringEnum(CURATION_STATES)),
  sku: Type.Optional(LookupText({ description: 'Exact `seller_sku`' })),
  q: Type.Optional(
    LookupText({
      description: 'Words of SKU, title and brand; each must occur, accents and case do not matter',
    }),
  ),
  category: Type.Optional(LookupText({ description: 'Exact category' })),
  updated_since: Type.Optional(
    SinceInstant(
      'Products changed at or after this instant, the last changed first, archived ones too. Stock has its own: `GET /products/inventory`',
    ),
  ),
};

export const catalogueReadRoutes = [
  defineRoute({
    id: 'products.list',
    method: 'GET',
    path: '',
    summary: 'List products',
    description: 'Newest first, or last changed first with `updated_since`.',
    access,
    query: Type.Object({ ...productFilters, ...pageQuery }),
    ok: [
      {
        status: 200,
        description: 'One page',
        schema: ProductPage,
        example: { data: [PRODUCT_EXAMPLE], page: { limit: 50, next_cursor: null, has_more: false } },
      },
    ],
    errors: [],
    handler: async (ctx, { query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filters } = query;
      const { cursors } = ctx.services;
      const scope = { seller_id: ctx.seller.seller_id, route: 'products.list', filters };
      const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as ProductPosition);
      const rows = await listProducts(ctx.db, filters, after, limit);
      const { data, page } = pageOf(rows, limit, ({ updated_at, product_id }) => {
        const position: CursorPosition =
          filters.updated_since === undefined ? [product_id] : [updated_at, product_id];
        return cursors.encode(scope, position);
      });
      return { body: { data: data.map(toWire), page } };
    },
  }),
  defineRoute({
    id: 'products.get',
    method: 'GET',
    path: '/{product_id}',
    summary: 'Read a product',
    access,
    params: productParams,
    ok: [{ status: 200, description: 'The product', schema: Product, example: PRODUCT_EXAMPLE }],
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const product = await loadProduct(ctx.db, productIdOf(params));
      if (product === undefined) throw fail(coreErrors.not_found);
      return { body: toWire(product), etag: productTag(product) };
    },
  }),
];
