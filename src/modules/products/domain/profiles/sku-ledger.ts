/** SKUs of one file: which are usable, and which stand in it a second time. */
import { SKU_MAX } from '../fields/limits.ts';
import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { stripTextMark } from './cell.ts';

/** A number that a spreadsheet has rounded (`1.6986E+09`); the digits behind it are lost. */
const SCIENTIFIC = /^\d(?:[.,]\d+)?e\+?\d+$/i;

export interface SkuReading {
  /** The SKU, or `null` when the row has none that can be used. */
  readonly sku: string | null;
  readonly messages: readonly RowMessage[];
}

export interface SkuLedger {
  /**
   * Reads the SKU cell of a row. A missing or over-long one leaves the row without SKU, which keeps its product
   * a draft; what a repeated one does is the profile's to say.
   */
  claim(cell: string, column: string, rowNumber: number): SkuReading;
}

/**
 * A ledger of one file.
 *
 * @param repeats what becomes of the later row: `refused`, or `staged` under the file's own key, where the SKU is
 * no key of the file (docs/design/feeds-and-imports.md#store-platform-files: stores repeat theirs by the
 * hundred)
 */
export function createSkuLedger(repeats: 'refused' | 'staged' = 'refused'): SkuLedger {
  const firstRow = new Map<string, number>();
  return {
    claim(cell, column, rowNumber) {
      const sku = stripTextMark(cell);
      if (sku === '') return { sku: null, messages: [skuRequired(column)] };
      if (sku.length > SKU_MAX) return { sku: null, messages: [skuRequired(column, sku)] };
      const first = firstRow.get(sku);
      if (first !== undefined)
        return repeats === 'refused'
          ? { sku, messages: [repeated(sku, column, first)] }
          : { sku: null, messages: [{ ...repeated(sku, column, first), ...REPEAT_STAGED }] };
      firstRow.set(sku, rowNumber);
      return {
        sku,
        messages: SCIENTIFIC.test(sku) ? [rowMessage('sku_damaged', { column, value: sku })] : [],
      };
    },
  };
}

function skuRequired(column: string, value?: string): RowMessage {
  if (value === undefined) return rowMessage('sku_required', { column, severity: 'warning', ...STAGED });
  return rowMessage('sku_required', {
    column,
    value,
    severity: 'warning',
    message: `The SKU has ${value.length} characters; at most ${SKU_MAX} can be used.`,
    hint: STAGED.hint,
  });
}

const STAGED = {
  message: 'The file gives no SKU; the product waits as a draft until it has one.',
  hint: 'Give the product a SKU of its own; the draft is found again by its key in the file.',
};

const REPEAT_STAGED = {
  severity: 'warning',
  hint: 'The product waits as a draft, found again by its key in the file; give it a SKU of its own.',
} as const;

function repeated(value: string, column: string, first: number): RowMessage {
  return rowMessage('sku_duplicate_in_file', {
    column,
    value,
    message: `The SKU stands in row ${first} of this file already.`,
  });
}

export interface KeyLedger {
  /** The finding about a key that an earlier row of the file has, or nothing. */
  claim(key: string, rowNumber: number): readonly RowMessage[];
}

/**
 * Keys of products without SKU: the same key twice is the same product twice
 * (docs/design/feeds-and-imports.md#store-platform-files).
 */
export function createKeyLedger(): KeyLedger {
  const firstRow = new Map<string, number>();
  return {
    claim(key, rowNumber) {
      const first = firstRow.get(key);
      if (first === undefined) {
        firstRow.set(key, rowNumber);
        return [];
      }
      const message = `Row ${first} of this file has the same key, and neither row has a SKU.`;
      return [rowMessage('duplicate_in_file', { value: key, message })];
    },
  };
}
