import type { Acting } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import type { Services } from '../../../platform/services.ts';
import type { Work } from '../domain/work.ts';
import { changeOrder } from './change-order.ts';

/** Changes an order without a request, because of a deadline or of new stock. */
export const changeAsSystem = (
  services: Services,
  sellerId: string,
  orderId: string,
  rule: (work: Work, ctx: Acting) => void | Promise<void>,
): Promise<unknown> =>
  services.withSeller(sellerId, 'write', (db) => {
    const ctx = acting(services, { db, seller_id: sellerId });
    return changeOrder(ctx, orderId, (work) => rule(work, ctx));
  });
