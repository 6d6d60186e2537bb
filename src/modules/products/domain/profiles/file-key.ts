/**
 * Makes keys for products without an id in their file. A key has a limited length and is the same each time the file
 * is read. Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import { sha256Hex } from '../../../../kernel/digest.ts';
import { SKU_MAX } from '../fields/limits.ts';
import type { Variation } from '../row.ts';

const KEY_MAX_LENGTH = 200;

/** 24 hexadecimal digits are 96 bits, so two long keys with the same beginning get different digests. */
const DIGEST_LENGTH = 24;

/** Cuts a key that is too long, and adds a digest of the whole key. */
export function boundedKey(key: string, max = KEY_MAX_LENGTH): string {
  if (key.length <= max) return key;
  return `${key.slice(0, max - DIGEST_LENGTH - 1).toWellFormed()}~${sha256Hex(key).slice(0, DIGEST_LENGTH)}`;
}

/** The key of a variant: the key of its product and the values of its options. */
export function variantKey(product: string, values: readonly string[]): string {
  const base = product.replaceAll('#', '%23');
  return boundedKey(values.length === 0 ? base : `${base}#${values.map(escapeSeparators).join('/')}`);
}

/** Makes the `parent_sku` of variants from the key of their product. It may be at most as long as a SKU. */
export function parentSku(key: string): string {
  return boundedKey(key, SKU_MAX);
}

/** The key of a listing that has no id. */
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

/** The variation of a product with these options; `null` for a product without options. */
export function variationOf(parentKey: string, options: readonly OptionValue[]): Variation | null {
  if (options.length === 0) return null;
  return {
    parent_sku: parentSku(parentKey),
    theme: options.map((option) => option.name).join('/'),
    values: Object.fromEntries(options.map((option) => [option.name, option.value])),
  };
}
