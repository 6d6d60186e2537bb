import type { SellerDb } from '../../../platform/db/table.ts';
import { requireSeller, type SellerChange, type SellerRow, writeSeller } from '../store/seller-row.ts';

/** The sections of the seller are parts of one row. */
export const OWN_ROW = {
  area: 'settings',
  read: requireSeller,
  write: (ctx: SellerDb & { at(): string }, row: SellerRow, change: SellerChange): Promise<void> =>
    writeSeller(ctx, row, change),
} as const;
