import Type from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import { ApiError, coreErrors, requireFound } from '../../../kernel/errors.ts';
import { itemResults } from '../../../kernel/item-error.ts';
import { moveErrors } from '../../../kernel/moves.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { attempt } from '../../../platform/db/savepoint.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { itemErrorBody } from '../../../platform/http/errors.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { NoFields } from '../../../platform/rest/resource.ts';
import { productErrors } from '../../products/index.ts';
import { supplyErrors } from '../../supply/index.ts';
import {
  changeListing,
  createListing,
  endListing,
  holdListed,
  pausedBySeller,
  readListing,
  resumedBySeller,
  shownListing,
} from '../actions/listings.ts';
import { showListings } from '../actions/show-listings.ts';
import { dropshipErrors } from '../errors.ts';
import {
  LISTING_EXAMPLE,
  Listing,
  type ListingBody,
  ListingChange,
  ListingInput,
  ListingStatusSchema,
  PausedReasonSchema,
  type WireListing,
} from '../schemas/listing.ts';
import { listed, listings } from '../store/listings.ts';

const BULK_MAX = 200;
const read = reads('purchasing');
const write = writes('catalogue');
const creates = { ...write, growsCatalogue: true } as const;
const one = {
  path: '/listings/{listing_id}',
  params: Type.Object({ listing_id: Type.String({ description: 'Id of the listing, `dsl_…`' }) }),
} as const;
const ok = [{ status: 200, description: 'The listing', schema: Listing, example: LISTING_EXAMPLE }] as const;
const changed = [coreErrors.not_found, coreErrors.precondition_failed, coreErrors.conflict];
const input = { supplier_item_id: LISTING_EXAMPLE.supplier_item_id, product_id: LISTING_EXAMPLE.product_id };
const creating = [
  coreErrors.not_found,
  dropshipErrors.already_listed,
  dropshipErrors.not_for_dropship,
  productErrors.own_stock_present,
  productErrors.sku_exists,
  supplyErrors.item_discontinued,
  supplyErrors.currency_mismatch,
];

const listingTag = ({ version }: { readonly version: number }): string => `l${version}`;
const answer = (listing: WireListing) => ({ body: listing, etag: shownTag(listingTag(listing), listing) });

async function createItem(ctx: SellerCtx, item: ListingBody, index: number) {
  try {
    const listing = await attempt(ctx.db, () => createListing(ctx, item));
    return { index, status: 201, outcome: 'listed' as const, listing, error: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const body = itemErrorBody(error, ctx.request_id, () => ['items', index]);
    return { index, status: error.status, outcome: 'failed' as const, listing: null, error: body };
  }
}

const BulkInput = Type.Object(
  { items: Type.Array(ListingInput, { minItems: 1, maxItems: BULK_MAX, description: 'Listings to create' }) },
  { title: 'DropshipListingsInput', description: 'Items of suppliers, each with the product that sells it.' },
);
const BulkResult = itemResults(
  'DropshipListingResults',
  { listed: 'Items that made a listing', failed: 'Rejected items' },
  { listing: Nullable(Listing) },
);

interface Request {
  readonly params: { readonly listing_id: string };
  readonly headers: Parameters<typeof checkIfMatch>[0];
}
const askedOf = ({ params, headers }: Request) => ({
  ...params,
  check: (row: { readonly version: number }) => checkIfMatch(headers, listingTag(row)),
});

const move = (
  verb: 'pause' | 'resume' | 'end',
  summary: string,
  description: string,
  run: (ctx: SellerCtx, asked: Parameters<typeof endListing>[1]) => Promise<WireListing>,
) =>
  defineRoute({
    ...one,
    id: `dropship.listings.${verb}`,
    method: 'POST',
    path: `${one.path}/${verb}`,
    ...{ summary, description },
    access: write,
    body: { kind: 'json', schema: NoFields, example: {} },
    ok,
    errors: [
      ...changed,
      moveErrors.invalid_transition,
      ...(verb === 'end' ? [dropshipErrors.open_dropship_units] : []),
    ],
    handler: async (ctx, request) => answer(await run(ctx, askedOf(request))),
  });

export const listingRoutes = [
  pageRoute({
    id: 'dropship.listings.list',
    path: '/listings',
    summary: 'List dropship listings',
    description: 'Newest first.',
    access: read,
    filters: {
      status: Type.Optional(ListingStatusSchema),
      paused_reason: Type.Optional(PausedReasonSchema),
      supplier_id: Type.Optional(Type.String({ maxLength: 100, description: 'Listings of this supplier' })),
      product_id: Type.Optional(Type.String({ maxLength: 100, description: 'Listings of this product' })),
    },
    schema: Listing,
    example: LISTING_EXAMPLE,
    read: async (ctx, { filters, after, limit }) => {
      const rows = await listings.page(ctx, {
        ...{ where: listed(filters), order: ['listing_id'], descending: true, after, limit },
      });
      return showListings(ctx, rows);
    },
    position: ({ listing_id }) => [listing_id],
    view: (listing) => listing,
  }),
  defineRoute({
    ...one,
    id: 'dropship.listings.get',
    method: 'GET',
    summary: 'Read a dropship listing',
    description: 'Send its `ETag` as `If-Match` with a change.',
    access: read,
    ok,
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) =>
      answer(await shownListing(ctx, requireFound(await readListing(ctx, params.listing_id)))),
  }),
  defineRoute({
    id: 'dropship.listings.create',
    method: 'POST',
    path: '/listings',
    summary: 'Sell an item that a supplier counts and ships',
    description:
      'The supplier’s count sets the stock of the product from now on (`stock_source: supplier`). With `product` instead of `product_id` a draft is made from the item; price it and activate it as any product.',
    access: { ...creates, limit: 'products' },
    body: { kind: 'json', schema: ListingInput, example: input },
    ok: okJson('The listing; `Location` is its path', Listing, LISTING_EXAMPLE, 201),
    errors: creating,
    handler: async (ctx, { body, path }) => {
      await holdListed(ctx, [body]);
      const listing = await createListing(ctx, body);
      return { ...answer(listing), status: 201, headers: { location: `${path}/${listing.listing_id}` } };
    },
  }),
  defineRoute({
    id: 'dropship.listings.write',
    method: 'POST',
    path: '/listings/bulk',
    summary: `Create up to ${BULK_MAX} dropship listings`,
    description: 'Each item gets its own result; a rejected item does not stop the others.',
    access: { ...creates, plan: 'bulk_operations' },
    body: { kind: 'json', schema: BulkInput, example: { items: [input] } },
    ok: okJson('One result per item, in the order of the items', BulkResult, {
      counts: { items: 1, listed: 1, failed: 0 },
      results: [{ index: 0, status: 201, outcome: 'listed', listing: LISTING_EXAMPLE, error: null }],
    }),
    errors: creating,
    handler: async (ctx, { body }) => {
      await holdListed(ctx, body.items);
      const results = [];
      for (const [index, item] of body.items.entries()) results.push(await createItem(ctx, item, index));
      const made = results.filter(({ outcome }) => outcome === 'listed').length;
      return {
        body: { counts: { items: results.length, listed: made, failed: results.length - made }, results },
      };
    },
  }),
  defineRoute({
    ...one,
    id: 'dropship.listings.update',
    method: 'PATCH',
    summary: 'Change the buffer of a dropship listing',
    description: 'The stock of the product follows at once.',
    access: write,
    body: { kind: 'json', schema: ListingChange, example: { buffer_units: 3 } },
    ok,
    errors: [...changed, moveErrors.invalid_transition],
    handler: async (ctx, { body, ...request }) =>
      answer(await changeListing(ctx, askedOf(request), 'resume', () => body)),
  }),
  move(
    'pause',
    'Stop selling a dropship listing',
    'The product shows 0 units; open orders go on.',
    (ctx, asked) => changeListing(ctx, asked, 'pause', pausedBySeller),
  ),
  move(
    'resume',
    'Sell a dropship listing again',
    'It stays paused while the supplier or its count is a reason.',
    (ctx, asked) => changeListing(ctx, asked, 'resume', resumedBySeller),
  ),
  move(
    'end',
    'End a dropship listing',
    'You count the product again; its units on hand are those that orders have reserved.',
    endListing,
  ),
];
