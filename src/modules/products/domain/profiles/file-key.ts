/**
 * Keys of products that a file gives no id: bounded in length, the same whenever the file is read again.
 * Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import { sha256Hex } from '../../../../kernel/digest.ts';
import { SKU_MAX } from '../fields/limits.ts';
import type { Variation } from '../row.ts';

/** A longer key keeps its beginning and gets a digest of the whole. */
const KEY_MAX_LENGTH = 200;

/** 96 bits: enough to tell long keys with the same beginning apart. */
const DIGEST_LENGTH = 24;

export function boundedKey(key: string, max = KEY_MAX_LENGTH): string {
  if (key.length <= max) return key;
  return `${key.slice(0, max - DIGEST_LENGTH - 1).toWellFormed()}~${sha256Hex(key).slice(0, DIGEST_LENGTH)}`;
}

/** Key of a variant: that of its product and the values of its options. */
export function variantKey(product: string, values: readonly string[]): string {
  const base = product.replaceAll('#', '%23');
  return boundedKey(values.length === 0 ? base : `${base}#${values.map(escapeSeparators).join('/')}`);
}

/** A product's key as `parent_sku` of its variants, which is as short as a SKU. */
export function parentSku(key: string): string {
  return boundedKey(key, SKU_MAX);
}

/** Key of a listing that has no id. */
export function listingKey(title: string, firstImage: string): string {
  const head = title.toLowerCase().replace(/\s+/g, ' ').slice(0, 80).trim().toWellFormed();
  return `${head}~${sha256Hex(`${title}\n${firstImage}`).slice(0, DIGEST_LENGTH)}`;
}

function escapeSeparators(value: string): string {
  return value.replace(/[%/#]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}

export interface OptionValue {
  readonly name: string;
  readonly value: string;
}

/** The variation of a product from its options in axis order; `null` when it has none. */
export function variationOf(parentKey: string, options: readonly OptionValue[]): Variation | null {
  if (options.length === 0) return null;
  return {
    parent_sku: parentSku(parentKey),
    theme: options.map((option) => option.name).join('/'),
    values: Object.fromEntries(options.map((option) => [option.name, option.value])),
  };
}
