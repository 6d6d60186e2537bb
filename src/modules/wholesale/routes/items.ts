import Type from 'typebox';
import { coreErrors, invalid, missing, requireFound } from '../../../kernel/errors.ts';
import { parseGtin } from '../../../kernel/gtin.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { productsById } from '../../products/index.ts';
import { offeredItem, searchItems } from '../../supply/index.ts';
import { ITEM_EXAMPLE, SupplierItem, toWireItem } from '../schemas/items.ts';
import { words } from '../schemas/parts.ts';

const read = reads('purchasing');
const filter = (description: string) => Type.Optional(words(200, description));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** The GTIN in 14 digits. @throws ApiError 422 */
function gtinOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  const gtin = parseGtin(code, { wholesale: true });
  if (gtin.ok) return gtin.gtin14;
  const msg = `This is not a GTIN (${gtin.code}); check its digits.`;
  throw invalid([{ loc: ['query', 'gtin'], msg, type: gtin.code, input: code }]);
}

/** @throws ApiError 404 if there is no such product */
async function identitiesOf(ctx: HandlerCtx, productId: string | undefined) {
  if (productId === undefined) return undefined;
  const [product] = await productsById(ctx, [productId]);
  if (product === undefined) throw missing(`product ${productId}`);
  const { brand, identity } = product;
  return { gtin14: identity?.gtin14 ?? null, mpn: identity?.mpn ?? null, brand };
}

export const itemRoutes = [
  pageRoute({
    id: 'wholesale.items.list',
    path: '/items',
    summary: 'Find items of suppliers',
    description:
      'The items that are on offer, the newest first. `matches_product_id` finds those with the GTIN of your product, or with its brand and part number; titles are not compared.',
    access: read,
    filters: {
      q: filter('Words that begin words of the title, brand, part number, SKU, GTIN or category'),
      supplier_id: filter('Items of this supplier'),
      category: filter('Items of this category, as the supplier writes it'),
      gtin: filter('Items with this GTIN'),
      brand: filter('Items of this brand'),
      mpn: filter('Items with this part number of the manufacturer'),
      dropship: flag('Whether the supplier ships it to your buyers'),
      in_stock: flag('Whether the supplier has counted units of it'),
      matches_product_id: filter('Items that are this product of yours, `prd_…`'),
    },
    schema: SupplierItem,
    example: ITEM_EXAMPLE,
    errors: [coreErrors.not_found],
    read: async (ctx, { filters, after, limit }) => {
      const { gtin, matches_product_id, ...named } = filters;
      const asked = { ...named, gtin14: gtinOf(gtin), matches: await identitiesOf(ctx, matches_product_id) };
      return searchItems(ctx.db, asked, after, limit);
    },
    position: ({ published_at, supplier_item_id }) => [published_at, supplier_item_id],
    view: toWireItem,
  }),
  defineRoute({
    id: 'wholesale.items.get',
    method: 'GET',
    path: '/items/{supplier_item_id}',
    params: Type.Object({
      supplier_item_id: Type.String({ description: 'Id of the item, `sit_…`' }),
    }),
    summary: 'Read an item of a supplier',
    description: 'Also one that the supplier does not sell any more.',
    access: read,
    ok: okJson('The item', SupplierItem, ITEM_EXAMPLE),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => ({
      body: toWireItem(requireFound(await offeredItem(ctx.db, params.supplier_item_id))),
    }),
  }),
];
