/**
 * Reads the header of a handmade-listings download. Its names are in the shop's language, except CURRENCY_CODE and
 * SKU. So the columns are found by position, and in an English header by name: it may have fewer columns, in any order.
 * Source: docs/design/feeds-and-imports.md#handmade-files.
 */
import type { FieldColumns } from '../../fields/field-columns.ts';
import { cleanCell, normaliseHeader } from '../cell.ts';
import { type Columns, type ColumnTable, columnsAt, resolveColumns } from '../columns.ts';
import { fileLabels, type LabelSources } from '../file-labels.ts';

const HANDMADE_COLUMNS = {
  title: ['title'],
  description: ['description'],
  price: ['price'],
  currency: ['currency_code'],
  quantity: ['quantity'],
  tags: ['tags'],
  materials: ['materials'],
  type1: ['variation 1 type'],
  name1: ['variation 1 name'],
  values1: ['variation 1 values'],
  type2: ['variation 2 type'],
  name2: ['variation 2 name'],
  values2: ['variation 2 values'],
  sku: ['sku'],
} as const satisfies ColumnTable<string>;
export type HandmadeField = keyof typeof HANDMADE_COLUMNS;

const HANDMADE_LABELS: LabelSources<HandmadeField> = {
  external_key: ['title'],
  variation: ['values1'],
  mpn: ['sku'],
};

/** The columns before and after the images, in the order of the download. */
const LEADING = ['title', 'description', 'price', 'currency', 'quantity', 'tags', 'materials'] as const;
const TRAILING = ['type1', 'name1', 'values1', 'type2', 'name2', 'values2', 'sku'] as const;

/** A header that is read by position has at least this number of columns. */
const FEWEST_COLUMNS = 20;
/** At least this number of column names have a digit: those of ten images and of the variations. */
const FEWEST_NUMBERED = 10;

/** Whether a header in any language has the shape of the download. */
export function hasHandmadeShape(names: readonly string[]): boolean {
  if (names.length < FEWEST_COLUMNS || names[3] !== 'currency_code' || names.at(-1) !== 'sku') return false;
  return names.filter((name) => /\d/.test(name)).length >= FEWEST_NUMBERED;
}

/** The English names of the columns that only this download has. */
export const HANDMADE_ONLY_NAMES = /^(?:materials|image ?\d+|variation [12] (?:type|name|values))$/;

/** A header with these English names is read by name. */
const HANDMADE_REQUIRED: readonly string[] = ['title', 'price', 'currency_code'];

export interface HandmadeHeader {
  readonly columns: Columns<HandmadeField>;
  /** The positions of the image columns, in the order of the images. */
  readonly images: readonly number[];
}

export function readHandmadeHeader(header: readonly string[]): HandmadeHeader {
  const names = header.map(normaliseHeader);
  if (HANDMADE_REQUIRED.every((name) => names.includes(name))) {
    const columns = resolveColumns(header, HANDMADE_COLUMNS);
    const numbered = columns.others.flatMap((index) => {
      const number = /^image ?(\d{1,3})$/.exec(names[index] ?? '')?.[1];
      return number === undefined ? [] : [{ index, number: Number(number) }];
    });
    // By number, not by position, because the first picture is part of the listing's key.
    return {
      columns,
      images: numbered.sort((one, other) => one.number - other.number).map(({ index }) => index),
    };
  }
  const at = new Map<HandmadeField, number[]>();
  for (const [index, field] of LEADING.entries()) at.set(field, [index]);
  for (const [index, field] of TRAILING.entries()) at.set(field, [header.length - TRAILING.length + index]);
  return { columns: columnsAt(header, at), images: columnsAt(header, at).others };
}

/** The names of the file's columns for findings; pictures are named by the column of the first. */
export function handmadeLabels(header: readonly string[]): FieldColumns {
  const { columns, images } = readHandmadeHeader(header);
  const labels = fileLabels(columns, HANDMADE_LABELS);
  const image = cleanCell(header[images[0] ?? -1]);
  return image === '' ? labels : { ...labels, fields: { ...labels.fields, images: image } };
}

export function isHandmadeColumn(cell: string): boolean {
  const name = normaliseHeader(cell);
  return (
    HANDMADE_ONLY_NAMES.test(name) ||
    Object.values<readonly string[]>(HANDMADE_COLUMNS).some((names) => names.includes(name))
  );
}

/** The kind of a header. A `localised` header is read by position. */
export function handmadeGeneration(header: readonly string[]): string {
  const names = header.map(normaliseHeader);
  if (!HANDMADE_REQUIRED.every((name) => names.includes(name))) return 'localised';
  return hasHandmadeShape(names) ? 'english' : 'english_subset';
}
