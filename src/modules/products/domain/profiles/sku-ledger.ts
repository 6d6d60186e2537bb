/** The SKUs and the keys of one file: which can be used, and which an earlier row of the file has already. */
import { SKU_MAX } from '../fields/limits.ts';
import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { isRoundedNumber, stripTextMark } from './cell.ts';

export interface SkuLedger {
  /** Reads the SKU cell of a row; `null` when it holds no usable SKU, which keeps a new product a draft. */
  read(cell: string, column: string, row: number, messages: RowMessage[]): string | null;
}

/**
 * @param repeats what happens to a later row with the same SKU: it is refused, or staged under its own key, because
 *   stores repeat SKUs by the hundred
 */
export function createSkuLedger(repeats: 'refused' | 'staged' = 'refused'): SkuLedger {
  const firstRows = new Map<string, number>();
  return {
    read(cell, column, row, messages) {
      const sku = stripTextMark(cell);
      if (sku === '' || sku.length > SKU_MAX) {
        messages.push(skuRequired(column, sku));
        return null;
      }
      const first = firstRows.get(sku);
      if (first !== undefined) {
        const message = `The SKU is already in row ${first} of this file.`;
        const staged = repeats === 'staged' ? REPEAT_STAGED : {};
        messages.push(rowMessage('sku_duplicate_in_file', { column, value: sku, message, ...staged }));
        return repeats === 'staged' ? null : sku;
      }
      firstRows.set(sku, row);
      if (isRoundedNumber(sku)) messages.push(rowMessage('sku_damaged', { column, value: sku }));
      return sku;
    },
  };
}

const REPEAT_STAGED = {
  severity: 'warning',
  hint: 'The product stays a draft, which a later import finds by its key in the file; give it its own SKU.',
} as const;

function skuRequired(column: string, sku: string): RowMessage {
  return rowMessage('sku_required', {
    column,
    value: sku === '' ? undefined : sku,
    severity: 'warning',
    message:
      sku === ''
        ? 'The file gives no SKU; the product stays a draft until it has one.'
        : `The SKU has ${sku.length} characters; at most ${SKU_MAX} can be used.`,
    hint: 'Give the product its own SKU; a later import finds the draft by its key in the file.',
  });
}

export interface KeyLedger {
  /** Reports that an earlier row of the file has the same key. */
  check(key: string, row: number, messages: RowMessage[]): void;
}

/** Keys of products without SKU: the same key twice is the same product twice. */
export function createKeyLedger(): KeyLedger {
  const firstRows = new Map<string, number>();
  return {
    check(key, row, messages) {
      const first = firstRows.get(key);
      if (first === undefined) firstRows.set(key, row);
      else {
        const message = `Row ${first} of this file has the same key, and neither row has a SKU.`;
        messages.push(rowMessage('duplicate_in_file', { value: key, message }));
      }
    },
  };
}
