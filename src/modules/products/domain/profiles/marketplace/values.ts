/** Reads the codes in a marketplace export. Source: docs/design/feeds-and-imports.md#marketplace-files. */
import type { Condition, ProductStatus } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { lookup } from '../cell.ts';
import type { Reporter } from '../field-readers.ts';

/** The numbers of `item-condition` and the words of category templates. */
const CONDITIONS: Readonly<Record<string, Condition>> = {
  '1': 'used_like_new',
  '2': 'used_very_good',
  '3': 'used_good',
  '4': 'used_acceptable',
  '5': 'used_like_new',
  '6': 'used_very_good',
  '7': 'used_good',
  '8': 'used_acceptable',
  '10': 'refurbished',
  '11': 'new',
  new: 'new',
  newopenbox: 'new_open_box',
  refurbished: 'refurbished',
  usedlikenew: 'used_like_new',
  usedverygood: 'used_very_good',
  usedgood: 'used_good',
  usedacceptable: 'used_acceptable',
  collectiblelikenew: 'used_like_new',
  collectibleverygood: 'used_very_good',
  collectiblegood: 'used_good',
  collectibleacceptable: 'used_acceptable',
};

/** This marketplace has no conditions for collectibles, so these codes get the nearest condition with a warning. */
const COLLECTIBLE = /^(?:[5-8]|collectible.*)$/;

export function readListingCondition(text: string, { column, messages }: Reporter): Condition | undefined {
  if (text === '') return undefined;
  const code = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const condition = lookup(CONDITIONS, code);
  if (condition === undefined) {
    const expected = Object.keys(CONDITIONS).join(', ');
    messages.push(rowMessage('enum_invalid', { column, value: text, expected, severity: 'warning' }));
  } else if (COLLECTIBLE.test(code)) {
    messages.push(rowMessage('condition_approximated', { column, value: text, expected: condition }));
  }
  return condition;
}

export const LISTING_STATUSES: Readonly<Record<string, ProductStatus>> = {
  active: 'active',
  inactive: 'inactive',
  incomplete: 'draft',
};

/** Whether `add-delete` or `update_delete` says that the offer is deleted. */
export function isDeleted(text: string): boolean {
  return /^(?:d|x|delete)$/i.test(text);
}

/** Whether a type of `product-id` is global. Type 1 (ASIN) is not, because it identifies a product only there. */
export function isGlobalCodeType(text: string): boolean {
  return /^(?:2|3|4|isbn|upc|ean|gtin|jan)$/i.test(text);
}

/** Whether another marketplace holds the stock. Such stock cannot be sold here. */
export function isHeldElsewhere(channel: string): boolean {
  return /^(?:amazon|afn)/i.test(channel);
}
