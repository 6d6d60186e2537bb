import type { IdentityParts, ImageClaim, ProductPatch, RowMessage, Variation } from '../row.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The values of one row, collected while its columns are read one by one. */
export interface NativeRow {
  /** Decimal places of the seller's currency. */
  readonly exponent: number;
  readonly messages: RowMessage[];
  readonly patch: Mutable<ProductPatch>;
  /** This field and the ones below are `null` until one of their columns is read. */
  parts: Mutable<IdentityParts> | null;
  images: ImageClaim[] | null;
  attributes: Record<string, string | null> | null;
  variation: NativeVariation | null;
}

interface NativeVariation {
  parent_sku: string;
  values: Record<string, string>;
  /** The options that the row has columns for. */
  readonly options: string[];
}

export function nativeRow(exponent: number): NativeRow {
  return { exponent, messages: [], patch: {}, parts: null, images: null, attributes: null, variation: null };
}

export function identityOf(row: NativeRow): Mutable<IdentityParts> {
  row.parts ??= {};
  return row.parts;
}

export function variationOf(row: NativeRow): NativeVariation {
  row.variation ??= { parent_sku: '', values: {}, options: [] };
  return row.variation;
}

/** The patch, completed with the fields that are made from several columns. */
export function patchOf(row: NativeRow): ProductPatch {
  const { patch, parts, images, attributes, variation } = row;
  if (parts !== null) patch.identity_parts = parts;
  if (images !== null) patch.images = images;
  if (attributes !== null) patch.attributes = attributes;
  if (variation !== null) {
    patch.variation = withTheme(variation);
    // A theme lists all options; without it the product keeps those that the row has no columns for.
    const { parent_sku, theme } = patch.variation;
    if (parent_sku !== '' && theme === '') patch.partial = { options: variation.options };
  }
  return patch;
}

/**
 * The column `variation.theme` sets the order of the options if its value lists the other options. Otherwise it is an
 * option named `theme`.
 */
function withTheme({ parent_sku, values: all }: NativeVariation): Variation {
  const { theme, ...values } = all;
  const others = Object.keys(values);
  const listsOptions = theme?.includes('/') || (others.length === 1 && others[0] === theme?.trim());
  return theme !== undefined && listsOptions
    ? { parent_sku, theme, values }
    : { parent_sku, theme: '', values: all };
}
