/** Under which names findings about a file are reported: those of its own columns. */
import { FEED_COLUMNS, type FieldColumns } from '../fields/field-columns.ts';
import type { Columns } from './columns.ts';

/** Field of the catalogue, or part of an identity → the fields of a profile that say it, best first. */
export type LabelSources<Field extends string> = Readonly<
  Partial<Record<keyof FieldColumns['fields'] | 'code' | 'mpn', readonly Field[]>>
>;

/** The names of the columns that a file has; what it has none for keeps the name of the native feed. */
export function fileLabels<Field extends string>(
  columns: Columns<Field>,
  sources: LabelSources<Field>,
): FieldColumns {
  const label = (name: keyof LabelSources<Field>, fallback: string): string => {
    const source = sources[name]?.find((field) => columns.has(field));
    return source === undefined ? fallback : columns.label(source);
  };
  const { fields, identity } = FEED_COLUMNS;
  return {
    fields: {
      ...fields,
      seller_sku: label('seller_sku', fields.seller_sku),
      title: label('title', fields.title),
      description: label('description', fields.description),
      brand: label('brand', fields.brand),
      category: label('category', fields.category),
      condition: label('condition', fields.condition),
      currency: label('currency', fields.currency),
      price_minor: label('price_minor', fields.price_minor),
      compare_at_minor: label('compare_at_minor', fields.compare_at_minor),
      quantity: label('quantity', fields.quantity),
      status: label('status', fields.status),
      images: label('images', fields.images),
      variation: label('variation', fields.variation),
    },
    identity: {
      ...identity,
      value: label('code', identity.value),
      mpn: label('mpn', identity.mpn),
      brand: label('brand', identity.brand),
    },
  };
}
