/** Which products something of the seller is about: some SKUs, some categories with those below them, or all. */
import Type from 'typebox';
import { isWithin, levelsOf } from './category-levels.ts';
import { allows } from './schema.ts';

/** Exactly one of them is there. */
export interface ProductScope {
  readonly skus?: readonly string[];
  readonly categories?: readonly string[];
  readonly all?: true;
}

interface Goods {
  readonly seller_sku: string | null;
  readonly category: string | null;
}

/** Says whether goods are in a scope: by their SKU, or by a category that is theirs or above theirs. */
export function inScope({ skus, categories = [], all }: ProductScope): (goods: Goods) => boolean {
  if (all === true) return () => true;
  if (skus !== undefined) {
    const wanted = new Set(skus);
    return ({ seller_sku }) => seller_sku !== null && wanted.has(seller_sku);
  }
  const wanted = categories.map(levelsOf);
  return ({ category }) => {
    const levels = levelsOf(category ?? '');
    return wanted.some((one) => isWithin(levels, one));
  };
}

const SKUS_MAX = 1_000;
const CATEGORIES_MAX = 50;
const names = (maxItems: number, of: object, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, ...of }), {
      ...{ minItems: 1, maxItems, uniqueItems: true, description },
    }),
  );
/** As long as the category of a product may be. */
const CATEGORY = { maxLength: 500, ...allows('[^\\s>/]', 'Name a category, such as Home > Kitchen.') };

export const scopeSchema = (title: string, description: string) =>
  Type.Object(
    {
      skus: names(SKUS_MAX, { maxLength: 64 }, 'Exact values of `seller_sku`'),
      categories: names(CATEGORIES_MAX, CATEGORY, 'These categories and those below them'),
      all: Type.Optional(Type.Literal(true, { description: 'The whole catalogue' })),
    },
    { title, description: `${description}: one of the three.`, minProperties: 1, maxProperties: 1 },
  );
