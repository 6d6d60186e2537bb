import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, missing } from '../../../kernel/errors.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { writes } from '../../../platform/rest/access.ts';
import { findByIdentity } from '../actions/find-by-identity.ts';
import type { ProductRequest } from '../actions/plan-requests.ts';
import { shopOf } from '../actions/shop-of.ts';
import { type WrittenProduct as Written, writeProduct } from '../actions/write-product.ts';
import type { StoredProduct } from '../domain/product.ts';
import { productIdOf, productNamed } from '../domain/product-id.ts';
import { errors, productRouteErrors, productWriteErrors } from '../errors.ts';
import { PRODUCT_EXAMPLE, WRITTEN_EXAMPLE } from '../schemas/examples.ts';
import { productParams } from '../schemas/parts.ts';
import { WrittenProduct } from '../schemas/product.ts';
import { PRODUCT_INPUT_EXAMPLE, ProductChange, ProductInput } from '../schemas/product-input.ts';
import { productTag, shownProductTag, toWire } from '../schemas/to-wire.ts';
import { bodyFindings, readBody } from './read-body.ts';

const access = writes('catalogue');
/** New products and reactivated products count towards the plan. */
const counted = { ...access, limit: 'products' } as const;
/** A request may activate a product. */
const changing = { ...counted, growsCatalogue: 'some' } as const;

async function answer(ctx: SellerCtx, { product, warnings, identity_resolution }: Written) {
  const shop = await shopOf(ctx);
  const body = { ...toWire(product, shop), warnings, identity_resolution };
  return { status: 200, body, etag: shownProductTag(product, shop) };
}
/** Changes one product if it has the version of `If-Match`. */
async function change(
  ctx: SellerCtx,
  headers: Parameters<typeof checkIfMatch>[0],
  request: Omit<ProductRequest, 'mode'>,
) {
  const checkVersion = (before: StoredProduct) => checkIfMatch(headers, productTag(before));
  return answer(ctx, await writeProduct(ctx, { mode: 'update_only', ...request }, checkVersion));
}

const changed = {
  status: 200,
  description: 'The changed product',
  schema: WrittenProduct,
  example: { ...WRITTEN_EXAMPLE, version: 2 },
};

export const catalogueWriteRoutes = [
  defineRoute({
    id: 'products.create',
    method: 'POST',
    path: '',
    summary: 'Create a product',
    description:
      '`status` defaults to `active`. An active product requires a title, a price and an identity by one of the four strategies. Buyers see it when the marketplace has approved it.',
    access: { ...counted, growsCatalogue: true },
    body: { kind: 'json', schema: ProductInput, example: PRODUCT_INPUT_EXAMPLE, findings: bodyFindings },
    ok: okJson('The created product; `Location` is its path', WrittenProduct, WRITTEN_EXAMPLE, 201),
    errors: productWriteErrors,
    handler: async (ctx, { body }) => {
      const written = await writeProduct(ctx, { mode: 'create_only', ...readBody(body) });
      const location = `/api/v1/products/${written.product.product_id}`;
      return { ...(await answer(ctx, written)), status: 201, headers: { location } };
    },
  }),
  defineRoute({
    id: 'products.named.update',
    method: 'PUT',
    path: '',
    summary: 'Update the product named by the body',
    description:
      'Finds the product by `seller_sku`, otherwise by `identity`. If the body has both, the identity finds only a product without a SKU. Fields that the body leaves out are not changed.',
    access: changing,
    body: {
      kind: 'json',
      schema: ProductChange,
      findings: bodyFindings,
      example: { seller_sku: PRODUCT_EXAMPLE.seller_sku, price_minor: 2299 },
    },
    ok: [changed],
    errors: [...productRouteErrors, ...productWriteErrors, errors.identity_ambiguous, errors.stock_mirrored],
    handler: async (ctx, { body, headers }) => {
      const read = readBody(body);
      const product = await findByIdentity(ctx, read);
      const { seller_sku } = read.patch;
      const named = seller_sku == null ? 'product with this identity' : productNamed({ seller_sku });
      if (product === undefined) throw missing(named);
      return change(ctx, headers, { product_id: product.product_id, ...read });
    },
  }),
  defineRoute({
    id: 'products.replace',
    method: 'PUT',
    path: '/{product_id}',
    summary: 'Replace a product',
    description: 'Clears the fields that the body leaves out, except `status` and `quantity_on_hand`.',
    access: changing,
    params: productParams,
    body: { kind: 'json', schema: ProductInput, example: PRODUCT_INPUT_EXAMPLE, findings: bodyFindings },
    ok: [changed],
    errors: [...productRouteErrors, ...productWriteErrors, errors.stock_mirrored],
    handler: async (ctx, { params, body, headers }) =>
      change(ctx, headers, { product_id: productIdOf(params), replace: true, ...readBody(body) }),
  }),
  defineRoute({
    id: 'products.update',
    method: 'PATCH',
    path: '/{product_id}',
    summary: 'Update a product',
    description:
      'Fields that the body leaves out are not changed; null clears a field. Attributes are merged key by key.',
    access: changing,
    params: productParams,
    body: {
      kind: 'json',
      schema: ProductChange,
      findings: bodyFindings,
      example: { price_minor: 2299, attributes: { colour: null } },
    },
    ok: [changed],
    errors: [...productRouteErrors, ...productWriteErrors, errors.stock_mirrored],
    handler: async (ctx, { params, body, headers }) =>
      change(ctx, headers, { product_id: productIdOf(params), ...readBody(body) }),
  }),
  defineRoute({
    id: 'products.archive',
    method: 'DELETE',
    path: '/{product_id}',
    summary: 'Archive a product',
    description:
      'The product goes off sale and no longer counts towards the plan limit. Its history is kept. PATCH with a `status` restores it. Archiving it again has no effect.',
    access: { ...access, idempotency: 'none' },
    params: productParams,
    ok: [{ ...changed, example: { ...WRITTEN_EXAMPLE, status: 'archived', version: 2 } }],
    errors: [...productRouteErrors, coreErrors.conflict],
    handler: (ctx, { params, headers }) =>
      change(ctx, headers, { product_id: productIdOf(params), patch: { status: 'archived' }, messages: [] }),
  }),
];
