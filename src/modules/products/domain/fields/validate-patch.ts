/**
 * Checks every field of a product. Requests, native feeds and import profiles share these checks, so the same value
 * gets the same finding everywhere.
 */

import { isCurrency } from '../../../../kernel/money.ts';
import { CONDITIONS, PRODUCT_STATUSES, type ProductPatch, type RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { checkAttributes } from './check-attributes.ts';
import { checkClaim, checkParts } from './check-identity.ts';
import { checkImages } from './check-images.ts';
import { checkCompareAt, checkPrice, checkQuantity } from './check-number.ts';
import { checkLine, checkOptionalLine, checkText, emptyToNull, type Reporter } from './check-text.ts';
import { checkVariation } from './check-variation.ts';
import { FEED_COLUMNS, type FieldColumns } from './field-columns.ts';
import {
  BRAND_MAX,
  CATEGORY_MAX,
  DESCRIPTION_MAX,
  EXTERNAL_KEY_MAX,
  ID_MAX,
  SKU_MAX,
  TITLE_MAX,
} from './limits.ts';

export interface ValidPatch {
  /** The valid fields, cleaned. */
  readonly patch: ProductPatch;
  readonly messages: RowMessage[];
}

type Field = Exclude<keyof ProductPatch, 'identity' | 'identity_parts' | 'partial'>;
type Value<K extends keyof ProductPatch> = Exclude<ProductPatch[K], undefined>;
type Check<K extends Field> = (value: Value<K>, reporter: Reporter) => Value<K> | undefined;

const HTML_TAG = /<\/?[a-z][^>]*>/i;

/** Each check returns the cleaned value, or `undefined` after a finding of severity `error`. */
const CHECKS: { readonly [K in Field]: Check<K> } = {
  seller_sku: (value, reporter) => checkLine(value, SKU_MAX, reporter),
  title: checkTitle,
  description: (value, reporter) =>
    value === null ? null : emptyToNull(checkText(value, DESCRIPTION_MAX, reporter)),
  brand: (value, reporter) => checkOptionalLine(value, BRAND_MAX, reporter),
  category: (value, reporter) => checkOptionalLine(value, CATEGORY_MAX, reporter),
  condition: (value, reporter) => (value === null ? null : oneOf(value, CONDITIONS, reporter)),
  external_key: (value, reporter) => checkOptionalLine(value, EXTERNAL_KEY_MAX, reporter),
  price_minor: checkPrice,
  compare_at_minor: checkCompareAt,
  currency: checkCurrency,
  quantity: checkQuantity,
  reorder_point: checkQuantity,
  shipping_profile_id: (value, reporter) => (value === null ? null : checkLine(value, ID_MAX, reporter)),
  status: (value, reporter) => oneOf(value, PRODUCT_STATUSES, reporter),
  images: checkImages,
  attributes: checkAttributes,
  variation: checkVariation,
};

const FIELDS = Object.keys(CHECKS) as readonly Field[];

/** @param exponent decimal places of amounts; absent when the amounts are in minor units */
export function validatePatch(
  patch: ProductPatch,
  columns: FieldColumns = FEED_COLUMNS,
  exponent?: number,
): ValidPatch {
  const messages: RowMessage[] = [];
  const valid: Partial<Record<keyof ProductPatch, unknown>> = {};
  // One object for all fields, because a file has millions of cells.
  const reporter = { column: '', messages, exponent };
  for (const field of FIELDS) {
    const value = patch[field];
    if (value === undefined) continue;
    reporter.column = columns.fields[field];
    const checked = check(field, value, reporter);
    if (checked !== undefined) valid[field] = checked;
  }
  if (patch.identity !== undefined) {
    const claim = patch.identity === null ? null : checkClaim(patch.identity, columns.identity, messages);
    if (claim !== undefined) valid.identity = claim;
  }
  if (patch.identity_parts !== undefined) {
    const parts = checkParts(patch.identity_parts, columns.identity, messages);
    if (parts !== undefined) valid.identity_parts = parts;
  }
  if (patch.partial !== undefined) valid.partial = patch.partial;
  return { patch: valid as ProductPatch, messages };
}

/** The cast is safe: each check gets the value of its own field, which the compiler cannot prove. */
function check(field: Field, value: unknown, reporter: Reporter): unknown {
  const run = CHECKS[field] as (value: unknown, reporter: Reporter) => unknown;
  return run(value, reporter);
}

function checkTitle(value: string | null, reporter: Reporter): string | null | undefined {
  if (value === null) return null;
  const title = emptyToNull(checkLine(value, TITLE_MAX, reporter));
  if (title != null && HTML_TAG.test(title)) {
    reporter.messages.push(rowMessage('html_not_allowed', { column: reporter.column, value: title }));
  }
  return title;
}

function checkCurrency(value: string, { column, messages }: Reporter): string | undefined {
  const code = value.trim().toUpperCase();
  if (isCurrency(code)) return code;
  messages.push(rowMessage('type_invalid', { column, value, expected: 'an ISO 4217 code' }));
  return undefined;
}

function oneOf<T extends string>(value: T, allowed: readonly T[], reporter: Reporter): T | undefined {
  if (allowed.includes(value)) return value;
  const { column, messages } = reporter;
  messages.push(rowMessage('enum_invalid', { column, value, expected: allowed.join(', ') }));
  return undefined;
}
