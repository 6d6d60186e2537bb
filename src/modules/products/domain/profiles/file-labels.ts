/** The names under which findings about a file are reported: those of its own columns. */
import { FEED_COLUMNS, type FieldColumns } from '../fields/field-columns.ts';
import type { Columns } from './columns.ts';

/**
 * Field of the catalogue, or part of an identity → the fields of a profile that state it, best first. Fields of the
 * same name, and those of {@link USUAL}, need no entry.
 */
export type LabelSources<Field extends string> = Readonly<
  Partial<Record<keyof FieldColumns['fields'] | 'code' | 'mpn', readonly Field[]>>
>;

const USUAL: Readonly<Record<string, string>> = {
  seller_sku: 'sku',
  price_minor: 'price',
  compare_at_minor: 'compare_at',
};

/** The names of a file's columns; a field that the file has no column for keeps its name of the native feed. */
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
