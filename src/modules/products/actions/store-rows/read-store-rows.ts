/**
 * Reads the products of a connected store from records in the columns of the store's own export, by the import profile
 * that reads its files. Source: docs/design/channels.md#products.
 */
import { hash } from 'node:crypto';
import { currencyExponent } from '../../../../kernel/money.ts';
import { validatePatch } from '../../domain/fields/validate-patch.ts';
import { PROFILES } from '../../domain/profiles/profiles.ts';
import type { FeedRow } from '../../domain/row.ts';

export const STORE_PROFILE = 'store_platform_products';

/** @returns one row for each record, in their order, with checked fields */
export function readStoreRows(
  header: readonly string[],
  records: readonly (readonly string[])[],
  currency: string,
): FeedRow[] {
  const { createMapper, labels } = PROFILES[STORE_PROFILE];
  const mapper = createMapper(header, { seller_currency: currency });
  const rows = records.flatMap((cells, index) => {
    const raw_sha256 = hash('sha256', cells.join('\0'), 'buffer');
    return mapper.push({ cells, line_start: index + 1, line_end: index + 1, raw_sha256 });
  });
  const columns = labels(header);
  return [...rows, ...mapper.end()].map((row) => {
    if (row.patch === null) return row;
    const { patch, messages } = validatePatch(row.patch, columns, currencyExponent(currency));
    return { ...row, patch, messages: [...row.messages, ...messages] };
  });
}
