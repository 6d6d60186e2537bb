/**
 * The merged fields of a product as canonical texts: equal values have equal texts. Texts are NFC and trimmed, pictures
 * the list of their addresses, money minor units. Source: docs/design/channels.md#merge.
 */
import { minor } from '../../../kernel/money.ts';
import { FILE_MARKS } from '../../products/domain/file-marks.ts';
import type { CatalogueProduct } from '../../products/domain/product.ts';
import type { ProductPatch } from '../../products/domain/row.ts';
import type { FieldTexts, MergedFieldName } from './link-words.ts';

type Attributes = Readonly<Record<string, string | null>>;

const MARKS: ReadonlySet<string> = new Set(FILE_MARKS);

const lineOf = (text: string | null): string | null => text?.normalize('NFC').trim() || null;
const amountOf = (amount: bigint | null): string | null => (amount === null ? null : String(amount));
const imagesOf = (images: readonly { readonly url: string }[]): string =>
  JSON.stringify(images.map(({ url }) => url));
const attributesOf = (attributes: Attributes): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(attributes)
        .filter(([name, value]) => !MARKS.has(name) && value !== null)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  );
const readAttributes = (text: string | null | undefined): Record<string, string> =>
  text == null ? {} : (JSON.parse(text) as Record<string, string>);

/** Products that the store does not sell are inactive here. */
const statusOf = (status: string): string => (status === 'active' ? 'active' : 'inactive');

/** What the store says: the fields that a row of its export states. A store that has no pictures says so. */
export function storeTexts(patch: ProductPatch): FieldTexts {
  const { title, description, brand, category, price_minor, compare_at_minor, status } = patch;
  return {
    ...(title !== undefined && { title: lineOf(title) }),
    ...(description !== undefined && { description: lineOf(description) }),
    ...(brand !== undefined && { brand: lineOf(brand) }),
    ...(category !== undefined && { category: lineOf(category) }),
    images: imagesOf(patch.images ?? []),
    ...(patch.attributes !== undefined && { attributes: attributesOf(patch.attributes) }),
    ...(price_minor !== undefined && { price_minor: amountOf(price_minor) }),
    ...(compare_at_minor !== undefined && { compare_at_minor: amountOf(compare_at_minor) }),
    ...(status !== undefined && { status: statusOf(status) }),
  };
}

/** What the product says here; of attributes only those that the store states, or stated before. */
export function hereTexts(
  product: Pick<CatalogueProduct, MergedFieldName>,
  ...stated: readonly FieldTexts[]
): Record<MergedFieldName, string | null> {
  const names = stated.flatMap(({ attributes }) => Object.keys(readAttributes(attributes)));
  const own = Object.fromEntries(names.map((name) => [name, product.attributes[name] ?? null]));
  return {
    title: lineOf(product.title),
    description: lineOf(product.description),
    brand: lineOf(product.brand),
    category: lineOf(product.category),
    images: imagesOf(product.images),
    attributes: attributesOf(own),
    price_minor: amountOf(product.price_minor),
    compare_at_minor: amountOf(product.compare_at_minor),
    // The store never wakes what its seller has archived here.
    status: product.status === 'archived' ? 'archived' : statusOf(product.status),
  };
}

/** The change that gives a field the value of a text. @param before the text that it has now */
export function patchOf(field: MergedFieldName, text: string | null, before: string | null): ProductPatch {
  switch (field) {
    case 'images':
      return { images: (JSON.parse(text ?? '[]') as string[]).map((url) => ({ url })) };
    case 'attributes': {
      const gone = Object.fromEntries(Object.keys(readAttributes(before)).map((name) => [name, null]));
      return { attributes: { ...gone, ...readAttributes(text) } };
    }
    case 'price_minor':
    case 'compare_at_minor':
      return { [field]: text === null ? null : minor(BigInt(text)) };
    case 'status':
      return { status: text === 'active' ? 'active' : 'inactive' };
    default:
      return { [field]: text };
  }
}
