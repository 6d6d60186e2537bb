import { isDeepStrictEqual } from 'node:util';
import type { EventOf } from '../../../kernel/events.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { requireSeller, type SellerChange, type SellerRow, writeSeller } from '../store/seller-row.ts';

/** The sections of the seller are parts of one row. */
export const OWN_ROW = {
  area: 'settings',
  auth: 'setup',
  read: requireSeller,
  write: writeSeller,
} as const;

/**
 * A section that the marketplace and the seller's systems are told about: the write emits the section as it is after
 * the change, with the old values of the fields that differ.
 */
export const toldRow = <View extends object>(
  changed: EventOf<View>,
  show: (row: SellerRow, ctx: HandlerCtx) => View,
) => ({
  ...OWN_ROW,
  show,
  write: async (ctx: HandlerCtx, row: SellerRow, change: SellerChange): Promise<void> => {
    await writeSeller(ctx, row, change);
    const version = row.version + 1;
    const [before, after] = [show(row, ctx), show({ ...row, ...change, version, updated_at: ctx.at() }, ctx)];
    const now = after as Readonly<Record<string, unknown>>;
    const previous = Object.fromEntries(
      Object.entries(before).filter(
        ([name, value]) => name !== 'updated_at' && !isDeepStrictEqual(value, now[name]),
      ),
    );
    await ctx.emit(changed.of(after, { object_id: ctx.seller_id, version, previous }));
  },
});
