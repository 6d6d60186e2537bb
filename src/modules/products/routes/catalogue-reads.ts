import Type from 'typebox';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { described } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { productIdOf } from '../domain/product-id.ts';
import { CurationState, ProductStatus } from '../schemas/enums.ts';
import { PRODUCT_EXAMPLE } from '../schemas/examples.ts';
import { LookupText, productParams, SinceInstant } from '../schemas/parts.ts';
import { Product } from '../schemas/product.ts';
import { productTag, toWire } from '../schemas/to-wire.ts';
import { listProducts, type ProductPosition } from '../store/list-products.ts';
import { loadProduct } from '../store/load-products.ts';

const filters = {
  status: Type.Optional(described('Products in this state; defaults to all but archived', ProductStatus)),
  curation: Type.Optional(described('Products that the marketplace decided so about', CurationState)),
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
  pageRoute({
    id: 'products.list',
    path: '',
    summary: 'List products',
    description: 'Newest first, or last changed first with `updated_since`.',
    access: reads('catalogue'),
    filters,
    schema: Product,
    example: PRODUCT_EXAMPLE,
    read: async ({ db }, { filters: asked, after, limit }) => {
      const products = await listProducts(db, asked, after as ProductPosition | undefined, limit);
      return products.map((product) => ({ product, byChange: asked.updated_since !== undefined }));
    },
    position: ({ product: { updated_at, product_id }, byChange }) =>
      byChange ? [updated_at, product_id] : [product_id],
    view: ({ product }) => toWire(product),
  }),
  defineRoute({
    id: 'products.get',
    method: 'GET',
    path: '/{product_id}',
    summary: 'Read a product',
    access: reads('catalogue'),
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
