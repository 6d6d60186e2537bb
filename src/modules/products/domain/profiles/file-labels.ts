/** The column names that findings about a file use. They are the names of the file's own columns. */
import { FEED_COLUMNS, type FieldColumns } from '../fields/field-columns.ts';
import type { Columns } from './columns.ts';

/**
 * Field of the catalogue, or part of an identity → the fields of a profile that it is read from, best first. A field
 * needs no entry if the profile's field has the same name or is in {@link USUAL}.
 */
export type LabelSources<Field extends string> = Readonly<
  Partial<Record<keyof FieldColumns['fields'] | 'code' | 'mpn', readonly Field[]>>
>;

const USUAL: Readonly<Record<string, string>> = {
  seller_sku: 'sku',
  price_minor: 'price',
  compare_at_minor: 'compare_at',
};

/** Field → the name of its column. If the file has no column for a field, the name is that of the native feed. */
export function fileLabels<Field extends string>(
  columns: Columns<Field>,
  sources: LabelSources<Field>,
): FieldColumns {
  const named: Columns<string> = columns;
  const stated: Readonly<Record<string, readonly string[] | undefined>> = sources;
  const label = (name: string, fallback: string): string => {
    const field = (stated[name] ?? [USUAL[name] ?? name]).find((source) => named.has(source));
    return field === undefined ? fallback : named.label(field);
  };
  const { fields, identity } = FEED_COLUMNS;
  const labels = Object.entries(fields).map(([name, fallback]) => [name, label(name, fallback)]);
  return {
    fields: Object.fromEntries(labels),
    identity: {
      ...identity,
      value: label('code', identity.value),
      mpn: label('mpn', identity.mpn),
      brand: label('brand', identity.brand),
    },
  };
}
