import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { writes } from '../../../platform/rest/access.ts';
import { findByIdentity } from '../actions/find-by-identity.ts';
import type { ProductRequest } from '../actions/plan-requests.ts';
import { type WrittenProduct as Written, writeProduct } from '../actions/write-product.ts';
import { productIdOf } from '../domain/product-id.ts';
import { errors, ofProduct, ofWrite } from '../errors.ts';
import { PRODUCT_EXAMPLE, WRITTEN_EXAMPLE } from '../schemas/examples.ts';
import { productParams } from '../schemas/parts.ts';
import { WrittenProduct } from '../schemas/product.ts';
import { PRODUCT_INPUT_EXAMPLE, ProductChange, ProductInput } from '../schemas/product-input.ts';
import { productTag, toWire } from '../schemas/to-wire.ts';
import { readBody } from './read-body.ts';

const access = writes('catalogue');
/** New products, and products that leave the archive, count towards the plan. */
const counted = { ...access, limit: 'products' } as const;

const answer = ({ product, warnings, identity_resolution }: Written) => ({
  status: 200,
  body: { ...toWire(product), warnings, identity_resolution },
  etag: productTag(product),
});
async function change(ctx: SellerCtx, request: ProductRequest, headers: Parameters<typeof checkIfMatch>[0]) {
  return answer(await writeProduct(ctx, request, (before) => checkIfMatch(headers, productTag(before))));
}

const changed = {
  status: 200,
  description: 'The product as it is now',
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
      'A product is active unless `status` says otherwise, and an active one needs a title, a price and an identity by one of the four strategies. It is visible once the marketplace has approved it.',
    access: counted,
    body: { kind: 'json', schema: ProductInput, example: PRODUCT_INPUT_EXAMPLE },
    ok: [
      {
        status: 201,
        description: 'Created; `Location` and `ETag` name it',
        schema: WrittenProduct,
        example: WRITTEN_EXAMPLE,
      },
    ],
    errors: ofWrite,
    handler: async (ctx, { body }) => {
      const written = await writeProduct(ctx, { mode: 'create_only', ...readBody(body) });
      const location = `/api/v1/products/${written.product.product_id}`;
      return { ...answer(written), status: 201, headers: { location } };
    },
  }),
  defineRoute({
    id: 'products.named.update',
    method: 'PUT',
    path: '',
    summary: 'Update the product that the body names',
    description:
      'The `seller_sku` names the product, or else its identity. What the body leaves out stays as it is.',
    access: counted,
    body: {
      kind: 'json',
      schema: ProductChange,
      example: { seller_sku: PRODUCT_EXAMPLE.seller_sku, price_minor: 2299 },
    },
    ok: [changed],
    errors: [...ofProduct, ...ofWrite, errors.identity_ambiguous],
    handler: async (ctx, { body, headers }) => {
      const read = readBody(body);
      const product = await findByIdentity(ctx, read);
      if (product === undefined) throw fail(coreErrors.not_found);
      const request = { mode: 'update_only', product_id: product.product_id, ...read } as const;
      return answer(await writeProduct(ctx, request, (before) => checkIfMatch(headers, productTag(before))));
    },
  }),
  defineRoute({
    id: 'products.replace',
    method: 'PUT',
    path: '/{product_id}',
    summary: 'Replace a product',
    description:
      'What the body leaves out is cleared, except the status and the units on hand, which stay as they are.',
    access: counted,
    params: productParams,
    body: { kind: 'json', schema: ProductInput, example: PRODUCT_INPUT_EXAMPLE },
    ok: [changed],
    errors: [...ofProduct, ...ofWrite],
    handler: async (ctx, { params, body, headers }) => {
      const request = {
        mode: 'update_only',
        product_id: productIdOf(params),
        replace: true,
        ...readBody(body),
      } as const;
      return answer(await writeProduct(ctx, request, (before) => checkIfMatch(headers, productTag(before))));
    },
  }),
  defineRoute({
    id: 'products.update',
    method: 'PATCH',
    path: '/{product_id}',
    summary: 'Change some fields of a product',
    description: 'What the body leaves out stays; null clears a field; attributes are merged key by key.',
    access: counted,
    params: productParams,
    body: {
      kind: 'json',
      schema: ProductChange,
      example: { price_minor: 2299, attributes: { colour: null } },
    },
    ok: [changed],
    errors: [...ofProduct, ...ofWrite],
    handler: async (ctx, { params, body, headers }) => {
      const request = { mode: 'update_only', product_id: productIdOf(params), ...readBody(body) } as const;
      return answer(await writeProduct(ctx, request, (before) => checkIfMatch(headers, productTag(before))));
    },
  }),
  defineRoute({
    id: 'products.archive',
    method: 'DELETE',
    path: '/{product_id}',
    summary: 'Archive a product',
    description:
      'The product leaves the sale and the count of the plan; its history stays. PATCH with a status brings it back. Archiving again changes nothing.',
    access: { ...access, idempotency: 'none' },
    params: productParams,
    ok: [{ ...changed, example: { ...WRITTEN_EXAMPLE, status: 'archived', version: 2 } }],
    errors: [...ofProduct, coreErrors.conflict],
    handler: async (ctx, { params, headers }) => {
      const request = {
        mode: 'update_only',
        product_id: productIdOf(params),
        patch: { status: 'archived' },
      } as const;
      return change(ctx, { ...request, messages: [] }, headers);
    },
  }),
];
