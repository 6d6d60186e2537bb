import type { Acting } from '../../kernel/context.ts';
import type { AnyJob } from '../../kernel/route.ts';
import { acting } from '../acting.ts';
import type { Columns, RowOf } from '../db/columns.ts';
import type { KeyOf, Table } from '../db/table.ts';
import { defineJob } from './define-job.ts';

interface SettledRow<C extends Columns, K extends keyof C & string> {
  readonly kind: string;
  readonly table: Table<C, K>;
  /** Makes the moves of the locked row that are due. It must be safe to run too early, and twice. */
  readonly settle: (ctx: Acting, row: RowOf<C>) => Promise<unknown>;
}

/** Declares a job of one row of a seller. Its payload is the key of the row. */
export const settleRowJob = <C extends Columns, K extends keyof C & string>({
  kind,
  table,
  settle,
}: SettledRow<C, K>): AnyJob =>
  defineJob({
    kind,
    recurring: false,
    handler: async (services, { seller_id, payload }) => {
      const sellerId = seller_id ?? '';
      await services.withSeller(sellerId, 'write', async (db) => {
        const ctx = acting(services, { db, seller_id: sellerId });
        const row = await table.find(ctx, payload as KeyOf<C, K>, 'for update');
        if (row !== undefined) await settle(ctx, row);
      });
      return undefined;
    },
  });
