import { SKU_MAX } from '../fields/limits.ts';
import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { isRoundedNumber, stripTextMark } from './cell.ts';

/** Reads the SKU of a row of an import. @returns `null` without a usable SKU; a new product then stays a draft */
export function readSku(cell: string, column: string, messages: RowMessage[]): string | null {
  const sku = stripTextMark(cell);
  if (sku === '' || sku.length > SKU_MAX) {
    messages.push(skuRequired(column, sku));
    return null;
  }
  if (isRoundedNumber(sku)) messages.push(rowMessage('sku_damaged', { column, value: sku }));
  return sku;
}

function skuRequired(column: string, sku: string): RowMessage {
  return rowMessage('sku_required', {
    column,
    value: sku === '' ? undefined : sku,
    severity: 'warning',
    message:
      sku === ''
        ? 'The file gives no SKU; the product stays a draft until it has one.'
        : `The SKU has ${sku.length} characters; at most ${SKU_MAX} can be used.`,
    hint: 'Give the product a valid SKU and import the file again; the import finds the draft by its key.',
  });
}
