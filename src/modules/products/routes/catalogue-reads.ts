import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { described } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { resumeSince } from '../actions/resume-since.ts';
import { shopOf } from '../actions/shop-of.ts';
import { productIdOf } from '../domain/product-id.ts';
import { CurationState, ProductStatus } from '../schemas/enums.ts';
import { PRODUCT_EXAMPLE } from '../schemas/examples.ts';
import { LookupText, productParams, SinceInstant } from '../schemas/parts.ts';
import { Product } from '../schemas/product.ts';
import { shownProductTag, toWire } from '../schemas/to-wire.ts';
import { listProducts, type ProductPosition } from '../store/list-products.ts';
import { loadProduct } from '../store/load-products.ts';

const filters = {
  status: Type.Optional(
    described('Products with this status; archived products are left out by default', ProductStatus),
  ),
  curation: Type.Optional(described('Products with this review state', CurationState)),
  sku: Type.Optional(LookupText({ description: 'Exact `seller_sku`' })),
  q: Type.Optional(
    LookupText({
      description:
        'Words to find in SKU, title and brand. All words must occur; accents and case do not matter',
    }),
  ),
  category: Type.Optional(LookupText({ description: 'Exact category' })),
  shipping_profile_id: Type.Optional(
    LookupText({ description: 'Products that name this shipping profile themselves' }),
  ),
  updated_since: Type.Optional(
    SinceInstant(
      'Products changed at or after this instant, last changed first, including archived products. For changes of stock use `GET /products/inventory`',
    ),
  ),
};

export const catalogueReadRoutes = [
  pageRoute({
    id: 'products.list',
    path: '',
    summary: 'List products',
    description: 'Newest first; with `updated_since` last changed first.',
    access: reads('catalogue'),
    filters,
    schema: Product,
    example: PRODUCT_EXAMPLE,
    read: async (ctx, { filters: asked, after, limit }) => {
      const products = await listProducts(ctx, asked, after as ProductPosition | undefined, limit);
      const shop = await shopOf(ctx);
      return products.map((product) => ({ product, shop, byChange: asked.updated_since !== undefined }));
    },
    position: ({ product: { updated_at, product_id }, byChange }) =>
      byChange ? [updated_at, product_id] : [product_id],
    view: ({ product, shop }) => toWire(product, shop),
    resume: resumeSince,
  }),
  defineRoute({
    id: 'products.get',
    method: 'GET',
    path: '/{product_id}',
    summary: 'Read a product',
    description: 'Shows the product with its stock, its issues and the state of its review.',
    access: reads('catalogue'),
    params: productParams,
    ok: okJson('The product', Product, PRODUCT_EXAMPLE),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const product = requireFound(await loadProduct(ctx, productIdOf(params)));
      const shop = await shopOf(ctx);
      return { body: toWire(product, shop), etag: shownProductTag(product, shop) };
    },
  }),
];
