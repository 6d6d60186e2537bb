import type { IdentityParts, ImageClaim, ProductPatch, RowMessage } from '../row.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The values of one row, while its columns are read. */
export interface NativeRow {
  /** Decimal places of the seller's currency. */
  readonly exponent: number;
  readonly messages: RowMessage[];
  readonly patch: Mutable<ProductPatch>;
  /** Set when the row has any column of the identity. */
  parts: Mutable<IdentityParts> | null;
  images: ImageClaim[] | null;
  attributes: Record<string, string | null> | null;
  variation: { parent_sku: string; theme: string; values: Record<string, string> } | null;
}

export function nativeRow(exponent: number): NativeRow {
  return { exponent, messages: [], patch: {}, parts: null, images: null, attributes: null, variation: null };
}

/** The parts of the identity, created when the first of its columns is read. */
export function identityOf(row: NativeRow): Mutable<IdentityParts> {
  row.parts ??= {};
  return row.parts;
}

/** The variation, created when the first of its columns is read. */
export function variationOf(row: NativeRow): NonNullable<NativeRow['variation']> {
  row.variation ??= { parent_sku: '', theme: '', values: {} };
  return row.variation;
}

/** Joins the fields that several columns state. */
export function patchOf(row: NativeRow): ProductPatch {
  const { patch, parts, images, attributes, variation } = row;
  if (parts !== null) patch.identity_parts = parts;
  if (images !== null) patch.images = images;
  if (attributes !== null) patch.attributes = attributes;
  if (variation !== null) patch.variation = withTheme(variation);
  return patch;
}

/**
 * `variation.theme` states the order of the options, unless an option is named theme: then its value is no list of
 * the other options.
 */
function withTheme(variation: NonNullable<NativeRow['variation']>): NonNullable<NativeRow['variation']> {
  const { theme, ...values } = variation.values;
  if (theme === undefined) return variation;
  const others = Object.keys(values);
  const states = theme.includes('/') || (others.length === 1 && others[0] === theme.trim());
  return states ? { ...variation, theme, values } : variation;
}
